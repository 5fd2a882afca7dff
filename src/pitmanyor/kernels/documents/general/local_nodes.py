"""Local nodes of one document over its shared parents: evaluate, remove, seat (maths 2-4), slot by slot.

Both sides and both sweeps walk this way. `part` is (entry of the list, number of its shared positions, dense): a
shared position's A is read from `side.values` where it was scored for all topics (dense, the collapsed sweep), else
from its explicit vector. The restaurants of a node that is not per topic, and the
counts of one that has no column per topic, stand in the common slot.
"""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.general.scratch import (
    LOCAL_GAIN,
    LOCAL_SCALE,
    N_CUSTOMERS,
    N_TABLES,
    N_TO,
    NODES,
    OF_TOPIC,
    TO,
    VALUE,
    WEIGHT,
    refresh_local,
    refresh_slot,
)
from pitmanyor.kernels.restaurant.arrays import (
    AT,
    BASE,
    CHOICE,
    CUSTOMERS,
    DESK,
    DIRICHLET,
    DISCOUNT,
    KIND,
    MASK,
    N_PARENTS,
    NODE,
    PARENTS,
    PATH,
    PRIOR_FIRST,
    REST_WIDE,
    ROW,
    RULE,
    SHIFT,
    TABLE,
    TABLES,
    WIDE,
)
from pitmanyor.kernels.restaurant.seating import STUCK, leave_probability
from pitmanyor.kernels.restaurant.small_terms import LEAVE, OPEN, STAY, is_small
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import uniform


@inlined
def places(net, desk, node, h):
    """Slots of a node's counts and of its restaurant for slot h."""
    common = len(desk.slots) - 1
    return (h if net.nodes[node, WIDE] else common), (h if net.nodes[node, REST_WIDE] else common)


@inlined
def shared_value(net, side, dense, pos, k):
    """A of a shared position: as scored, or the explicit p."""
    cell = side.scratch[AT, pos]
    column = k * net.nodes[net.cells[cell, NODE], WIDE]
    if dense:
        return float(side.values[pos, column])
    return float(net.stay[net.cells[cell, ROW] + column])


@inlined
def value_at(net, desk, side, part, pos, h, k):
    """A of any position for the topic k of slot h."""
    if pos < part[1]:
        return shared_value(net, side, part[2], pos, k)
    return desk.reals[h, net.nodes[net.cells[side.scratch[AT, pos], NODE], DESK], VALUE]


@inlined
def base_value(net, desk, side, part, pos, h, k):
    """sum_i r_i A(P_i, k) of a local position."""
    node = net.cells[side.scratch[AT, pos], NODE]
    n_parents = net.nodes[node, N_PARENTS]
    if n_parents == 0:
        return net.reals[node, BASE]
    first = side.entries[part[0] + pos, PARENTS]
    if n_parents == 1:
        return value_at(net, desk, side, part, side.par[first], h, k)
    _, rest = places(net, desk, node, h)
    total = 0.0
    for i in range(n_parents):
        total += desk.reals[rest, net.nodes[node, DESK], WEIGHT + i] * value_at(
            net, desk, side, part, side.par[first + i], h, k
        )
    return total


@inlined
def evaluate(net, desk, side, part, leaf, h):
    """A(leaf, k) for the topic of slot h; every local position up to the leaf is left on the desk."""
    k = desk.slots[h, OF_TOPIC]
    for pos in range(part[1], leaf + 1):
        node = net.cells[side.scratch[AT, pos], NODE]
        j = net.nodes[node, DESK]
        at, rest = places(net, desk, node, h)
        base = base_value(net, desk, side, part, pos, h, k)
        desk.reals[h, j, VALUE] = (
            desk.reals[at, j, STAY] + desk.reals[rest, j, LOCAL_GAIN] * desk.reals[at, j, OPEN] * base
        ) * desk.reals[rest, j, LOCAL_SCALE]
    return value_at(net, desk, side, part, leaf, h, k)


