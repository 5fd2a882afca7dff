"""A progress bar: sweeps, tokens per second, topics, log joint, time left."""

from __future__ import annotations

import time
from types import TracebackType


class Progress:
    """Shows nothing unless asked; rich draws the bar."""

    def __init__(self, show: bool, sweeps: int, n_tokens: int) -> None:
        self.n_tokens = n_tokens
        self._last = time.perf_counter()
        self._bar = None
        if show:
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn("sweep"),
                MofNCompleteColumn(),
                BarColumn(bar_width=24),
                TextColumn("{task.fields[speed]}"),
                TextColumn("{task.fields[topics]} topics"),
                TextColumn("log joint {task.fields[joint]}"),
                TimeRemainingColumn(),
            )
            self._task = self._bar.add_task("", total=sweeps, speed="seating", topics="-", joint="-")

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, n_topics: int, log_joint: float) -> None:
        """One sweep is done."""
        if self._bar is None:
            return
        now = time.perf_counter()
        speed = self.n_tokens / max(now - self._last, 1e-9)
        self._last = now
        unit = f"{speed / 1e6:.1f} M tokens/s" if speed >= 1e6 else f"{speed / 1e3:.0f} k tokens/s"
        self._bar.update(self._task, advance=1, speed=unit, topics=n_topics, joint=f"{log_joint:,.0f}")
