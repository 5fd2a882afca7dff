"""The table of an experiment from its cells: what there is so far, as Markdown for people and CSV for programs."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from statistics import fmean

from pitmanyor.experiments.columns import ARROWS, COLUMNS, TITLES, Column
from pitmanyor.experiments.home import Facts, Home
from pitmanyor.experiments.rows import Row
from pitmanyor.experiments.settings import Settings
from pitmanyor.experiments.summary import Summary, summarise

SIGNIFICANT = 0.05
NONE = "n/a"


@dataclass(frozen=True)
class Line:
    """A row with its finished cells, and their summary by measure; the summary compares with the reference's row."""

    row: Row
    cells: list[Facts]
    summaries: dict[str, Summary]


@dataclass(frozen=True)
class Table:
    """All lines of an experiment, the reference last; `repeats` is how many cells each should have."""

    settings: Settings
    lines: list[Line]
    repeats: int

    @property
    def columns(self) -> list[Column]:
        """Those that some line has a number for."""
        return [c for c in COLUMNS[self.settings.kind] if any(c.key in line.summaries for line in self.lines)]


def collect(home: Home, rows: list[Row], repeats: int) -> Table:
    """The table as far as cells are finished."""
    cells = {row.key: home.read_cells(row.key, repeats) for row in rows}
    settings, reference = home.settings(), rows[-1].key
    lines = []
    for row in rows:
        summaries = {}
        for column in COLUMNS[settings.kind]:
            values = _values(cells[row.key], column.key)
            if values:
                against = _values(cells[reference], column.key) if column.better and row.key != reference else None
                summaries[column.key] = summarise(values, against)
        lines.append(Line(row, cells[row.key], summaries))
    return Table(settings, lines, repeats)


def _values(cells: list[Facts], key: str) -> dict[int, float]:
    return {cell["repeat"]: cell["numbers"][key] for cell in cells if key in cell["numbers"]}


def to_markdown(table: Table, about: str) -> str:
    """The table with its legend; `about` describes the corpus."""
    columns = table.columns
    parts = [f"# {TITLES[table.settings.kind]}", "", about, ""]
    parts.append("| | " + " | ".join(c.title + ARROWS[c.better] for c in columns) + " |")
    parts.append("|---|" + "---:|" * len(columns))
    for line in table.lines:
        shown = " | ".join(_shown(line.summaries.get(c.key), c) for c in columns)
        parts.append(f"| {line.row.title} | {shown} |")
    return "\n".join([*parts, "", *_legend(table)]) + "\n"


def _shown(summary: Summary | None, column: Column) -> str:
    if summary is None:
        return NONE
    text = f"{summary.mean:,.{column.digits}f}"
    if summary.sd is not None:
        text += f" ± {summary.sd:,.{column.digits}f}"
    return text + (" *" if summary.p is not None and summary.p < SIGNIFICANT else "")


def _legend(table: Table) -> list[str]:
    settings, reference, n = table.settings, table.lines[-1].row.title, table.repeats
    lines = ["↓ less is better, ↑ more is better."]
    if n == 1:
        lines.append(f"One run of {settings.sweeps} sweeps with seed {settings.seed}: no deviation, no test.")
    else:
        seeds = f"seeds {settings.seed} to {settings.seed + n - 1}"
        lines.append(f"Mean ± standard deviation of {n} runs ({seeds}) of {settings.sweeps} sweeps each.")
    if n > 1 and len(table.lines) > 1:
        lines.append(f"\\* differs from *{reference}*: paired t test over the seeds, p < {SIGNIFICANT}, not adjusted.")
    lines += _held(settings) + _missing(table) + _convergence(table)
    return [f"- {line}" for line in lines] + ["", "Settings: " + _settings(settings) + "."]


def _held(settings: Settings) -> list[str]:
    if settings.kind in ("clustering", "labels"):
        return ["Fitted to all posts. NPMI and diversity are of topics with half a percent of the tokens or more."]
    return [
        f"One split for all: {settings.test:.0%} of every author's posts and {settings.held_links:.0%} of the pairs of "
        "authors are held out; the network log-likelihood is of the other pairs.",
        "Half of the words of a held-out post are given. Hashtags are scored given those, the other words given both.",
    ]


def _missing(table: Table) -> list[str]:
    missing = [f"{line.row.title}: {line.row.missing}" for line in table.lines if line.row.missing]
    begun = {line.row.title: len(line.cells) for line in table.lines if not line.row.missing}
    open_ = [f"{title} {n} of {table.repeats}" for title, n in begun.items() if n < table.repeats]
    out = ["n/a: " + "; ".join(missing) + "."] if missing else []
    return out + (["**Not finished**: " + ", ".join(open_) + "."] if open_ else [])


def _convergence(table: Table) -> list[str]:
    drifts = {line.row.title: d for line in table.lines if (d := drift(line.cells)) is not None}
    if not drifts:
        return []
    worst = max(drifts, key=lambda title: drifts[title])
    return [
        "Convergence: from the third to the last quarter of the sweeps the log joint moved most for "
        f"*{worst}*, by {drifts[worst]:.2f} %."
    ]


def _settings(settings: Settings) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.to_json().items() if value is not None)


def drift(cells: list[Facts]) -> float | None:
    """How far the log joint still moved, in percent: its mean over the last quarter against the quarter before."""
    moves = []
    for cell in cells:
        values = cell["trace"]["log_joint"]
        quarter = len(values) // 4
        if quarter and all(value is not None for value in values):
            last, before = fmean(values[-quarter:]), fmean(values[-2 * quarter : -quarter])
            moves.append(100 * abs(last - before) / max(abs(last), 1e-300))
    return fmean(moves) if moves else None


def to_csv(table: Table) -> str:
    """A line for every row and measure."""
    out = [["row", "title", "measure", "n", "mean", "sd", "p", "missing"]]
    for line in table.lines:
        for key, s in line.summaries.items():
            out.append([line.row.key, line.row.title, key, *map(_number, s), ""])
        if line.row.missing:
            out.append([line.row.key, line.row.title, "", "0", "", "", "", line.row.missing])
    return csv_text(out)


def cells_csv(table: Table) -> str:
    """A line for every cell and number: what the table was made of."""
    out = [["row", "repeat", "seed", "measure", "value"]]
    for line in table.lines:
        for cell in line.cells:
            head = [line.row.key, str(cell["repeat"]), str(cell["seed"])]
            out += [[*head, key, repr(value)] for key, value in cell["numbers"].items()]
    return csv_text(out)


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def csv_text(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
