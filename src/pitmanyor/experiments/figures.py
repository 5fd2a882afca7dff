"""The figure of an experiment: every repeat a dot, every row a line, every measure a panel."""

from __future__ import annotations

import io
from importlib.util import find_spec

from pitmanyor.experiments.columns import TITLES, Column
from pitmanyor.experiments.tables import Line, Table

INK, FAINT, DOT = "#222222", "#cccccc", "#3b6ea5"
NEEDS = "the figure needs matplotlib: pip install 'pitmanyor[figures]', then start the same command again"


def can_draw() -> bool:
    return find_spec("matplotlib") is not None


def draw(table: Table) -> bytes:
    """The figure as PNG: dots are repeats, bars their means, and a grey line is the mean of the reference."""
    from matplotlib.figure import Figure

    columns = [column for column in table.columns if column.better]
    lines = [line for line in table.lines if line.cells]
    height = 1.2 + 0.32 * len(lines)
    figure = Figure(figsize=(2.6 + 2.6 * len(columns), height), layout="constrained")
    figure.suptitle(TITLES[table.settings.kind], color=INK, fontsize=11)
    axes = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
    for panel, column in zip(axes, columns, strict=True):
        _panel(panel, column, lines)
    axes[0].set_yticks(range(len(lines)), [line.row.title for line in lines])
    axes[0].invert_yaxis()
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=150, metadata={"Software": None})
    return out.getvalue()


def _panel(panel, column: Column, lines: list[Line]) -> None:  # type: ignore[no-untyped-def]
    reference = lines[-1].summaries.get(column.key)
    if reference is not None:
        panel.axvline(reference.mean, color=FAINT, linewidth=1, zorder=0)
    for y, line in enumerate(lines):
        summary = line.summaries.get(column.key)
        if summary is None:
            panel.text(0.5, y, "n/a", transform=panel.get_yaxis_transform(), color=FAINT, va="center", ha="center")
            continue
        values = [cell["numbers"][column.key] for cell in line.cells if column.key in cell["numbers"]]
        panel.plot(values, [y] * len(values), "o", color=DOT, alpha=0.5, markersize=4, markeredgewidth=0)
        panel.plot([summary.mean] * 2, [y - 0.3, y + 0.3], color=INK, linewidth=1.5)
    panel.set_title(
        f"{column.title}\n({'less' if column.better == 'low' else 'more'} is better)", fontsize=8, color=INK
    )
    panel.set_ylim(len(lines) - 0.5, -0.5)
    panel.tick_params(labelsize=8)
    for side in ("top", "right", "left"):
        panel.spines[side].set_visible(False)
    panel.grid(axis="y", color=FAINT, linewidth=0.4)
