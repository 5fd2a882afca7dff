"""Customers of a new document's local topic nodes come and go (maths 2 and 3), and so do its slots."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels import desk
from pitmanyor.kernels.arrays import CLAMP
from pitmanyor.kernels.fold import NONE, SMALL
from pitmanyor.kernels.fold_net import (
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
)
from pitmanyor.kernels.jit import inlined
from pitmanyor.kernels.random import uniform
from pitmanyor.kernels.seating import leave_probability, open_term, stay_term


@inlined
def terms(rows, tables, index, discount, c, t):
    """stay and open of so many customers and tables, under a discount and its number."""
    if c < SMALL:
        place = small_place(index, c, t)
        return rows.small[place + np.uint64(desk.STAY)], rows.small[place + np.uint64(desk.OPEN)]
    return stay_term(tables, index, discount, CLAMP, c, t), open_term(tables, index, discount, CLAMP, c, t)


@inlined
def takes_table(rows, tables, index, discount, c, t, key, n):
    """Does one of c customers at t tables who leaves take a table along? Also the counter of uniforms."""
    if t == c:
        return True, n
    if t == 1:
        return False, n
    if c < SMALL:
        return uniform(key, n) < rows.small[small_place(index, c, t) + np.uint64(desk.LEAVE)], n + 1
    return uniform(key, n) < leave_probability(tables, index, discount, CLAMP, c, t), n + 1


@inlined
def count(rows, tables, net, bench, j, h, choice, by):
    """One customer more or less (`by`) at node j; with its table if `choice` names a parent."""
    bench.counts[j, C, h] += by
    bench.totals[j, C] += by
    if choice >= 0:
        bench.counts[j, T, h] += by
        bench.totals[j, T] += by
        bench.counts[j, TO + choice, h] += by
        bench.totals[j, TO + choice] += by
    c, t = np.int64(bench.counts[j, C, h]), np.int64(bench.counts[j, T, h])
    stay, opens = terms(rows, tables, net.index[j], net.discount[j], c, t)
    at = np.uint64(h)
    bench.flat[term_row(bench, j, STAY) + at], bench.flat[term_row(bench, j, OPEN) + at] = stay, opens


@inlined
def leave(rows, tables, net, bench, j, h, key, n):
    """A customer of slot h goes from the leaf j and, table by table, from the nodes above (maths 3)."""
    while j >= 0:
        c, t = np.int64(bench.counts[j, C, h]), np.int64(bench.counts[j, T, h])
        goes, n = takes_table(rows, tables, net.index[j], net.discount[j], c, t, key, n)
        choice = -1
        if goes:
            choice = 0
            if net.n_parents[j] > 1:
                x = uniform(key, n) * t
                n += 1
                while x >= bench.counts[j, TO + choice, h] and choice < net.n_parents[j] - 1:
                    x -= bench.counts[j, TO + choice, h]
                    choice += 1
        count(rows, tables, net, bench, j, h, choice, -1)
        if not goes:
            return n
        j = net.parents[j, choice] - len(bench.kept)
    return n


@inlined
def seat(rows, tables, net, bench, j, h, key, n):
    """Seat a customer at slot h by the terms of A, from the leaf j up."""
    at = np.uint64(h)
    while j >= 0:
        sits, base = bench.flat[term_row(bench, j, STAY) + at], bench.flat[term_row(bench, j, BASE) + at]
        goes, choice = True, -1
        if sits > 0.0:
            opens = bench.scalars[j, GAIN] * bench.flat[term_row(bench, j, OPEN) + at] * base
            goes = uniform(key, n) * (sits + opens) >= sits
            n += 1
        if goes:
            choice = 0
            if net.n_parents[j] > 1:
                x = uniform(key, n) * base
                n += 1
                while choice < net.n_parents[j] - 1:
                    value = bench.flat[row_of(bench, VALUES + net.parents[j, choice]) + at]
                    x -= bench.scalars[j, SHARE + choice] * value
                    if x < 0.0:
                        break
                    choice += 1
        count(rows, tables, net, bench, j, h, choice, 1)
        if not goes:
            return n
        j = net.parents[j, choice] - len(bench.kept)
    return n


@inlined
def open_slot(rows, net, bench, documents, d, leaf, k, h):
    """Slot h for topic k, without customers."""
    bench.slot_of[k], bench.topic[h], bench.tokens[h] = h, k, 0
    at = np.uint64(h)
    for b in range(len(bench.kept)):
        bench.flat[row_of(bench, VALUES + b) + at] = rows.bases[documents.base[d, b], k]
    for j in range(bench.counts.shape[0]):
        for x in range(bench.counts.shape[1]):
            bench.counts[j, x, h] = 0
        bench.flat[term_row(bench, j, STAY) + at], bench.flat[term_row(bench, j, OPEN) + at] = 0.0, 1.0
    for j in range(leaf + 1):
        if net.above[leaf, j]:
            value_one(net, bench, j, at)


@inlined
def clear_slot(bench, h, k):
    """Slot h stands for no topic, all zeros, and topic k has no slot."""
    at = np.uint64(h)
    bench.slot_of[k], bench.topic[h] = NONE, 0
    bench.flat[row_of(bench, CHANCES) + at] = 0.0
    for b in range(len(bench.kept)):
        bench.flat[row_of(bench, VALUES + b) + at] = 0.0
    for j in range(bench.counts.shape[0]):
        bench.flat[term_row(bench, j, STAY) + at] = 0.0


@inlined
def close_slot(bench, h, last, d, shares):
    """The last slot takes the place of h, whose topic the document no longer holds; it may be the same."""
    gone, to, of = bench.topic[h], np.uint64(h), np.uint64(last)
    bench.topic[h], bench.tokens[h] = bench.topic[last], bench.tokens[last]
    bench.slot_of[bench.topic[h]] = h
    chances = row_of(bench, CHANCES)
    shares[d, gone] += bench.flat[chances + to]
    bench.flat[chances + to] = bench.flat[chances + of]
    for b in range(len(bench.kept)):
        row = row_of(bench, VALUES + b)
        bench.flat[row + to] = bench.flat[row + of]
    for j in range(bench.counts.shape[0]):
        for x in range(bench.counts.shape[1]):
            bench.counts[j, x, h] = bench.counts[j, x, last]
        for term in (STAY, OPEN):
            row = term_row(bench, j, term)
            bench.flat[row + to] = bench.flat[row + of]
    clear_slot(bench, last, gone)
