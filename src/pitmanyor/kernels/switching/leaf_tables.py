"""Up, for the word nodes that emit tokens: each cell's counts, tables and terms in one pass over the cell (maths 4).

A *leaf* here is a shared word node per topic whose customers are tokens: it has no children, or one local child node
per topic, in which case its customers are the tokens that open a table there. Its tokens are indexed by cell once, so a
row is counted, its tables are drawn and sent up, and its terms computed, while it is in the cache. Its old counts were
cleared when the vector was drawn (word_vectors.py), except for those of topics that are not held, which do not change.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from pitmanyor import purposes
from pitmanyor.kernels.restaurant.arrays import (
    BLOCK,
    CUSTOMERS,
    DISH,
    KIND,
    N_PARENTS,
    NODE,
    PYP,
    REST,
    ROW,
    TABLES,
    TO_REST,
    TO_ROW,
    WIDE,
    WORD_LIST,
    Ints,
    Ints32,
)
from pitmanyor.kernels.restaurant.count_terms import refresh_small
from pitmanyor.kernels.restaurant.packed_rows import clear_entries, entries_of, is_packed
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import dealt, inlined, inner, kernel, n_dealt, spread
from pitmanyor.kernels.runtime.random import stream_key
from pitmanyor.kernels.runtime.simd import prefetch
from pitmanyor.kernels.switching.customers import leaf_cell
from pitmanyor.kernels.switching.table_counts import up_count, up_tables
from pitmanyor.kernels.switching.topic_vectors import LEAST_BASE, base_mass, has_one_base


@bundle
class Leaves(NamedTuple):
    """Tokens by cell of their leaf, in CSR form over all cells."""

    first: Ints
    token: Ints32
    streams: Ints  # for each: are its tokens here?
    bits: np.ndarray  # for each: what says in a walk (uint32) that it leads to the leaf; 0: all do


@bundle
class Rows(NamedTuple):
    """The cells of one leaf in runs, and scratch for each: new counts, and sums of tables by column.

    `sends`: no other run has a cell with the same parent, so a run may add its tables to the parents directly.
    """

    bounds: Ints
    instances: Ints  # (instance, 2): its first run and the one after its last
    sends: bool
    bits: np.uint32  # of a walk that leads here; 0: all do
    work: Ints32  # (run, 2, column): new counts, all zero between cells, and a list of columns; none the last
    partial: Ints  # (run, held columns, then those x parents)
    n_held: int


@kernel
def index_tokens(text, words, leaves):
    """Sort the tokens of the chosen streams by cell. `leaves.first` is one longer than it stays, and zero."""
    n_streams = len(leaves.streams)
    for step in range(2):
        for place in range(len(text.first) - 1):
            s = place % n_streams
            if not leaves.streams[s]:
                continue
            which = text.leaf[text.context[place // n_streams], s, WORD_LIST]
            for token in range(text.first[place], text.first[place + 1]):
                cell = leaf_cell(words, text, which, token)
                if step == 0:
                    leaves.first[cell + 2] += 1
                else:
                    leaves.token[leaves.first[cell + 1]] = token
                    leaves.first[cell + 1] += 1
        if step == 0:
            for cell in range(len(leaves.first) - 1):
                leaves.first[cell + 1] += leaves.first[cell]


@inlined
def _filled(fresh, n_held, found):
    """The held columns with customers, into `found`; returns how many. Blocks go by at once."""
    n_found = 0
    for start in range(0, n_held, BLOCK):
        stop = min(start + BLOCK, n_held)
        new = fresh[start:stop]
        some = np.int32(0)
        for k in range(stop - start):
            some |= new[k]
        if some != 0:
            for k in range(stop - start):  # no branch: which column is next cannot be guessed
                found[n_found] = start + k
                n_found += new[k] != 0
    return n_found


@inlined
def _draw_row(franchise, family, cell, new, scalars, partial, key):
    """Tables of a row whose dishes have one base and one parent, or none; returns how many."""
    (net, tables, terms), (fresh, found) = franchise, new
    node, row, rest = net.cells[cell, NODE], np.uint64(net.cells[cell, ROW]), np.uint64(net.cells[cell, REST])
    base, n, n_tables = max(base_mass(net, family, cell, node, 0, 0), LEAST_BASE), np.int64(0), np.int32(0)
    for j in range(len(found)):
        k = np.uint64(found[j])
        i, c, t = row + k, np.int64(fresh[k]), np.int64(1)
        if c > 1:  # one customer sits at one table, which is true of most
            t, n = up_tables(net, tables, (node, rest + k), c, base, scalars[rest + k], key, n)
        net.counts[i, CUSTOMERS], net.counts[i, TABLES] = c, t
        partial[k] += t
        n_tables += t
        refresh_small(net, tables, terms, node, i)
    return n_tables


@inlined
def _draw_dishes(franchise, family, cell, new, scalars, partial, n_held, key):
    """The same where bases differ, or parents are several, or a Dirichlet has no tables."""
    (net, tables, terms), (fresh, found) = franchise, new
    node, row, rest, n = net.cells[cell, NODE], net.cells[cell, ROW], net.cells[cell, REST], np.int64(0)
    to_row, to_rest = net.cells[cell, TO_ROW], net.cells[cell, TO_REST]
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    for j in range(len(found)):
        k = np.int64(found[j])
        i = row + k
        net.counts[i, CUSTOMERS] = fresh[k]
        place = (i, rest + k, to_row + k * n_parents, to_rest + k * n_parents)
        n = up_count((net, tables, family), cell, place, scalars[rest + k], k, key, n)
        partial[k] += net.counts[i, TABLES]
        for p in range(n_parents):
            partial[n_held + k * n_parents + p] += net.to[to_row + k * n_parents + p]
        refresh_small(net, tables, terms, node, i)


@inlined
def _make_room(net, cell, n_held, n_new):
    """Move the entries of topics that are not held behind `n_new` others; returns where those begin."""
    first, last = entries_of(net, cell)
    kept = first
    while kept < last and net.packed[kept, DISH] < n_held:
        kept += 1
    n_kept, shift = last - kept, first + n_new - kept
    for j in range(n_kept):
        e = kept + (n_kept - 1 - j if shift > 0 else j)
        for column in range(3):
            net.packed[e + shift, column] = net.packed[e, column]
    clear_entries(net, first + n_new + n_kept, net.packed_first[cell + 1])
    return first


@inner
def _draw_entries(franchise, family, cell, new, scalars, partial, n_held, key):
    """The new entries of a packed cell, whose topics have one base; returns how many tables the held ones have."""
    (net, tables, _), (fresh, found), node = franchise, new, franchise.net.cells[cell, NODE]
    first, rest = _make_room(net, cell, n_held, len(found)), np.uint64(net.cells[cell, REST])
    base, n, n_tables = max(base_mass(net, family, cell, node, 0, 0), LEAST_BASE), np.int64(0), np.int32(0)
    for j in range(len(found)):
        k = np.uint64(found[j])
        c, t = np.int64(fresh[k]), np.int64(net.nodes[node, KIND] == PYP)
        if t > 0 and c > 1:
            t, n = up_tables(net, tables, (node, rest + k), c, base, scalars[rest + k], key, n)
        net.packed[first + j, CUSTOMERS], net.packed[first + j, TABLES] = c, t
        net.packed[first + j, DISH] = found[j]
        partial[k] += t
        n_tables += t
    return n_tables


@inner
def leaf_row(franchise, family, cell, scalars, rows, work, partial, seed):
    """One cell, whose new counts stand in `work`."""
    net, sends, n_held = franchise.net, rows.sends, rows.n_held
    fresh, found = work
    node, row = net.cells[cell, NODE], net.cells[cell, ROW]
    n_found = _filled(fresh, n_held, found)
    key, new = stream_key(seed[0], seed[1], seed[2], cell, purposes.UP), (fresh, found[:n_found])
    if is_packed(net, cell):
        t = _draw_entries(franchise, family, cell, new, scalars, partial, n_held, key)
        if sends:
            net.counts[net.cells[family.parent[family.first[cell]], ROW], CUSTOMERS] += t
        fresh[:] = 0
        return
    net.stay[row : row + n_held] = 0.0
    for j in range(n_found):
        i = np.uint64(row) + np.uint64(found[j])
        prefetch(net.counts, i * np.uint64(2))
        prefetch(net.open, i)
    if net.nodes[node, KIND] == PYP and has_one_base(net, family, cell, node):
        t = _draw_row(franchise, family, cell, new, scalars, partial, key)
        if sends:
            net.counts[net.cells[family.parent[family.first[cell]], ROW], CUSTOMERS] += t
    else:
        _draw_dishes(franchise, family, cell, new, scalars, partial, n_held, key)
        if sends:
            above = net.cells[family.parent[family.first[cell]], ROW]
            wide = net.nodes[net.cells[family.parent[family.first[cell]], NODE], WIDE]
            for j in range(n_found):
                net.counts[above + found[j] * wide, CUSTOMERS] += net.counts[row + found[j], TABLES]
    fresh[:] = 0


@inner
def _leaf_run(franchise, family, tokens, leaves, r, scalars, rows, seed):
    """The cells of run r."""
    (topic, code), bits, work, partial = tokens, rows.bits, rows.work[r], rows.partial[r]
    partial[:] = 0
    for cell in range(rows.bounds[r], rows.bounds[r + 1]):
        if bits == 0:
            for j in range(leaves.first[cell], leaves.first[cell + 1]):
                work[0, np.uint64(topic[np.uint64(leaves.token[np.uint64(j)])])] += 1
        else:
            for j in range(leaves.first[cell], leaves.first[cell + 1]):
                token = np.uint64(leaves.token[np.uint64(j)])
                work[0, np.uint64(topic[token])] += np.int32((code[token] & bits) != 0)
        leaf_row(franchise, family, cell, scalars, rows, (work[0], work[1]), partial, seed)


@inner
def leaf_totals(net, node, cell, first, last, partial, n_held):
    """Tables of the held topics' restaurants of one instance (with first cell `cell`) from its runs."""
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    rest, to_rest = net.cells[cell, REST], net.cells[cell, TO_REST]
    for k in range(n_held):
        net.totals[rest + k, TABLES] = 0
    for j in range(n_held * n_parents):
        net.n_to[to_rest + j] = 0
    for run in range(first, last):
        for k in range(n_held):
            net.totals[rest + k, TABLES] += partial[run, k]
        for j in range(n_held * n_parents):
            net.n_to[to_rest + j] += partial[run, n_held + j]


@spread
def up_leaf(franchise, family, tokens, leaves, node, rows, scalars, seed):
    """Counts, tables and terms of a leaf whose restaurants know their customers.

    `tokens` are the topics of tokens and their walks, and `scalars` has log x and x of each restaurant.
    """
    n_runs = len(rows.bounds) - 1
    for turn in prange(n_dealt(n_runs)):
        r = dealt(turn, n_runs)
        if r < n_runs:
            _leaf_run(franchise, family, tokens, leaves, r, scalars, rows, seed)
    for j in prange(len(rows.instances)):
        first, last = rows.instances[j, 0], rows.instances[j, 1]
        leaf_totals(franchise.net, node, rows.bounds[first], first, last, rows.partial, rows.n_held)
