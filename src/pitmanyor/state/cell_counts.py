"""Counts of a shared node by cell, whether its cells have rows or are packed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.restaurant.arrays import CUSTOMERS, DISH, PACKED, ROW, TABLES, Ints, Ints32
from pitmanyor.kernels.restaurant.packed_rows import pack_all
from pitmanyor.state.state import State


class Pairs(NamedTuple):
    """The (cell, topic) pairs of a node with customers, in order; cells are numbered from the node's first."""

    cell: Ints
    topic: Ints
    counts: Ints32  # (pair, CUSTOMERS or TABLES)


def pack_rows(state: State) -> None:
    """Pack the cells that lie in spare rows."""
    pack_all(state.net)


def is_packed(state: State, i: int) -> bool:
    """Are some cells of node i packed?"""
    block = state.layout.blocks[i]
    return block.n_rows != block.n_cells


def pairs_of(state: State, i: int) -> Pairs:
    """The pairs of a node per topic: they take memory by pairs alone."""
    pack_all(state.net)
    net, block, at = state.net, state.layout.blocks[i], state.plan.cells.of(i)
    of_row = np.flatnonzero(net.cells[at, ROW] != PACKED)  # rows lie in the order of cells
    place = np.flatnonzero(net.counts[block.rows, CUSTOMERS])
    entry = _entries(state, i)
    held = np.flatnonzero(net.packed[entry, CUSTOMERS])
    owner = np.zeros(0, np.int64)
    if len(net.packed_first):
        owner = np.repeat(np.arange(block.n_cells), np.diff(net.packed_first[at.start : at.stop + 1]))
    cell = np.concatenate([of_row[place // block.width], owner[held]])
    topic = np.concatenate([place % block.width, net.packed[entry, DISH][held].astype(np.int64)])
    counts = np.concatenate([net.counts[block.rows][place], net.packed[entry][held][:, [CUSTOMERS, TABLES]]])
    order = np.lexsort((topic, cell))
    return Pairs(cell[order], topic[order], counts[order])


def set_pairs(state: State, i: int, pairs: Pairs) -> None:
    """Write pairs into an empty node, whose cells may be packed or not; terms are not refreshed."""
    net, at = state.net, state.plan.cells.of(i)
    row = net.cells[at, ROW][pairs.cell]
    is_listed = row == PACKED
    net.counts[row[~is_listed] + pairs.topic[~is_listed]] = pairs.counts[~is_listed]
    cell, topic, counts = (values[is_listed] for values in pairs)
    if len(cell):
        first = np.searchsorted(cell, cell)  # of the same cell
        entry = net.packed_first[at.start + cell] + np.arange(len(cell)) - first
        net.packed[entry] = np.column_stack([counts, topic])


def _entries(state: State, i: int) -> slice:
    first, at = state.net.packed_first, state.plan.cells.of(i)
    return slice(int(first[at.start]), int(first[at.stop])) if len(first) else slice(0, 0)


def counts_by_cell(state: State, i: int, column: int, n_columns: int) -> NDArray[np.int32]:
    """Customers or tables of every cell of a node, a row per cell, over the first topic columns."""
    block, net = state.layout.blocks[i], state.net
    if not is_packed(state, i):
        return net.counts[block.rows, column].reshape(block.n_cells, block.width)[:, :n_columns]
    pairs = pairs_of(state, i)
    out = np.zeros((block.n_cells, n_columns), np.int32)
    seen = pairs.topic < n_columns
    out[pairs.cell[seen], pairs.topic[seen]] = pairs.counts[seen, column]
    return out
