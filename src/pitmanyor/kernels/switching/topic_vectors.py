"""Down: shared nodes drawn as explicit probability vectors, parents first (maths 4).

An explicit node keeps its vector where scoring finds it: p in `stay`, gain 0, scale 1. Live topics are the first
columns; a topic-side vector has one more slot, `rest`, for all topics that do not exist yet.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import prange

from pitmanyor import purposes
from pitmanyor.kernels.numbers.draws import gamma, log_gamma, log_tilted_stable, tilted_stable
from pitmanyor.kernels.restaurant.arrays import (
    BASE,
    CONCENTRATION,
    CUSTOMERS,
    DISCOUNT,
    EXPLICIT,
    GAIN,
    GEM,
    KIND,
    LEARNED,
    LIVE,
    N_LIVE,
    N_PARENTS,
    NODE,
    PRIOR_FIRST,
    REST,
    ROW,
    SCALE,
    TABLES,
    TO_REST,
    WIDE,
    Floats,
    Ints,
)
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import allocating, inlined, inner, kernel, spread
from pitmanyor.kernels.runtime.random import stream_key

LEAST_BASE = 1e-300  # of a base measure, so that its logarithm is finite
LEAST_MASS = 1e-200  # below it a tilted stable variable is stable to the last bit, and only ratios matter


@bundle
class Family(NamedTuple):
    """Parent cells of shared cells, in CSR form."""

    first: Ints
    parent: Ints


@bundle
class Vectors(NamedTuple):
    """Per restaurant: v, g and sum J of maths 4, in logs since each can underflow; and the mass of the rest slot.

    Vectors of packed cells are not kept but drawn again (redrawn_rows.py), for which there is more to remember.
    """

    log_v: Floats
    log_g: Floats
    log_total: Floats
    rest: Floats
    scale: Floats  # 1 / sum J; of an empty restaurant the sum itself, of J / exp(shift)
    shift: Floats
    counter: Ints  # by cell, if any is packed: how many random numbers were used before those of its customers


@inlined
def base_mass(net, family, cell, node, qt, k):
    """H_k = sum_i rho_i p_i[k] from the explicit parents of a cell."""
    f = family.first[cell]
    n_parents = net.nodes[node, N_PARENTS]
    if n_parents == 0:
        return net.reals[node, BASE]
    total = 0.0
    for i in range(n_parents):
        parent = family.parent[f + i]
        p = float(net.stay[net.cells[parent, ROW] + k * net.nodes[net.cells[parent, NODE], WIDE]])
        total += p if n_parents == 1 else net.weight[qt + i] * p
    return total


@inlined
def has_one_base(net, family, cell, node):
    """Is the base mass of a word the same under every topic?"""
    n_parents = net.nodes[node, N_PARENTS]
    return n_parents == 0 or (
        n_parents == 1 and net.nodes[net.cells[family.parent[family.first[cell]], NODE], WIDE] == 0
    )


@inner
def draw_scalars(net, vectors, node, q, qt, key):
    """rho, v and g of one restaurant from its tables: v ~ Beta(b, C), g ~ Gamma(b/a + T) (maths 4, switching)."""
    n = 0
    n_parents = net.nodes[node, N_PARENTS]
    if n_parents > 1 and net.nodes[node, LEARNED]:
        total = 0.0
        for i in range(n_parents):
            net.weight[qt + i], n = gamma(net.prior[net.nodes[node, PRIOR_FIRST] + i] + net.n_to[qt + i], key, n)
            total += net.weight[qt + i]
        for i in range(n_parents):
            net.weight[qt + i] /= total
    a, b = net.reals[node, DISCOUNT], net.rests[CONCENTRATION, q]
    if a > 0.0 and net.nodes[node, KIND] != GEM:
        vectors.log_v[q] = 0.0
        if net.totals[q, CUSTOMERS] > 0:
            x, n = log_gamma(b, key, n)
            y, n = log_gamma(float(net.totals[q, CUSTOMERS]), key, n)
            vectors.log_v[q] = -np.logaddexp(0.0, y - x)
        vectors.log_g[q], n = log_gamma(b / a + net.totals[q, TABLES], key, n)
        net.rests[GAIN, q] = math.exp(vectors.log_g[q])  # until the node is explicit, `gain` holds g


@inlined
def jump(net, vectors, node, q, i, base, key, n):
    """J of the dish at i: Gamma(c - a t) + tilted-stable(g H), or Gamma(c + b H) without discount."""
    a = net.reals[node, DISCOUNT]
    if a == 0.0:
        return gamma(net.counts[i, CUSTOMERS] + net.rests[CONCENTRATION, q] * base, key, n)
    x, n = tilted_stable(a, net.rests[GAIN, q] * base, key, n)
    if net.counts[i, CUSTOMERS] > 0:
        y, n = gamma(net.counts[i, CUSTOMERS] - a * net.counts[i, TABLES], key, n)
        x += y
    return x, n


@inlined
def log_jump(net, vectors, node, q, base, key, n):
    """log J of a dish in an empty restaurant, where J itself may underflow."""
    a = net.reals[node, DISCOUNT]
    if a == 0.0:
        return log_gamma(net.rests[CONCENTRATION, q] * base, key, n)
    return log_tilted_stable(a, max(math.exp(vectors.log_g[q]), LEAST_MASS) * base, key, n)


@allocating
def draw_topic_row(net, vectors, family, cell, seed):
    """One topic-side restaurant: p over the live topics and the rest slot."""
    node = net.cells[cell, NODE]
    row, q, qt = net.cells[cell, ROW], net.cells[cell, REST], net.cells[cell, TO_REST]
    key = stream_key(seed[0], seed[1], seed[2], cell, purposes.DOWN_SCALARS)
    draw_scalars(net, vectors, node, q, qt, key)
    key, n = stream_key(seed[0], seed[1], seed[2], cell, purposes.DOWN), np.int64(0)
    n_live = net.status[N_LIVE]
    a, b = net.reals[node, DISCOUNT], net.rests[CONCENTRATION, q]
    work = np.empty(n_live + 1)
    shift = 0.0
    if net.nodes[node, KIND] == GEM:
        for k in range(n_live):
            work[k], n = gamma(net.counts[row + k, CUSTOMERS] - a, key, n)
        work[n_live], n = gamma(b + a * n_live, key, n)
    elif net.totals[q, CUSTOMERS] > 0:
        for k in range(n_live):
            work[k], n = jump(net, vectors, node, q, row + k, base_mass(net, family, cell, node, qt, k), key, n)
        work[n_live], n = _rest_jump(net, vectors, family, cell, node, False, key, n)
    else:
        shift = -np.inf
        for k in range(n_live):
            work[k], n = log_jump(net, vectors, node, q, base_mass(net, family, cell, node, qt, k), key, n)
            shift = max(shift, work[k])
        work[n_live], n = _rest_jump(net, vectors, family, cell, node, True, key, n)
        shift = max(shift, work[n_live])
        for k in range(n_live + 1):
            work[k] = math.exp(work[k] - shift)
    total = work.sum()
    for k in range(n_live):
        net.stay[row + k] = work[k] / total
    for k in range(n_live, (len(net.status) - LIVE)):
        net.stay[row + k] = 0.0
    vectors.rest[q] = work[n_live] / total
    vectors.log_total[q] = math.log(total) + shift


@inner
def _rest_jump(net, vectors, family, cell, node, logs, key, n):
    """J of the rest slot: no customers, base mass of the parents' rest slots; nothing below a finite root."""
    f = family.first[cell]
    n_parents = net.nodes[node, N_PARENTS]
    base = 0.0
    for i in range(n_parents):
        rest = vectors.rest[net.cells[family.parent[f + i], REST]]
        base += rest if n_parents == 1 else net.weight[net.cells[cell, TO_REST] + i] * rest
    if base <= 0.0:
        return (-np.inf if logs else 0.0), n
    q, a = net.cells[cell, REST], net.reals[node, DISCOUNT]
    if logs:
        return log_jump(net, vectors, node, q, base, key, n)
    if a == 0.0:
        return gamma(net.rests[CONCENTRATION, q] * base, key, n)
    return tilted_stable(a, net.rests[GAIN, q] * base, key, n)


@spread
def draw_topic_node(net, vectors, family, start, stop, seed):
    """All restaurants of one topic-side node (cells start..stop-1)."""
    for cell in prange(start, stop):
        draw_topic_row(net, vectors, family, cell, seed)


@inner
def _word_scalar(net, vectors, node, q, qt, seed):
    draw_scalars(net, vectors, node, q, qt, stream_key(seed[0], seed[1], seed[2], q, purposes.DOWN_SCALARS))


@spread
def draw_word_scalars(net, vectors, node, rest, to_rest, size, seed):
    """rho, v and g of a word-side node's restaurants, which start at `rest` (and `to_rest`)."""
    for j in prange(size):
        _word_scalar(net, vectors, node, rest + j, to_rest + j * net.nodes[node, N_PARENTS], seed)


@kernel
def mark_explicit(net, node, start, stop):
    """Let scoring read node's vectors: gain 0, scale 1 in its restaurants start..stop-1."""
    net.nodes[node, EXPLICIT] = 1
    for q in range(start, stop):
        net.rests[GAIN, q] = 0.0
        net.rests[SCALE, q] = 1.0
