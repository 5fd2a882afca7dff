"""Vectors of packed cells: drawn once for their sums, and again, bit for bit, when a document needs them.

Every draw is keyed by its cell, so a row phi_kw over topics k need not be kept: its masses J, divided by the sums that
the first draw left, are what they would be if it had been (decision 13). Each thread caches the rows that it drew last,
at a place that depends on the number of the cell.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pitmanyor import purposes
from pitmanyor.kernels.numbers.draws import gamma, tilted_stable
from pitmanyor.kernels.numbers.stable_row_draws import (
    LANES,
    LEAST_DISCOUNT,
    draw_stable,
    set_powers,
    split_power,
    split_powers,
)
from pitmanyor.kernels.restaurant.arrays import (
    CONCENTRATION,
    CUSTOMERS,
    DISCOUNT,
    DISH,
    LIVE,
    NODE,
    PACKED,
    REST,
    ROW,
    TABLES,
    Floats,
    Ints,
    Ints32,
)
from pitmanyor.kernels.restaurant.packed_rows import entries_of
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined, inner, kernel
from pitmanyor.kernels.runtime.random import stream_key
from pitmanyor.kernels.switching.topic_vectors import LEAST_BASE, base_mass, log_jump

KEPT_ROWS = 1024  # of a thread


@bundle
class Drawn(NamedTuple):
    """What rows are drawn again from: fields of `Family` and `Vectors`, flat as parallel loops want them, and more."""

    first: Ints
    parent: Ints
    log_g: Floats
    scale: Floats
    shift: Floats
    counter: Ints
    cells: Ints  # (node, 3): its first cell, the one after its last, and how many are summed together
    first_row: Ints  # (node): where its rows begin
    empty: Ints  # (node, 1 + column): how many of its held restaurants are empty, and which
    power: Ints32  # (node, column): the topics' part of the masses g H, as powers of two
    fraction: np.ndarray
    seed: np.ndarray
    n_held: int


@bundle
class Kept(NamedTuple):
    """Rows of one thread, with a leading thread axis until `of_thread` picks one."""

    cell: Ints  # (place): whose row is there, or -1
    start: Ints  # where the rows begin in Net.stay, and the number of the first, after those of all nodes


@kernel
def prepare(net, drawn, node):
    """Facts of one node's restaurants, once they are drawn."""
    first, n_empty = net.cells[drawn.cells[node, 0], REST], 0
    for k in range(drawn.n_held):
        if net.totals[first + k, CUSTOMERS] == 0:
            n_empty += 1
            drawn.empty[node, n_empty] = k
    drawn.empty[node, 0] = n_empty
    if net.reals[node, DISCOUNT] >= LEAST_DISCOUNT:
        log_g = drawn.log_g[first : first + drawn.n_held]
        split_powers(log_g, net.reals[node, DISCOUNT], drawn.power[node], drawn.fraction[node])


@inlined
def empty_jump(net, vectors, node, q, cell, k, base, seed):
    """log J of a cell in an empty restaurant q, that of column k."""
    key = stream_key(seed[0], seed[1], seed[2], cell * 65536 + k, purposes.DOWN_EMPTY)
    value, _ = log_jump(net, vectors, node, q, base, key, np.int64(0))
    return value


@inlined
def add_customers_of_entries(net, cell, first, value, a, key, n):
    """Gamma(c - a t) for the customers of a packed cell in the columns from `first` on; returns n."""
    entry, last = entries_of(net, cell)
    for e in range(entry, last):
        j = net.packed[e, DISH] - first
        if 0 <= j < len(value):
            x, n = gamma(net.packed[e, CUSTOMERS] - a * net.packed[e, TABLES], key, n)
            value[j] += x
    return n


@inlined
def _jump(net, vectors, node, q, counts, base, key, n):
    """J of a dish of a packed cell: as `jump`, whose counts lie in a row."""
    a, (c, t) = net.reals[node, DISCOUNT], counts
    if a == 0.0:
        return gamma(c + net.rests[CONCENTRATION, q] * base, key, n)
    x, n = tilted_stable(a, math.exp(vectors.log_g[q]) * base, key, n)
    if c > 0:
        y, n = gamma(c - a * t, key, n)
        x += y
    return x, n


@inlined
def _counts_at(net, e, last, k):
    """Customers and tables of column k, where entry e is the first from that column on; and the entry after it."""
    if e < last and net.packed[e, DISH] == k:
        return (net.packed[e, CUSTOMERS], net.packed[e, TABLES]), e + 1
    return (np.int32(0), np.int32(0)), e


