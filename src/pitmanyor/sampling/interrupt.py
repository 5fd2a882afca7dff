"""Ctrl-C between sweeps: the first asks for an end, the second breaks off."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Interrupt:
    """While active, the first SIGINT only sets `asked`; outside the main thread it does nothing."""

    def __init__(self) -> None:
        self.asked = False
        self._old: Any = None
        self._active = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Interrupt:
        if self._active:
            self._old = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._active:
            signal.signal(signal.SIGINT, self._old)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
