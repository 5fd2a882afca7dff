"""Counts once more, from the topics and walks of the tokens: what the counts of a state must be.

Plain NumPy, linear in tokens and counts, and without a kernel: arrays from a file are looked at here before any kernel
indexes with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.restaurant.arrays import (
    AT_WORD,
    CUSTOMERS,
    DISH,
    MASK,
    PACKED,
    ROW,
    SHIFT,
    TABLES,
    WIDE,
)
from pitmanyor.state.state import State

Ints = NDArray[np.int64]
assert AT_WORD == 0


class Comers(NamedTuple):
    """The tokens that come to a node, and the digit of each there: 0 sits, i + 1 opens a table towards parent i."""

    tokens: Ints
    digits: Ints


def find_comers(state: State) -> list[Comers]:
    """Which tokens come to which node: to the leaves of their stream, and on as their walks say."""
    plan, nodes, code = state.plan, state.net.nodes, state.text.code
    arrived: list[list[Ints]] = [[] for _ in plan.nodes]
    of_stream = plan.order.stream
    for s, stream in enumerate(plan.graph.streams):
        tokens = np.flatnonzero(of_stream == s)
        for name in (stream.topic, stream.emit):
            arrived[plan.index[name]].append(tokens)
    out = [Comers(np.zeros(0, np.int64), np.zeros(0, np.int64))] * len(plan.nodes)
    for i, node in reversed(list(enumerate(plan.nodes))):  # children come before their parents
        tokens = np.concatenate([np.zeros(0, np.int64), *arrived[i]])
        digits = np.zeros(len(tokens), np.int64)
        if node.local:
            digits = (code[tokens].astype(np.int64) >> nodes[i, SHIFT]) & nodes[i, MASK]
            for p, parent in enumerate(node.parents):
                arrived[plan.index[parent]].append(tokens[digits == p + 1])
        out[i] = Comers(tokens, digits)
    return out


class Dishes(NamedTuple):
    """The dishes of a local node that have customers: document, restaurant, customers, and tables by parent."""

    document: Ints
    restaurant: Ints  # a number for each of the node in a document, or in a document and topic
    customers: Ints
    tables: Ints  # (dish, parent); one column if it has none


def dishes_of(state: State, i: int, comers: Comers) -> Dishes:
    """Counts of a local node in all documents."""
    plan, node = state.plan, state.plan.nodes[i]
    tokens, digits = comers
    document, topic = plan.order.document[tokens].astype(np.int64), state.text.topic[tokens].astype(np.int64)
    restaurant = document * state.capacity + topic if node.per_topic else document
    dish = topic if node.side == "topic" else plan.order.word[tokens].astype(np.int64)
    n_dishes = state.capacity if node.side == "topic" else len(plan.words[node.name])
    keys, first, inverse = np.unique(restaurant * n_dishes + dish, return_index=True, return_inverse=True)
    n_parents = max(len(node.parents), 1)
    opened = digits > 0
    places = inverse.reshape(-1)[opened] * n_parents + digits[opened] - 1
    tables = np.bincount(places, minlength=len(keys) * n_parents).reshape(len(keys), n_parents)
    return Dishes(document[first], keys // n_dishes, np.bincount(inverse.reshape(-1), minlength=len(keys)), tables)


def token_cells(state: State, i: int, tokens: Ints) -> Ints:
    """The cells of a shared node to which tokens come."""
    plan, node = state.plan, state.plan.nodes[i]
    first = int(plan.cells.first[i])
    if node.side == "topic":
        return np.asarray(first + plan.instances[node.name].of_document[plan.order.document[tokens]])
    if node.name not in plan.cells.slot:
        return np.asarray(first + plan.order.word[tokens].astype(np.int64))
    listed = plan.cells.listed[plan.cells.slot[node.name]]
    is_by_token = any(plate not in ("document", "topic") for plate in node.plate)
    return np.asarray(listed[tokens if is_by_token else plan.order.word[tokens]], np.int64)


class Came(NamedTuple):
    """What the tokens of all documents come to, added up piece by piece."""

    sizes: Ints  # tokens of every topic
    customers: Ints  # of every count that has a row
    pairs: dict[int, tuple[Ints, Ints]]  # of nodes with packed cells, see `packed_pairs`

    def add(self, state: State, comers: list[Comers]) -> None:
        """Count some documents, whose topics are in range."""
        net, plan, topic = state.net, state.plan, state.text.topic
        np.add(self.sizes, np.bincount(topic, minlength=len(self.sizes)), out=self.sizes)
        for i, node in enumerate(plan.nodes):
            if not node.local:
                tokens = comers[i].tokens
                row = net.cells[token_cells(state, i, tokens), ROW]
                places = row + topic[tokens] * net.nodes[i, WIDE]
                np.add.at(self.customers, places[row != PACKED], 1)
        for i, (keys, sizes) in self.pairs.items():
            more, n = packed_pairs(state, i, comers[i].tokens)
            both, where = np.unique(np.append(keys, more), return_inverse=True)
            self.pairs[i] = both, np.bincount(where.reshape(-1), np.append(sizes, n), len(both)).astype(np.int64)


def nobody_came(state: State, packed: Sequence[int]) -> Came:
    """Zeros, for a state with packed cells of these nodes."""
    none = np.zeros(0, np.int64)
    n_counts = np.zeros(state.layout.sizes[0], np.int64)
    return Came(np.zeros(state.n_topics, np.int64), n_counts, dict.fromkeys(packed, (none, none)))


def add_tables(state: State, known: Ints, has_to: bool) -> Ints:
    """Add the tables of shared nodes to the customers of their parents; returns how many more these may have.

    Without `to` it is not known to which of several parents the tables of a shared node go: any may have all.
    """
    plan, more = state.plan, np.zeros_like(known)
    for i, node in enumerate(plan.nodes):
        if node.local:
            continue
        for p, tables in _tables_of(state, i, has_to):
            target = known if has_to or len(node.parents) == 1 else more
            _add_rows(state, plan.index[node.parents[p]], target, _parents(state, i, p), tables)
    return more


def packed_pairs(state: State, i: int, tokens: Ints) -> tuple[Ints, Ints]:
    """The (cell, topic) pairs of tokens that come to packed cells, as cell * capacity + topic; how many have each."""
    cell = token_cells(state, i, tokens)
    is_listed = state.net.cells[cell, ROW] == PACKED
    keys = cell[is_listed] * state.capacity + state.text.topic[tokens[is_listed]]
    pairs, sizes = np.unique(keys, return_counts=True)
    return pairs, sizes.astype(np.int64)


def _parents(state: State, i: int, p: int) -> Ints:
    """The p-th parent cell of every cell of a shared node, counted from the first of the parent's."""
    cells, node = state.plan.cells, state.plan.nodes[i]
    above = cells.parent[cells.parent_first[cells.of(i)] + p]
    return np.asarray(above - cells.first[state.plan.index[node.parents[p]]])


