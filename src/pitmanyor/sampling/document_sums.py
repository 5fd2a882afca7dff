"""What concentrations and the log joint need of documents (maths 5), as sums that parts of a corpus can add up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.monitor.log_joint import N_MEASURES
from pitmanyor.kernels.monitor.sizes import count_sizes, sum_documents
from pitmanyor.kernels.restaurant.arrays import LAYER, SHIFT
from pitmanyor.state.scratch_arrays import local_nodes
from pitmanyor.state.state import State

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
GRAIN = 2.0**-16  # to which measures in single precision are rounded: their sums are exact, in any order, below 2^37


class LocalSums(NamedTuple):
    """One local node in all documents."""

    total: Floats  # (measure)
    sizes: Ints  # (2, n): how many restaurants have 0, 1, 2... tables, and customers; of a layer
    rows: Floats  # (document, measure), where the node is in no layer


DocumentSums = tuple[LocalSums, ...]  # by local node


def sum_text(state: State) -> DocumentSums:
    """Sums over the documents of a state's text, which were measured as they were visited."""
    return tuple(_sum_node(state, i, place) for place, i in enumerate(local_nodes(state.plan)))


def _sum_node(state: State, i: int, place: int) -> LocalSums:
    measures, sizes, total = state.text.measures, _no_sizes(state), np.zeros(N_MEASURES)
    if not state.net.nodes[i, LAYER]:
        return LocalSums(total, sizes, measures[:, place].astype(np.float64))
    sum_documents(measures, place, total, sizes, GRAIN if measures.dtype == np.float32 else 0.0)
    if state.plan.nodes[i].per_topic:
        sizes = _sizes_by_document_and_topic(state, i)
    return LocalSums(total, sizes, np.zeros((0, measures.shape[2])))


def _sizes_by_document_and_topic(state: State, i: int) -> Ints:
    """Sizes of the restaurants of a node per document and topic, whose customers are tokens."""
    streams = np.array([stream.emit == state.plan.nodes[i].name for stream in state.plan.graph.streams])
    sizes, work = _no_sizes(state), np.zeros((2, state.capacity), np.int64)
    count_sizes(state.text, streams, np.uint32(1 << state.net.nodes[i, SHIFT]), work, sizes)
    return sizes


def _no_sizes(state: State) -> Ints:
    """No document has more tables or customers in a node than tokens."""
    longest = int(np.diff(state.text.first[:: state.text.leaf.shape[1]]).max(initial=0))
    return np.zeros((2, longest + 1), np.int64)


def add_sums(parts: Iterable[DocumentSums]) -> DocumentSums:
    """Sums over the documents of all parts, which come in the order of the corpus."""
    return tuple(_add(list(of_node)) for of_node in zip(*parts, strict=True))


def change_sums(sums: DocumentSums, before: DocumentSums, after: DocumentSums, documents: Ints) -> DocumentSums:
    """Sums over all documents, some of which have changed: their own sums as they were, and as they are now."""
    return tuple(_change(*of_node, documents) for of_node in zip(sums, before, after, strict=True))


def _change(whole: LocalSums, before: LocalSums, after: LocalSums, documents: Ints) -> LocalSums:
    sizes, rows = whole.sizes.copy(), whole.rows.copy()
    sizes[:, : before.sizes.shape[1]] += after.sizes - before.sizes
    if len(rows):
        rows[documents] = after.rows
    return LocalSums(whole.total + (after.total - before.total), sizes, rows)


def _add(parts: list[LocalSums]) -> LocalSums:
    sizes = np.zeros((2, max(part.sizes.shape[1] for part in parts)), np.int64)
    for part in parts:
        sizes[:, : part.sizes.shape[1]] += part.sizes
    total = np.sum([part.total for part in parts], axis=0)
    return LocalSums(total, sizes, np.concatenate([part.rows for part in parts]))
