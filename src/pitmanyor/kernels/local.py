"""Local nodes of one document over its shared parents: evaluate, remove, seat (maths 2-4), slot by slot.

Both sides and both sweeps walk this way. `part` is (entry of the list, number of its shared positions, dense): a
shared position's A is read from `side.values` where it was scored for all topics (dense, the collapsed sweep), else
from its explicit vector. The restaurants of a node that is not per topic, and the
counts of one that has no column per topic, stand in the common slot.
"""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.arrays import DIRICHLET, RULE
from pitmanyor.kernels.desk import SMALL, refresh_local, refresh_slot
from pitmanyor.kernels.jit import inner
from pitmanyor.kernels.random import uniform
from pitmanyor.kernels.seating import STUCK, leave_probability


@inner
def places(net, desk, node, h):
    """Slots of a node's counts and of its restaurant for slot h."""
    common = len(desk.topic) - 1
    return (h if net.wide[node] else common), (h if net.rest_wide[node] else common)


@inner
def shared_value(net, side, dense, pos, k):
    """A of a shared position: as scored, or the explicit p."""
    cell = side.cells[pos]
    column = k * net.wide[net.node[cell]]
    if dense:
        return float(side.values[pos, column])
    return float(net.stay[net.row[cell] + column])


@inner
def value_at(net, desk, side, part, pos, h, k):
    """A of any position for the topic k of slot h."""
    if pos < part[1]:
        return shared_value(net, side, part[2], pos, k)
    return desk.value[h, net.desk[net.node[side.cells[pos]]]]


@inner
def base_value(net, desk, side, part, pos, h, k):
    """sum_i r_i A(P_i, k) of a local position."""
    node = net.node[side.cells[pos]]
    n_parents = net.n_parents[node]
    if n_parents == 0:
        return net.base[node]
    first = side.par_first[part[0] + pos]
    if n_parents == 1:
        return value_at(net, desk, side, part, side.par[first], h, k)
    _, rest = places(net, desk, node, h)
    total = 0.0
    for i in range(n_parents):
        total += desk.weight[rest, net.desk[node], i] * value_at(net, desk, side, part, side.par[first + i], h, k)
    return total


@inner
def evaluate(net, desk, side, part, leaf, h):
    """A(leaf, k) for the topic of slot h; every local position up to the leaf is left in `desk.value`."""
    k = desk.topic[h]
    for pos in range(part[1], leaf + 1):
        node = net.node[side.cells[pos]]
        j = net.desk[node]
        at, rest = places(net, desk, node, h)
        base = base_value(net, desk, side, part, pos, h, k)
        desk.value[h, j] = (desk.stay[at, j] + desk.gain[rest, j] * desk.open[at, j] * base) * desk.scale[rest, j]
    return value_at(net, desk, side, part, leaf, h, k)


@inner
def linearise(net, desk, side, part, leaf, which):
    """A(leaf, k) of a topic that no slot holds: offset + sum of slope * A over the shared positions (maths 4).

    Left in row `which` of `desk.form_offset` and `desk.form_slope`.
    """
    common = len(desk.topic) - 1
    for pos in range(part[1], leaf + 1):
        node = net.node[side.cells[pos]]
        j = net.desk[node]
        stay, factor = 0.0, 1.0  # an empty restaurant of its own
        if net.rest_wide[node] == 0:
            factor = desk.gain[common, j] * desk.scale[common, j]
            if net.wide[node] == 0:
                stay, factor = desk.stay[common, j] * desk.scale[common, j], factor * desk.open[common, j]
        n_parents = net.n_parents[node]
        desk.offset[j] = stay + (factor * net.base[node] if n_parents == 0 else 0.0)
        for s in range(part[1]):
            desk.slope[j, s] = 0.0
        first = side.par_first[part[0] + pos]
        for i in range(n_parents):
            _add_form(net, desk, side, part, side.par[first + i], j, factor * _urn(net, desk, node, j, common, i))
    desk.form_offset[which] = 0.0
    for s in range(part[1]):
        desk.form_slope[which, s] = 0.0
    if leaf >= part[1]:
        j = net.desk[net.node[side.cells[leaf]]]
        desk.form_offset[which] = desk.offset[j]
        for s in range(part[1]):
            desk.form_slope[which, s] = desk.slope[j, s]
    elif net.wide[net.node[side.cells[leaf]]]:
        desk.form_slope[which, leaf] = 1.0
    else:
        desk.form_offset[which] = shared_value(net, side, part[2], leaf, 0)


