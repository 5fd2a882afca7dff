"""A fast way to the mean of document means where it is linear in the counts: one document node with one base."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor.fold_in.document_means import HalfCounts, document_means
from pitmanyor.fold_in.fixed_vectors import Vectors
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION, DISCOUNT, OWN
from pitmanyor.plan import Plan
from pitmanyor.state import State

Floats = NDArray[np.float64]


def is_linear(plan: Plan, leaf: str) -> bool:
    """Whether the leaf is the only document node above its tokens, with at most one base."""
    local = [name for name in plan.lineage(leaf) if plan.graph[name].local]
    return local == [leaf] and len(plan.graph[leaf].parents) < 2


class Tally:
    """Customers and tables of the leaf, summed over sweeps; the mean of their means is the mean at their means."""

    def __init__(self, state: State, leaf: str) -> None:
        plan = state.plan
        self.state, self.leaf, self.n_added = state, leaf, 0
        through = [s for s, stream in enumerate(plan.graph.streams) if stream.topic == leaf]
        self.at = np.flatnonzero(np.isin(plan.order.stream, through))
        self.row = plan.order.document[self.at].astype(np.int64) * state.n_topics
        shift, mask = plan.shift_and_mask()
        self.digit = int(mask[plan.index[leaf]]) << int(shift[plan.index[leaf]])
        self.customers = np.zeros(plan.n_documents * state.n_topics)
        self.tables = np.zeros_like(self.customers)

    def add(self) -> None:
        """Add the counts of the present state."""
        text = self.state.text
        place = self.row + text.topic[self.at]
        opened = (text.code[self.at] & np.uint32(self.digit)) != 0
        self.customers += np.bincount(place, minlength=len(self.customers))
        self.tables += np.bincount(place[opened], minlength=len(self.tables))
        self.n_added += 1

    def means(self, vectors: Vectors) -> Floats:
        state, plan = self.state, self.state.plan
        shape = (plan.n_documents, state.n_topics)
        customers, tables = (x.reshape(shape) / self.n_added for x in (self.customers, self.tables))
        i = plan.index[self.leaf]
        own = int(state.net.nodes[i, OWN])
        layer = state.net.rests[CONCENTRATION, state.layout.blocks[i].rest]
        a = float(state.net.reals[i, DISCOUNT])
        b = state.text.concentration[own] if own >= 0 else np.full(plan.n_documents, layer)
        counts = HalfCounts(customers, tables, tables.sum(axis=1, keepdims=True), np.asarray(b), a)
        return document_means(plan, vectors, self.leaf, lambda node: counts)
