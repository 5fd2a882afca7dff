"""The table of an experiment from its cells: what there is so far, as Markdown for people and CSV for programs."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from statistics import fmean

from pitmanyor.experiments.columns import COLUMNS, TITLES, Column
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
    parts.append("| | " + " | ".join(c.title + _arrow(c) for c in columns) + " |")
    parts.append("|---|" + "---:|" * len(columns))
    for line in table.lines:
        shown = " | ".join(_shown(line.summaries.get(c.key), c) for c in columns)
        parts.append(f"| {line.row.title} | {shown} |")
    return "\n".join([*parts, "", *_legend(table)]) + "\n"


def _arrow(column: Column) -> str:
    return {"low": " (less is better)", "high": " (more is better)", None: ""}[column.better]


def _shown(summary: Summary | None, column: Column) -> str:
    if summary is None:
        return NONE
    text = f"{summary.mean:,.{column.digits}f}"
    if summary.sd is not None:
        text += f" ± {summary.sd:,.{column.digits}f}"
    return text + (" *" if summary.p is not None and summary.p < SIGNIFICANT else "")


def _legend(table: Table) -> list[str]:
    settings, reference = table.settings, table.lines[-1].row.title
    lines = [
        f"Mean ± standard deviation of {table.repeats} repeats (seeds {settings.seed} to "
        f"{settings.seed + table.repeats - 1}) of {settings.sweeps} sweeps, one split for all.",
    ]
    if len(table.lines) > 1:
        lines.append(f"\\* differs from *{reference}*: paired t test over the seeds, p < {SIGNIFICANT}, not adjusted.")
    missing = [f"{line.row.title}: {line.row.missing}" for line in table.lines if line.row.missing]
    if missing:
        lines.append("n/a: " + "; ".join(missing) + ".")
    open_ = {line.row.title: len(line.cells) for line in table.lines if not line.row.missing}
    unfinished = [f"{title} {n} of {table.repeats}" for title, n in open_.items() if n < table.repeats]
    if unfinished:
        lines.append("**Not finished**: " + ", ".join(unfinished) + ".")
    drifts = [d for line in table.lines if (d := drift(line.cells)) is not None]
    if drifts:
        lines.append(
            "Convergence: from the third to the last quarter of the sweeps the log joint of a chain moved by "
            f"{max(drifts):.2f} % of its size in the row where it moved most."
        )
    return [f"- {line}" for line in lines] + ["", "Settings: " + _settings(settings) + "."]


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
