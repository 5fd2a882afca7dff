"""Means of word distributions by document: shared ones, and those of a document's own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.fold_in.fixed_vectors import Vectors, mix_means
from pitmanyor.graph import Node, Tokens
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION
from pitmanyor.plan import Plan
from pitmanyor.state import State
from pitmanyor.state.discount_values import discount_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class _House(NamedTuple):
    """Customers of a local word node, and for each the parent of its table (-1: it joined a table).

    A restaurant is a document, or a pair of document and topic; `n` is the number of topics that makes.
    """

    key: Ints  # of restaurant and word, sorted
    opened: Ints
    to: Floats  # (restaurant, parent): tables
    customers: Floats
    n: int


class OwnWords:
    """Probabilities of words under every topic (appendix B of the maths).

    Without a state the documents have no tokens, and their own word nodes have the means of their bases.
    """

    def __init__(self, plan: Plan, stream: Tokens, vectors: Vectors, state: State | None = None) -> None:
        self.plan, self.stream, self.vectors, self.state = plan, stream, vectors, state
        self.n_words = len(plan.words[stream.emit])
        self.houses = {} if state is None else _houses(state, stream.emit)

    def chances(self, document: Ints, word: Ints) -> Floats:
        """One row for each pair of document and word, one column per topic (or one for all of them)."""
        return self._mean(self.plan.graph[self.stream.emit], document, word)

    def _mean(self, node: Node, document: Ints, word: Ints) -> Floats:
        if not node.local:
            return self.vectors[node.name][self.plan.instances[node.name].of_document[document], :, word]
        above = [self._mean(self.plan.graph[name], document, word) for name in node.parents]
        if node.name not in self.houses:
            return self._base(mix_means(node)[None, None], above)
        house = self.houses[node.name]
        rest = document[:, None] * house.n + np.arange(house.n)
        rho = mix_means(node)[None, None]
        if len(node.parents) > 1 and node.mix_weights is None:
            weights = house.to[rest] + np.asarray(node.mix_prior, np.float64)
            rho = weights / weights.sum(axis=2, keepdims=True)
        assert self.state is not None
        block = self.state.layout.blocks[self.plan.index[node.name]]
        a, b = discount_of(self.state, node.name), float(self.state.net.rests[CONCENTRATION, block.rest])
        own, tables = _counts(house, rest * self.n_words + word[:, None])
        gain = b + a * house.to[rest].sum(axis=2)
        return np.asarray((own - a * tables + gain * self._base(rho, above)) / (b + house.customers[rest]))

    def _base(self, rho: Floats, above: list[Floats]) -> Floats:
        if not above:
            return np.full((1, 1), 1.0 / self.n_words)
        return np.asarray(sum(rho[:, :, i] * one for i, one in enumerate(above)))


def _counts(house: _House, key: Ints) -> tuple[Ints, Ints]:
    """Customers and tables of each pair of restaurant and word."""
    lo, hi = (np.searchsorted(house.key, key, side=side) for side in ("left", "right"))
    before = np.append(0, np.cumsum(house.opened >= 0))
    return hi - lo, before[hi] - before[lo]


def _houses(state: State, emit: str) -> dict[str, _House]:
    """The local word nodes above a stream's words, with their customers of any stream."""
    plan, code = state.plan, state.text.code
    shift, mask = plan.shift_and_mask()
    stream_of = plan.order.stream
    here = {node.name: np.zeros(plan.n_tokens, bool) for node in plan.nodes if node.local and node.side == "word"}
    for s, stream in enumerate(plan.graph.streams):
        if stream.emit in here:
            here[stream.emit] |= stream_of == s
    found = {}
    for node in reversed(plan.nodes):
        if node.name not in here:
            continue
        i = plan.index[node.name]
        at = np.flatnonzero(here[node.name])
        opened = ((code[at].astype(np.int64) >> int(shift[i])) & int(mask[i])) - 1
        for p, name in enumerate(node.parents):
            if name in here:
                here[name][at[opened == p]] = True
        if node.name in plan.lineage(emit):
            found[node.name] = _house(state, node, at, opened)
    return found


def _house(state: State, node: Node, at: Ints, opened: Ints) -> _House:
    plan = state.plan
    n = state.n_topics if node.per_topic else 1
    rest = plan.order.document[at].astype(np.int64) * n
    if node.per_topic:
        rest = rest + state.text.topic[at]
    key = rest * len(plan.words[node.name]) + plan.order.word[at]
    order = np.argsort(key, kind="stable")
    size, n_parents = plan.n_documents * n, max(len(node.parents), 1)
    to = np.bincount((rest * n_parents + opened)[opened >= 0], minlength=size * n_parents)
    customers = np.bincount(rest, minlength=size)
    return _House(key[order], opened[order], to.reshape(size, n_parents).astype(float), customers.astype(float), n)
