"""One line when kernels are compiled, which happens at their first call and takes a while, and one when it is over."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.event import Listener, install_listener

COMPILING = "numba:compile"  # Numba's event, which kernels that are found in the cache do not cause
BEFORE = (
    "Compiling the sampler for this machine, which takes up to a minute or two and happens once: "
    "later fits load it from the cache."
)


class _Watch(Listener):  # type: ignore[misc]
    """Seconds spent on compiling kernels; those that others call are compiled within their time."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.tell, self.seconds = tell, 0.0
        self._depth, self._since, self._has_told = 0, 0.0, False

    def _is_ours(self, event: Any) -> bool:
        return bool(event.data["dispatcher"].py_func.__module__.startswith("pitmanyor."))

    def on_start(self, event: Any) -> None:
        if not self._is_ours(event):
            return
        if not self._has_told:
            self._has_told = True
            self.tell(BEFORE)
        if self._depth == 0:
            self._since = time.perf_counter()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        if not self._is_ours(event):
            return
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._since


@contextmanager
def compile_notice(tell: Callable[[str], None]) -> Iterator[None]:
    """Tell that kernels are being compiled, when the first one is; and how long all took, at the end."""
    watch = _Watch(tell)
    try:
        with install_listener(COMPILING, watch):
            yield
    finally:
        if watch.seconds:
            tell(f"Compiling took {watch.seconds:.0f} s of this fit.")
