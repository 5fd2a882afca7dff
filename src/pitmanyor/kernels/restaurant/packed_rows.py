"""Packed rows: the counts of a rare word as a short list of its topics (decision 13).

A word with n tokens has at most n topics, so a cell whose counts are packed has n entries of (customers, tables, topic)
and no row: `cells[cell, ROW]` is PACKED. Topics ascend, and entries without customers come last. Sequential kernels
unpack a cell into the spare row of its node before they read or change it. It is treated like any other cell until
another cell needs that row, and is then packed again. Terms are not stored: they follow from the counts.
"""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.restaurant.arrays import (
    AT,
    BLOCK,
    CUSTOMERS,
    DISH,
    LIVE,
    NODE,
    PACKED,
    ROW,
    SHARED,
    SPARE_ROW,
    TABLES,
    UNPACKED,
    WIDE,
)
from pitmanyor.kernels.restaurant.count_terms import refresh_small
from pitmanyor.kernels.runtime.jit import inlined, inner, kernel


@inlined
def is_packed(net, cell):
    return len(net.packed_first) > 0 and net.cells[cell, ROW] == PACKED


@inlined
def n_counts(net, cell, n_columns):
    """How many counts the row of a cell has in the first columns: one for a narrow node, none if it is packed."""
    if is_packed(net, cell):
        return 0
    return n_columns if net.nodes[net.cells[cell, NODE], WIDE] else 1


@inlined
def entries_of(net, cell):
    """The first entry of a packed cell that has customers, and the one after the last."""
    first, stop = net.packed_first[cell], net.packed_first[cell + 1]
    last = first
    while last < stop and net.packed[last, CUSTOMERS] > 0:
        last += 1
    return first, last


@inlined
def unpack_cells(net, tables, terms, words, which):
    """Unpack the packed cells among the shared cells of the current word list."""
    if len(net.packed_first) == 0:
        return
    for pos in range(words.lists[which, SHARED]):
        cell = words.scratch[AT, pos]
        if net.cells[cell, ROW] == PACKED:
            _unpack(net, tables, terms, cell)


@inner
def _unpack(net, tables, terms, cell):
    """Give a cell the spare row of its node; the one that had it is packed."""
    node = net.cells[cell, NODE]
    if net.nodes[node, UNPACKED] >= 0:
        _pack(net, net.nodes[node, UNPACKED])
    row = net.nodes[node, SPARE_ROW]
    net.nodes[node, UNPACKED], net.cells[cell, ROW] = cell, row
    first, last = entries_of(net, cell)
    for e in range(first, last):
        i = row + net.packed[e, DISH]
        net.counts[i, CUSTOMERS], net.counts[i, TABLES] = net.packed[e, CUSTOMERS], net.packed[e, TABLES]
        refresh_small(net, tables, terms, node, i)


@inlined
def clear_entries(net, start, stop):
    for e in range(start, stop):
        net.packed[e, CUSTOMERS], net.packed[e, TABLES], net.packed[e, DISH] = 0, 0, 0


@inner
def _pack(net, cell):
    """Write the row of an unpacked cell into its entries and clear it, terms of counts that a move took away too."""
    node, row, entry = net.cells[cell, NODE], net.cells[cell, ROW], net.packed_first[cell]
    for first in range(0, len(net.status) - LIVE, BLOCK):
        some = np.int32(0)
        for i in range(row + first, row + first + BLOCK):
            some |= net.counts[i, CUSTOMERS]
            net.stay[i], net.open[i] = 0.0, 1.0
        for k in range(first, first + BLOCK if some != 0 else first):
            i = row + k
            if net.counts[i, CUSTOMERS] > 0:
                net.packed[entry, CUSTOMERS], net.packed[entry, DISH] = net.counts[i, CUSTOMERS], k
                net.packed[entry, TABLES] = net.counts[i, TABLES]
                net.counts[i, CUSTOMERS], net.counts[i, TABLES] = 0, 0
                entry += 1
    clear_entries(net, entry, net.packed_first[cell + 1])
    net.nodes[node, UNPACKED], net.cells[cell, ROW] = -1, PACKED


@kernel
def pack_all(net):
    """Pack the cells that lie in spare rows."""
    for node in range(len(net.nodes)):
        if net.nodes[node, UNPACKED] >= 0:
            _pack(net, net.nodes[node, UNPACKED])


@inner
def relabel_entries(net, cell, place):
    """Topic k of a packed cell becomes place[k]; topics ascend again."""
    first, last = entries_of(net, cell)
    for e in range(first, last):
        c, t, k = net.packed[e, CUSTOMERS], net.packed[e, TABLES], place[net.packed[e, DISH]]
        j = e
        while j > first and net.packed[j - 1, DISH] > k:
            for column in range(3):
                net.packed[j, column] = net.packed[j - 1, column]
            j -= 1
        net.packed[j, CUSTOMERS], net.packed[j, TABLES], net.packed[j, DISH] = c, t, k
