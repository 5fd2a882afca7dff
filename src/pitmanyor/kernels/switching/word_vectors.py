"""Down, word side: J of every word under every held topic, a row of topics at a time (maths 4).

Nearly all cells of a large vocabulary have no customers and little mass: they are drawn in lanes (stable_row_draws).
The counts of a leaf (leaf_tables.py) are cleared as they are read, because they are not needed on the way up. Of packed
cells only the sums are kept; redrawn_rows.py draws their rows again when they are needed.
"""

from __future__ import annotations

import math

import numpy as np
from numba import prange

from pitmanyor import purposes
from pitmanyor.kernels.numbers.draws import gamma
from pitmanyor.kernels.numbers.stable_row_draws import (
    LANES,
    LEAST_DISCOUNT,
    draw_stable,
    log2_constant,
    new_lanes,
    set_powers,
    split_power,
    split_powers,
)
from pitmanyor.kernels.restaurant.arrays import (
    BLOCK,
    CUSTOMERS,
    DISCOUNT,
    DISH,
    N_PARENTS,
    NODE,
    REST,
    ROW,
    TABLES,
    TO_REST,
    TO_ROW,
    WIDE,
)
from pitmanyor.kernels.restaurant.packed_rows import entries_of, is_packed
from pitmanyor.kernels.runtime.jit import allocating, dealt, inlined, inner, n_dealt, spread
from pitmanyor.kernels.runtime.random import stream_key
from pitmanyor.kernels.switching.redrawn_rows import add_customers_of_entries, add_jumps
from pitmanyor.kernels.switching.topic_vectors import LEAST_BASE, base_mass, has_one_base, jump
from pitmanyor.kernels.switching.word_totals import normalise_words, total_words


@allocating
def _word_chunk(net, vectors, family, run, sums, bases, leaf, seed):
    """J of the words of a run of cells, with their sums and base masses per column."""
    node = net.cells[run[0], NODE]
    sums[:], bases[:] = 0.0, 0.0
    if net.nodes[node, WIDE] and net.reals[node, DISCOUNT] >= LEAST_DISCOUNT:
        _stable_words(net, vectors, family, new_lanes(len(sums)), run, (sums, bases), leaf, seed)
    else:
        found = np.empty(len(sums), np.int32)
        _words_one_by_one(net, vectors, family, found, run, (sums, bases), leaf, seed)


@inlined
def _forget(net, family, cell, first, found, sends):
    """Counts of the columns `first + found` of a leaf's cell; if it `sends` its tables, they leave the parent."""
    cell, n_tables = np.uint64(cell), np.int32(0)
    node, row = np.uint64(net.cells[cell, NODE]), np.uint64(net.cells[cell, ROW] + first)
    above, wide = np.uint64(0), np.uint64(0)
    if sends:
        parent = family.parent[np.uint64(family.first[cell])]
        above, wide = np.uint64(net.cells[parent, ROW]), np.uint64(net.nodes[net.cells[parent, NODE], WIDE])
    for j in range(len(found)):
        column = np.uint64(found[j])
        i, t = row + column, net.counts[row + column, TABLES]
        n_tables += t
        if wide:
            net.counts[above + np.uint64(first) + column, CUSTOMERS] -= t
        net.counts[i, CUSTOMERS], net.counts[i, TABLES], net.open[i] = 0, 0, 1.0
    if sends and not wide:
        net.counts[above, CUSTOMERS] -= n_tables
    n_parents = net.nodes[node, N_PARENTS]
    if n_parents > 1:
        for j in range(len(found)):
            to = net.cells[cell, TO_ROW] + (first + np.int64(found[j])) * n_parents
            net.to[to : to + n_parents] = 0


@inlined
def _take_tables(net, family, cell, n_columns, sends):
    """As `_forget`, for a packed cell, whose counts are needed once more and are replaced on the way up."""
    if sends:
        above = net.cells[family.parent[family.first[cell]], ROW]
        first, last = entries_of(net, cell)
        for e in range(first, last):
            if net.packed[e, DISH] < n_columns:
                net.counts[above, CUSTOMERS] -= net.packed[e, TABLES]


@inner
def _words_one_by_one(net, vectors, family, found, run, sums_and_bases, leaf, seed):
    """Draw cell by cell; empty restaurants are left out. `found` is scratch."""
    (start, stop), (sums, bases) = run, sums_and_bases
    node = net.cells[start, NODE]
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    for cell in range(start, stop):
        if is_packed(net, cell):
            base = base_mass(net, family, cell, node, 0, 0)
            for k in range(len(sums)):
                bases[k] += base
            add_jumps(net, vectors, cell, base, sums, seed)
            _take_tables(net, family, cell, len(sums), leaf[1])
            continue
        key, n = stream_key(seed[0], seed[1], seed[2], cell, purposes.DOWN), np.int64(0)
        row, rest, to_rest, n_found = net.cells[cell, ROW], net.cells[cell, REST], net.cells[cell, TO_REST], 0
        for k in range(len(sums)):
            base = base_mass(net, family, cell, node, to_rest + k * n_parents, k)
            bases[k] += base
            if net.totals[rest + k, CUSTOMERS] > 0:
                x, n = jump(net, vectors, node, rest + k, row + k, base, key, n)
                net.stay[row + k] = x
                sums[k] += net.stay[row + k]
                if leaf[0] and net.counts[row + k, CUSTOMERS] > 0:
                    found[n_found] = k
                    n_found += 1
        if leaf[0]:
            _forget(net, family, cell, 0, found[:n_found], leaf[1])