@inner
def linearise(net, desk, side, part, leaf, which):
    """A(leaf, k) of a topic that no slot holds: offset + sum of slope * A over the shared positions (maths 4).

    Left in row `which` (TOPIC or WORD) of `desk.forms`.
    """
    common = len(desk.slots) - 1
    for pos in range(part[1], leaf + 1):
        node = net.cells[side.scratch[AT, pos], NODE]
        j = net.nodes[node, DESK]
        stay, factor = 0.0, 1.0  # an empty restaurant of its own
        if net.nodes[node, REST_WIDE] == 0:
            factor = desk.reals[common, j, LOCAL_GAIN] * desk.reals[common, j, LOCAL_SCALE]
            if net.nodes[node, WIDE] == 0:
                stay, factor = (
                    desk.reals[common, j, STAY] * desk.reals[common, j, LOCAL_SCALE],
                    factor * desk.reals[common, j, OPEN],
                )
        n_parents = net.nodes[node, N_PARENTS]
        desk.forms[NODES + j, 0] = stay + (factor * net.reals[node, BASE] if n_parents == 0 else 0.0)
        for s in range(part[1]):
            desk.forms[NODES + j, 1 + s] = 0.0
        first = side.entries[part[0] + pos, PARENTS]
        for i in range(n_parents):
            _add_form(net, desk, side, part, side.par[first + i], j, factor * _urn(net, desk, node, j, common, i))
    desk.forms[which, 0] = 0.0
    for s in range(part[1]):
        desk.forms[which, 1 + s] = 0.0
    if leaf >= part[1]:
        j = net.nodes[net.cells[side.scratch[AT, leaf], NODE], DESK]
        desk.forms[which, 0] = desk.forms[NODES + j, 0]
        for s in range(part[1]):
            desk.forms[which, 1 + s] = desk.forms[NODES + j, 1 + s]
    elif net.nodes[net.cells[side.scratch[AT, leaf], NODE], WIDE]:
        desk.forms[which, 1 + leaf] = 1.0
    else:
        desk.forms[which, 0] = shared_value(net, side, part[2], leaf, 0)


@inlined
def _add_form(net, desk, side, part, parent, j, share):
    """Add `share` times the form of a parent position to that of local node j."""
    if parent >= part[1]:
        up = net.nodes[net.cells[side.scratch[AT, parent], NODE], DESK]
        desk.forms[NODES + j, 0] += share * desk.forms[NODES + up, 0]
        for s in range(part[1]):
            desk.forms[NODES + j, 1 + s] += share * desk.forms[NODES + up, 1 + s]
    elif net.nodes[net.cells[side.scratch[AT, parent], NODE], WIDE]:
        desk.forms[NODES + j, 1 + parent] += share
    else:
        desk.forms[NODES + j, 0] += share * shared_value(net, side, part[2], parent, 0)


@inlined
def _urn(net, desk, node, j, common, i):
    """r_i of the restaurant that a topic without slot would see."""
    if net.nodes[node, N_PARENTS] == 1:
        return 1.0
    if net.nodes[node, REST_WIDE] == 0:
        return desk.reals[common, j, WEIGHT + i]
    p, total = net.nodes[node, PRIOR_FIRST], 0.0
    for q in range(net.nodes[node, N_PARENTS]):
        total += net.prior[p + q]
    return net.prior[p + i] / total


@inner
def plan_leaving(net, tables, terms, desk, side, part, leaf, h, key, n):
    """Draw the local walk that a leaving customer of slot h undoes, from the counts before it goes (maths 3).

    Returns its length (STUCK: rule `paper` keeps the token), the shared position it goes on to (or -1), the counter.
    """
    pos, length = leaf, 0
    while pos >= part[1]:
        node = net.cells[side.scratch[AT, pos], NODE]
        j = net.nodes[node, DESK]
        at, _ = places(net, desk, node, h)
        choice = -1
        if net.nodes[node, KIND] != DIRICHLET:
            c, t = desk.ints[at, j, CUSTOMERS], desk.ints[at, j, TABLES]
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
                choice, n = _by_tables(net, desk, node, at, j, t, key, n)
        side.scratch[PATH, length], side.scratch[CHOICE, length] = pos, choice
        length += 1
        if choice < 0 or net.nodes[node, N_PARENTS] == 0:
            return length, -1, n
        pos = side.par[side.entries[part[0] + pos, PARENTS] + choice]
    return length, pos, n


@inlined
def _by_tables(net, desk, node, at, j, t, key, n):
    last = net.nodes[node, N_PARENTS] - 1
    if last < 1:
        return 0, n
    x = uniform(key, n) * t
    for i in range(last):
        if x < desk.ints[at, j, TO + 2 * i]:
            return i, n + 1
        x -= desk.ints[at, j, TO + 2 * i]
    while desk.ints[at, j, TO + 2 * last] == 0:  # only rounding can come here
        last -= 1
    return last, n + 1


@inlined
def tally_local(net, desk, node, j, h, choice, sign):
    """One customer more or less at (slot, node), with a table towards `choice` if that is >= 0."""
    at, rest = places(net, desk, node, h)
    desk.ints[at, j, CUSTOMERS] += sign
    desk.ints[rest, j, N_CUSTOMERS] += sign
    if choice >= 0:
        desk.ints[at, j, TABLES] += sign
        desk.ints[rest, j, N_TABLES] += sign
        if net.nodes[node, N_PARENTS] > 1:
            desk.ints[at, j, TO + 2 * choice] += sign
            desk.ints[rest, j, N_TO + 2 * choice] += sign


