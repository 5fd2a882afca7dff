"""What concentrations and the log joint need of shared word nodes (maths 1 and 5), a run of cells at a time."""

from __future__ import annotations

import numpy as np
from numba import prange

from pitmanyor import purposes
from pitmanyor.kernels.monitor.log_joint import JOINT, shared_dish, shared_restaurant
from pitmanyor.kernels.restaurant.arrays import (
    BLOCK,
    CONCENTRATION,
    CUSTOMERS,
    DIRICHLET,
    DISH,
    KIND,
    N_COLUMNS,
    N_PARENTS,
    NODE,
    REST,
    ROW,
    TABLE,
    TABLES,
    TO_REST,
    TO_ROW,
    WIDE,
)
from pitmanyor.kernels.restaurant.packed_rows import entries_of, is_packed
from pitmanyor.kernels.restaurant.small_terms import LOG_S, is_small
from pitmanyor.kernels.runtime.jit import dealt, inlined, inner, n_dealt, spread
from pitmanyor.kernels.runtime.random import stream_key


@inlined
def _small_dishes(terms, index, block, joint):
    """The log joint with the dishes of a block, all of them small: one without customers adds nothing."""
    for j in range(len(block)):
        joint += terms.small[index, np.uint64(block[j, TABLES]), np.uint64(block[j, CUSTOMERS]), LOG_S]
    return joint


@inner
def _measure_entries(franchise, cell, drawn, key, out):
    """The dishes of a packed cell, which has no tables per parent."""
    net = franchise.net
    node, q, n = net.cells[cell, NODE], net.cells[cell, REST], np.int64(0)
    first, last = entries_of(net, cell)
    for e in range(first, last):
        k = net.packed[e, DISH]
        b = net.rests[CONCENTRATION, q + k]
        t, n = shared_dish(franchise, node, b, net.packed[e], 0, key, n, out)
        drawn[k] += t


@inner
def _measure_word_run(franchise, start, stop, drawn, out, seed):
    """Dishes of the cells start..stop-1 of a word-side node, all columns of a cell at a time, into the log joint.

    `drawn` gets the auxiliary tables of a Dirichlet, by column.
    """
    net = franchise.net
    node = net.cells[start, NODE]
    n_columns = net.status[N_COLUMNS] if net.nodes[node, WIDE] else 1
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    is_dirichlet, plain = net.nodes[node, KIND] == DIRICHLET, net.nodes[node, N_PARENTS] == 1
    index = np.uint64(max(net.nodes[node, TABLE], 0))
    out[:] = 0.0
    drawn[:] = 0
    for cell in range(start, stop):
        row, to_row, q = net.cells[cell, ROW], net.cells[cell, TO_ROW], net.cells[cell, REST]
        key, n = np.uint64(0), np.int64(0)
        if is_dirichlet:
            key = stream_key(seed[0], seed[1], seed[2], cell, purposes.MEASURE)
        if is_packed(net, cell):
            _measure_entries(franchise, cell, drawn, key, out)
            continue
        counts = net.counts[row : row + n_columns]
        for first in range(0, n_columns, BLOCK):
            block = counts[first : min(first + BLOCK, n_columns)]
            some, tables_of = np.int32(0), np.int32(0)
            for j in range(len(block)):
                some |= block[j, CUSTOMERS]
                tables_of |= block[j, TABLES]
            if some == 0:
                continue
            if plain and is_small(some, tables_of):
                out[JOINT] = _small_dishes(franchise.terms, index, block, out[JOINT])
                continue
            for j in range(len(block)):
                if block[j, CUSTOMERS] > 0:
                    k = first + j
                    b = net.rests[CONCENTRATION, q + k]
                    t, n = shared_dish(franchise, node, b, block[j], to_row + k * n_parents, key, n, out)
                    drawn[k] += t


@inner
def _measure_word_restaurant(net, cell, runs, k, drawn, out, seed):
    """Column k of the instance with first cell `cell`, whose runs are runs[0]..runs[1]-1."""
    node = net.cells[cell, NODE]
    q = net.cells[cell, REST] + k
    total = net.totals[q, TABLES]
    if net.nodes[node, KIND] == DIRICHLET:
        total = 0
        for r in range(runs[0], runs[1]):
            total += drawn[r, k]
    # cells have the streams of these keys up to here
    key, n = stream_key(seed[0], seed[1], seed[2], q, purposes.MEASURE), np.int64(1) << 40
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    out[:] = 0.0
    shared_restaurant(net, node, q, net.cells[cell, TO_REST] + k * n_parents, total, key, n, out)


@spread
def measure_words(franchise, bounds, instances, drawn, dishes, out, seed):
    """Measures of a word-side node: `out` has a row per (instance, column), `dishes` one per run of cells.

    `bounds` and `instances` are the runs, fixed, so that no number of threads changes a sum; `drawn` is scratch.
    """
    n_runs = len(bounds) - 1
    for turn in prange(n_dealt(n_runs)):
        r = dealt(turn, n_runs)
        if r < n_runs:
            _measure_word_run(franchise, bounds[r], bounds[r + 1], drawn[r], dishes[r], seed)
    n_columns = drawn.shape[1]
    for j in prange(len(instances) * n_columns):
        runs = (instances[j // n_columns, 0], instances[j // n_columns, 1])
        _measure_word_restaurant(franchise.net, bounds[runs[0]], runs, j % n_columns, drawn, out[j], seed)
