"""Births and deaths of topics, with their concentrations where a node has one for each topic (maths 3 and 5)."""

from __future__ import annotations

import math

from pitmanyor.kernels.numbers.draws import log_gamma
from pitmanyor.kernels.restaurant.arrays import (
    CONCENTRATION,
    CUSTOMERS,
    GEM_CELL,
    LIVE,
    N_LIVE,
    N_PARENTS,
    NODE,
    RATE,
    REST,
    ROW,
    SHAPE,
    TABLES,
    TO_REST,
)
from pitmanyor.kernels.restaurant.count_terms import refresh_restaurant
from pitmanyor.kernels.restaurant.seating import open_door
from pitmanyor.kernels.runtime.jit import inner

LEAST_CONCENTRATION = 1e-280  # a concentration stays above it, so that nothing underflows


@inner
def update_topics(net, k, key, n):
    """After a customer of topic k came or went: birth or death of the topic; says whether the set changed.

    A topic is born with one customer at a restaurant of its own, and one customer says nothing about a concentration
    (b/b = 1): so it is drawn from the prior once the topic is there, and what stood in the empty column is of no
    matter.
    """
    cell = net.status[GEM_CELL]
    if cell < 0:
        return False, n
    alive = net.counts[net.cells[cell, ROW] + k, CUSTOMERS] > 0
    if alive == (net.status[LIVE + k] == 1):
        return False, n
    net.status[LIVE + k] = 1 if alive else 0
    net.status[N_LIVE] += 1 if alive else -1
    net.totals[net.cells[cell, REST], TABLES] = net.status[N_LIVE]
    open_door(net)
    if alive:
        n = furnish(net, k, key, n)
    return True, n


@inner
def furnish(net, k, key, n):
    """Draw the concentrations of topic k from their priors, at every node and instance that has one for each topic."""
    capacity = len(net.status) - LIVE
    for node in range(len(net.nodes)):
        if net.reals[node, SHAPE] > 0.0:
            first, last = first_cell(net, node), first_cell(net, node + 1) - 1
            for j in range((net.cells[last, REST] - net.cells[first, REST]) // capacity + 1):
                log_b, n = log_gamma(net.reals[node, SHAPE], key, n)
                log_b = max(log_b - math.log(net.reals[node, RATE]), math.log(LEAST_CONCENTRATION))
                q, qt = j * capacity + k, (j * capacity + k) * net.nodes[node, N_PARENTS]
                net.rests[CONCENTRATION, net.cells[first, REST] + q] = math.exp(log_b)
                refresh_restaurant(net, node, net.cells[first, REST] + q, net.cells[first, TO_REST] + qt)
    return n


@inner
def first_cell(net, node):
    """Cells are sorted by node."""
    lo, hi = 0, len(net.cells)
    while lo < hi:
        middle = (lo + hi) // 2
        if net.cells[middle, NODE] < node:
            lo = middle + 1
        else:
            hi = middle
    return lo
