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
from pitmanyor.topics import author_shares, view
from pitmanyor.topics.network_layout import spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ROOM = 0.15, 0.035  # size of a name, relative to the figure


@checked_call()
def draw_authors(
    fit: Fit, seed: int = 0, max_links: int = 3000, max_authors: int = 500, *, ax: Axes | None = None
) -> Figure:
    """Draw authors as discs, larger with more documents, and their links.

    The seven main topics with most authors have colours; other authors are grey. Names are written where there is room,
    those with most documents first.

    Parameters
    ----------
    fit
        A fit of a corpus with links between authors.
    seed
        Random seed of the layout.
    max_links
        Number of links to draw, chosen at random; all of them shape the layout.
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
    rng = np.random.default_rng(seed)
    at = spread(_first_places(fit, rng, chosen), pairs)
    axes = axes_for(ax, 7.5, 7.0)
    figure = figure_of(axes)
    bare(axes)
    axes.set_aspect("equal")
    drawn = pairs if len(pairs) <= max_links else pairs[rng.choice(len(pairs), max_links, replace=False)]
    faint = max(0.06, min(0.5, 60 / max(len(drawn), 1)))
    axes.plot(*at[drawn].transpose(2, 1, 0), color=FAINT, alpha=faint, linewidth=0.6, zorder=1)
    if len(chosen) < len(graph.names):
        title = f"the {len(chosen):,} authors with most links, of {len(graph.names):,}"
        axes.set_title(title, fontsize=8, color=FAINT)
    colour, legend = _colours([int(values["topic"]) for values in about])
    size = np.sqrt([float(values["documents"]) for values in about])
    sizes = 25 + 150 * size / size.max()
    axes.scatter(at[:, 0], at[:, 1], s=sizes, c=colour, edgecolors="white", linewidths=0.7, zorder=2)
    for i in with_room(at, np.argsort(-size, kind="stable")):
        axes.annotate(
            short(names[i], 18), at[i], (0, 4 + np.sqrt(sizes[i]) / 2), textcoords="offset points", ha="center",
            fontsize=6.5, color=INK, zorder=3, **PLAIN,
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


def _first_places(fit: Fit, rng: np.random.Generator, chosen: Ints) -> Floats:
    """Start authors with similar topics near each other: the two main directions of their topic proportions."""
    _, shares = author_shares(fit)
    roots = np.sqrt(view(fit).fold(shares[chosen]))
    u, s, _ = np.linalg.svd(roots - roots.mean(axis=0), full_matrices=False)
    flat = np.zeros((len(roots), 2))
    flat[:, : min(2, len(s))] = (u * s)[:, :2]
    return np.asarray(flat / max(np.abs(flat).max(), 1e-9) + rng.normal(0.0, 0.05, flat.shape))


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