@inlined
def count_local(net, tables, terms, desk, node, j, h, choice, sign):
    """As `tally_local`, and the terms of both follow."""
    tally_local(net, desk, node, j, h, choice, sign)
    at, rest = places(net, desk, node, h)
    refresh_slot(net, tables, terms, desk, at, node, j)
    refresh_local(net, desk, rest, node, j)


@inner
def leave_local(net, tables, terms, desk, side, part, length, h):
    """Carry out a planned leaving."""
    for step in range(length):
        pos = side.scratch[PATH, step]
        node = net.cells[side.scratch[AT, pos], NODE]
        j = net.nodes[node, DESK]
        count_local(net, tables, terms, desk, node, j, h, side.scratch[CHOICE, step], -1)


@inner
def seat_local(net, tables, terms, desk, side, part, leaf, h, key, n):
    """Seat a customer of slot h by the terms of A, which `evaluate` has left on the desk.

    Returns the shared position that the walk goes on to (or -1) and the counter.
    """
    k, pos = desk.slots[h, OF_TOPIC], leaf
    while pos >= part[1]:
        node = net.cells[side.scratch[AT, pos], NODE]
        j = net.nodes[node, DESK]
        at, rest = places(net, desk, node, h)
        stays = desk.reals[at, j, STAY]
        opens_table = True
        base = 0.0
        if net.nodes[node, KIND] == DIRICHLET:
            opens_table = False
        elif stays > 0.0 or net.nodes[node, N_PARENTS] > 1:
            base = base_value(net, desk, side, part, pos, h, k)
            if stays > 0.0:
                opens = desk.reals[rest, j, LOCAL_GAIN] * desk.reals[at, j, OPEN] * base
                opens_table = uniform(key, n) * (stays + opens) >= stays
                n += 1
        choice = -1
        if opens_table:
            choice, n = _by_weight(net, desk, side, part, pos, h, base, key, n)
        count_local(net, tables, terms, desk, node, j, h, choice, 1)
        if choice < 0 or net.nodes[node, N_PARENTS] == 0:
            return -1, n
        pos = side.par[side.entries[part[0] + pos, PARENTS] + choice]
    return pos, n


@inlined
def _by_weight(net, desk, side, part, pos, h, base, key, n):
    node = net.cells[side.scratch[AT, pos], NODE]
    j = net.nodes[node, DESK]
    last = net.nodes[node, N_PARENTS] - 1
    if last < 1:
        return 0, n
    k = desk.slots[h, OF_TOPIC]
    _, rest = places(net, desk, node, h)
    first = side.entries[part[0] + pos, PARENTS]
    x = uniform(key, n) * base
    for i in range(last):
        share = desk.reals[rest, j, WEIGHT + i] * value_at(net, desk, side, part, side.par[first + i], h, k)
        if x < share:
            return i, n + 1
        x -= share
    return last, n + 1


@inner
def walk_local(net, desk, side, part, leaf, h, code, totals):
    """Put a stored walk back on the desk: dishes, or with `totals` the restaurants."""
    pos = leaf
    while pos >= part[1]:
        node = net.cells[side.scratch[AT, pos], NODE]
        j = net.nodes[node, DESK]
        at, rest = places(net, desk, node, h)
        choice = np.int64((code >> net.nodes[node, SHIFT]) & net.nodes[node, MASK]) - 1
        if totals:
            desk.ints[rest, j, N_CUSTOMERS] += 1
        else:
            desk.ints[at, j, CUSTOMERS] += 1
        if choice < 0:
            return
        many = net.nodes[node, N_PARENTS] > 1
        if totals:
            desk.ints[rest, j, N_TABLES] += 1
            if many:
                desk.ints[rest, j, N_TO + 2 * choice] += 1
        else:
            desk.ints[at, j, TABLES] += 1
            if many:
                desk.ints[at, j, TO + 2 * choice] += 1
        if net.nodes[node, N_PARENTS] == 0:
            return
        pos = side.par[side.entries[part[0] + pos, PARENTS] + choice]


@inner
def walk_back(net, desk, side, part, leaf, h, code):
    """Take one walk from the tables left on the desk into a token's code."""
    pos = leaf
    while pos >= part[1]:
        node = net.cells[side.scratch[AT, pos], NODE]
        j = net.nodes[node, DESK]
        at, _ = places(net, desk, node, h)
        code &= ~(net.nodes[node, MASK] << net.nodes[node, SHIFT])
        if desk.ints[at, j, TABLES] == 0:
            return code
        desk.ints[at, j, TABLES] -= 1
        choice = 0
        if net.nodes[node, N_PARENTS] > 1:
            while desk.ints[at, j, TO + 2 * choice] == 0:
                choice += 1
            desk.ints[at, j, TO + 2 * choice] -= 1
        code |= (choice + 1) << net.nodes[node, SHIFT]
        if net.nodes[node, N_PARENTS] == 0:
            return code
        pos = side.par[side.entries[part[0] + pos, PARENTS] + choice]
    return code
