"""The terms of A that counts give, and the chance that a leaving customer takes its table along (maths 2)."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.numbers.stirling import open_ratio, ratio, stay_ratio
from pitmanyor.kernels.restaurant.arrays import (
    CONCENTRATION,
    CUSTOMERS,
    DIRICHLET,
    DISCOUNT,
    GAIN,
    GEM,
    KIND,
    LEARNED,
    N_PARENTS,
    PAPER,
    PRIOR_FIRST,
    PYP,
    RULE,
    SCALE,
    SINGLETON,
    TABLE,
    TABLES,
)
from pitmanyor.kernels.restaurant.small_terms import OPEN, STAY, is_small, place_of
from pitmanyor.kernels.runtime.jit import inlined, inner


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
    node, q, qt = np.uint64(node), np.uint64(q), np.uint64(qt)
    b = net.rests[CONCENTRATION, q]
    net.rests[SCALE, q] = 1.0 / (b + net.totals[q, CUSTOMERS])
    if net.nodes[node, KIND] == GEM:
        net.rests[GAIN, q] = 0.0
        return
    net.rests[GAIN, q] = b + net.reals[node, DISCOUNT] * net.totals[q, TABLES]
    n_parents = net.nodes[node, N_PARENTS]
    if n_parents > 1:
        _refresh_weights(net, node, q, qt, n_parents)


@inner
def _refresh_weights(net, node, q, qt, n_parents):
    """Mixing weights r_i of a restaurant: by its tables, or fixed."""
    p = np.uint64(net.nodes[node, PRIOR_FIRST])
    if net.nodes[node, LEARNED]:
        total = 0.0
        for i in range(n_parents):
            total += net.prior[p + np.uint64(i)]
        total += net.totals[q, TABLES]
        for i in range(n_parents):
            net.weight[qt + np.uint64(i)] = (net.prior[p + np.uint64(i)] + net.n_to[qt + np.uint64(i)]) / total
    else:
        for i in range(n_parents):
            net.weight[qt + np.uint64(i)] = net.prior[p + np.uint64(i)]


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
def refresh_small(net, tables, terms, node, i):
    """As `refresh_count`, from the table of small counts where it reaches."""
    c, t = np.int64(net.counts[i, CUSTOMERS]), np.int64(net.counts[i, TABLES])
    if is_small(c, t) and net.nodes[node, KIND] == PYP:
        at = place_of(net.nodes[node, TABLE], c, t)
        net.stay[i], net.open[i] = terms.flat[at + np.uint64(STAY)], terms.flat[at + np.uint64(OPEN)]
    else:
        refresh_count(net, tables, node, i)
