"""A table of topics: names, shares with intervals, most likely words (after the paper's table of topics)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.figures.style import COLOURS, FAINT, GRID, INK, PLAIN, axes_for, bare, figure_of, largest, short
from pitmanyor.results.fitting import Fit
from pitmanyor.topics import prevalence, view
from pitmanyor.topics.counts import streams_of
from pitmanyor.topics.grouped_words import group_words
from pitmanyor.topics.standing import large_topics

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME, WORDS = 32, 70  # characters that fit


@checked_call()
def topic_table(fit: Fit, n_topics: int = 15, n_words: int = 9, *, ax: Axes | None = None) -> Figure:
    """The largest topics, one row each: name, share as a bar (with an interval if chains agree), most likely words.

    Parameters
    ----------
    fit
        A fit.
    n_topics
        Number of topics.
    n_words
        Number of words per topic.
    ax
        Matplotlib axes to draw on; by default those of a new figure.
    """
    if not streams_of(fit):
        raise PlanError("a table of topics shows words, and this fit is of links alone")
    shown, spread = view(fit), prevalence(fit)
    order = largest(spread.shares[0], large_topics(fit, shown), n_topics)
    words = group_words(fit, fit.stream().name, shown.members, n_words)
    axes = axes_for(ax, 9.0, 0.5 + 0.3 * len(order))
    bare(axes)
    axes.set(xlim=(0, 1), ylim=(len(order) - 0.4, -1.4))
    for x, title in ((0.0, "topic"), (0.29, "share of tokens"), (0.47, "likeliest words")):
        axes.text(x, -0.9, title, color=FAINT, fontsize=8, va="center")
    disagrees = fit.diagnose().disagrees  # intervals would be far too narrow
    widest = spread.high[0, order].max()
    for row, k in enumerate(order):
        axes.axhline(row - 0.5, color=GRID, linewidth=0.6)
        axes.text(0.0, row, short(shown.names[k], NAME), color=INK, fontsize=8.5, va="center", **PLAIN)
        scale = 0.11 / widest
        axes.barh(row, spread.shares[0, k] * scale, left=0.29, height=0.5, color=COLOURS[0], alpha=0.8)
        if not disagrees:
            low, high = 0.29 + spread.low[0, k] * scale, 0.29 + spread.high[0, k] * scale
            axes.plot([low, high], [row, row], color=INK, linewidth=1.0)
        axes.text(0.455, row, f"{spread.shares[0, k]:.1%}", color=INK, fontsize=8, va="center", ha="right")
        axes.text(0.47, row, _as_fits([word for word, _ in words[k]]), color=INK, fontsize=8.5, va="center", **PLAIN)
    return figure_of(axes)


def _as_fits(words: list[str]) -> str:
    """As many of the words as there is room for."""
    n = next((n for n in range(len(words), 1, -1) if len(", ".join(words[:n])) <= WORDS), 1)
    return short(", ".join(words[:n]), WORDS)
