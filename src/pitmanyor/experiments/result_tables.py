"""The table of an experiment from its finished cells, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from pitmanyor.experiments.home import Facts, Home
from pitmanyor.experiments.legend import legend
from pitmanyor.experiments.rows import Row
from pitmanyor.experiments.settings import Settings
from pitmanyor.experiments.summary import SIGNIFICANT, Summary, summarise
from pitmanyor.experiments.table_columns import ARROWS, COLUMNS, TITLES, Column

NONE = "n/a"


@dataclass(frozen=True)
class Line:
    """A row with its finished cells, and their summary by measure, compared with the reference row."""

    row: Row
    cells: list[Facts]
    summaries: dict[str, Summary]


@dataclass(frozen=True)
class Table:
    """All lines of an experiment, the reference last; `repeats` is the number of cells that each should have."""

    settings: Settings
    lines: list[Line]
    repeats: int

    @property
    def columns(self) -> list[Column]:
        """The measures for which some line has a number."""
        return [c for c in COLUMNS[self.settings.kind] if any(c.key in line.summaries for line in self.lines)]


def collect(home: Home, rows: list[Row], repeats: int) -> Table:
    """The table of the finished cells."""
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
    return "\n".join([*parts, "", *legend(table)]) + "\n"


def _shown(summary: Summary | None, column: Column) -> str:
    if summary is None:
        return NONE
    text = f"{summary.mean:,.{column.digits}f}"
    if summary.sd is not None:
        text += f" ± {summary.sd:,.{column.digits}f}"
    return text + (" *" if summary.p is not None and summary.p < SIGNIFICANT else "")


def to_csv(table: Table) -> str:
    """One line per row and measure."""
    out = [["row", "title", "measure", "n", "mean", "sd", "p", "missing"]]
    for line in table.lines:
        for key, s in line.summaries.items():
            out.append([line.row.key, line.row.title, key, *map(_number, s), ""])
        if line.row.missing:
            out.append([line.row.key, line.row.title, "", "0", "", "", "", line.row.missing])
    return csv_text(out)


def cells_csv(table: Table) -> str:
    """One line per cell and number."""
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
