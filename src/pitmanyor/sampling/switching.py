"""Switching shared nodes between counts and explicit vectors (maths 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.restaurant.arrays import CUSTOMERS, DISCOUNT, EXPLICIT, MASK, SHIFT, TABLES
from pitmanyor.kernels.restaurant.refresh import refresh_restaurants
from pitmanyor.kernels.restaurant.seating import open_door
from pitmanyor.kernels.restaurant.shared import Franchise
from pitmanyor.kernels.switching.customers import Exits, Parts, count_shared, forget, list_exits
from pitmanyor.kernels.switching.leaf_tables import up_leaf
from pitmanyor.kernels.switching.table_counts import (
    refresh_counts,
    send_up,
    up_scalars,
    up_topics,
    up_totals,
    up_words,
)
from pitmanyor.kernels.switching.topic_vectors import (
    Family,
    Vectors,
    draw_topic_node,
    draw_word_scalars,
    mark_explicit,
)
from pitmanyor.kernels.switching.word_vectors import draw_word_node
from pitmanyor.sampling.leaves import LeafIndex, chunk_size, find_leaves
from pitmanyor.sampling.redrawn import RedrawnRows
from pitmanyor.seeds import Seed
from pitmanyor.state.state import NOT_PACKED, State

Ints = NDArray[np.int64]
SMALL_SHARE = 4  # counts that parts of the documents have of their own may be one for so many tokens
LISTED = 10  # bits of a walk through the local topic nodes, up to which all walks are listed


class Given(NamedTuple):
    """A topic-side node whose vectors are not drawn here, and what the way up needs of them: log U0 and log sum J."""

    vectors: NDArray[np.float64]  # (instance, topic)
    log_u0: NDArray[np.float64]
    log_total: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Chunks:
    """A word-side node's cells in runs, none across two instances."""

    bounds: Ints
    instances: Ints  # (instance, 2): its first chunk and the one after its last
    numbers: Ints  # of these instances; others have no cells


def chunk_cells(state: State, index: int) -> Chunks:
    cells = state.plan.cells.of(index)
    instance = state.plan.cells.instance[cells]
    starts = np.flatnonzero(np.diff(instance, prepend=-1))
    stops = np.append(starts[1:], len(instance))
    bounds, instances = [0], []
    for start, stop in zip(starts, stops, strict=True):
        first, size = len(bounds) - 1, chunk_size(int(stop - start))
        bounds.extend(min(b, int(stop)) for b in range(int(start) + size, int(stop) + size, size))
        instances.append((first, len(bounds) - 1))
    return Chunks(np.array(bounds, np.int64) + cells.start, np.array(instances, np.int64), instance[starts])


def new_vectors(n_rests: int, n_packed: int) -> Vectors:
    """For a number of restaurants, and of cells if some are packed."""
    log_v, log_g, log_total, rest, scale, shift = (np.zeros(n_rests) for _ in range(6))
    return Vectors(log_v, log_g, log_total, rest, scale, shift, np.zeros(n_packed, np.int64))


def new_exits(state: State) -> Exits:
    """Room for every walk through the local topic nodes, unless they are too many to list."""
    plan, nodes = state.plan, state.net.nodes
    local = [i for i, node in enumerate(plan.nodes) if node.local and node.side == "topic" and node.kind == "pyp"]
    low = min([int(nodes[i, SHIFT]) for i in local], default=0)
    bits = max([int(nodes[i, SHIFT]) + int(nodes[i, MASK]).bit_length() for i in local], default=0) - low
    return Exits(low, np.zeros((len(plan.graph.streams), 1 << bits if bits <= LISTED else 0), np.int64))


def new_parts(state: State, n_parts: int) -> Parts:
    """Documents in parts of equal numbers of tokens, if their counts are small beside the tokens; else in one."""
    blocks, text = state.layout.blocks, state.text
    rows = [blocks[i].rows for i, node in enumerate(state.plan.nodes) if node.side == "topic" and not node.local]
    low, n_rests = min([r.start for r in rows], default=0), state.layout.sizes[1]
    size = max([state.capacity, *(r.stop - low for r in rows)])
    if (n_parts - 1) * (size + 2 * n_rests) > len(text.topic) // SMALL_SHARE:
        n_parts = 1
    first = text.first[:: text.leaf.shape[1]]
    bounds = np.searchsorted(first, np.linspace(0, first[-1], n_parts + 1))
    bounds[0], bounds[-1] = 0, len(text.context)
    scratch = np.zeros((n_parts, *state.topics.scratch.shape), np.int64)
    counts = np.zeros((n_parts - 1, size, 2), np.int32)
    found = np.zeros((n_parts, int(np.diff(text.first).max(initial=0))), np.int64)
    return Parts(bounds, scratch, found, low, counts, np.zeros((n_parts - 1, n_rests, 2), np.int64))