@inner
def add_jumps(net, vectors, cell, base, sums, seed):
    """Add J of a packed cell, one column after the other, to the columns' sums; empty restaurants are left out."""
    node, rest = net.cells[cell, NODE], net.cells[cell, REST]
    key, n = stream_key(seed[0], seed[1], seed[2], cell, purposes.DOWN), np.int64(0)
    e, last = entries_of(net, cell)
    for k in range(len(sums)):
        if net.totals[rest + k, CUSTOMERS] > 0:
            counts, e = _counts_at(net, e, last, k)
            x, n = _jump(net, vectors, node, rest + k, counts, base, key, n)
            sums[k] += net.stay.dtype.type(x)


@inner
def _draw_jumps(net, drawn, cell, row):
    """The same again, into a row."""
    node, rest, seed = net.cells[cell, NODE], net.cells[cell, REST], drawn.seed
    key, n = stream_key(seed[0], seed[1], seed[2], cell, purposes.DOWN), np.int64(0)
    base = base_mass(net, drawn, cell, node, 0, 0)
    e, last = entries_of(net, cell)
    for k in range(drawn.n_held):
        if net.totals[rest + k, CUSTOMERS] > 0:
            counts, e = _counts_at(net, e, last, k)
            net.stay[row + k], n = _jump(net, drawn, node, rest + k, counts, base, key, n)


@inner
def _draw_lanes(net, drawn, lanes, cell, row):
    """J of a packed cell by the draws of `word_vectors.py`, where some rows are drawn together."""
    node, seed, n_columns = net.cells[cell, NODE], drawn.seed, drawn.n_held
    a, power, fraction = net.reals[node, DISCOUNT], drawn.power[node], drawn.fraction[node]
    first, stop, chunk = drawn.cells[node, 0], drawn.cells[node, 1], drawn.cells[node, 2]
    width = min(n_columns, LANES)
    start, n_rows = first + (cell - first) // chunk * chunk, LANES // width
    top = start + (cell - start) // n_rows * n_rows
    bottom = min(top + n_rows, start + chunk, stop)
    key, n = stream_key(seed[0], seed[1], seed[2], top, purposes.DOWN), np.int64(0)
    for begin in range(0, n_columns, LANES):
        size = min(LANES, n_columns - begin)
        for other in range(top, bottom):
            base, at = base_mass(net, drawn, other, node, 0, 0), (other - top) * width
            more = split_power(math.log2(max(base, LEAST_BASE)) / a)
            columns, places = slice(begin, begin + size), slice(at, at + size)
            set_powers(power[columns], fraction[columns], more, lanes.whole[places], lanes.part[places])
        n = draw_stable(lanes, (bottom - top - 1) * width + size, a, key, n)
        if n_rows > 1:  # cells before this one have drawn for their customers
            n = drawn.counter[cell]
        at = (cell - top) * width
        value, stay = lanes.value[at : at + size], net.stay[row + begin : row + begin + size]
        n = add_customers_of_entries(net, cell, begin, value, a, key, n)
        for j in range(size):
            stay[j] = value[j]


@inner
def draw_again(net, drawn, lanes, cell, row):
    """The vector of a packed cell over the held topics, into a row."""
    node, rest = net.cells[cell, NODE], net.cells[cell, REST]
    if net.reals[node, DISCOUNT] >= LEAST_DISCOUNT:
        _draw_lanes(net, drawn, lanes, cell, row)
    else:
        _draw_jumps(net, drawn, cell, row)
    stay, scale = net.stay[row : row + drawn.n_held], drawn.scale[rest : rest + drawn.n_held]
    for k in range(drawn.n_held):
        stay[k] *= scale[k]
    for j in range(drawn.empty[node, 0]):
        k = drawn.empty[node, 1 + j]
        base = base_mass(net, drawn, cell, node, 0, 0)
        x = empty_jump(net, drawn, node, rest + k, cell, k, base, drawn.seed)
        stay[k] = math.exp(x - drawn.shift[rest + k]) / drawn.scale[rest + k]


@inlined
def row_of_cell(net, drawn, kept, lanes, cell):
    """Where the vector of a cell lies, the number by which its sums are kept, and whether it was drawn just now."""
    stride, row = len(net.status) - LIVE, net.cells[cell, ROW]
    if row != PACKED:
        return row, (row - drawn.first_row[net.cells[cell, NODE]]) // stride, False
    place = cell % KEPT_ROWS
    row, is_new = kept.start[0] + place * stride, kept.cell[place] != cell
    if is_new:
        kept.cell[place] = cell
        draw_again(net, drawn, lanes, cell, row)
    return row, kept.start[1] + place, is_new
