"""Progress in a notebook: a line of HTML per chain that is replaced, with nothing installed but the notebook itself."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Literal

from pitmanyor.errors import PlanError
from pitmanyor.kernels.runtime.compile_notice import compile_notice
from pitmanyor.sampling.progress import Bars, Swept

Progress = bool | Literal["auto"]
EVERY = 0.25  # seconds between two drawings


def bars(progress: Progress, totals: Sequence[int]) -> Bars:
    """Bars for where this runs: a notebook, or a terminal. "auto" shows none elsewhere, such as in a log file."""
    if progress not in (True, False, "auto"):
        raise PlanError(f'progress is "auto", True or False, not {progress!r}')
    notebook = in_notebook()
    show = (notebook or sys.stderr.isatty()) if progress == "auto" else bool(progress)
    return NotebookBars(totals) if show and notebook else Bars(show, totals)


def in_notebook() -> bool:
    """Whether a Jupyter kernel runs this; IPython at a terminal is a terminal."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


class NotebookBars(Bars):
    """A bar for each chain, drawn by the notebook."""

    def __init__(self, totals: Sequence[int]) -> None:
        super().__init__(False, totals)
        self._totals = list(totals)
        self._started = time.perf_counter()
        self._first: dict[int, int] = {}
        self._said: dict[int, Swept] = {}
        self._handle: Any = None
        self._drawn = 0.0
        self._told: list[str] = []

    def __enter__(self) -> NotebookBars:
        display: Any = sys.modules["IPython"].display  # of the notebook that runs this
        self._html = display.HTML
        self._handle = display.display(self._html(self.html()), display_id=True)
        self._notice.enter_context(compile_notice(self._tell))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._notice.close()
        self._draw()

    def _tell(self, line: str) -> None:
        self._told.append(line)
        self._draw()

    def update(self, swept: Swept, chain: int = 0) -> None:
        if swept.n_sweeps:
            self._first.setdefault(chain, swept.n_sweeps)
        self._said[chain] = swept
        if time.perf_counter() - self._drawn >= EVERY:
            self._draw()

    def _draw(self) -> None:
        self._drawn = time.perf_counter()
        if self._handle is not None:
            self._handle.update(self._html(self.html()))

    def html(self) -> str:
        """The bars as they stand."""
        told = [f"<div>{line}</div>" for line in self._told]
        return "<div>" + "".join([*told, *map(self._line, range(len(self._totals)))]) + "</div>"

    def _line(self, chain: int) -> str:
        total, said = self._totals[chain], self._said.get(chain)
        name = "sweep" if len(self._totals) == 1 else f"chain {chain}"
        if said is None or said.n_sweeps == 0:
            doing = "starting" if said is None else f"finding a start, {said.n_topics} topics"
            return f'<div><progress max="{max(total, 1)}"></progress> {name}: {doing}</div>'
        new = said.n_sweeps - self._first[chain]
        seconds = time.perf_counter() - self._started
        left = (
            f", {_duration(seconds / new * (total - said.n_sweeps))} left" if new > 0 and said.n_sweeps < total else ""
        )
        bar = f'<progress max="{max(total, 1)}" value="{said.n_sweeps}"></progress>'
        topics = f"{said.n_topics} topics, log joint {said.log_joint:,.0f}"
        return f"<div>{bar} {name} {said.n_sweeps} of {total}, {topics}{left}</div>"


def _duration(seconds: float) -> str:
    """Minutes and seconds.

    >>> _duration(75.2)
    '1:15'
    """
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