@inner
def _add_form(net, desk, side, part, parent, j, share):
    """Add `share` times the form of a parent position to that of local node j."""
    if parent >= part[1]:
        up = net.desk[net.node[side.cells[parent]]]
        desk.offset[j] += share * desk.offset[up]
        for s in range(part[1]):
            desk.slope[j, s] += share * desk.slope[up, s]
    elif net.wide[net.node[side.cells[parent]]]:
        desk.slope[j, parent] += share
    else:
        desk.offset[j] += share * shared_value(net, side, part[2], parent, 0)


@inner
def _urn(net, desk, node, j, common, i):
    """r_i of the restaurant that a topic without slot would see."""
    if net.n_parents[node] == 1:
        return 1.0
    if net.rest_wide[node] == 0:
        return desk.weight[common, j, i]
    p, total = net.prior_first[node], 0.0
    for q in range(net.n_parents[node]):
        total += net.prior[p + q]
    return net.prior[p + i] / total


@inner
def plan_leaving(net, tables, terms, desk, side, part, leaf, h, key, n):
    """Draw the local walk that a leaving customer of slot h undoes, from the counts before it goes (maths 3).

    Returns its length (STUCK: rule `paper` keeps the token), the shared position it goes on to (or -1), the counter.
    """
    pos, length = leaf, 0
    while pos >= part[1]:
        node = net.node[side.cells[pos]]
        j = net.desk[node]
        at, _ = places(net, desk, node, h)
        choice = -1
        if net.kind[node] != DIRICHLET:
            c, t = desk.customers[at, j], desk.tables[at, j]
            if c < SMALL:
                p = terms.leave[net.table[node], t, c]
            else:
                p = leave_probability(tables, net.table[node], net.discount[node], net.status[RULE], c, t)
            leaves = p >= 1.0
            if not leaves and p > 0.0:
                leaves = uniform(key, n) < p
                n += 1
            if leaves:
                if t == 1 and c > 1:
                    return STUCK, -1, n
                choice, n = _by_tables(net, desk, node, at, j, t, key, n)
        side.path[length], side.choice[length] = pos, choice
        length += 1
        if choice < 0 or net.n_parents[node] == 0:
            return length, -1, n
        pos = side.par[side.par_first[part[0] + pos] + choice]
    return length, pos, n


@inner
def _by_tables(net, desk, node, at, j, t, key, n):
    last = net.n_parents[node] - 1
    if last < 1:
        return 0, n
    x = uniform(key, n) * t
    for i in range(last):
        if x < desk.to[at, j, i]:
            return i, n + 1
        x -= desk.to[at, j, i]
    while desk.to[at, j, last] == 0:  # only rounding can come here
        last -= 1
    return last, n + 1


@inner
def count_local(net, tables, terms, desk, node, j, h, choice, sign):
    """One customer more or less at (slot, node), with a table towards `choice` if that is >= 0."""
    at, rest = places(net, desk, node, h)
    desk.customers[at, j] += sign
    desk.n_customers[rest, j] += sign
    if choice >= 0:
        desk.tables[at, j] += sign
        desk.n_tables[rest, j] += sign
        if net.n_parents[node] > 1:
            desk.to[at, j, choice] += sign
            desk.n_to[rest, j, choice] += sign
    refresh_slot(net, tables, terms, desk, at, node, j)
    refresh_local(net, desk, rest, node, j)


