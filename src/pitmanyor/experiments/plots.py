"""The figure of an experiment: one dot per repeat, one line per row, one panel per measure."""

from __future__ import annotations

import io
from importlib.util import find_spec
from typing import Any

from pitmanyor.experiments.result_tables import NONE, Line, Table
from pitmanyor.experiments.summary import Summary
from pitmanyor.experiments.table_columns import ARROWS, TITLES, Column

ACROSS = 3  # panels side by side
N_TICKS = 4  # most ticks of an axis; the long numbers of a log-likelihood would overlap
INK, FAINT, DOT = "#222222", "#cccccc", "#3b6ea5"
NEEDS = "the figure needs matplotlib: pip install 'pitmanyor[figures]', then start the same command again"


def can_draw() -> bool:
    return find_spec("matplotlib") is not None


def draw(table: Table) -> bytes:
    """The figure as PNG: dots are repeats, bars their means, and a grey line is the mean of the reference."""
    from matplotlib.figure import Figure

    columns = [column for column in table.columns if column.better]
    lines = [line for line in table.lines if line.cells]
    n_across = min(ACROSS, len(columns))
    n_down = -(-len(columns) // n_across)
    figure = Figure(figsize=(2.2 + 2.6 * n_across, 0.4 + n_down * (0.8 + 0.25 * len(lines))), layout="constrained")
    figure.suptitle(TITLES[table.settings.kind], color=INK, fontsize=11)
    panels = figure.subplots(n_down, n_across, sharey=True, squeeze=False).ravel()
    for panel, column in zip(panels, columns, strict=False):
        _panel(panel, column, lines, table.lines[-1].summaries.get(column.key))
    for panel in panels[len(columns) :]:
        panel.set_axis_off()
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=150, metadata={"Software": None})
    return out.getvalue()


def _panel(panel: Any, column: Column, lines: list[Line], reference: Summary | None) -> None:
    if reference is not None:
        panel.axvline(reference.mean, color=FAINT, linewidth=1, zorder=0)
    for y, line in enumerate(lines):
        summary = line.summaries.get(column.key)
        if summary is None:
            panel.text(
                0.5, y, NONE, transform=panel.get_yaxis_transform(), color=FAINT, fontsize=8, va="center", ha="center"
            )
            continue
        values = [cell["numbers"][column.key] for cell in line.cells if column.key in cell["numbers"]]
        panel.plot(values, [y] * len(values), "o", color=DOT, alpha=0.6, markersize=4, markeredgewidth=0)
        panel.plot([summary.mean] * 2, [y - 0.3, y + 0.3], color=INK, linewidth=1.5)
    panel.set_title(column.title + ARROWS[column.better], fontsize=8, color=INK)
    panel.set_yticks(range(len(lines)), [line.row.title for line in lines])
    panel.set_ylim(len(lines) - 0.5, -0.5)  # the first row on top
    panel.locator_params(axis="x", nbins=N_TICKS)
    panel.tick_params(labelsize=8, left=False)
    for side in ("top", "right", "left"):
        panel.spines[side].set_visible(False)
    panel.grid(axis="y", color=FAINT, linewidth=0.4)
