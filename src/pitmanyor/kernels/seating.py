"""One restaurant at a time: the terms of A, seating a customer, letting one go (maths 2 and 3)."""

from __future__ import annotations

from pitmanyor.kernels.arrays import (
    AT,
    BASE,
    CHOICE,
    CONCENTRATION,
    CUSTOMERS,
    DIRICHLET,
    DISCOUNT,
    DOOR,
    EXPLICIT,
    GAIN,
    GEM,
    GEM_CELL,
    KIND,
    LEARNED,
    LIVE,
    MAX_TOPICS,
    N_COLUMNS,
    N_LIVE,
    N_PARENTS,
    NODE,
    PAPER,
    PARENTS,
    PATH,
    PRIOR_FIRST,
    REST,
    REST_WIDE,
    ROW,
    RULE,
    SCALE,
    SINGLETON,
    TABLE,
    TABLES,
    TO_REST,
    TO_ROW,
    WIDE,
)
from pitmanyor.kernels.jit import inlined, inner, kernel
from pitmanyor.kernels.random import uniform
from pitmanyor.kernels.stirling import open_ratio, ratio, stay_ratio

STUCK = -1


@inner
def leave_probability(tables, index, discount, rule, c, t):
    """The chance that a leaving customer takes its table along, from the counts before it leaves (maths 2)."""
    if t == c:
        return 1.0
    if rule == PAPER:
        return t / c
    if t == 1:
        return 0.0
    if rule == SINGLETON:
        return 1.0 / (1.0 + (c - 1 - t * discount) * ratio(tables, index, c - 1, t - 1))
    return t / c


@inner
def stay_term(tables, index, discount, rule, c, t):
    """stay = S(c+1,t)/S(c,t) (1 - leave(c+1,t)): the newcomer sits, and would leave alone (maths 2)."""
    if c == 0:
        return 0.0
    if rule == SINGLETON:
        return c - discount * t
    return stay_ratio(tables, index, c, t) * (1.0 - leave_probability(tables, index, discount, rule, c + 1, t))


@inner
def open_term(tables, index, discount, rule, c, t):
    """open = S(c+1,t+1)/S(c,t) leave(c+1,t+1): the newcomer opens a table (maths 2)."""
    if c == 0 or rule == SINGLETON:
        return 1.0
    return open_ratio(tables, index, c, t) * leave_probability(tables, index, discount, rule, c + 1, t + 1)


@inlined
def refresh_restaurant(net, node, q, qt):
    """Recompute gain, scale and mixing weights of restaurant q, whose tables per parent start at qt."""
    b = net.rests[CONCENTRATION, q]
    net.rests[SCALE, q] = 1.0 / (b + net.totals[q, CUSTOMERS])
    if net.nodes[node, KIND] == GEM:
        net.rests[GAIN, q] = 0.0
        return
    net.rests[GAIN, q] = b + net.reals[node, DISCOUNT] * net.totals[q, TABLES]
    n_parents = net.nodes[node, N_PARENTS]
    if n_parents > 1:
        p = net.nodes[node, PRIOR_FIRST]
        if net.nodes[node, LEARNED]:
            total = 0.0
            for i in range(n_parents):
                total += net.prior[p + i]
            total += net.totals[q, TABLES]
            for i in range(n_parents):
                net.weight[qt + i] = (net.prior[p + i] + net.n_to[qt + i]) / total
        else:
            for i in range(n_parents):
                net.weight[qt + i] = net.prior[p + i]


@inlined
def refresh_count(net, tables, node, i):
    """Recompute stay and open of the count at i."""
    c = net.counts[i, CUSTOMERS]
    kind = net.nodes[node, KIND]
    if kind == GEM:
        net.stay[i] = c - net.reals[node, DISCOUNT] if c > 0 else 0.0
    elif kind == DIRICHLET:
        net.stay[i] = c
    else:
        index, a, rule, t = net.nodes[node, TABLE], net.reals[node, DISCOUNT], net.status[RULE], net.counts[i, TABLES]
        net.stay[i] = stay_term(tables, index, a, rule, c, t)
        net.open[i] = open_term(tables, index, a, rule, c, t)


@inlined
def restaurant(net, cell, node, k):
    """Where (cell, topic k) counts, its restaurant, and the starts of their tables per parent."""
    n_parents = net.nodes[node, N_PARENTS]
    column, own = k * net.nodes[node, WIDE], k * net.nodes[node, REST_WIDE]
    return (
        net.cells[cell, ROW] + column,
        net.cells[cell, REST] + own,
        net.cells[cell, TO_ROW] + column * n_parents,
        net.cells[cell, TO_REST] + own * n_parents,
    )


@inlined
def refresh(net, tables, cell, k):
    node = net.cells[cell, NODE]
    i, q, _, qt = restaurant(net, cell, node, k)
    refresh_restaurant(net, node, q, qt)
    refresh_count(net, tables, node, i)


@inlined
def add_customer(net, cell, k, choice, sign):
    """One customer more (sign 1) or less (-1); with choice >= 0 it brings or takes a table towards that parent."""
    node = net.cells[cell, NODE]
    i, q, it, qt = restaurant(net, cell, node, k)
    net.counts[i, CUSTOMERS] += sign
    net.totals[q, CUSTOMERS] += sign
    if choice >= 0:
        net.counts[i, TABLES] += sign
        net.totals[q, TABLES] += sign
        if net.nodes[node, N_PARENTS] > 1:
            net.to[it + choice] += sign
            net.n_to[qt + choice] += sign


