"""Up: from documents and explicit vectors back to counts, children first (maths 4)."""

from __future__ import annotations

import math

import numpy as np
from numba import prange

from pitmanyor.kernels.arrays import DIRICHLET, GEM, N_LIVE
from pitmanyor.kernels.document import set_word_cells
from pitmanyor.kernels.draws import bernoulli_sum_tables, binomial, log_gamma
from pitmanyor.kernels.jit import inner, kernel, spread
from pitmanyor.kernels.random import stream_key
from pitmanyor.kernels.seating import refresh_count, refresh_restaurant
from pitmanyor.kernels.stirling import draw_tables
from pitmanyor.kernels.vectors import base_mass

UP, UP_SCALARS = 5, 6  # purposes of random streams
LEAST_BASE = 1e-300


@inner
def exit_cell(net, side, entry, leaf, code):
    """The shared cell that a token's stored walk reaches, or -1 if it stays among local nodes."""
    pos = leaf
    while True:
        cell = side.cells[pos]
        node = net.node[cell]
        if not net.local[node]:
            return cell
        choice = np.int64((code >> net.shift[node]) & net.mask[node]) - 1
        if choice < 0 or net.n_parents[node] == 0:
            return -1
        pos = side.par[side.par_first[entry + pos] + choice]


@kernel
def count_shared(net, text, topics, words):
    """Customers that documents send to shared cells (which must be empty before)."""
    n_streams = text.leaf.shape[1]
    for d in range(len(text.context)):
        context = text.context[d]
        entry = topics.first[context]
        for pos in range(topics.first[context + 1] - entry):
            topics.cells[pos] = topics.cell[entry + pos]
        for s in range(n_streams):
            which, leaf = text.word_list[context, s], text.leaf[context, s]
            word_entry, last = words.first[which], words.first[which + 1] - words.first[which] - 1
            for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
                k, code = text.topic[token], text.code[token]
                cell = exit_cell(net, topics, entry, leaf, code)
                if cell >= 0:
                    net.customers[net.row[cell] + k] += 1
                set_word_cells(words, text, which, token)
                cell = exit_cell(net, words, word_entry, last, code)
                if cell >= 0:
                    net.customers[net.row[cell] + k * net.wide[net.node[cell]]] += 1


@inner
def up_count(net, tables, family, cell, node, place, log_x, k, key, n):
    """Tables of one dish given the old base, t ~ S(c, t; a) (x H)^t, and their split among the parents."""
    i, q, it, qt = place
    c = net.customers[i]
    net.tables[i] = 0
    if c == 0 or net.kind[node] == DIRICHLET:
        return n
    base = max(base_mass(net, family, cell, node, qt, k), LEAST_BASE)
    if net.discount[node] > 0.0:
        t, n = draw_tables(tables, net.table[node], c, log_x + math.log(base), key, n)
    else:
        t, n = bernoulli_sum_tables(c, net.concentration[q] * base, key, n)
    net.tables[i] = t
    n_parents = net.n_parents[node]
    if n_parents > 1:
        left, mass = t, base
        for p in range(n_parents):
            parent = family.parent[family.first[cell] + p]
            share = net.weight[qt + p] * float(net.stay[net.row[parent] + k * net.wide[net.node[parent]]])
            sent = left
            if p < n_parents - 1:
                sent, n = binomial(left, min(share / mass, 1.0) if mass > 0.0 else 0.0, key, n)
            net.to[it + p] = sent
            left -= sent
            mass -= share
    return n


@inner
def up_scalar(net, vectors, node, q, key):
    """log x with x = a g q^a, q = v + Gamma(C)/sum J, from the new C and the last sum J (maths 4)."""
    a = net.discount[node]
    log_q = vectors.log_v[q]
    if net.n_customers[q] > 0:
        x, _ = log_gamma(float(net.n_customers[q]), key, 0)
        log_q = np.logaddexp(log_q, x - vectors.log_total[q])
    return math.log(a) + vectors.log_g[q] + a * log_q


@spread
def up_totals(net, node, chunks, instances, partial):
    """Totals of a word-side node's restaurants from its counts, by chunks of cells."""
    for c in prange(len(chunks) - 1):
        n_columns = net.status[N_LIVE] if net.wide[node] else 1
        n_parents = net.n_parents[node] if net.n_parents[node] > 1 else 0
        for j in range(n_columns * (2 + n_parents)):
            partial[c, j] = 0
        for cell in range(chunks[c], chunks[c + 1]):
            row, to_row = net.row[cell], net.to_row[cell]
            for k in range(n_columns):
                partial[c, k] += net.customers[row + k]
                partial[c, n_columns + k] += net.tables[row + k]
            for j in range(n_columns * n_parents):
                partial[c, 2 * n_columns + j] += net.to[to_row + j]
    for j in prange(len(instances)):
        n_columns = net.status[N_LIVE] if net.wide[node] else 1
        n_parents = net.n_parents[node] if net.n_parents[node] > 1 else 0
        cell = chunks[instances[j, 0]]
        rest, to_rest = net.rest[cell], net.to_rest[cell]
        for k in range(n_columns):
            net.n_customers[rest + k] = 0
            net.n_tables[rest + k] = 0
            for p in range(n_parents):
                net.n_to[to_rest + k * n_parents + p] = 0
        for c in range(instances[j, 0], instances[j, 1]):
            for k in range(n_columns):
                net.n_customers[rest + k] += partial[c, k]
                net.n_tables[rest + k] += partial[c, n_columns + k]
            for p in range(n_columns * n_parents):
                net.n_to[to_rest + p] += partial[c, 2 * n_columns + p]


