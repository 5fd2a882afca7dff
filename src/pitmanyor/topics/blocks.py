"""The topics of documents, some documents at a time: all of them at once may not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.graph import Node
from pitmanyor.kernels.monitor.read_back import gather
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION, DISCOUNT, OWN
from pitmanyor.results.fitting import Fit
from pitmanyor.state.means import Counts, mean, mixing
from pitmanyor.topics.topic_view import View

Floats = NDArray[np.float64]
CELLS = 1 << 22  # documents x topics that are handled at a time


class Block(NamedTuple):
    """The shares of the documents from `start` on, a row each."""

    start: int
    shares: Floats

    @property
    def documents(self) -> slice:
        return slice(self.start, self.start + len(self.shares))


def document_blocks(fit: Fit, shown: View | None = None, stream: str | None = None) -> Iterator[Block]:
    """What `Fit.document_shares` says, block by block.

    shown: merged topics are one; without it there is a column for every fitted topic.
    """
    plan, leaf = fit.state.plan, fit.stream(stream).topic
    lineage = [node for node in plan.nodes if node.name in plan.lineage(leaf)]
    shared = {node.name: mean(fit.state, node.name, "renormalise") for node in lineage if not node.local}
    size = max(1, CELLS // fit.n_topics)
    for start in range(0, plan.n_documents, size):
        documents = slice(start, min(start + size, plan.n_documents))
        done = {name: rows[plan.instances[name].of_document[documents]] for name, rows in shared.items()}
        for node in lineage:
            if node.local:
                done[node.name] = _mean(node, _counts(fit, node, documents), done)
        yield Block(start, done[leaf] if shown is None else shown.fold(done[leaf]))


def _mean(node: Node, counts: Counts, done: dict[str, Floats]) -> Floats:
    """The posterior mean of a document node given those above it (maths 5)."""
    a, b = counts.discount, counts.concentration[:, None]
    c, t = counts.customers, counts.tables
    total = b + c.sum(axis=1, keepdims=True)
    if node.kind == "dirichlet":
        return np.asarray((c + b / c.shape[1]) / total)
    base: Floats | float = 1.0 / c.shape[1]
    if node.parents:
        rho = mixing(node, counts)
        base = sum(rho[:, i : i + 1] * done[name] for i, name in enumerate(node.parents))
    return np.asarray((c - a * t + (b + a * t.sum(axis=1, keepdims=True)) * base) / total)


def _counts(fit: Fit, node: Node, documents: slice) -> Counts:
    """The counts of a document node in some documents: the kernel reads back the walks of their tokens alone."""
    state = fit.state
    i, n_streams = state.plan.index[node.name], len(state.plan.graph.streams)
    part = state.text._replace(
        first=state.text.first[documents.start * n_streams : documents.stop * n_streams + 1],
        context=state.text.context[documents],
    )
    shape = len(part.context), state.n_topics
    customers, tables = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    to = np.zeros((*shape, max(len(node.parents), 1)), np.int32)
    gather(state.net, part, state.topics, state.words, i, False, False, (customers, tables), to)
    own = int(state.net.nodes[i, OWN])
    layer = state.net.rests[CONCENTRATION, state.layout.blocks[i].rest]
    b = state.text.concentration[own][documents] if own >= 0 else np.full(len(customers), layer)
    return Counts(customers, tables, to.sum(axis=1), np.asarray(b, np.float64), float(state.net.reals[i, DISCOUNT]))
