"""Customers of a new document's local topic nodes come and go (maths 2 and 3), and so do its slots."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.fold_in.fold_one_node import NONE, SMALL
from pitmanyor.kernels.documents.fold_in.fold_values import (
    BASE,
    CHANCES,
    GAIN,
    OPEN,
    SHARE,
    STAY,
    TO,
    VALUES,
    C,
    T,
    row_of,
    small_place,
    term_row,
    value_one,
    value_row,
)
from pitmanyor.kernels.restaurant import small_terms
from pitmanyor.kernels.restaurant.arrays import CLAMP
from pitmanyor.kernels.restaurant.seating import leave_probability, open_term, stay_term
from pitmanyor.kernels.runtime.jit import inlined
from pitmanyor.kernels.runtime.random import uniform


@inlined
def terms(rows, tables, index, discount, c, t):
    """stay and open of so many customers and tables, under a discount and its number."""
    if c < SMALL:
        place = small_place(index, c, t)
        return rows.small[place + np.uint64(small_terms.STAY)], rows.small[place + np.uint64(small_terms.OPEN)]
    return stay_term(tables, index, discount, CLAMP, c, t), open_term(tables, index, discount, CLAMP, c, t)


@inlined
def takes_table(rows, tables, index, discount, c, t, key, n):
    """Does one of c customers at t tables who leaves take a table along? Also the counter of uniforms."""
    if t == c:
        return True, n
    if t == 1:
        return False, n
    if c < SMALL:
        return uniform(key, n) < rows.small[small_place(index, c, t) + np.uint64(small_terms.LEAVE)], n + 1
    return uniform(key, n) < leave_probability(tables, index, discount, CLAMP, c, t), n + 1


@inlined
def count(rows, tables, net, bench, j, h, choice, by):
    """One customer more or less (`by`) at node j; with its table if `choice` names a parent."""
    node, at = np.uint64(j), np.uint64(h)
    bench.known[0] = min(bench.known[0], j)
    bench.counts[node, C, at] += by
    bench.totals[node, C] += by
    if choice >= 0:
        to = np.uint64(TO + choice)
        bench.counts[node, T, at] += by
        bench.totals[node, T] += by
        bench.counts[node, to, at] += by
        bench.totals[node, to] += by
    c, t = np.int64(bench.counts[node, C, at]), np.int64(bench.counts[node, T, at])
    stay, opens = terms(rows, tables, net.index[node], net.discount[node], c, t)
    bench.flat[term_row(bench, j, STAY) + at], bench.flat[term_row(bench, j, OPEN) + at] = stay, opens


@inlined
def leave(rows, tables, net, bench, j, h, key, n):
    """A customer of slot h goes from the leaf j and, table by table, from the nodes above (maths 3)."""
    at = np.uint64(h)
    while j >= 0:
        node = np.uint64(j)
        c, t = np.int64(bench.counts[node, C, at]), np.int64(bench.counts[node, T, at])
        goes, n = takes_table(rows, tables, net.index[node], net.discount[node], c, t, key, n)
        choice = -1
        if goes:
            choice = 0
            if net.n_parents[node] > 1:
                x = uniform(key, n) * t
                n += 1
                while x >= bench.counts[node, np.uint64(TO + choice), at] and choice < net.n_parents[node] - 1:
                    x -= bench.counts[node, np.uint64(TO + choice), at]
                    choice += 1
        count(rows, tables, net, bench, j, h, choice, -1)
        if not goes:
            return n
        j = net.parents[np.uint64(j), np.uint64(choice)] - len(bench.kept)
    return n


@inlined
def seat(rows, tables, net, bench, j, h, key, n):
    """Seat a customer at slot h by the terms of A, from the leaf j up."""
    at = np.uint64(h)
    while j >= 0:
        sits, base = bench.flat[term_row(bench, j, STAY) + at], bench.flat[term_row(bench, j, BASE) + at]
        goes, choice = True, -1
        if sits > 0.0:
            opens = bench.scalars[np.uint64(j), GAIN] * bench.flat[term_row(bench, j, OPEN) + at] * base
            goes = uniform(key, n) * (sits + opens) >= sits
            n += 1
        if goes:
            choice = 0
            node = np.uint64(j)
            if net.n_parents[node] > 1:
                x = uniform(key, n) * base
                n += 1
                while choice < net.n_parents[node] - 1:
                    value = bench.flat[row_of(bench, VALUES + net.parents[node, np.uint64(choice)]) + at]
                    x -= bench.scalars[node, np.uint64(SHARE + choice)] * value
                    if x < 0.0:
                        break
                    choice += 1
        count(rows, tables, net, bench, j, h, choice, 1)
        if not goes:
            return n
        j = net.parents[np.uint64(j), np.uint64(choice)] - len(bench.kept)
    return n


@inlined
def open_slot(rows, net, bench, documents, d, leaf, k, h):
    """Slot h for topic k, without customers."""
    at, topic = np.uint64(h), np.uint64(k)
    bench.slot_of[topic], bench.topic[at], bench.tokens[at] = h, k, 0
    for b in range(len(bench.kept)):
        base = np.uint64(documents.base[np.uint64(d), np.uint64(b)])
        bench.flat[row_of(bench, VALUES + b) + at] = rows.bases[base, topic]
    for j in range(bench.counts.shape[0]):
        for x in range(bench.counts.shape[1]):
            bench.counts[np.uint64(j), np.uint64(x), at] = 0
        bench.flat[term_row(bench, j, STAY) + at], bench.flat[term_row(bench, j, OPEN) + at] = 0.0, 1.0
    for j in range(leaf + 1):
        if net.above[np.uint64(leaf), np.uint64(j)] or j < bench.known[0]:  # which no one will value again
            value_one(net, bench, j, at)


@inlined
def clear_slot(bench, h, k):
    """Slot h stands for no topic, all zeros, and topic k has no slot."""
    at = np.uint64(h)
    bench.slot_of[np.uint64(k)], bench.topic[at] = NONE, 0
    bench.flat[row_of(bench, CHANCES) + at] = 0.0
    for b in range(len(bench.kept)):
        bench.flat[row_of(bench, VALUES + b) + at] = 0.0
    for j in range(bench.counts.shape[0]):
        bench.flat[term_row(bench, j, STAY) + at], bench.flat[value_row(bench, j) + at] = 0.0, 0.0


@inlined
def close_slot(bench, h, last, d, shares):
    """The last slot takes the place of h, whose topic the document no longer holds; it may be the same."""
    to, of = np.uint64(h), np.uint64(last)
    gone = bench.topic[to]
    bench.topic[to], bench.tokens[to] = bench.topic[of], bench.tokens[of]
    bench.slot_of[np.uint64(bench.topic[to])] = h
    chances = row_of(bench, CHANCES)
    shares[np.uint64(d), np.uint64(gone)] += bench.flat[chances + to]
    bench.flat[chances + to] = bench.flat[chances + of]
    for b in range(len(bench.kept)):
        row = row_of(bench, VALUES + b)
        bench.flat[row + to] = bench.flat[row + of]
    for j in range(bench.counts.shape[0]):
        for x in range(bench.counts.shape[1]):
            bench.counts[np.uint64(j), np.uint64(x), to] = bench.counts[np.uint64(j), np.uint64(x), of]
        for row in (term_row(bench, j, STAY), term_row(bench, j, OPEN), term_row(bench, j, BASE), value_row(bench, j)):
            bench.flat[row + to] = bench.flat[row + of]
    clear_slot(bench, last, gone)
