"""One token in the Chinese restaurant franchise, for a single topic: its weight, its seat, and its leaving.

These are the terms of (2.2) under the rule `singleton`, where stay = c - a t and open = 1: A(N, k) is the predictive
probability given every seat, and Stirling numbers are needed only for removal. A move uses this rule whatever the rule
of the sweeps, because it leaves the posterior of the counts unchanged by itself (maths 4).

Counts alone are read and written here. The terms that sweeps read beside them (`Net.stay`, `Net.open`, `Net.rests`)
are out of date until the move ends. `at` is (h, k): slot h holds the document's counts of topic k.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pitmanyor.kernels.documents.general.local_nodes import tally_local
from pitmanyor.kernels.documents.general.node_values import places
from pitmanyor.kernels.documents.general.scratch import N_CUSTOMERS, N_TABLES, N_TO, TO
from pitmanyor.kernels.restaurant.arrays import (
    BASE,
    CONCENTRATION,
    CUSTOMERS,
    DIRICHLET,
    DISCOUNT,
    EXPLICIT,
    GEM,
    KIND,
    LEARNED,
    LOCAL_INDEX,
    N_PARENTS,
    PRIOR_FIRST,
    PYP,
    SINGLETON,
    TABLE,
    TABLES,
    Side,
)
from pitmanyor.kernels.restaurant.count_terms import leave_probability
from pitmanyor.kernels.restaurant.seating import add_customer, cell_at, first_parent, node_of, restaurant
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import uniform

NOT_VISITED, SITS = -2, -1  # entries of a walk; from 0 on, the parent to which a table was opened


@bundle
class Branch(NamedTuple):
    """One side of a token: its lists, which of them it has (`part` as in general/node_values.py), and the leaf."""

    side: Side
    part: tuple[int, int, bool]
    leaf: int


@inlined
def counts_at(net, doc, branch, pos, at):
    """Customers and tables of the dish, and those of its restaurant with its concentration."""
    (side, part, _), (h, k) = branch, at
    cell = cell_at(side, pos)
    node = node_of(net, cell)
    if pos < part[1]:
        i, q, _, _ = restaurant(net, cell, node, k)
        dish = (np.int64(net.counts[i, CUSTOMERS]), np.int64(net.counts[i, TABLES]))
        return dish, (net.totals[q, CUSTOMERS], net.totals[q, TABLES], net.rests[CONCENTRATION, q])
    j = net.nodes[node, LOCAL_INDEX]
    here, rest = places(net, doc, node, h)
    dish = (doc.ints[here, j, CUSTOMERS], doc.ints[here, j, TABLES])
    return dish, (doc.ints[rest, j, N_CUSTOMERS], doc.ints[rest, j, N_TABLES], doc.concentration[j])


@inlined
def tables_sent(net, doc, branch, pos, at, i):
    """Tables of the restaurant that were opened towards parent i."""
    (side, part, _), (h, k) = branch, at
    cell = cell_at(side, pos)
    node = node_of(net, cell)
    if pos < part[1]:
        _, _, _, qt = restaurant(net, cell, node, k)
        return net.n_to[qt + np.uint64(i)]
    _, rest = places(net, doc, node, h)
    return doc.ints[rest, net.nodes[node, LOCAL_INDEX], N_TO + 2 * i]


@inlined
def parent_weight(net, doc, branch, pos, at, i):
    """r_i before it is divided by their sum (maths 2); fixed weights as they are."""
    side = branch.side
    node = node_of(net, cell_at(side, pos))
    prior = net.prior[net.nodes[node, PRIOR_FIRST] + i]
    if net.nodes[node, LEARNED] == 0:
        return prior
    return prior + tables_sent(net, doc, branch, pos, at, i)


@inner
def base_of(net, doc, branch, pos, at, values):
    """sum_i r_i A(P_i, k) of a position whose parents have their values."""
    side, part, _ = branch
    node = node_of(net, cell_at(side, pos))
    n_parents = net.nodes[node, N_PARENTS]
    if n_parents == 0:
        return net.reals[node, BASE]
    first = first_parent(side, part[0], pos)
    if n_parents == 1:
        return values[side.par[first]]
    total, whole = 0.0, 0.0
    for i in range(n_parents):
        weight = parent_weight(net, doc, branch, pos, at, i)
        total += weight * values[side.par[first + np.uint64(i)]]
        whole += weight
    return total / whole


@inner
def predict(net, doc, branch, at, values, opens, done):
    """A(leaf, k), with A of every position above it left in `values`: parents come first in a list.

    `opens` are factors of a proposal for opening a table at each position; where all are 1 this is (2.2). `done` is the
    share of a dish's customers that are seated already. Each table makes the later ones less likely: their total
    weight, c - a t + y with y for opening a table, decreases by a, which is part of the factor.
    """
    (side, _, leaf), (_, k) = branch, at
    for pos in range(leaf + 1):
        cell = cell_at(side, pos)
        node = node_of(net, cell)
        if net.nodes[node, EXPLICIT]:
            i, _, _, _ = restaurant(net, cell, node, k)
            values[pos] = net.stay[i]
            continue
        (c, t), (n_customers, n_tables, b) = counts_at(net, doc, branch, pos, at)
        a, kind = net.reals[node, DISCOUNT], net.nodes[node, KIND]
        if kind == GEM:  # an empty topic is a new one
            weight = c - a if c > 0 else b + a * n_tables
        elif kind == DIRICHLET:
            weight = c + b * net.reals[node, BASE]
        else:
            y = (b + a * n_tables) * opens[pos] * base_of(net, doc, branch, pos, at, values)
            if a > 0.0 and done[pos] < 1.0:
                factor = ((c + 1.0 - a * t + y) / ((c + 1.0) / done[pos] - a * t + y)) ** a
                opens[pos] *= factor
                y *= factor
            weight = c - a * t + y
        values[pos] = weight / (b + n_customers)
    return values[leaf]


@inlined
def count(net, doc, branch, pos, at, choice, sign):
    """One customer more or less at a position; with choice >= 0 its table towards that parent."""
    (side, part, _), (h, k) = branch, at
    cell = cell_at(side, pos)
    node = node_of(net, cell)
    if pos >= part[1]:
        tally_local(net, doc, node, net.nodes[node, LOCAL_INDEX], h, choice, sign)
        return
    place = restaurant(net, cell, node, k)
    add_customer(net, node, place, choice, sign)
    if net.nodes[node, KIND] == GEM and net.counts[place[0], CUSTOMERS] == (1 if sign > 0 else 0):
        net.totals[place[1], TABLES] += sign  # one table for each live topic


@inner
def sit_down(net, doc, branch, at, weights, walk, key, n):
    """Seat a customer of topic k by the terms that `predict` left; `walk` gets its choice at each position.

    Returns the product of the factors of all tables that it opened, and the counter.
    """
    (side, part, leaf), (values, opens) = branch, weights
    pos, factor = leaf, 1.0
    while True:
        node = node_of(net, cell_at(side, pos))
        choice = SITS
        if net.nodes[node, KIND] == PYP and not net.nodes[node, EXPLICIT]:
            (c, t), (_, n_tables, b) = counts_at(net, doc, branch, pos, at)
            a = net.reals[node, DISCOUNT]
            stays, sits = c - a * t, False
            if c > 0:
                rest = (b + a * n_tables) * opens[pos] * base_of(net, doc, branch, pos, at, values)
                sits = uniform(key, n) * (stays + rest) < stays
                n += 1
            if not sits:
                choice, n = _choose_parent(net, doc, branch, pos, at, values, key, n)
                factor *= opens[pos]
        count(net, doc, branch, pos, at, choice, 1)
        walk[pos] = choice
        if choice < 0 or net.nodes[node, N_PARENTS] == 0:
            return factor, n
        pos = side.par[first_parent(side, part[0], pos) + np.uint64(choice)]


@inner
def _choose_parent(net, doc, branch, pos, at, values, key, n):
    """The parent of a new table, in proportion to r_i A(P_i, k)."""
    side, part, _ = branch
    n_parents = net.nodes[node_of(net, cell_at(side, pos)), N_PARENTS]
    if n_parents < 2:
        return 0, n
    first, total = first_parent(side, part[0], pos), 0.0
    for i in range(n_parents):
        total += parent_weight(net, doc, branch, pos, at, i) * values[side.par[first + np.uint64(i)]]
    x, chosen = uniform(key, n) * total, 0
    for i in range(n_parents):
        weight = parent_weight(net, doc, branch, pos, at, i) * values[side.par[first + np.uint64(i)]]
        if weight > 0.0:
            chosen = i
            if x < weight:
                break
            x -= weight
    return chosen, n + 1


@inner
def stand_up(net, tables, doc, branch, at, walk, key, n):
    """Remove a customer of topic k: it sat alone with probability S(c-1,t-1)/S(c,t); `walk` gets what it undid."""
    side, part, leaf = branch
    pos = leaf
    while True:
        node = node_of(net, cell_at(side, pos))
        choice = SITS
        if net.nodes[node, KIND] == PYP and not net.nodes[node, EXPLICIT]:
            (c, t), _ = counts_at(net, doc, branch, pos, at)
            p = leave_probability(tables, net.nodes[node, TABLE], net.reals[node, DISCOUNT], SINGLETON, c, t)
            leaves = p >= 1.0
            if not leaves and p > 0.0:
                leaves = uniform(key, n) < p
                n += 1
            if leaves:
                choice, n = _choose_table(net, doc, branch, pos, at, t, key, n)
        count(net, doc, branch, pos, at, choice, -1)
        walk[pos] = choice
        if choice < 0 or net.nodes[node, N_PARENTS] == 0:
            return n
        pos = side.par[first_parent(side, part[0], pos) + np.uint64(choice)]


@inner
def _choose_table(net, doc, branch, pos, at, t, key, n):
    """The parent of a random one of the dish's t tables."""
    (side, part, _), (h, k) = branch, at
    cell = cell_at(side, pos)
    node = node_of(net, cell)
    n_parents = net.nodes[node, N_PARENTS]
    if n_parents < 2:
        return 0, n
    x, chosen = uniform(key, n) * t, 0
    for i in range(n_parents):
        if pos < part[1]:
            _, _, it, _ = restaurant(net, cell, node, k)
            sent = np.int64(net.to[it + np.uint64(i)])
        else:
            here, _ = places(net, doc, node, h)
            sent = doc.ints[here, net.nodes[node, LOCAL_INDEX], TO + 2 * i]
        if sent > 0:
            chosen = i
            if x < sent:
                break
            x -= sent
    return chosen, n + 1


@inner
def product_of(net, side, part, leaf, walk, opens):
    """The product of the factors of all tables that a recorded walk opened."""
    pos, factor = leaf, 1.0
    while True:
        choice = np.int64(walk[pos])
        if choice < 0:
            return factor
        factor *= opens[pos]
        if net.nodes[node_of(net, cell_at(side, pos)), N_PARENTS] == 0:
            return factor
        pos = side.par[first_parent(side, part[0], pos) + np.uint64(choice)]


@inner
def replay(net, side, part, leaf, k, walk, sign):
    """Count the shared part of a recorded walk again (sign 1), or take it back (-1)."""
    pos = leaf
    while True:
        node = node_of(net, cell_at(side, pos))
        choice = np.int64(walk[pos])
        if pos < part[1]:
            place = restaurant(net, cell_at(side, pos), node, k)
            add_customer(net, node, place, choice, sign)
            if net.nodes[node, KIND] == GEM and net.counts[place[0], CUSTOMERS] == (1 if sign > 0 else 0):
                net.totals[place[1], TABLES] += sign
        if choice < 0 or net.nodes[node, N_PARENTS] == 0:
            return
        pos = side.par[first_parent(side, part[0], pos) + np.uint64(choice)]
