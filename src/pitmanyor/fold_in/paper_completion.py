"""The paper's completion: one pass through every document, token by token, with half as many tables as customers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.fold_in.document_means import HalfCounts, document_means, nearest_shared
from pitmanyor.fold_in.fixed_vectors import Vectors, mix_means
from pitmanyor.graph import Node
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION, DISCOUNT, OWN
from pitmanyor.plan import Plan
from pitmanyor.seeds import generator
from pitmanyor.state import State

Floats = NDArray[np.float64]


def one_pass(state: State, vectors: Vectors, leaf: str, repeats: int, seed: int) -> Floats:
    """The mean over `repeats` passes of the leaf's mean at the end of each."""
    halves = _Halves(state, vectors)
    return np.asarray(sum(halves.run((seed, 0, repeat), leaf) for repeat in range(1, repeats + 1)) / repeats)


class _Halves:
    """Counts of topics by stream, and the counts of document nodes if half of all customers open tables."""

    def __init__(self, state: State, vectors: Vectors) -> None:
        self.state, self.plan, self.vectors = state, state.plan, vectors
        self.reach = [_reach(state.plan, stream.topic) for stream in state.plan.graph.streams]

    def run(self, seed: tuple[int, int, int], leaf: str) -> Floats:
        """One pass: token n of every document, then token n + 1, each given the tokens before it."""
        plan, rng = self.plan, generator(seed, purposes.PAPER_COMPLETION)
        streams = plan.graph.streams
        self.seen = [np.zeros((plan.n_documents, self.state.n_topics)) for _ in streams]
        first, stream_of = plan.order.first[:: len(streams)], plan.order.stream
        lengths = np.diff(first)
        for n in range(int(lengths.max())):
            active = np.flatnonzero(lengths > n)
            for s, stream in enumerate(streams):
                rows = active[stream_of[first[active] + n] == s]
                if len(rows):
                    theta = document_means(plan, self.vectors, stream.topic, self.counts)[rows]
                    weights = np.cumsum(theta * self._words(stream.emit, rows, first[rows] + n), axis=1)
                    drawn = (weights < rng.random((len(rows), 1)) * weights[:, -1:]).sum(axis=1)
                    self.seen[s][rows, np.minimum(drawn, self.state.n_topics - 1)] += 1
        return document_means(plan, self.vectors, leaf, self.counts)

    def counts(self, node: Node) -> HalfCounts:
        """Half of a node's customers open tables, divided among its parents by their prior weights."""
        n_customers = sum(seen * reach.get(node.name, 0.0) for seen, reach in zip(self.seen, self.reach, strict=True))
        customers = np.asarray(n_customers)
        i, net = self.plan.index[node.name], self.state.net
        own = int(net.nodes[i, OWN])
        layer = net.rests[CONCENTRATION, self.state.layout.blocks[i].rest]
        b = self.state.text.concentration[own] if own >= 0 else np.full(len(customers), layer)
        to = customers.sum(axis=1, keepdims=True) / 2 * mix_means(node)
        return HalfCounts(customers, customers / 2, to, np.asarray(b), float(net.reals[i, DISCOUNT]))

    def _words(self, emit: str, rows: NDArray[np.int64], tokens: NDArray[np.int64]) -> Floats:
        """The probability of each token's word under every topic."""
        name = nearest_shared(self.plan, emit)
        if name is None:  # a document's own words without a base are uniform
            return np.ones((len(rows), 1))
        at = self.plan.instances[name].of_document[rows]
        return self.vectors[name][at, :, self.plan.order.word[tokens]]


def _reach(plan: Plan, leaf: str) -> dict[str, float]:
    """Customers that a token at the leaf adds to each document node above it."""
    found = {leaf: 1.0}
    for node in reversed(plan.nodes):
        if node.name in found and node.local:
            for weight, name in zip(mix_means(node), node.parents, strict=True):
                found[name] = found.get(name, 0.0) + found[node.name] / 2 * float(weight)
    return found