class Switch:
    """Draws the shared nodes of a state as vectors, and rebuilds their counts from documents and vectors."""

    def __init__(self, state: State, n_threads: int = 1) -> None:
        self.n_threads = n_threads
        self.family = Family(state.plan.cells.parent_first, state.plan.cells.parent)
        self.shared = [i for i, node in enumerate(state.plan.nodes) if not node.local]
        self.chunks = {i: chunk_cells(state, i) for i in self.shared if state.plan.nodes[i].side == "word"}
        self.vectors = new_vectors(0, 0)
        self.redrawn = RedrawnRows(n_threads)
        self.scalars = np.zeros((0, 2))  # log x and x of every restaurant on the way up
        self.exits = new_exits(state)
        self.parts: Parts | None = None
        self.leaves: LeafIndex | None = None  # both made when first needed: collapsed sweeps do without
        self.n_held, self.capacity = 0, 0

    def _make_room(self, state: State) -> None:
        n_rests = state.layout.sizes[1]
        if len(self.scalars) != n_rests:
            self.vectors = new_vectors(n_rests, len(state.net.packed_first))
            self.scalars = np.zeros((n_rests, 2))

    def count(self, state: State, leaves: LeafIndex) -> None:
        """Add the customers that the documents of a text send to shared nodes, to counts that are not reset here."""
        self.parts = None
        self._count(state, leaves)

    def _parts(self, state: State, leaves: LeafIndex) -> Parts:
        """In several only if all words are counted by leaves: others would meet in the cells of words."""
        if self.parts is None or self.capacity != state.capacity:
            n_parts = self.n_threads if leaves.tokens.streams.all() else 1
            self.parts, self.capacity = new_parts(state, n_parts), state.capacity
        return self.parts

    def _leaves(self, state: State) -> LeafIndex:
        if self.leaves is None:
            self.leaves = find_leaves(state)
        return self.leaves

    def down(
        self, state: State, seed: Seed, given: Mapping[int, Given] | None = None, n_held: int | None = None
    ) -> None:
        """Counts to vectors, parents first; nodes in `given` have theirs. Live topics must be the first columns.

        Words' vectors per topic are drawn for the first `n_held` topics alone, where that is said: no token may come to
        the others or leave them, so they stay counts with the tables that they have (maths 4).
        """
        self._make_room(state)
        net, leaves = state.net, self._leaves(state)
        self.n_held = state.n_topics if n_held is None else n_held
        for i in self.shared:
            block, cells = state.layout.blocks[i], state.plan.cells.of(i)
            if given is not None and i in given:
                self._take(state, i, given[i])
            elif i in self.chunks:
                chunks, size = self.chunks[i], block.n_instances * block.own
                draw_word_scalars(net, self.vectors, i, block.rest, block.to_rest, size, seed)
                sums = np.empty((len(chunks.bounds) - 1, self.n_held if state.plan.nodes[i].per_topic else 1))
                leaf = (i in leaves.nodes, i in leaves.nodes and leaves.nodes[i].parent is not None)
                scratch = (sums, np.empty_like(sums))
                draw_word_node(net, self.vectors, self.family, chunks.bounds, chunks.instances, scratch, leaf, seed)
            else:
                draw_topic_node(net, self.vectors, self.family, cells.start, cells.stop, seed)
            mark_explicit(net, i, block.rests.start, block.rests.stop)
        state.redrawn = self.redrawn.after(state, self.vectors, self.family, self.n_held, seed)

    def _take(self, state: State, i: int, given: Given) -> None:
        """Vectors that somebody else has drawn: u is 0 as yet, so v = 1 and g = U0 (maths 4)."""
        block, instance = state.layout.blocks[i], state.plan.cells.instance[state.plan.cells.of(i)]
        rows = state.net.stay[block.rows].reshape(block.n_cells, block.width)
        rows[:] = 0.0
        rows[:, : given.vectors.shape[1]] = given.vectors[instance]
        self.vectors.log_v[block.rests] = 0.0
        self.vectors.log_g[block.rests] = given.log_u0
        self.vectors.log_total[block.rests] = given.log_total
        self.vectors.rest[block.rests] = 0.0

    def up(self, state: State, seed: Seed) -> None:
        """Vectors and documents to counts, children first: customers recounted, tables drawn given the old bases."""
        net, plan, leaves = state.net, state.plan, self._leaves(state)
        state.redrawn = NOT_PACKED
        for i in self.shared:
            if i in leaves.nodes:
                net.totals[state.layout.blocks[i].rests, CUSTOMERS] = 0
            elif i not in leaves.parents:
                self._forget(state, i)
        self._count(state, leaves)
        for i in reversed(self.shared):
            block, cells = state.layout.blocks[i], plan.cells.of(i)
            if i in leaves.nodes:
                self._up_leaf(state, i, leaves, seed)
            elif i in self.chunks:
                self._up_words(state, i, seed)
            else:
                up_topics(net, state.tables, self.vectors, self.family, cells.start, cells.stop, seed)
            if not (i in leaves.nodes and leaves.nodes[i].parent is not None):
                send_up(net, self.family, cells.start, cells.stop)
            size = block.n_instances * block.own
            net.nodes[i, EXPLICIT] = 0
            if i not in leaves.nodes:
                refresh_counts(net, state.tables, i, cells.start, cells.stop)
            refresh_restaurants(net, i, block.rest, block.to_rest, size)
        open_door(net)

    def _count(self, state: State, leaves: LeafIndex) -> None:
        """Customers that documents send to shared nodes."""
        net, parts = state.net, self._parts(state, leaves)
        list_exits(net, state.text, state.topics, self.exits)
        count_shared(net, state.text, state.topics, state.words, self.exits, leaves.tokens, parts)
        if len(parts.counts):
            net.counts[parts.low : parts.low + parts.counts.shape[1]] += parts.counts.sum(axis=0, dtype=np.int32)
            net.totals[:] += parts.totals.sum(axis=0)

    def _forget(self, state: State, i: int) -> None:
        """Empty the counts of a node, but not the tables of topics whose vectors were not drawn."""
        block, cells = state.layout.blocks[i], state.plan.cells.of(i)
        n_drawn = self.n_held if i in self.chunks and state.plan.nodes[i].per_topic else block.width
        tables = state.net.counts[block.rows].reshape(block.n_cells, block.width, 2)[:, n_drawn:, TABLES]
        to = state.net.to[block.to_rows].reshape(block.n_cells, block.width, block.n_parents)[:, n_drawn:]
        kept = tables.copy(), to.copy()
        forget(state.net, cells.start, cells.stop)
        tables[:], to[:] = kept

    def _up_leaf(self, state: State, i: int, leaves: LeafIndex, seed: Seed) -> None:
        """A word node whose customers are tokens; its restaurants know how many."""
        block = state.layout.blocks[i]
        if state.net.reals[i, DISCOUNT] > 0:
            up_scalars(state.net, self.vectors, i, block.rests.start, block.rests.stop, self.scalars, seed)
        tokens = (state.text.topic, state.text.code)
        given = (Franchise(state.net, state.tables, state.terms), self.family, tokens, leaves.tokens, i)
        up_leaf(*given, leaves.nodes[i].rows(block, self.n_held), self.scalars, seed)

    def _up_words(self, state: State, i: int, seed: Seed) -> None:
        """A word node whose cells' customers are complete."""
        net, block, chunks = state.net, state.layout.blocks[i], self.chunks[i]
        partial = np.empty((len(chunks.bounds) - 1, block.width * (2 + block.n_parents)), np.int64)
        up_totals(net, i, chunks.bounds, chunks.instances, partial)
        if state.net.reals[i, DISCOUNT] > 0:
            up_scalars(net, self.vectors, i, block.rests.start, block.rests.stop, self.scalars, seed)
        up_words(net, state.tables, self.family, i, chunks.bounds, self.scalars, self.n_held, seed)
        up_totals(net, i, chunks.bounds, chunks.instances, partial)