@inner
def plan_removal(net, tables, side, entry, pos, k, length, key, n):
    """Draw the walk that a customer leaving from shared position `pos` undoes, from the counts before it goes.

    Nothing is changed yet. Appends to the `length` steps planned so far; returns the new length (STUCK if rule
    `paper` would leave a dish without a table) and the counter.
    """
    while True:
        cell = side.scratch[AT, pos]
        node = net.cells[cell, NODE]
        i, _, it, _ = restaurant(net, cell, node, k)
        choice = -1
        if net.nodes[node, KIND] == GEM or net.nodes[node, EXPLICIT] or net.nodes[node, KIND] == DIRICHLET:
            side.scratch[PATH, length], side.scratch[CHOICE, length] = pos, choice
            return length + 1, n
        c, t = net.counts[i, CUSTOMERS], net.counts[i, TABLES]
        p = leave_probability(tables, net.nodes[node, TABLE], net.reals[node, DISCOUNT], net.status[RULE], c, t)
        leaves = p >= 1.0
        if not leaves and p > 0.0:
            leaves = uniform(key, n) < p
            n += 1
        if leaves:
            if t == 1 and c > 1:
                return STUCK, n
            choice, n = _parent_by_tables(net, node, it, t, key, n)
        side.scratch[PATH, length], side.scratch[CHOICE, length] = pos, choice
        length += 1
        if not leaves or net.nodes[node, N_PARENTS] == 0:
            return length, n
        pos = side.par[side.entries[entry + pos, PARENTS] + choice]


@inlined
def _parent_by_tables(net, node, it, t, key, n):
    """The parent to which a random one of the dish's t tables went."""
    last = net.nodes[node, N_PARENTS] - 1
    if last < 1:
        return 0, n
    x = uniform(key, n) * t
    for i in range(last):
        if x < net.to[it + i]:
            return i, n + 1
        x -= net.to[it + i]
    while net.to[it + last] == 0:  # only rounding can come here
        last -= 1
    return last, n + 1


@inner
def apply_removal(net, tables, side, start, stop, k):
    """Carry out the planned steps start..stop-1; returns the first position whose terms changed."""
    lowest = side.scratch.shape[1]
    for step in range(start, stop):
        pos = side.scratch[PATH, step]
        cell = side.scratch[AT, pos]
        add_customer(net, cell, k, side.scratch[CHOICE, step], -1)
        if not net.nodes[net.cells[cell, NODE], EXPLICIT]:
            refresh(net, tables, cell, k)
        lowest = min(lowest, pos)
    return lowest


@inner
def seat(net, tables, side, entry, pos, k, key, n):
    """Seat a customer of topic k from shared position `pos` on: stay, or open a table towards a parent (maths 2).

    Reads `side.values` (A of every position, as scored); returns the first position changed and the counter.
    """
    while True:
        cell = side.scratch[AT, pos]
        node = net.cells[cell, NODE]
        i, q, _, qt = restaurant(net, cell, node, k)
        if net.nodes[node, EXPLICIT] or net.nodes[node, KIND] == GEM or net.nodes[node, KIND] == DIRICHLET:
            add_customer(net, cell, k, -1, 1)
            if not net.nodes[node, EXPLICIT]:
                refresh(net, tables, cell, k)
            return pos, n
        parents = side.entries[entry + pos, PARENTS]
        base = _base(net, side, node, parents, qt, k)
        opens = net.rests[GAIN, q] * net.open[i] * base
        stays = net.stay[i]
        if stays > 0.0:
            x = uniform(key, n) * (stays + opens)
            n += 1
            if x < stays:
                add_customer(net, cell, k, -1, 1)
                refresh(net, tables, cell, k)
                return pos, n
        choice, n = _parent_by_weight(net, side, node, parents, qt, k, base, key, n)
        add_customer(net, cell, k, choice, 1)
        refresh(net, tables, cell, k)
        if net.nodes[node, N_PARENTS] == 0:
            return pos, n
        pos = side.par[parents + choice]


@inlined
def value(net, side, pos, k):
    """A of a position that was scored: a narrow word node has one value for all topics."""
    return side.values[pos, k * net.nodes[net.cells[side.scratch[AT, pos], NODE], WIDE]]


@inlined
def _base(net, side, node, parents, qt, k):
    n_parents = net.nodes[node, N_PARENTS]
    if n_parents == 0:
        return net.reals[node, BASE]
    if n_parents == 1:
        return float(value(net, side, side.par[parents], k))
    total = 0.0
    for i in range(n_parents):
        total += net.weight[qt + i] * value(net, side, side.par[parents + i], k)
    return total


@inlined
def _parent_by_weight(net, side, node, parents, qt, k, base, key, n):
    last = net.nodes[node, N_PARENTS] - 1
    if last < 1:
        return 0, n
    x = uniform(key, n) * base
    for i in range(last):
        share = net.weight[qt + i] * value(net, side, side.par[parents + i], k)
        if x < share:
            return i, n + 1
        x -= share
    while value(net, side, side.par[parents + last], k) <= 0.0 and last > 0:  # only rounding can come here
        last -= 1
    return last, n + 1


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
