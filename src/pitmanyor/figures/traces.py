"""Trace plots: one panel per quantity, one line per chain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.figures.style import COLOURS, light, new_figure
from pitmanyor.results.fitting import Fit

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@checked_call()
def traces(chains: Fit | Sequence[Fit]) -> Figure:
    """Log joint, number of topics, sampled concentrations and discounts over topics, log likelihood of links."""
    fits = [chain for fit in ([chains] if isinstance(chains, Fit) else chains) for chain in fit.chains]
    if not fits or not all(fit.n_sweeps for fit in fits):
        raise PlanError("there is no trace to draw: no chain has made a sweep")
    names = ["log_joint", *(["topics/large"] if "topics/large" in fits[0].trace else []), *_sampled(fits[0])]
    names += [name for name in fits[0].trace if name.startswith("network/log_likelihood/")]
    n_rows = -(-len(names) // 2)
    figure = new_figure(8.0, 1.7 * n_rows)
    panels = figure.subplots(n_rows, 2, squeeze=False, sharex=True).ravel()
    for axes, name in zip(panels, names, strict=False):
        light(axes)
        for i, fit in enumerate(fits):
            values = fit.trace[name]
            axes.plot(np.arange(1, len(values) + 1), values, color=COLOURS[i % len(COLOURS)], linewidth=0.9)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}")
        axes.set_title(_title(name), fontsize=9, loc="left")
    for axes in panels[len(names) :]:
        axes.set_visible(False)
    for axes in panels[max(len(names) - 2, 0) : len(names)]:
        axes.set_xlabel("sweep", fontsize=8)
        axes.tick_params(labelbottom=True)
    return figure


def _sampled(fit: Fit) -> list[str]:
    """Sampled concentrations and discounts of the nodes over topics."""
    nodes = [node.name for node in fit.graph.nodes if node.side == "topic"]
    names = [f"{what}/{name}" for what in ("concentration", "discount") for name in nodes]
    return [name for name in names if name in fit.trace and len(np.unique(fit.trace[name])) > 1]


def _title(name: str) -> str:
    said = {"log_joint": "log joint", "topics/large": "number of topics"}
    return said.get(name, name.replace("network/log_likelihood/", "log likelihood of ").replace("/", " of "))
