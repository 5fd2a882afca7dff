"""One restaurant at a time: seating a customer, letting one go (maths 2 and 3)."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.restaurant.arrays import (
    AT,
    BASE,
    CHOICE,
    CONCENTRATION,
    CUSTOMERS,
    DISCOUNT,
    DOOR,
    EXPLICIT,
    GAIN,
    GEM_CELL,
    KIND,
    LIVE,
    MAX_TOPICS,
    N_COLUMNS,
    N_LIVE,
    N_PARENTS,
    NODE,
    PARENTS,
    PATH,
    PYP,
    REST,
    REST_WIDE,
    ROW,
    RULE,
    TABLE,
    TABLES,
    TO_REST,
    TO_ROW,
    WIDE,
)
from pitmanyor.kernels.restaurant.count_terms import leave_probability, refresh_restaurant, refresh_small
from pitmanyor.kernels.runtime.jit import inlined, inner, kernel
from pitmanyor.kernels.runtime.random import uniform

STUCK = -1


@inlined
def restaurant(net, cell, node, k):
    """Where (cell, topic k) counts, its restaurant, and the starts of their tables per parent.

    All indices are unsigned, because negative ones would count from the end of an array and need a test at each access.
    """
    n_parents = net.nodes[node, N_PARENTS]
    column, own = k * net.nodes[node, WIDE], k * net.nodes[node, REST_WIDE]
    return (
        np.uint64(net.cells[cell, ROW] + column),
        np.uint64(net.cells[cell, REST] + own),
        np.uint64(net.cells[cell, TO_ROW] + column * n_parents),
        np.uint64(net.cells[cell, TO_REST] + own * n_parents),
    )


@inlined
def cell_at(side, pos):
    """The cell at a position of the current list."""
    return np.uint64(side.scratch[AT, np.uint64(pos)])


@inlined
def node_of(net, cell):
    return np.uint64(net.cells[cell, NODE])


@inlined
def first_parent(side, entry, pos):
    """Where the parents of a position are listed in `side.par`."""
    return np.uint64(side.entries[np.uint64(entry + pos), PARENTS])


@inlined
def refresh(net, tables, terms, node, place):
    i, q, _, qt = place
    refresh_restaurant(net, node, q, qt)
    refresh_small(net, tables, terms, node, i)


@inlined
def add_customer(net, node, place, choice, sign):
    """Add (sign 1) or remove (-1) a customer, with a table towards parent `choice` if that is >= 0."""
    i, q, it, qt = place
    net.counts[i, CUSTOMERS] += sign
    net.totals[q, CUSTOMERS] += sign
    if choice >= 0:
        net.counts[i, TABLES] += sign
        net.totals[q, TABLES] += sign
        if net.nodes[node, N_PARENTS] > 1:
            net.to[it + np.uint64(choice)] += sign
            net.n_to[qt + np.uint64(choice)] += sign


@inner
def plan_removal(franchise, side, entry, pos, k, length, key, n):
    """Draw the walk that a customer leaving from shared position `pos` undoes, from the counts before it goes.

    Nothing is changed yet. Appends to the `length` steps planned so far; returns the new length (STUCK if rule
    `paper` would leave a dish without a table) and the counter.
    """
    net = franchise.net
    while True:
        cell = cell_at(side, pos)
        node = node_of(net, cell)
        i, _, it, _ = restaurant(net, cell, node, k)
        choice, step = np.int64(-1), np.uint64(length)
        if net.nodes[node, KIND] != PYP or net.nodes[node, EXPLICIT]:
            side.scratch[PATH, step], side.scratch[CHOICE, step] = pos, choice
            return length + 1, n
        c, t = np.int64(net.counts[i, CUSTOMERS]), np.int64(net.counts[i, TABLES])
        index, a = net.nodes[node, TABLE], net.reals[node, DISCOUNT]
        p = leave_probability(franchise.tables, index, a, net.status[RULE], c, t)
        leaves = p >= 1.0
        if not leaves and p > 0.0:
            leaves = uniform(key, n) < p
            n += 1
        if leaves:
            if t == 1 and c > 1:
                return STUCK, n
            choice, n = _parent_by_tables(net, node, it, t, key, n)
        side.scratch[PATH, step], side.scratch[CHOICE, step] = pos, choice
        length += 1
        if not leaves or net.nodes[node, N_PARENTS] == 0:
            return length, n
        pos = side.par[first_parent(side, entry, pos) + np.uint64(choice)]


@inlined
def _parent_by_tables(net, node, it, t, key, n):
    """The parent to which a random one of the dish's t tables went."""
    last = net.nodes[node, N_PARENTS] - 1
    if last < 1:
        return np.int64(0), n
    x = uniform(key, n) * t
    for i in range(last):
        if x < net.to[it + np.uint64(i)]:
            return np.int64(i), n + 1
        x -= net.to[it + np.uint64(i)]
    while net.to[it + np.uint64(last)] == 0:  # reached by rounding only
        last -= 1
    return np.int64(last), n + 1


