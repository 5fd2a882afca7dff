"""From a corpus to a table: compute the missing cells, and make the table of the finished ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.experiments.data import split
from pitmanyor.experiments.home import Home
from pitmanyor.experiments.labels import best_cell, labels_csv, labels_markdown
from pitmanyor.experiments.plots import NEEDS, can_draw, draw
from pitmanyor.experiments.result_tables import Table, cells_csv, collect, to_csv, to_markdown
from pitmanyor.experiments.rows import Row, rows_of
from pitmanyor.experiments.settings import Settings
from pitmanyor.experiments.table_columns import TITLES
from pitmanyor.experiments.workers import Cell, run_cells
from pitmanyor.files import atomic_write
from pitmanyor.machine import cores
from pitmanyor.runs.lock import hold

Told = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """The result of an experiment: the table as Markdown, the files written, and what could not be done."""

    title: str
    markdown: str
    files: list[Path]
    notes: list[str]
    interrupted: bool


def run_experiment(
    corpus: Corpus,
    out: str | os.PathLike[str],
    settings: Settings,
    *,
    repeats: int = 5,
    workers: int | None = None,
    leave: Collection[str] = (),
    tell: Told = lambda text: None,
) -> Outcome:
    """Make a table of the paper on a corpus; started again with the same settings, it continues.

    Ctrl-C stops and makes the table of the finished cells. If it is killed, only the cells being computed are lost.

    Parameters
    ----------
    corpus
        Posts.
    out
        Directory of the experiment.
    settings
        Kind of the table, number of sweeps, and so on.
    repeats
        Number of fits per row, each with its own seed; the split is the same for all. Existing repeats are kept.
    workers
        Number of processes, one thread each; by default one per core.
    leave
        Keys of rows (as in table.csv) to skip; a later call without it computes them.
    tell
        Called with a line of text whenever a cell is finished.
    """
    if repeats < 1 or (workers is not None and workers < 1):
        raise PlanError(f"repeats and workers are 1 or more, not {repeats} and {workers}")
    rows, home = rows_of(settings, corpus), Home(Path(out))
    if strange := set(leave) - {row.key for row in rows}:
        raise PlanError(f"there is no row {', '.join(sorted(strange))}; rows are {', '.join(row.key for row in rows)}")
    split(corpus, settings)  # raises before the directory is created
    home.prepare(settings, corpus)
    with hold(home.cells):
        asked = [row for row in rows if row.key not in leave]
        interrupted = _compute(home, asked, repeats, workers or cores(), tell)
        table = collect(home, rows, max(repeats, home.n_repeats()))
        return _write(home, table, _about(corpus), interrupted)


def _about(corpus: Corpus) -> str:
    """The corpus, and what was removed when it was read."""
    return str(corpus) + (f"\n\n```\n{corpus.report}\n```" if corpus.report else "")


def _compute(home: Home, rows: list[Row], repeats: int, workers: int, tell: Told) -> bool:
    """Compute the missing cells, repeat by repeat, so that every row has some early; True if Ctrl-C was pressed."""
    titles = {row.key: row.title for row in rows if row.missing is None}
    cells: list[Cell] = [(key, r) for r in range(repeats) for key in titles]
    left = [cell for cell in cells if not home.is_done(*cell)]
    n_done = len(cells) - len(left)
    tell(f"{n_done} of {len(cells)} fits are done already")
    try:
        for key, repeat in run_cells(home.path, left, workers, _run_cell):
            n_done += 1
            tell(f"[{n_done}/{len(cells)}] {titles[key]}, repeat {repeat + 1}")
    except KeyboardInterrupt:
        return True
    return False


def _run_cell(path: str, key: str, repeat: int) -> None:
    """Compute one cell, in a worker, which is the only place where Numba is loaded."""
    from pitmanyor.experiments.measures import run_cell

    run_cell(path, key, repeat)


def _write(home: Home, table: Table, about: str, interrupted: bool) -> Outcome:
    markdown, notes = to_markdown(table, about), []
    texts = {"table.csv": to_csv(table), "cells.csv": cells_csv(table)}
    best = best_cell(table) if table.settings.kind == "labels" else None
    if best is not None:
        markdown += "\n" + labels_markdown(best)
        texts["topics.csv"] = labels_csv(best)
    contents = {name: text.encode() for name, text in texts.items()}
    if not any(line.cells for line in table.lines):
        notes.append("no cell is finished yet, so there is no figure")
    elif can_draw():
        contents["figure.png"] = draw(table)
        markdown += f"\n![{TITLES[table.settings.kind]}](figure.png)\n"
    else:
        notes.append(NEEDS)
    contents["table.md"] = markdown.encode()
    for name, content in contents.items():
        with atomic_write(home.path / name) as file:
            file.write(content)
    files = [home.path / name for name in contents]
    return Outcome(TITLES[table.settings.kind], markdown, files, notes, interrupted)
