"""Authors and their links, coloured by their main topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.export import author_graph
from pitmanyor.figures.style import COLOURS, FAINT, INK, PLAIN, REST, axes_for, bare, figure_of, short
from pitmanyor.results.fitting import Fit
from pitmanyor.topics.network_backbone import backbone
from pitmanyor.topics.network_layout import arrange

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
FEW, MOST_NAMES = 200, 40
ROOM = 0.15, 0.035  # size of a name, relative to the figure


@checked_call()
def draw_authors(fit: Fit, max_links: int = 6000, max_authors: int = 2000, *, ax: Axes | None = None) -> Figure:
    """Draw authors as discs, larger with more links to them, and the links that show the shape of the network.

    The strongest links of every author are drawn: those to authors who have the same neighbours. The seven main topics
    with most authors have colours; other authors are grey. Names are written where there is room, those with most links
    first.

    Parameters
    ----------
    fit
        A fit of a corpus with links between authors.
    max_links
        Number of links to draw at most, the strongest.
    max_authors
        Number of authors to draw, those with most links; the figure says so if there are more.
    ax
        Matplotlib axes to draw on; by default those of a new figure.
    """
    graph = author_graph(fit)
    if not graph.edges:
        raise PlanError("there is no graph to draw: the corpus has no links between authors; read it with links=")
    pairs = np.array([(a, b) for a, b, _ in graph.edges if a != b], np.int64).reshape(-1, 2)
    chosen = _most_linked(pairs, len(graph.names), max_authors)
    pairs = _among(pairs, chosen)
    names, about = [graph.names[i] for i in chosen], [graph.values[i] for i in chosen]
    drawn = backbone(len(chosen), pairs)
    at = arrange(len(chosen), drawn.pairs, drawn.strength)
    axes = axes_for(ax, 7.5, 7.0)
    figure = figure_of(axes)
    bare(axes)
    axes.set_aspect("equal")
    lines = drawn.pairs[:max_links]
    faint = max(0.12, min(0.5, 150 / max(len(lines), 1)))
    axes.plot(*at[lines].transpose(2, 1, 0), color=FAINT, alpha=faint, linewidth=0.6, zorder=1)
    if len(chosen) < len(graph.names):
        title = f"the {len(chosen):,} authors with most links, of {len(graph.names):,}"
        axes.set_title(title, fontsize=8, color=FAINT)
    colour, legend = _colours([int(values["topic"]) for values in about])
    followers = np.bincount(pairs[:, 1] if graph.directed else pairs.ravel(), minlength=len(chosen))
    least, most = (25.0, 150.0) if len(chosen) <= FEW else (6.0, 80.0)
    sizes = least + most * followers / max(followers.max(), 1)
    axes.scatter(at[:, 0], at[:, 1], s=sizes, c=colour, edgecolors="white", linewidths=0.7, zorder=2)
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=1.8, foreground="white")]
    for i in with_room(at, np.argsort(-followers, kind="stable"))[:MOST_NAMES]:
        axes.annotate(
            short(names[i], 18), at[i], (0, 4 + np.sqrt(sizes[i]) / 2), textcoords="offset points", ha="center",
            fontsize=6.5, color=INK, zorder=3, path_effects=halo, **PLAIN,
        )  # fmt: skip
    called = {int(values["topic"]): str(values["topic_name"]) for values in about}
    for topic, shade in legend.items():
        axes.scatter([], [], s=50, color=shade, label=short(called[topic], 40).replace("$", r"\$"))
    if REST in colour:
        axes.scatter([], [], s=50, color=REST, label="other topics")
    figure.legend(loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    return figure


def _most_linked(pairs: Ints, n: int, most: int) -> Ints:
    """Places of the authors with most links, in their original order."""
    degree = np.bincount(pairs.ravel(), minlength=n)
    return np.sort(np.argsort(-degree, kind="stable")[:most])


def _among(pairs: Ints, chosen: Ints) -> Ints:
    """The links between chosen authors, by their places among them."""
    inside = pairs[np.isin(pairs, chosen).all(axis=1)]
    return np.searchsorted(chosen, inside)


def with_room(at: Floats, order: Ints) -> list[int]:
    """Those, in this order, whose names do not overlap a name that is already there."""
    room = np.ptp(at, axis=0) * ROOM + 1e-9
    chosen: list[int] = []
    for i in order.tolist():
        if not (np.abs(at[chosen] - at[i]) < room).all(axis=1).any():
            chosen.append(i)
    return chosen


def _colours(topics: list[int]) -> tuple[list[str], dict[int, str]]:
    """A colour for every author, and the colours of the topics that have one."""
    found, counts = np.unique(topics, return_counts=True)
    legend = {int(found[i]): COLOURS[rank] for rank, i in enumerate(np.argsort(-counts, kind="stable")[: len(COLOURS)])}
    return [legend.get(topic, REST) for topic in topics], legend