@inner
def apply_removal(franchise, side, start, stop, k):
    """Carry out the planned steps start..stop-1; returns the first position whose terms changed."""
    net, tables, terms = franchise
    lowest = side.scratch.shape[1]
    for step in range(start, stop):
        pos = side.scratch[PATH, np.uint64(step)]
        cell = cell_at(side, pos)
        node = node_of(net, cell)
        place = restaurant(net, cell, node, k)
        add_customer(net, node, place, side.scratch[CHOICE, np.uint64(step)], -1)
        if not net.nodes[node, EXPLICIT]:
            refresh(net, tables, terms, node, place)
        lowest = min(lowest, pos)
    return lowest


@inner
def seat(franchise, side, entry, pos, k, key, n):
    """Seat a customer of topic k from shared position `pos` on: stay, or open a table towards a parent (maths 2).

    Reads `side.values` (A of every position, as scored); returns the first position changed and the counter.
    """
    net, tables, terms = franchise
    while True:
        cell = cell_at(side, pos)
        node = node_of(net, cell)
        place = restaurant(net, cell, node, k)
        i, q, _, qt = place
        choice, is_pyp = np.int64(-1), net.nodes[node, KIND] == PYP and not net.nodes[node, EXPLICIT]
        parents = first_parent(side, entry, pos)
        if is_pyp:
            base, stays = _base(net, side, node, parents, qt, k), float(net.stay[i])
            opens = net.rests[GAIN, q] * net.open[i] * base
            sits = False
            if stays > 0.0:
                sits = uniform(key, n) * (stays + opens) < stays
                n += 1
            if not sits:
                choice = np.int64(0)
                if net.nodes[node, N_PARENTS] > 1:
                    choice = _parent_by_weight(net, side, node, parents, qt, k, uniform(key, n) * base)
                    n += 1
        add_customer(net, node, place, choice, 1)
        if not net.nodes[node, EXPLICIT]:
            refresh(net, tables, terms, node, place)
        if choice < 0 or net.nodes[node, N_PARENTS] == 0:
            return pos, n
        pos = side.par[parents + np.uint64(choice)]


@inlined
def value(net, side, pos, k):
    """A of a position that was scored: a narrow word node has one value for all topics."""
    return side.values[np.uint64(pos), np.uint64(k * net.nodes[node_of(net, cell_at(side, pos)), WIDE])]


@inlined
def _base(net, side, node, parents, qt, k):
    n_parents = net.nodes[node, N_PARENTS]
    if n_parents == 0:
        return net.reals[node, BASE]
    if n_parents == 1:
        return float(value(net, side, side.par[parents], k))
    total = 0.0
    for i in range(n_parents):
        total += net.weight[qt + np.uint64(i)] * value(net, side, side.par[parents + np.uint64(i)], k)
    return total


@inlined
def _parent_by_weight(net, side, node, parents, qt, k, x):
    """The parent of several into which x falls, uniform on (0, sum of their weights)."""
    last = net.nodes[node, N_PARENTS] - 1
    for i in range(last):
        share = net.weight[qt + np.uint64(i)] * value(net, side, side.par[parents + np.uint64(i)], k)
        if x < share:
            return np.int64(i)
        x -= share
    while value(net, side, side.par[parents + np.uint64(last)], k) <= 0.0 and last > 0:  # reached by rounding only
        last -= 1
    return np.int64(last)


@kernel
def open_door(net):
    """Offer a new topic: one empty column gets the weight b + a K at the gem, unless the cap is reached (maths 2)."""
    cell = net.status[GEM_CELL]
    if cell < 0:
        return
    row, q = net.cells[cell, ROW], net.cells[cell, REST]
    door = net.status[DOOR]
    if door >= 0 and net.status[LIVE + door] == 0:
        net.stay[row + door] = 0.0
    door = -1
    if net.status[N_LIVE] < net.status[MAX_TOPICS]:
        door = 0
        while net.status[LIVE + door]:
            door += 1
        net.stay[row + door] = (
            net.rests[CONCENTRATION, q] + net.reals[net.cells[cell, NODE], DISCOUNT] * net.status[N_LIVE]
        )
        net.status[N_COLUMNS] = max(net.status[N_COLUMNS], door + 1)
    net.status[DOOR] = door
