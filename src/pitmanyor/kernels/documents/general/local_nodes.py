"""Add and remove customers and stored walks at the local nodes of one document (maths 2-4), slot by slot.

Both sides and both sweeps walk this way; `part` is as in node_values.py.
"""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.general.node_values import base_value, places, value_at
from pitmanyor.kernels.documents.general.scratch import (
    LOCAL_GAIN,
    N_CUSTOMERS,
    N_TABLES,
    N_TO,
    OF_TOPIC,
    TO,
    WEIGHT,
    refresh_local,
    refresh_slot,
)
from pitmanyor.kernels.restaurant.arrays import (
    AT,
    CHOICE,
    CUSTOMERS,
    DIRICHLET,
    DISCOUNT,
    KIND,
    LOCAL_INDEX,
    MASK,
    N_PARENTS,
    NODE,
    PARENTS,
    PATH,
    RULE,
    SHIFT,
    TABLE,
    TABLES,
)
from pitmanyor.kernels.restaurant.count_terms import leave_probability
from pitmanyor.kernels.restaurant.seating import STUCK
from pitmanyor.kernels.restaurant.small_terms import LEAVE, OPEN, STAY, is_small
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import uniform


@inner
def plan_leaving(franchise, doc, side, part, leaf, h, key, n):
    """Draw the local walk that a leaving customer of slot h undoes, from the counts before it goes (maths 3).

    Returns its length (STUCK: rule `paper` keeps the token), the shared position it goes on to (or -1), the counter.
    """
    (net, tables, terms), pos, length = franchise, leaf, 0
    while pos >= part[1]:
        node = net.cells[side.scratch[AT, pos], NODE]
        j = net.nodes[node, LOCAL_INDEX]
        at, _ = places(net, doc, node, h)
        choice = -1
        if net.nodes[node, KIND] != DIRICHLET:
            c, t = doc.ints[at, j, CUSTOMERS], doc.ints[at, j, TABLES]
            if is_small(c, t):
                p = terms.small[net.nodes[node, TABLE], t, c, LEAVE]
            else:
                p = leave_probability(tables, net.nodes[node, TABLE], net.reals[node, DISCOUNT], net.status[RULE], c, t)
            leaves = p >= 1.0
            if not leaves and p > 0.0:
                leaves = uniform(key, n) < p
                n += 1
            if leaves:
                if t == 1 and c > 1:
                    return STUCK, -1, n
                choice, n = _by_tables(net, doc, node, at, j, t, key, n)
        side.scratch[PATH, length], side.scratch[CHOICE, length] = pos, choice
        length += 1
        if choice < 0 or net.nodes[node, N_PARENTS] == 0:
            return length, -1, n
        pos = side.par[side.entries[part[0] + pos, PARENTS] + choice]
    return length, pos, n


@inlined
def _by_tables(net, doc, node, at, j, t, key, n):
    last = net.nodes[node, N_PARENTS] - 1
    if last < 1:
        return 0, n
    x = uniform(key, n) * t
    for i in range(last):
        if x < doc.ints[at, j, TO + 2 * i]:
            return i, n + 1
        x -= doc.ints[at, j, TO + 2 * i]
    while doc.ints[at, j, TO + 2 * last] == 0:  # reached by rounding only
        last -= 1
    return last, n + 1


@inlined
def tally_local(net, doc, node, j, h, choice, sign):
    """One customer more or less at (slot, node), with a table towards `choice` if that is >= 0."""
    at, rest = places(net, doc, node, h)
    doc.ints[at, j, CUSTOMERS] += sign
    doc.ints[rest, j, N_CUSTOMERS] += sign
    if choice >= 0:
        doc.ints[at, j, TABLES] += sign
        doc.ints[rest, j, N_TABLES] += sign
        if net.nodes[node, N_PARENTS] > 1:
            doc.ints[at, j, TO + 2 * choice] += sign
            doc.ints[rest, j, N_TO + 2 * choice] += sign


@inlined
def count_local(franchise, doc, node, j, h, choice, sign):
    """As `tally_local`, and the terms of both follow."""
    net, tables, terms = franchise
    tally_local(net, doc, node, j, h, choice, sign)
    at, rest = places(net, doc, node, h)
    refresh_slot(net, tables, terms, doc, at, node, j)
    refresh_local(net, doc, rest, node, j)


@inner
def leave_local(franchise, doc, side, length, h):
    """Carry out a planned leaving."""
    net = franchise.net
    for step in range(length):
        pos = side.scratch[PATH, step]
        node = net.cells[side.scratch[AT, pos], NODE]
        j = net.nodes[node, LOCAL_INDEX]
        count_local(franchise, doc, node, j, h, side.scratch[CHOICE, step], -1)


