"""A new document's own words: below those of topic k a restaurant for the document and k, PYP(a, b, phi_k).

A word without customers there weighs f_k phi_kw, with f = (b + a T)/(b + C), and f is 1 where the document has no token
of the topic. So slots are weighed as ever, A f phi beyond the form's share, and only words that came before (entries:
a word with a topic) have more, A (stay + gain (open - 1) phi) scale, which is never negative. But f is below 1, and
where A f is below the form a topic drawn by the form is taken with the chance of their ratio, or all is drawn anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pitmanyor.kernels.documents.fold_in.fold_one_node import NONE
from pitmanyor.kernels.documents.fold_in.fold_seating import takes_table, terms
from pitmanyor.kernels.documents.fold_in.fold_values import (
    CHANCES,
    ONES,
    SCALE,
    STAY,
    VALUES,
    C,
    T,
    form_at,
    row_of,
    term_row,
    value_row,
)
from pitmanyor.kernels.restaurant.arrays import Floats, Ints, Ints32
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import uniform

TOPIC = 2  # after C and T: rows of entries


class Own(NamedTuple):
    """Word nodes of the document, and scratch with a leading thread axis until `take_own` picks one."""

    node: Ints  # (stream): its word node, or NONE if it has shared words alone
    index: Ints  # (node) of the discount
    discount: Floats
    concentration: Floats
    inverse: Floats  # (node, n): 1/(b + n)
    tries: int  # draws that may be refused before all topics are weighed one by one
    dish: Ints  # (token): where the entries of its word begin
    rests: Ints32  # (node, C or T; slot)
    entries: Ints32  # (place, C...): customers, tables and topic
    n_entries: Ints32  # (dish)
    weights: Floats  # (place)


@inner
def take_own(own, thread):
    if own is None:
        return None
    return Own(
        own.node,
        own.index,
        own.discount,
        own.concentration,
        own.inverse,
        own.tries,
        own.dish,
        own.rests[thread],
        own.entries[thread],
        own.n_entries[thread],
        own.weights[thread],
    )


@inlined
def factor_row(bench, u):
    """Where the row of f begins, for word node u."""
    return row_of(bench, VALUES + len(bench.kept) + 4 * bench.counts.shape[0] + u)


@inlined
def factor_of(own, bench, s):
    """Where the row of f begins, for stream s: ones, if it has shared words alone."""
    if own is None:
        return row_of(bench, ONES)
    return row_of(bench, ONES) if own.node[s] == NONE else factor_row(bench, own.node[s])


@inlined
def dish_of(own, documents, d, i):
    """Where the entries of token i of document d begin."""
    if own is None:
        return 0
    return own.dish[np.uint64(documents.first[np.uint64(d * len(own.node))] + i)]


@inlined
def tries_of(own):
    if own is None:
        return 1
    return own.tries


@inlined
def seat_counts(own, bench, u, h, customers, tables):
    """So many more customers and tables of word node u at slot h."""
    at, node = np.uint64(h), np.uint64(u)
    own.rests[node, C, at] += customers
    own.rests[node, T, at] += tables
    gain = own.concentration[node] + own.discount[node] * own.rests[node, T, at]
    bench.flat[factor_row(bench, u) + at] = gain * own.inverse[node, np.uint64(own.rests[node, C, at])]


@inlined
def open_own(own, bench, h):
    """Nobody eats at slot h yet."""
    if own is None:
        return
    at = np.uint64(h)
    for u in range(len(own.index)):
        node = np.uint64(u)
        own.rests[node, C, at], own.rests[node, T, at] = 0, 0
        bench.flat[factor_row(bench, u) + at] = 1.0


@inlined
def move_own(own, bench, h, last):
    """The last slot takes the place of h."""
    if own is None:
        return
    to, of = np.uint64(h), np.uint64(last)
    for u in range(len(own.index)):
        node, row = np.uint64(u), factor_row(bench, u)
        own.rests[node, C, to], own.rests[node, T, to] = own.rests[node, C, of], own.rests[node, T, of]
        bench.flat[row + to] = bench.flat[row + of]


@inlined
def entry_of(own, dish, k):
    """The entry of a word with topic k, or the place for one."""
    e, end = dish, dish + own.n_entries[np.uint64(dish)]
    while e < end and own.entries[np.uint64(e), TOPIC] != k:
        e += 1
    return e


@inlined
def leave_own(rows, tables, own, bench, s, dish, k, h, key, n):
    """A customer of topic k, at slot h, goes from the words of stream s. Returns the counter."""
    if own is None:
        return n
    if own.node[s] == NONE:
        return n
    node, e, first = np.uint64(own.node[s]), np.uint64(entry_of(own, dish, k)), np.uint64(dish)
    c, t = np.int64(own.entries[e, C]), np.int64(own.entries[e, T])
    goes, n = takes_table(rows, tables, own.index[node], own.discount[node], c, t, key, n)
    own.entries[e, C] -= 1
    own.entries[e, T] -= np.int64(goes)
    seat_counts(own, bench, node, h, -1, -np.int64(goes))
    if c == 1:
        own.n_entries[first] -= 1
        last = first + np.uint64(own.n_entries[first])
        for x in range(TOPIC + 1):
            own.entries[e, np.uint64(x)] = own.entries[last, np.uint64(x)]
    return n


@inlined
def weigh_entries(rows, tables, own, bench, s, dish, row, leaf):
    """What every entry of a word weighs, and their sum."""
    if own is None:
        return 0.0
    if own.node[s] == NONE:
        return 0.0
    u, value, total = own.node[s], value_row(bench, leaf), 0.0
    a, b = own.discount[u], own.concentration[u]
    index, node = own.index[u], np.uint64(u)
    for place in range(dish, dish + own.n_entries[np.uint64(dish)]):
        e = np.uint64(place)
        k = np.uint64(own.entries[e, TOPIC])
        h = np.uint64(bench.slot_of[k])
        stay, opens = terms(rows, tables, index, a, np.int64(own.entries[e, C]), np.int64(own.entries[e, T]))
        more = stay + (b + a * own.rests[node, T, h]) * (opens - 1.0) * rows.words[np.uint64(row), k]
        own.weights[e] = bench.flat[value + h] * more * own.inverse[node, np.uint64(own.rests[node, C, h])]
        total += own.weights[e]
    return total


@inlined
def credit_entries(own, bench, s, dish, leaf, a, by):
    """Add to the topics of all entries what they weigh, less a t/c at the leaf."""
    if own is None:
        return
    if own.node[s] == NONE:
        return
    value, stay, chances = value_row(bench, leaf), term_row(bench, leaf, STAY), row_of(bench, CHANCES)
    node = np.uint64(leaf)
    for place in range(dish, dish + own.n_entries[np.uint64(dish)]):
        e = np.uint64(place)
        at = np.uint64(bench.slot_of[np.uint64(own.entries[e, TOPIC])])
        sits = bench.scalars[node, SCALE] * bench.flat[stay + at] / bench.flat[value + at]
        part = a / (bench.counts[node, C, at] + 1.0)
        bench.flat[chances + at] += own.weights[e] * (1.0 - part * (bench.counts[node, T, at] + 1.0 - sits)) * by


@inlined
def pick_entry(own, dish, x):
    """The topic of the entry into which x falls."""
    if own is None:
        return np.int64(NONE)
    e, last = dish, dish + own.n_entries[np.uint64(dish)] - 1
    while e < last and x >= own.weights[np.uint64(e)]:
        x -= own.weights[np.uint64(e)]
        e += 1
    return np.int64(own.entries[np.uint64(e), TOPIC])


@inlined
def seat_own(rows, tables, own, bench, s, dish, row, k, h, key, n):
    """A customer of topic k, at slot h, comes to the words of stream s. Returns the counter."""
    if own is None:
        return n
    if own.node[s] == NONE:
        return n
    node, place, opened = np.uint64(own.node[s]), entry_of(own, dish, k), True
    e, first = np.uint64(place), np.uint64(dish)
    if place == dish + own.n_entries[first]:
        own.entries[e, C], own.entries[e, T], own.entries[e, TOPIC] = 0, 0, k
        own.n_entries[first] += 1
    else:
        c, t = np.int64(own.entries[e, C]), np.int64(own.entries[e, T])
        stay, opens = terms(rows, tables, own.index[node], own.discount[node], c, t)
        gain = own.concentration[node] + own.discount[node] * own.rests[node, T, np.uint64(h)]
        opened = uniform(key, n) * (stay + gain * opens * rows.words[np.uint64(row), np.uint64(k)]) >= stay
        n += 1
    own.entries[e, C] += 1
    own.entries[e, T] += np.int64(opened)
    seat_counts(own, bench, node, h, 1, np.int64(opened))
    return n


@inlined
def chance(own, bench, s, leaf, k):
    """The chance with which a topic drawn by the form is taken."""
    if own is None:
        return 1.0
    h = bench.slot_of[np.uint64(k)]
    if h == NONE or own.node[s] == NONE:
        return 1.0
    at = np.uint64(h)
    form = form_at(bench, leaf, at)
    value = bench.flat[value_row(bench, leaf) + at] * bench.flat[factor_row(bench, own.node[s]) + at]
    return value / form if value < form else 1.0
