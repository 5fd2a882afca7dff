"""The look of figures. Only this module imports matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, FAINT, GRID = "#222222", "#777777", "#dddddd"
REST = "#bbbbbb"
# The colour-blind safe palette of Okabe and Ito, without yellow, which is faint on white.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#000000")
PLAIN: dict[str, Any] = {"parse_math": False}  # a dollar sign is not mathematics


def new_figure(width: float, height: float) -> Figure:
    """A figure of this size in inches, independent of pyplot and its windows."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise PlanError("figures need matplotlib: pip install 'pitmanyor[figures]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def axes_for(ax: Axes | None, width: float, height: float) -> Axes:
    """The axes to draw on: those given, or those of a new figure of this size."""
    return new_figure(width, height).subplots() if ax is None else ax


def figure_of(axes: Axes) -> Figure:
    """The figure that axes are on."""
    figure: Any = axes.figure
    return figure  # type: ignore[no-any-return]


def bare(axes: Any) -> None:
    """Remove frame and ticks."""
    axes.set_axis_off()


def light(axes: Any) -> None:
    """Keep only the left and bottom spines, with a faint grid."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8)


def largest(sizes: NDArray[np.float64], large: NDArray[np.bool_], n: int) -> list[int]:
    """Places of the n largest topics among the large ones, or among all if none is large.

    >>> largest(np.array([0.2, 0.1, 0.7]), np.array([True, False, True]), 3)
    [2, 0]
    >>> largest(np.array([0.2, 0.5]), np.array([False, False]), 1)
    [1]
    """
    if n < 1:
        raise PlanError(f"n_topics is how many to draw, 1 or more, not {n}")
    order = [int(k) for k in np.argsort(-sizes, kind="stable")]
    return ([k for k in order if large[k]] or order)[:n]


def short(text: str, most: int) -> str:
    """A text cut to this many characters.

    >>> short("a long name", 7)
    'a long…'
    """
    return text if len(text) <= most else text[: most - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"
