"""SIGTERM and SIGHUP between sweeps: they ask for an end as Ctrl-C does, and are sent again after the checkpoint."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

ASKING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]  # Windows has the first


class Termination:
    """While active, a signal only sets `asked`; `deliver` sends it again. Does nothing outside the main thread.

    A signal that is ignored stays so: `nohup` lets a fit go on when its terminal is closed.
    """

    def __init__(self, active: bool) -> None:
        self._old: dict[int, Any] = {}
        self._number: int | None = None
        self._active = active and threading.current_thread() is threading.main_thread()

    @property
    def asked(self) -> bool:
        return self._number is not None

    def __enter__(self) -> Termination:
        for number in ASKING if self._active else ():
            if signal.getsignal(number) != signal.SIG_IGN:
                self._old[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        for number, old in self._old.items():
            signal.signal(number, old)

    def deliver(self) -> None:
        """Who sends such a signal wants the process to end, and now it may."""
        if self._number is not None:
            signal.raise_signal(self._number)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._number = number