@inner
def leave_local(net, tables, terms, desk, side, part, length, h):
    """Carry out a planned leaving."""
    for step in range(length):
        pos = side.path[step]
        node = net.node[side.cells[pos]]
        j = net.desk[node]
        count_local(net, tables, terms, desk, node, j, h, side.choice[step], -1)


@inner
def seat_local(net, tables, terms, desk, side, part, leaf, h, key, n):
    """Seat a customer of slot h by the terms of A, which `evaluate` has left on the desk.

    Returns the shared position that the walk goes on to (or -1) and the counter.
    """
    k, pos = desk.topic[h], leaf
    while pos >= part[1]:
        node = net.node[side.cells[pos]]
        j = net.desk[node]
        at, rest = places(net, desk, node, h)
        stays = desk.stay[at, j]
        opens_table = True
        base = 0.0
        if net.kind[node] == DIRICHLET:
            opens_table = False
        elif stays > 0.0 or net.n_parents[node] > 1:
            base = base_value(net, desk, side, part, pos, h, k)
            if stays > 0.0:
                opens = desk.gain[rest, j] * desk.open[at, j] * base
                opens_table = uniform(key, n) * (stays + opens) >= stays
                n += 1
        choice = -1
        if opens_table:
            choice, n = _by_weight(net, desk, side, part, pos, h, base, key, n)
        count_local(net, tables, terms, desk, node, j, h, choice, 1)
        if choice < 0 or net.n_parents[node] == 0:
            return -1, n
        pos = side.par[side.par_first[part[0] + pos] + choice]
    return pos, n


@inner
def _by_weight(net, desk, side, part, pos, h, base, key, n):
    node = net.node[side.cells[pos]]
    j = net.desk[node]
    last = net.n_parents[node] - 1
    if last < 1:
        return 0, n
    k = desk.topic[h]
    _, rest = places(net, desk, node, h)
    first = side.par_first[part[0] + pos]
    x = uniform(key, n) * base
    for i in range(last):
        share = desk.weight[rest, j, i] * value_at(net, desk, side, part, side.par[first + i], h, k)
        if x < share:
            return i, n + 1
        x -= share
    return last, n + 1


@inner
def walk_local(net, desk, side, part, leaf, h, code, totals):
    """Put a stored walk back on the desk: dishes, or with `totals` the restaurants."""
    pos = leaf
    while pos >= part[1]:
        node = net.node[side.cells[pos]]
        j = net.desk[node]
        at, rest = places(net, desk, node, h)
        choice = np.int64((code >> net.shift[node]) & net.mask[node]) - 1
        if totals:
            desk.n_customers[rest, j] += 1
        else:
            desk.customers[at, j] += 1
        if choice < 0:
            return
        many = net.n_parents[node] > 1
        if totals:
            desk.n_tables[rest, j] += 1
            if many:
                desk.n_to[rest, j, choice] += 1
        else:
            desk.tables[at, j] += 1
            if many:
                desk.to[at, j, choice] += 1
        if net.n_parents[node] == 0:
            return
        pos = side.par[side.par_first[part[0] + pos] + choice]


@inner
def walk_back(net, desk, side, part, leaf, h, code):
    """Take one walk from the tables left on the desk into a token's code."""
    pos = leaf
    while pos >= part[1]:
        node = net.node[side.cells[pos]]
        j = net.desk[node]
        at, _ = places(net, desk, node, h)
        code &= ~(net.mask[node] << net.shift[node])
        if desk.tables[at, j] == 0:
            return code
        desk.tables[at, j] -= 1
        choice = 0
        if net.n_parents[node] > 1:
            while desk.to[at, j, choice] == 0:
                choice += 1
            desk.to[at, j, choice] -= 1
        code |= (choice + 1) << net.shift[node]
        if net.n_parents[node] == 0:
            return code
        pos = side.par[side.par_first[part[0] + pos] + choice]
    return code
