"""The explicit sweep of a state whose shared nodes are vectors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.graph import Graph
from pitmanyor.kernels.documents.fold_sweeps import Fold, Sweeps
from pitmanyor.kernels.documents.one_node.scratch import CONSTANT
from pitmanyor.kernels.documents.product_sums import Sums, fill_sums
from pitmanyor.kernels.documents.relabelling import Labels, relabel_documents
from pitmanyor.kernels.restaurant.arrays import AT_WORD, BLOCK, NODE, ROW
from pitmanyor.sampling.redrawn import forget_rows, n_numbers
from pitmanyor.seeds import Seed
from pitmanyor.state.engines import Engine, Scratch, Work, arrays_of
from pitmanyor.state.scratch_arrays import new_mean_sums
from pitmanyor.state.state import State

RELABELLED_EVERY = 4  # sweeps: in every one it would take as long as the tokens of short documents do


class LeafMeans(NamedTuple):
    """A row per new document, and standard errors of rows that sum to one, nan where they are unknown."""

    shares: NDArray[np.float64]
    errors: NDArray[np.float32]


class Explicit:
    """Scratch of the explicit sweep for a number of threads, and its cached sums."""

    def __init__(self, state: State, n_threads: int, engine: Engine | None = None) -> None:
        self.n_threads, self.capacity, self.engine = n_threads, state.capacity, engine or state.engine
        self.scratch, self.labels = self._new_scratch(state), self._new_labels(state)
        self.pairs, self.index = cached_pairs(state)
        self.by_context = np.argsort(state.text.context, kind="stable").astype(np.int32)
        self.sums = Sums(self.index, np.zeros((0, 0)), np.zeros((0, 0, 0), np.float32))

    def sweep(self, state: State, documents: NDArray[np.int64], n_held: int, seed: Seed, passes: int = 1) -> None:
        """Update the tokens of `documents` among the first `n_held` topics, so many times.

        Those of one context (one author, say) follow each other: sums that depend on it are kept from one to the next.
        """
        self.fill(state, n_held)
        self.visit(state, Work(self._by_context(state, documents), n_held, seed, passes))

    def visit(self, state: State, work: Work) -> None:
        """Update documents in the order given, with the sums that are filled."""
        self.engine.explicit(state, self.scratch, self.sums, work)

    def relabel(self, state: State, documents: NDArray[np.int64], n_held: int, seed: Seed) -> None:
        """Draw one topic anew, for all tokens that have it together, in those of `documents` whose turn it is."""
        self._make_room(state)
        documents = documents[state.text.number[documents] % RELABELLED_EVERY == seed[2] % RELABELLED_EVERY]
        relabel_documents(arrays_of(state, self.labels), documents, n_held, seed)

    def fold(self, state: State, stream: int, sweeps: Sweeps, documents: NDArray[np.int64] | None = None) -> LeafMeans:
        """Means of a stream's topic leaf, up to a factor, of documents that have no topics yet; a row per document.

        Rows of other documents than `documents` are 0.
        """
        self.fill(state, state.n_topics)
        n = state.plan.n_documents
        documents = self._by_context(state, np.arange(n) if documents is None else documents)
        scratch = new_mean_sums(state.plan, state.capacity, self.n_threads, state.net.stay.dtype)
        means = LeafMeans(np.zeros((n, state.n_topics)), np.full((n, state.n_topics), np.nan, np.float32))
        fold = Fold(documents, state.n_topics, stream, sweeps, scratch, *means)
        self.engine.fold(state, self.scratch, self.sums, fold)
        return means

    def _by_context(self, state: State, documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """The documents in the order in which they are visited."""
        chosen = np.zeros(state.plan.n_documents, bool)
        chosen[documents] = True
        return self.by_context[chosen[self.by_context]].astype(np.int64)

    def fill(self, state: State, n_held: int) -> None:
        """Sums over the held topics."""
        self._make_room(state)
        forget_rows(state)
        for p, (row_cell, word_node, _) in enumerate(self.pairs):
            row = CONSTANT if row_cell < 0 else int(state.net.cells[row_cell, ROW])
            block = state.layout.blocks[word_node]
            fill_sums(state.net, self.sums, p, row, block.row, block.width, block.n_rows, n_held)

    def _new_scratch(self, state: State) -> Scratch:
        return self.engine.scratch(state.plan, state.capacity, self.n_threads, state.net.stay.dtype)

    def _new_labels(self, state: State) -> Labels:
        """Scratch of the relabelling."""
        topics, words = (
            np.zeros((self.n_threads, *side.scratch.shape), np.int64) for side in (state.topics, state.words)
        )
        return Labels(topics, words, np.zeros((self.n_threads, state.capacity)))

    def _make_room(self, state: State) -> None:
        if self.capacity != state.capacity:
            self.capacity, self.scratch = state.capacity, self._new_scratch(state)
            self.labels = self._new_labels(state)
        n_blocks = state.capacity // BLOCK
        if self.sums.blocks.shape[2] != n_blocks:
            n_rows = n_numbers(state, self.n_threads) if self.pairs else 1
            self.sums = Sums(
                self.index,
                np.zeros((len(self.pairs), n_rows)),
                np.zeros((len(self.pairs), n_rows, n_blocks), state.net.stay.dtype),
            )


def cached_pairs(state: State) -> tuple[list[tuple[int, int, int]], NDArray[np.int64]]:
    """Pairs of a topic-side position and a word-side one whose sums depend on no document.

    Returns (cell of the topic-side row or -1, word node, its number of words) per pair, and where a kernel finds each.
    """
    plan = state.plan
    topics, words = plan.topic_walks, plan.word_walks
    n_topic = int(topics.first[1])
    nodes = [plan.nodes[int(state.net.cells[topics.cell[pos], NODE])] for pos in range(n_topic)]
    entries = {node.name for node in nodes if not node.local and _is_entry(plan.graph, node.name, "topic")}
    rows = [(pos, int(topics.cell[pos])) for pos, node in enumerate(nodes) if node.name in entries and not node.plate]
    if any(node.local and not node.parents for node in nodes):
        rows.append((-1, CONSTANT))
    index = np.full((n_topic + 1, len(plan.graph.streams), words.longest + 1), -1, np.int64)
    pairs: list[tuple[int, int, int]] = []
    for s in range(len(plan.graph.streams)):
        for e in range(int(words.first[s]), int(words.first[s + 1])):
            node = plan.nodes[int(state.net.cells[words.cell[e], NODE])] if words.mode[e] == AT_WORD else None
            if node is None or not node.per_topic or not _is_entry(plan.graph, node.name, "word"):
                continue
            for pos, cell in rows:
                pair = (cell, plan.index[node.name], len(plan.words[node.name]))
                if pair not in pairs:
                    pairs.append(pair)
                index[pos + 1, s, e - int(words.first[s]) + 1] = pairs.index(pair)
    return pairs, index


def _is_entry(graph: Graph, name: str, side: str) -> bool:
    """Do documents reach a shared node directly: from a local child, or as the leaf of a stream?"""
    leaves = {stream.topic if side == "topic" else stream.emit for stream in graph.streams}
    return name in leaves or any(child.local and name in child.parents for child in graph.nodes)
