"""How figures look, and where matplotlib comes in: nothing else of the package needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, FAINT, GRID = "#222222", "#777777", "#dddddd"
REST = "#bbbbbb"
SMALLEST = 0.001  # topics with a smaller share are left out of figures, unless all are so small
# Okabe and Ito's colours, which colour-blind people tell apart; but for yellow, which is faint on white.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#000000")
PLAIN: dict[str, Any] = {"parse_math": False}  # a dollar in a name is a dollar


def new_figure(width: float, height: float) -> Figure:
    """A figure of so many inches, apart from pyplot and its windows."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise PlanError("figures need matplotlib: pip install 'pitmanyor[figures]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def bare(axes: Any) -> None:
    """No frame and no ticks."""
    axes.set_axis_off()


def light(axes: Any) -> None:
    """Left and bottom lines only, and a faint grid."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8)


def largest(sizes: NDArray[np.float64], n: int) -> list[int]:
    """The places of the n largest topics that are worth a line; of topics that are all small, the n largest.

    >>> largest(np.array([0.2, 0.0005, 0.7]), 3), largest(np.array([0.0002, 0.0005]), 1)
    ([2, 0], [1])
    """
    order = [int(k) for k in np.argsort(-sizes, kind="stable")[:n]]
    return [k for k in order if sizes[k] >= SMALLEST] or order


def short(text: str, most: int) -> str:
    """A text cut to so many characters.

    >>> short("a long name", 7)
    'a long…'
    """
    return text if len(text) <= most else text[: most - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"
