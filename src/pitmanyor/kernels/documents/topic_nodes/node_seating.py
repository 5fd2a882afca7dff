"""Add and remove customers of a document's topic-side nodes: counts, and the terms computed from them."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.topic_nodes.scratch import (
    FACTS,
    FIRST_ROW,
    ID,
    N_UP,
    NEXT,
    NODE_CUSTOMERS,
    NODE_GAIN,
    NODE_TABLES,
    ONE,
    OPENED_HERE,
    SCALARS,
    SENT,
    SHARE,
    SITTING,
    SORT,
    TABLES_TO,
    TERMS,
    UP,
    VALUED,
    count_at,
    set_restaurant,
    set_terms,
)
from pitmanyor.kernels.restaurant.arrays import DIRICHLET, DISCOUNT, RULE, TABLE
from pitmanyor.kernels.restaurant.count_terms import leave_probability
from pitmanyor.kernels.restaurant.small_terms import LEAVE, is_small, place_of
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import uniform


@inlined
def count(franchise, rows, frame, j, h, choice, sign):
    """One customer more or less at slot h of local node j, with a table towards parent `choice` if that is >= 0."""
    fact, at = np.uint64(j) * FACTS, count_at(frame, j, h)
    rows.known[VALUED] = min(rows.known[VALUED], j)
    rows.counts[at + SITTING] += sign
    rows.facts[fact + NODE_CUSTOMERS] += sign
    if choice >= 0:
        parent = np.uint64(choice)
        rows.counts[at + OPENED_HERE] += sign
        rows.facts[fact + NODE_TABLES] += sign
        rows.counts[at + TABLES_TO + parent] += sign
        rows.facts[fact + SENT + parent] += sign
        set_restaurant(rows, j)
    set_terms(franchise, rows, frame, j, h)


@inlined
def leaving(franchise, rows, j, c, t):
    """The probability that a customer leaving c customers and t tables of local node j takes its table along."""
    net = franchise.net
    fact = np.uint64(j) * FACTS
    if rows.facts[fact + SORT] == DIRICHLET:
        return 0.0
    if is_small(c, t):
        place = np.uint64(rows.facts[fact + TERMS]) + place_of(0, c, t)
        return float(franchise.terms.flat[place + np.uint64(LEAVE)])
    node = rows.facts[fact + ID]
    return leave_probability(
        franchise.tables, net.nodes[node, TABLE], net.reals[node, DISCOUNT], net.status[RULE], c, t
    )


@inlined
def by_tables(rows, fact, at, key, n):
    """A parent in proportion to the tables that were sent it, and the counter."""
    if rows.facts[fact + N_UP] < 2:
        return np.int64(0), n
    sent = np.int64(rows.counts[at + TABLES_TO])
    x = uniform(key, n) * rows.counts[at + OPENED_HERE]
    choice = np.int64(x >= sent)
    if rows.counts[at + TABLES_TO + np.uint64(choice)] == 0:  # reached by rounding only
        choice = 1 - choice
    return choice, n + 1


@inlined
def leave(franchise, rows, frame, leaf, h, key, n):
    """Take a customer of slot h out of the leaf and, table by table, of the nodes above (maths 3).

    Returns whether it left (rule `paper` may keep it: then all is as before) and the counter.
    """
    j, path = leaf, np.int64(0)  # `path` has a digit 0 (stayed) or 1 + choice for each node below, lowest first
    width, shift = np.int64(4), np.int64(0)
    while True:
        fact, at = np.uint64(j) * FACTS, count_at(frame, j, h)
        c, t = np.int64(rows.counts[at + SITTING]), np.int64(rows.counts[at + OPENED_HERE])
        goes = uniform(key, n) < leaving(franchise, rows, j, c, t)
        n += 1
        choice = np.int64(-1)
        if goes:
            if t == 1 and c > 1:
                undo(franchise, rows, frame, leaf, h, path)
                return False, n
            choice, n = by_tables(rows, fact, at, key, n)
        count(franchise, rows, frame, j, h, choice, -1)
        if not goes:
            return True, n
        path |= (choice + 1) << shift
        shift += width
        j = rows.facts[fact + NEXT + np.uint64(choice)]
        if j < 0:
            return True, n


@inner
def undo(franchise, rows, frame, leaf, h, path):
    """Seat a customer again that went along `path`."""
    j = leaf
    while path > 0:
        choice = (path & 15) - 1
        count(franchise, rows, frame, j, h, choice, 1)
        j = rows.facts[np.uint64(j) * FACTS + NEXT + np.uint64(choice)]
        path >>= 4


@inlined
def base_parts(rows, j, h):
    """r_i A(P_i, k) of local node j at slot h, for both parents: the second of one parent has no share."""
    fact, at, slot = np.uint64(j) * FACTS, np.uint64(j) * SCALARS, np.uint64(h)
    first = float(rows.reals[np.uint64(rows.facts[fact + UP]) + slot])
    second = float(rows.reals[np.uint64(rows.facts[fact + UP + ONE]) + slot])
    return rows.scalars[at + SHARE] * first, rows.scalars[at + SHARE + ONE] * second


@inlined
def bases_of(rows, j):
    """Where the rows of local node j's two parents lie, and their shares."""
    fact, at, real = np.uint64(j) * FACTS, np.uint64(j) * SCALARS, rows.reals.dtype.type
    up = (np.uint64(rows.facts[fact + UP]), np.uint64(rows.facts[fact + UP + ONE]))
    return up, (real(rows.scalars[at + SHARE]), real(rows.scalars[at + SHARE + ONE]))


