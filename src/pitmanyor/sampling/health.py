"""Numbers that are none: found within a sweep, and named by the node they stand at."""

from __future__ import annotations

import math

import numpy as np

from pitmanyor.errors import StateError
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION, OWN
from pitmanyor.sampling.concentrations import Measures
from pitmanyor.state.state import State

ADVICE = "the chain stops here, and its last checkpoint is from before; resume that, and report this as a bug"


def check_terms(state: State) -> None:
    """Raise if a term that scoring reads, or a concentration, is not finite. Sums find it: a nan stays in them."""
    net, text = state.net, state.text
    if all(math.isfinite(np.sum(values)) for values in (net.rests, net.stay, net.open, net.weight, text.concentration)):
        return  # of all nodes at once; those of each are looked at only to name it
    for i, (node, block) in enumerate(zip(state.plan.nodes, state.layout.blocks, strict=True)):
        own = int(net.nodes[i, OWN])
        concentration = text.concentration[own] if own >= 0 else net.rests[CONCENTRATION, block.rests]
        parts = {
            "the concentration": concentration,
            "a weight of its restaurants": net.rests[:, block.rests],
            "a term of its counts": net.stay[block.rows],
            "a term of its new tables": net.open[block.rows],
            "a mixing weight": net.weight[block.to_rests],
        }
        for what, values in parts.items():
            total = float(np.sum(values))
            if not math.isfinite(total):
                raise StateError(f"node {node.name!r}: {what} is {_which(total)}; {ADVICE}")


def check_measures(state: State, measures: Measures) -> None:
    """Raise if a node's part of the log joint, or what its concentration is drawn from, is not finite."""
    for i, node in enumerate(state.plan.nodes):
        total = float(measures.by_node[i].sum() + measures.dishes[i].sum())
        if not math.isfinite(total):
            raise StateError(f"node {node.name!r}: its part of the log joint is {_which(total)}; {ADVICE}")


def _which(total: float) -> str:
    return "not a number" if math.isnan(total) else "infinite"
