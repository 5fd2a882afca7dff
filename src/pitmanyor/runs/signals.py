"""SIGTERM between sweeps: it asks for an end as Ctrl-C does, and is sent again once the checkpoint is written."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Termination:
    """While active, SIGTERM only sets `asked`; `deliver` sends it again. Does nothing outside the main thread."""

    def __init__(self, active: bool) -> None:
        self.asked = False
        self._old: Any = None
        self._active = active and threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Termination:
        if self._active:
            self._old = signal.signal(signal.SIGTERM, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._active:
            signal.signal(signal.SIGTERM, self._old)

    def deliver(self) -> None:
        """Who sends SIGTERM wants the process to end, and now it may."""
        if self.asked:
            signal.raise_signal(signal.SIGTERM)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
