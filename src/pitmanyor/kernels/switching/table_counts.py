"""Up: from documents and explicit vectors back to counts, children first (maths 4)."""

from __future__ import annotations

import math

import numpy as np
from numba import prange

from pitmanyor import purposes
from pitmanyor.kernels.numbers.draws import bernoulli_sum_tables, binomial, log_gamma
from pitmanyor.kernels.numbers.stirling import LARGEST_LOG_Y, draw_short, draw_tables, is_short
from pitmanyor.kernels.restaurant.arrays import (
    CONCENTRATION,
    CUSTOMERS,
    DIRICHLET,
    DISCOUNT,
    GEM,
    KIND,
    LIVE,
    N_LIVE,
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
from pitmanyor.kernels.restaurant.count_terms import refresh_count
from pitmanyor.kernels.restaurant.packed_rows import entries_of, is_packed
from pitmanyor.kernels.runtime.jit import inlined, inner, kernel, spread
from pitmanyor.kernels.runtime.random import stream_key, uniform
from pitmanyor.kernels.switching.topic_vectors import LEAST_BASE, base_mass


@inlined
def up_tables(net, tables, place, c, base, scalar, key, n):
    """t ~ S(c, t; a) (x H)^t of a dish with c customers given its old base H; `scalar` is log x and x (maths 4).

    `place` is the node and the restaurant. Without logarithms for the few customers that most dishes have.
    """
    node, q = place
    if net.reals[node, DISCOUNT] == 0.0:
        return bernoulli_sum_tables(c, net.rests[CONCENTRATION, q] * base, key, n)
    index, y = net.nodes[node, TABLE], scalar[1] * base
    if is_short(tables, index, c, y):
        return draw_short(tables, index, c, y, uniform(key, n)), n + 1
    return draw_tables(tables, index, c, scalar[0] + math.log(base), key, n)


@inlined
def up_count(given, cell, place, scalar, k, key, n):
    """Tables of one dish given the old base, and their split among the parents."""
    (net, tables, family), (i, q, it, qt) = given, place
    node = net.cells[cell, NODE]
    c = net.counts[i, CUSTOMERS]
    net.counts[i, TABLES] = 0
    if c == 0 or net.nodes[node, KIND] == DIRICHLET:
        return n
    n_parents = net.nodes[node, N_PARENTS]
    if c == 1 and n_parents <= 1:  # nothing to draw, and true of most cells
        net.counts[i, TABLES] = 1
        return n
    base = max(base_mass(net, family, cell, node, qt, k), LEAST_BASE)
    t, n = up_tables(net, tables, (node, q), c, base, scalar, key, n)
    net.counts[i, TABLES] = t
    if n_parents > 1:
        left, mass = t, base
        for p in range(n_parents):
            parent = family.parent[family.first[cell] + p]
            share = net.weight[qt + p] * float(
                net.stay[net.cells[parent, ROW] + k * net.nodes[net.cells[parent, NODE], WIDE]]
            )
            sent = left
            if p < n_parents - 1:
                sent, n = binomial(left, min(share / mass, 1.0) if mass > 0.0 else 0.0, key, n)
            net.to[it + p] = sent
            left -= sent
            mass -= share
    return n


@inner
def up_scalar(net, vectors, node, q, key):
    """log x and x = a g q^a, q = v + Gamma(C)/sum J, from the new C and the last sum J (maths 4)."""
    a = net.reals[node, DISCOUNT]
    log_q = vectors.log_v[q]
    if net.totals[q, CUSTOMERS] > 0:
        x, _ = log_gamma(float(net.totals[q, CUSTOMERS]), key, 0)
        log_q = np.logaddexp(log_q, x - vectors.log_total[q])
    log_x = math.log(a) + vectors.log_g[q] + a * log_q
    return log_x, math.exp(log_x) if log_x < LARGEST_LOG_Y else math.inf


@inner
def _chunk_totals(net, node, start, stop, partial):
    """Sums over the cells start..stop-1, by column: customers, tables, tables per parent."""
    n_columns = net.status[N_LIVE] if net.nodes[node, WIDE] else 1
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    for j in range(n_columns * (2 + n_parents)):
        partial[j] = 0
    for cell in range(start, stop):
        row, to_row = net.cells[cell, ROW], net.cells[cell, TO_ROW]
        for k in range(n_columns):
            partial[k] += net.counts[row + k, CUSTOMERS]
            partial[n_columns + k] += net.counts[row + k, TABLES]
        for j in range(n_columns * n_parents):
            partial[2 * n_columns + j] += net.to[to_row + j]


@inner
def _instance_totals(net, node, cell, first, last, partial):
    """Totals of the restaurants of one instance (with first cell `cell`) from its chunks."""
    n_columns = net.status[N_LIVE] if net.nodes[node, WIDE] else 1
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    rest, to_rest = net.cells[cell, REST], net.cells[cell, TO_REST]
    for k in range(n_columns):
        net.totals[rest + k, CUSTOMERS] = 0
        net.totals[rest + k, TABLES] = 0
    for p in range(n_columns * n_parents):
        net.n_to[to_rest + p] = 0
    for c in range(first, last):
        for k in range(n_columns):
            net.totals[rest + k, CUSTOMERS] += partial[c, k]
            net.totals[rest + k, TABLES] += partial[c, n_columns + k]
        for p in range(n_columns * n_parents):
            net.n_to[to_rest + p] += partial[c, 2 * n_columns + p]


@spread
def up_totals(net, node, chunks, instances, partial):
    """Totals of a word-side node's restaurants from its counts, by chunks of cells."""
    for c in prange(len(chunks) - 1):
        _chunk_totals(net, node, chunks[c], chunks[c + 1], partial[c])
    for i in prange(len(instances)):
        _instance_totals(net, node, chunks[instances[i, 0]], instances[i, 0], instances[i, 1], partial)


@inner
def _up_word_chunk(net, tables, family, node, run, scalars, n_held, seed):
    n_columns = n_held if net.nodes[node, WIDE] else 1
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    for cell in range(run[0], run[1]):
        key, n = stream_key(seed[0], seed[1], seed[2], cell, purposes.UP), np.int64(0)
        row, rest = net.cells[cell, ROW], net.cells[cell, REST]
        to_row, to_rest = net.cells[cell, TO_ROW], net.cells[cell, TO_REST]
        for k in range(n_columns):
            place = (row + k, rest + k, to_row + k * n_parents, to_rest + k * n_parents)
            n = up_count((net, tables, family), cell, place, scalars[rest + k], k, key, n)


@spread
def up_words(net, tables, family, node, chunks, scalars, n_held, seed):
    """Tables of a word-side node, those of held topics if it is per topic; `scalars`: log x and x per restaurant."""
    for c in prange(len(chunks) - 1):
        _up_word_chunk(net, tables, family, node, (chunks[c], chunks[c + 1]), scalars, n_held, seed)


@inner
def _fill_scalar(net, vectors, node, q, scalars, seed):
    scalars[q, 0], scalars[q, 1] = up_scalar(
        net, vectors, node, q, stream_key(seed[0], seed[1], seed[2], q, purposes.UP_SCALARS)
    )


@spread
def up_scalars(net, vectors, node, start, stop, scalars, seed):
    """log x and x of the restaurants start..stop-1 of a node with a discount."""
    for q in prange(start, stop):
        _fill_scalar(net, vectors, node, q, scalars, seed)


@kernel
def send_up(net, family, start, stop):
    """Give the tables of cells start..stop-1 to their parents as customers."""
    for cell in range(start, stop):
        node = net.cells[cell, NODE]
        n_parents = net.nodes[node, N_PARENTS]
        f = family.first[cell]
        for p in range(n_parents):
            parent = family.parent[f + p]
            wide = net.nodes[net.cells[parent, NODE], WIDE]
            row, above = net.cells[cell, ROW], net.cells[parent, ROW]
            if is_packed(net, cell):  # its one parent is not per topic
                first, last = entries_of(net, cell)
                for e in range(first, last):
                    net.counts[above, CUSTOMERS] += net.packed[e, TABLES]
            elif n_parents == 1:
                for k in range(net.status[N_LIVE] if net.nodes[node, WIDE] else 1):
                    net.counts[above + k * wide, CUSTOMERS] += net.counts[row + k, TABLES]
            else:
                for k in range(net.status[N_LIVE] if net.nodes[node, WIDE] else 1):
                    net.counts[above + k * wide, CUSTOMERS] += net.to[net.cells[cell, TO_ROW] + k * n_parents + p]


@inner
def topic_total(net, cell):
    """Customers of a topic-side restaurant."""
    row, q = net.cells[cell, ROW], net.cells[cell, REST]
    net.totals[q, CUSTOMERS] = 0
    for k in range(net.status[N_LIVE]):
        net.totals[q, CUSTOMERS] += net.counts[row + k, CUSTOMERS]


@inner
def _up_topic_row(net, tables, vectors, family, cell, seed):
    topic_total(net, cell)
    node = net.cells[cell, NODE]
    row, q = net.cells[cell, ROW], net.cells[cell, REST]
    to_row, qt = net.cells[cell, TO_ROW], net.cells[cell, TO_REST]
    if net.nodes[node, KIND] == GEM:
        return
    scalar = (0.0, 0.0)
    if net.reals[node, DISCOUNT] > 0.0:
        scalar = up_scalar(net, vectors, node, q, stream_key(seed[0], seed[1], seed[2], q, purposes.UP_SCALARS))
    key, n = stream_key(seed[0], seed[1], seed[2], cell, purposes.UP), np.int64(0)
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    net.totals[q, TABLES] = 0
    for p in range(n_parents):
        net.n_to[qt + p] = 0
    for k in range(net.status[N_LIVE]):
        it = to_row + k * n_parents
        n = up_count((net, tables, family), cell, (row + k, q, it, qt), scalar, k, key, n)
        net.totals[q, TABLES] += net.counts[row + k, TABLES]
        for p in range(n_parents):
            net.n_to[qt + p] += net.to[it + p]


@spread
def up_topics(net, tables, vectors, family, start, stop, seed):
    """Tables of a topic-side node's restaurants, cells start..stop-1, whose customers are complete."""
    for cell in prange(start, stop):
        _up_topic_row(net, tables, vectors, family, cell, seed)


@inner
def _refresh_row(net, tables, node, cell):
    for k in range((len(net.status) - LIVE) if net.nodes[node, WIDE] else 1):
        refresh_count(net, tables, node, net.cells[cell, ROW] + k)


@spread
def refresh_counts(net, tables, node, start, stop):
    """Back from vectors to counts: what scoring reads of the cells start..stop-1 of one node."""
    for cell in prange(start, stop):
        _refresh_row(net, tables, node, cell)