@spread
def up_words(net, tables, family, node, chunks, log_x, seed):
    """Tables of every count of a word-side node; `log_x` holds a value per restaurant."""
    for c in prange(len(chunks) - 1):
        n_columns = net.status[N_LIVE] if net.wide[node] else 1
        n_parents = net.n_parents[node] if net.n_parents[node] > 1 else 0
        for cell in range(chunks[c], chunks[c + 1]):
            key, n = stream_key(seed[0], seed[1], seed[2], cell, UP), 0
            row, rest, to_row, to_rest = net.row[cell], net.rest[cell], net.to_row[cell], net.to_rest[cell]
            for k in range(n_columns):
                place = (row + k, rest + k, to_row + k * n_parents, to_rest + k * n_parents)
                n = up_count(net, tables, family, cell, node, place, log_x[rest + k], k, key, n)


@spread
def up_scalars(net, vectors, node, start, stop, log_x, seed):
    for q in prange(start, stop):
        if net.discount[node] > 0.0 and net.kind[node] != GEM:
            log_x[q] = up_scalar(net, vectors, node, q, stream_key(seed[0], seed[1], seed[2], q, UP_SCALARS))


@kernel
def send_up(net, family, start, stop):
    """Give the tables of cells start..stop-1 to their parents as customers."""
    for cell in range(start, stop):
        node = net.node[cell]
        n_parents = net.n_parents[node]
        f = family.first[cell]
        for p in range(n_parents):
            parent = family.parent[f + p]
            wide = net.wide[net.node[parent]]
            row, above = net.row[cell], net.row[parent]
            if n_parents == 1:
                for k in range(net.status[N_LIVE] if net.wide[node] else 1):
                    net.customers[above + k * wide] += net.tables[row + k]
            else:
                for k in range(net.status[N_LIVE] if net.wide[node] else 1):
                    net.customers[above + k * wide] += net.to[net.to_row[cell] + k * n_parents + p]


@inner
def topic_total(net, cell):
    """Customers of a topic-side restaurant."""
    row, q = net.row[cell], net.rest[cell]
    net.n_customers[q] = 0
    for k in range(net.status[N_LIVE]):
        net.n_customers[q] += net.customers[row + k]


@spread
def up_topics(net, tables, vectors, family, start, stop, seed):
    """Tables of a topic-side node's restaurants, cells start..stop-1, whose customers are complete."""
    for cell in prange(start, stop):
        topic_total(net, cell)
        node = net.node[cell]
        row, q, to_row, qt = net.row[cell], net.rest[cell], net.to_row[cell], net.to_rest[cell]
        if net.kind[node] == GEM:
            continue
        log_x = 0.0
        if net.discount[node] > 0.0:
            log_x = up_scalar(net, vectors, node, q, stream_key(seed[0], seed[1], seed[2], q, UP_SCALARS))
        key, n = stream_key(seed[0], seed[1], seed[2], cell, UP), 0
        n_parents = net.n_parents[node] if net.n_parents[node] > 1 else 0
        net.n_tables[q] = 0
        for p in range(n_parents):
            net.n_to[qt + p] = 0
        for k in range(net.status[N_LIVE]):
            it = to_row + k * n_parents
            n = up_count(net, tables, family, cell, node, (row + k, q, it, qt), log_x, k, key, n)
            net.n_tables[q] += net.tables[row + k]
            for p in range(n_parents):
                net.n_to[qt + p] += net.to[it + p] if net.customers[row + k] > 0 else 0


@spread
def forget(net, start, stop):
    """Empty the counts of shared cells start..stop-1."""
    for cell in prange(start, stop):
        node = net.node[cell]
        width = len(net.live) if net.wide[node] else 1
        n_parents = net.n_parents[node] if net.n_parents[node] > 1 else 0
        row, to_row = net.row[cell], net.to_row[cell]
        for k in range(width):
            net.customers[row + k] = 0
            net.tables[row + k] = 0
        for j in range(width * n_parents):
            net.to[to_row + j] = 0


@spread
def refresh_node(net, tables, node, start, stop, rest, to_rest, size):
    """Back from vectors to counts: everything scoring reads of one node, in live columns and the next."""
    net.explicit[node] = 0
    n_parents = net.n_parents[node]
    for cell in prange(start, stop):
        for k in range(len(net.live) if net.wide[node] else 1):
            refresh_count(net, tables, node, net.row[cell] + k)
    for j in prange(size):
        refresh_restaurant(net, node, rest + j, to_rest + j * n_parents)
