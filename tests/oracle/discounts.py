"""The likelihood of a discount from the counts of a state, restaurant by restaurant in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from oracle.bridge import local_counts, shared_counts
from oracle.instances import Key, n_dishes
from oracle.pmf import Count, log_pmf
from pitmanyor.graph import Beta, Node
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION, OWN
from pitmanyor.state import State

Floats = NDArray[np.float64]


def restaurants(state: State, name: str) -> dict[Key, dict[int, Count]]:
    """Counts of a node by instance and dish."""
    out: dict[Key, dict[int, Count]] = {}
    for (node, key, dish), count in (local_counts(state) | shared_counts(state)).items():
        if node == name:
            out.setdefault(key, {})[dish] = count
    return out


def _concentration(state: State, node: Node, key: Key) -> float:
    """That of an instance; nodes with one for each are per document or per topic here."""
    i = state.plan.index[node.name]
    own, rests = int(state.net.nodes[i, OWN]), state.net.rests[CONCENTRATION, state.layout.blocks[i].rests]
    if own >= 0:
        return float(state.text.concentration[own, key[0]])
    return float(rests[key[0] if node.plate == ("topic",) else 0])


def likelihood(state: State, name: str) -> Callable[[float], float]:
    """log of the count pmf of a node as a function of its discount."""
    node, houses = state.plan.graph[name], restaurants(state, name)
    size = n_dishes(state.plan.graph, state.plan.corpus, node) if node.kind == "pyp" and not node.parents else None

    def log_likelihood(a: float) -> float:
        return sum(
            log_pmf(replace(node, discount=a, concentration=_concentration(state, node, key)), counts, size)
            for key, counts in houses.items()
        )

    return log_likelihood


def moments(state: State, name: str, bounds: tuple[float, float]) -> Floats:
    """Posterior mean of a, of a^2 and of sqrt(a) given the counts, by quadrature."""
    prior, log_likelihood = state.plan.graph[name].discount, likelihood(state, name)
    assert isinstance(prior, Beta)
    edges = np.linspace(*bounds, 801)
    a = (edges[1:] + edges[:-1]) / 2
    density = np.array([log_likelihood(float(x)) for x in a])
    density += (prior.alpha - 1) * np.log(a) + (prior.beta - 1) * np.log(1 - a)
    weight = np.exp(density - density.max())
    return np.array([(weight * f).sum() / weight.sum() for f in (a, a * a, np.sqrt(a))])
