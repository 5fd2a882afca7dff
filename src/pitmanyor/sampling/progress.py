"""Progress bars, one for each chain: sweeps, speed, topics, log joint, and the time left."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import NamedTuple, Protocol

from pitmanyor.kernels.runtime.compile_notice import compile_notice


class Swept(NamedTuple):
    """What is shown of a chain after a sweep, or with 0 sweeps after a round of the search for a start."""

    n_sweeps: int
    n_tokens: int
    n_topics: int
    log_joint: float


class Progress(Protocol):
    """Whoever is told about every sweep."""

    def update(self, swept: Swept) -> None:
        """A sweep is done."""


class OfChain:
    """Tells a chain's sweeps to its bar."""

    def __init__(self, bars: Bars, chain: int) -> None:
        self.bars, self.chain = bars, chain

    def update(self, swept: Swept) -> None:
        self.bars.update(swept, self.chain)


class Bars:
    """Bars on a terminal, drawn by rich; nothing at all unless asked for."""

    def __init__(self, show: bool, totals: Sequence[int]) -> None:
        self._last: dict[int, tuple[float, int]] = {}  # of each chain: when it was heard of, and its sweeps then
        self._bar = None
        self._notice = ExitStack()
        if show:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as RichProgress

            self._bar = RichProgress(
                TextColumn("{task.description}"),
                MofNCompleteColumn(),
                BarColumn(bar_width=24),
                TextColumn("{task.fields[speed]}"),
                TextColumn("{task.fields[topics]} topics"),
                TextColumn("log joint {task.fields[joint]}"),
                TimeRemainingColumn(),
                console=Console(stderr=True),  # standard output is for results
            )
            names = ["sweep"] if len(totals) == 1 else [f"chain {i}" for i in range(len(totals))]
            self._tasks = [
                self._bar.add_task(name, total=total, speed="starting", topics="-", joint="-")
                for name, total in zip(names, totals, strict=True)
            ]

    def __enter__(self) -> Bars:
        if self._bar is not None:
            self._bar.start()
            self._notice.enter_context(compile_notice(self._bar.console.print))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._notice.close()
        if self._bar is not None:
            self._bar.stop()

    def update(self, swept: Swept, chain: int = 0) -> None:
        """A chain has made this many sweeps."""
        if self._bar is None:
            return
        task, now = self._tasks[chain], time.perf_counter()
        if swept.n_sweeps == 0:
            self._bar.update(task, speed="finding a start", topics=swept.n_topics)
            return
        if chain in self._last:
            then, before = self._last[chain]
            speed = swept.n_tokens * (swept.n_sweeps - before) / max(now - then, 1e-9)
            said = f"{speed / 1e6:.1f} M tokens/s" if speed >= 1e6 else f"{speed / 1e3:.0f} k tokens/s"
            self._bar.update(task, speed=said)
        else:  # a chain that goes on: its earlier sweeps took no time now
            self._bar.reset(task, completed=swept.n_sweeps)
        self._last[chain] = now, swept.n_sweeps
        self._bar.update(task, completed=swept.n_sweeps, topics=swept.n_topics, joint=f"{swept.log_joint:,.0f}")