@inner
def seat_local(franchise, doc, side, part, leaf, h, key, n):
    """Seat a customer of slot h by the terms of A, which `evaluate` has left in the scratch.

    Returns the shared position that the walk goes on to (or -1) and the counter.
    """
    net, k, pos = franchise.net, doc.slots[h, OF_TOPIC], leaf
    while pos >= part[1]:
        node = net.cells[side.scratch[AT, pos], NODE]
        j = net.nodes[node, LOCAL_INDEX]
        at, rest = places(net, doc, node, h)
        stays = doc.reals[at, j, STAY]
        opens_table = True
        base = 0.0
        if net.nodes[node, KIND] == DIRICHLET:
            opens_table = False
        elif stays > 0.0 or net.nodes[node, N_PARENTS] > 1:
            base = base_value(net, doc, side, part, pos, h, k)
            if stays > 0.0:
                opens = doc.reals[rest, j, LOCAL_GAIN] * doc.reals[at, j, OPEN] * base
                opens_table = uniform(key, n) * (stays + opens) >= stays
                n += 1
        choice = -1
        if opens_table:
            choice = 0
            if net.nodes[node, N_PARENTS] > 1:
                choice = _by_weight(net, doc, side, part, pos, h, uniform(key, n) * base)
                n += 1
        count_local(franchise, doc, node, j, h, choice, 1)
        if choice < 0 or net.nodes[node, N_PARENTS] == 0:
            return -1, n
        pos = side.par[side.entries[part[0] + pos, PARENTS] + choice]
    return pos, n


@inlined
def _by_weight(net, doc, side, part, pos, h, x):
    """The parent of several into which x falls, uniform on (0, sum of their weights)."""
    node = net.cells[side.scratch[AT, pos], NODE]
    j = net.nodes[node, LOCAL_INDEX]
    last = net.nodes[node, N_PARENTS] - 1
    k = doc.slots[h, OF_TOPIC]
    _, rest = places(net, doc, node, h)
    first = side.entries[part[0] + pos, PARENTS]
    for i in range(last):
        share = doc.reals[rest, j, WEIGHT + i] * value_at(net, doc, side, part, side.par[first + i], h, k)
        if x < share:
            return i
        x -= share
    return last


@inner
def walk_local(net, doc, side, part, leaf, h, code, totals):
    """Count a stored walk: its dishes, or with `totals` the restaurants."""
    pos = leaf
    while pos >= part[1]:
        node = net.cells[side.scratch[AT, pos], NODE]
        j = net.nodes[node, LOCAL_INDEX]
        at, rest = places(net, doc, node, h)
        choice = np.int64((code >> net.nodes[node, SHIFT]) & net.nodes[node, MASK]) - 1
        if totals:
            doc.ints[rest, j, N_CUSTOMERS] += 1
        else:
            doc.ints[at, j, CUSTOMERS] += 1
        if choice < 0:
            return
        many = net.nodes[node, N_PARENTS] > 1
        if totals:
            doc.ints[rest, j, N_TABLES] += 1
            if many:
                doc.ints[rest, j, N_TO + 2 * choice] += 1
        else:
            doc.ints[at, j, TABLES] += 1
            if many:
                doc.ints[at, j, TO + 2 * choice] += 1
        if net.nodes[node, N_PARENTS] == 0:
            return
        pos = side.par[side.entries[part[0] + pos, PARENTS] + choice]


@inner
def walk_back(net, doc, side, part, leaf, h, code):
    """Take one walk from the tables left in the scratch into a token's code."""
    pos = leaf
    while pos >= part[1]:
        node = net.cells[side.scratch[AT, pos], NODE]
        j = net.nodes[node, LOCAL_INDEX]
        at, _ = places(net, doc, node, h)
        code &= ~(net.nodes[node, MASK] << net.nodes[node, SHIFT])
        if doc.ints[at, j, TABLES] == 0:
            return code
        doc.ints[at, j, TABLES] -= 1
        choice = 0
        if net.nodes[node, N_PARENTS] > 1:
            while doc.ints[at, j, TO + 2 * choice] == 0:
                choice += 1
            doc.ints[at, j, TO + 2 * choice] -= 1
        code |= (choice + 1) << net.nodes[node, SHIFT]
        if net.nodes[node, N_PARENTS] == 0:
            return code
        pos = side.par[side.entries[part[0] + pos, PARENTS] + choice]
    return code