@inner
def _stable_words(net, vectors, family, lanes, run, sums_and_bases, leaf, seed):
    """Draw row by row. Empty restaurants are drawn too, and replaced later."""
    (start, stop), (sums, bases) = run, sums_and_bases
    node = net.cells[start, NODE]
    n_columns, a = len(sums), net.reals[node, DISCOUNT]
    log_g = vectors.log_g[net.cells[start, REST] : net.cells[start, REST] + n_columns]
    shared = has_one_base(net, family, start, node)
    if shared:
        split_powers(log_g, a, lanes.power, lanes.fraction)
    mass, more = 0.0, (np.int32(0), np.float32(0.0))
    width = min(n_columns, LANES)
    n_rows = LANES // width  # drawn together; a longer row is drawn in pieces
    for top in range(start, stop, n_rows):
        bottom = min(top + n_rows, stop)
        key, n = stream_key(seed[0], seed[1], seed[2], top, purposes.DOWN), np.int64(0)
        for first in range(0, n_columns, LANES):
            size = min(LANES, n_columns - first)
            power, fraction = lanes.power[first : first + size], lanes.fraction[first : first + size]
            for cell in range(top, bottom):
                if shared and first == 0:
                    base = base_mass(net, family, cell, node, 0, 0)
                    more = split_power(math.log2(max(base, LEAST_BASE)) / a)
                    mass += base
                elif first == 0:
                    _split_row(net, family, cell, node, log_g, lanes, bases)
                at = (cell - top) * width
                set_powers(power, fraction, more, lanes.whole[at : at + size], lanes.part[at : at + size])
            n = draw_stable(lanes, (bottom - top - 1) * width + size, a, key, n)
            for cell in range(top, bottom):
                at, row = (cell - top) * width, net.cells[cell, ROW] + first
                value = lanes.value[at : at + size]
                if is_packed(net, cell):
                    vectors.counter[cell] = n  # of the last piece, if there are several; it is not used then
                    n = add_customers_of_entries(net, cell, first, value, a, key, n)
                    if first + size == n_columns:
                        _take_tables(net, family, cell, n_columns, leaf[1])
                    for j in range(size):
                        sums[first + j] += value[j]
                    continue
                n_found, n = _add_customers(net.counts[row : row + size], value, lanes.found, a, key, n)
                if leaf[0]:
                    _forget(net, family, cell, first, lanes.found[:n_found], leaf[1])
                _keep(value, net.stay[row : row + size], sums[first : first + size])
    if shared:
        bases[:n_columns] = mass


@inner
def _split_row(net, family, cell, node, log_g, lanes, bases):
    """One word's masses g H as powers of two, where H depends on the topic."""
    a, to_rest = net.reals[node, DISCOUNT], net.cells[cell, TO_REST]
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    per_nat, constant = 1.0 / (a * math.log(2.0)), log2_constant(a)
    for k in range(len(log_g)):
        base = base_mass(net, family, cell, node, to_rest + k * n_parents, k)
        bases[k] += base
        log_mass = log_g[k] + math.log(max(base, LEAST_BASE))
        lanes.power[k], lanes.fraction[k] = split_power(log_mass * per_nat + constant)


@inner
def _add_customers(counts, value, found, a, key, n):
    """Gamma(c - a t) where there are customers: the columns into `found`. Returns how many, and n."""
    n_found = 0
    for start in range(0, len(counts), BLOCK):
        block = counts[start : min(start + BLOCK, len(counts))]
        some = np.int32(0)
        for j in range(len(block)):
            some |= block[j, CUSTOMERS]
        if some != 0:
            for j in range(len(block)):  # no branch: which column is next cannot be guessed
                found[n_found] = start + j
                n_found += block[j, CUSTOMERS] > 0
    for i in range(n_found):
        j = np.uint64(found[i])
        x, n = gamma(counts[j, CUSTOMERS] - a * counts[j, TABLES], key, n)
        value[j] += x
    return n_found, n


@inner
def _keep(draws, stay, sums):
    for j in range(len(draws)):
        stay[j] = draws[j]
        sums[j] += draws[j]


@spread
def draw_word_node(net, vectors, family, chunks, instances, scratch, leaf, seed):
    """Restaurants of one word-side node: its one column, or those of the held topics, as many as the scratch has.

    `chunks` holds the bounds of runs of cells of one instance each; `instances` (instance, 2) the first and
    last-but-one chunk of every instance. `scratch` has a row per chunk for sums, and one for base masses. `leaf`:
    whether its counts are cleared here, and its tables subtracted from their parent's customers.
    """
    sums, bases = scratch
    n_chunks = len(chunks) - 1
    for turn in prange(n_dealt(n_chunks)):
        c = dealt(turn, n_chunks)
        if c < n_chunks:
            _word_chunk(net, vectors, family, (chunks[c], chunks[c + 1]), sums[c], bases[c], leaf, seed)
    for j in prange(len(instances)):
        total_words(net, vectors, family, chunks, (instances[j, 0], instances[j, 1]), sums, bases, seed)
    for c in prange(n_chunks):
        normalise_words(net, chunks[c], chunks[c + 1], sums.shape[1])