def _tables_of(state: State, i: int, has_to: bool) -> Iterator[tuple[int, Ints]]:
    """Tables of a shared node's cells by parent, (cell, column)."""
    block, net, n_parents = state.layout.blocks[i], state.net, len(state.plan.nodes[i].parents)
    for p in range(n_parents):
        if n_parents > 1 and has_to:
            yield p, net.to[block.to_rows].reshape(block.n_cells, block.width, n_parents)[:, :, p].astype(np.int64)
        elif block.n_rows != block.n_cells:
            yield p, packed_sums(state, i, TABLES)[:, None]  # its parent is not per topic
        else:
            yield p, net.counts[block.rows, TABLES].reshape(block.n_cells, block.width).astype(np.int64)


def packed_sums(state: State, i: int, column: int) -> Ints:
    """Customers or tables of the cells of a node some of which are packed, over all topics."""
    net, block, at = state.net, state.layout.blocks[i], state.plan.cells.of(i)
    row = net.cells[at, ROW]
    out = np.zeros(block.n_cells, np.int64)
    of_rows = net.counts[block.rows, column].reshape(block.n_rows, block.width).sum(axis=1, dtype=np.int64)
    out[row != PACKED] = of_rows[(row[row != PACKED] - block.row) // block.width]
    first = net.packed_first[at.start : at.stop + 1]
    sums = np.append(0, np.cumsum(net.packed[first[0] : first[-1], column], dtype=np.int64))
    return np.asarray(out + np.diff(sums[first - first[0]]))


def _add_rows(state: State, j: int, target: Ints, above: Ints, tables: Ints) -> None:
    """Add rows of tables to the rows of their parent cells; over all topics if the parent has one count per cell."""
    block = state.layout.blocks[j]
    if block.width == 1 and tables.shape[1] > 1:
        tables = tables.sum(axis=1, keepdims=True)
    if not len(above):
        return
    order = np.argsort(above, kind="stable")
    cells, starts = np.unique(above[order], return_index=True)
    rows = target[block.rows].reshape(block.n_rows, block.width)
    rows[cells] += np.add.reduceat(tables[order], starts, axis=0)


def sum_totals(state: State) -> Ints:
    """Customers and tables of every restaurant, from the counts; a gem has a table for every live topic."""
    net, plan = state.net, state.plan
    totals = np.zeros(net.totals.shape, np.int64)
    for i, (node, block) in enumerate(zip(plan.nodes, state.layout.blocks, strict=True)):
        if node.local:
            continue
        is_whole, at = block.n_rows == block.n_cells, plan.cells.of(i)
        of_row = plan.cells.instance[at] if is_whole else np.zeros(block.n_rows, np.int64)
        for column in (CUSTOMERS, TABLES):
            rows = net.counts[block.rows, column].reshape(block.n_rows, block.width)
            totals[block.rests, column] = _by_instance(rows, of_row, block.n_instances, block.own).reshape(-1)
            if not is_whole:
                entries = net.packed[net.packed_first[at.start] : net.packed_first[at.stop]]
                more = np.bincount(entries[:, DISH], entries[:, column], minlength=block.own)
                totals[block.rests, column] += more.astype(np.int64)
        if node.kind == "gem":
            totals[block.rests, TABLES] = state.n_topics
    return totals


def sum_to(state: State) -> Ints:
    """Tables by parent of every restaurant, from those of its counts."""
    net, plan = state.net, state.plan
    n_to = np.zeros(net.n_to.shape, np.int64)
    for i, (node, block) in enumerate(zip(plan.nodes, state.layout.blocks, strict=True)):
        if block.n_parents and not node.local:
            rows, instance = net.to[block.to_rows].reshape(block.n_cells, -1), plan.cells.instance[plan.cells.of(i)]
            sums = _by_instance(rows, instance, block.n_instances, block.own * block.n_parents)
            n_to[block.to_rests] = sums.reshape(-1)
    return n_to


def _by_instance(rows: NDArray[Any], instance: Ints, n_instances: int, width: int) -> Ints:
    """Sums of rows by their instance, which ascend; over all columns where a restaurant has them all."""
    if rows.shape[1] != width:
        rows = rows.reshape(len(rows), -1, width).sum(axis=1, dtype=np.int64)
    out = np.zeros((n_instances, width), np.int64)
    if len(rows):
        present, starts = np.unique(instance, return_index=True)
        out[present] = np.add.reduceat(rows, starts, axis=0, dtype=np.int64)
    return out
