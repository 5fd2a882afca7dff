"""Posterior means of document nodes, some documents at a time: all of them at once may not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pitmanyor.state.means import local_counts, mean, mean_given_parents
from pitmanyor.state.state import State

Floats = NDArray[np.float64]


def mean_blocks(state: State, leaf: str, size: int, among: slice) -> Iterator[tuple[slice, Floats]]:
    """The mean of a topic node for some of the documents, `size` at a time, without the mass of unseen topics."""
    plan = state.plan
    lineage = [node for node in plan.nodes if node.name in plan.lineage(leaf)]
    shared = {node.name: mean(state, node.name, "renormalise") for node in lineage if not node.local}
    for start in range(among.start, among.stop, size):
        documents = slice(start, min(start + size, among.stop))
        done = {name: rows[plan.instances[name].of_document[documents]] for name, rows in shared.items()}
        for node in lineage:
            if node.local:
                above = [done[parent] for parent in node.parents]
                done[node.name] = mean_given_parents(node, local_counts(state, node, documents), above)
        yield documents, done[leaf]