@inlined
def stay_of(rows, frame, j):
    """The row of stay of local node j."""
    return np.uint64(rows.facts[np.uint64(j) * FACTS + FIRST_ROW]) + frame.width


@inlined
def seat(franchise, rows, frame, leaf, h, key, n):
    """Seat a customer at slot h by the terms of A, from the leaf up."""
    j = leaf
    while True:
        fact, choice = np.uint64(j) * FACTS, np.int64(-1)
        if rows.facts[fact + SORT] != DIRICHLET:
            at = stay_of(rows, frame, j) + np.uint64(h)
            parts, stays = base_parts(rows, j, h), float(rows.reals[at])
            opens = rows.scalars[np.uint64(j) * SCALARS + NODE_GAIN] * float(rows.reals[at + frame.width])
            opens *= parts[0] + parts[1]
            if uniform(key, n) * (stays + opens) >= stays:
                choice, n = by_shares(rows, fact, parts, key, n)
            n += 1
        count(franchise, rows, frame, j, h, choice, 1)
        if choice < 0:
            return n
        j = rows.facts[fact + NEXT + np.uint64(choice)]
        if j < 0:
            return n


@inlined
def by_shares(rows, fact, parts, key, n):
    """A parent in proportion to r_i A(P_i, k); the caller has used uniform n."""
    if rows.facts[fact + N_UP] < 2:
        return np.int64(0), n
    return np.int64(uniform(key, n + 1) * (parts[0] + parts[1]) >= parts[0]), n + 1


@inlined
def value_at(rows, frame, leaf, gain, slot):
    """A of the leaf at a slot, up to the leaf's scale."""
    at, parts = stay_of(rows, frame, leaf) + slot, base_parts(rows, leaf, slot)
    return float(rows.reals[at]) + gain * float(rows.reals[at + frame.width]) * (parts[0] + parts[1])


@inlined
def form_at(rows, frame, slot):
    """The leaf's form at a slot: the weight of its topic without customers, up to the gain."""
    form = 0.0
    for i in range(frame.n_bases):
        r = np.uint64(i)
        form += float(rows.form[r]) * float(rows.reals[r * frame.width + slot])
    return form
