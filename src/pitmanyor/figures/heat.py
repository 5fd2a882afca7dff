"""A heat map of authors by topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pitmanyor.call_checks import checked_call
from pitmanyor.figures.style import PLAIN, axes_for, figure_of, largest, short
from pitmanyor.results.fitting import Fit
from pitmanyor.topics import author_shares, view
from pitmanyor.topics.standing import large_topics

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@checked_call()
def author_heat_map(
    fit: Fit, n_authors: int = 40, n_topics: int = 12, by: str = "author", *, ax: Axes | None = None
) -> Figure:
    """Shares of the largest topics for the authors with most documents, sorted by main topic.

    Parameters
    ----------
    fit
        A fit.
    n_authors
        Number of authors.
    n_topics
        Number of topics.
    by
        Another grouping instead of authors.
    ax
        Matplotlib axes to draw on; by default those of a new figure.
    """
    shown = view(fit)
    labels, shares = author_shares(fit, by)
    folded = shown.fold(shares)
    group = fit.state.plan.corpus.groups[by]
    posts = dict(zip(group.labels, np.bincount(group.codes, minlength=len(group.labels)).tolist(), strict=True))
    rows = sorted(range(len(labels)), key=lambda i: -posts[labels[i]])[:n_authors]
    columns = largest(folded[rows].mean(axis=0), large_topics(fit, shown), n_topics)
    part = folded[np.ix_(rows, columns)]
    order = np.lexsort((-part.max(axis=1), part.argmax(axis=1)))
    axes = axes_for(ax, 2.6 + 0.42 * len(columns), 2.2 + 0.17 * len(rows))
    figure = figure_of(axes)
    image = axes.imshow(part[order], cmap="Blues", aspect="auto", vmin=0.0, vmax=float(part.max()))
    names = [short(shown.names[k], 30) for k in columns]
    axes.set_xticks(range(len(columns)), names, rotation=45, ha="right", fontsize=8, **PLAIN)
    who = [short(str(labels[rows[i]]), 24) for i in order]
    axes.set_yticks(range(len(rows)), who, fontsize=7, **PLAIN)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    bar = figure.colorbar(image, ax=axes, shrink=0.4, pad=0.02, format=lambda x, _: f"{x:.0%}")
    bar.set_label(f"share of the topic in the {by}'s documents", fontsize=8)
    bar.ax.tick_params(labelsize=7, length=0)
    bar.outline.set_visible(False)
    return figure
