"""What concentrations and the log joint need of every restaurant (maths 1 and 5).

For a concentration: sum of zeta and of -log(1 - omega). For the log joint: log f without its binomials, times
t! / prod t_to! for each dish, times g for a learned mix.
"""

from __future__ import annotations

import math

import numpy as np
from numba import prange

from pitmanyor import purposes
from pitmanyor.kernels.documents.general.scratch import N_CUSTOMERS, N_TABLES, N_TO, OF_TOPIC, TO
from pitmanyor.kernels.numbers.draws import bernoulli_sum_concentration, bernoulli_sum_tables, log_one_minus_beta
from pitmanyor.kernels.numbers.stirling import log_stirling
from pitmanyor.kernels.restaurant.arrays import (
    BASE,
    CONCENTRATION,
    CUSTOMERS,
    DIRICHLET,
    DISCOUNT,
    GEM,
    KIND,
    LAYER,
    LEARNED,
    N_COLUMNS,
    N_PARENTS,
    N_WORDS,
    NODE,
    PRIOR_FIRST,
    REST,
    REST_WIDE,
    ROW,
    TABLE,
    TABLES,
    TO_REST,
    TO_ROW,
    WIDE,
)
from pitmanyor.kernels.restaurant.small_terms import LOG_S, is_small
from pitmanyor.kernels.runtime.jit import inlined, inner, spread
from pitmanyor.kernels.runtime.random import stream_key

SHORT_RISING = 16  # factors that are multiplied out
# columns of measures; documents have the last two only if a node of theirs is in no layer
JOINT, SEATED, OPENED, ZETA, OMEGA, N_MEASURES = 0, 1, 2, 3, 4, 5


@inner
def log_restaurant(kind, a, b, c, t):
    """log of (b|a)_T / (b)_C; a Dirichlet has no tables."""
    total = math.lgamma(b) - math.lgamma(b + c)
    if kind == DIRICHLET:
        return total
    if a == 0.0:
        return total + t * math.log(b)
    return total + t * math.log(a) + math.lgamma(b / a + t) - math.lgamma(b / a)


@inlined
def log_rising(x, n):
    """log of x (x + 1) ... (x + n - 1): most n are small, and one logarithm is cheaper than two gamma functions."""
    if n > SHORT_RISING:
        return math.lgamma(x + n) - math.lgamma(x)
    product = 1.0
    for i in range(n):
        product *= x + i
    return math.log(product)


@inner
def log_mix(net, node, p, sent, total):
    """One parent's part of log B(lambda + T_to) / B(lambda), or of the fixed weights; `total` once, with p = 0."""
    first = net.nodes[node, PRIOR_FIRST]
    prior = net.prior[first + p]
    if net.nodes[node, LEARNED] == 0:
        return sent * math.log(prior) if sent > 0 else 0.0
    part = log_rising(prior, sent)
    if p == 0:
        whole = 0.0
        for i in range(net.nodes[node, N_PARENTS]):
            whole += net.prior[first + i]
        part -= log_rising(whole, total)
    return part


@inlined
def log_dish(net, tables, terms, node, c, t):
    """log S(c, t; a), or a Dirichlet's Gamma(c + b/n)/Gamma(b/n) which the caller adds."""
    if is_small(c, t):
        return terms.small[net.nodes[node, TABLE], t, c, LOG_S]
    return log_stirling(tables, net.nodes[node, TABLE], c, t)


@inlined
def in_layer(net, node):
    """One concentration for the restaurants of all documents: what it needs follows from counts of counts."""
    return net.nodes[node, LAYER] == 1


@inner
def add_auxiliaries(net, node, b, c, t, key, n, out):
    """omega and zeta of one restaurant with c > 0 customers and t tables (maths 5)."""
    x, n = log_one_minus_beta(float(c), b, key, n)
    z, n = bernoulli_sum_concentration(t, net.reals[node, DISCOUNT], b, key, n)
    out[OMEGA], out[ZETA] = float(out[OMEGA]) - x, float(out[ZETA]) + z
    return n


@inlined
def _add(out, j, column, x):
    """Add in double precision, whatever the documents' measures have: the same with and without the compiler."""
    out[j, column] = float(out[j, column]) + x


@inner
def measure_dishes(net, tables, terms, doc, word_side, out):
    """Add the dishes of the local nodes of one side of the current document to the log joint."""
    common = len(doc.slots) - 1
    for j in range(len(terms.cells)):
        node = terms.cells[j, NODE]
        if net.nodes[node, KIND] == DIRICHLET or (net.nodes[node, N_WORDS] > 0) != word_side:
            continue
        n_parents = net.nodes[node, N_PARENTS]
        narrow = net.nodes[node, WIDE] == 0
        for slot in range(1 if narrow else doc.slots[common, OF_TOPIC]):
            h = common if narrow else slot
            c, t = doc.ints[h, j, CUSTOMERS], doc.ints[h, j, TABLES]
            if c == 0:
                continue
            _add(out, j, JOINT, log_dish(net, tables, terms, node, c, t))
            if n_parents == 0:
                _add(out, j, JOINT, t * math.log(net.reals[node, BASE]))
            elif n_parents > 1:
                _add(out, j, JOINT, log_rising(1.0, t))
                for p in range(n_parents):
                    _add(out, j, JOINT, -log_rising(1.0, doc.ints[h, j, TO + 2 * p]))


@inner
def measure_local(net, terms, doc, key, n, out):
    """Measures of the local restaurants of the current document, and of the dishes of a Dirichlet."""
    common = len(doc.slots) - 1
    for j in range(len(terms.cells)):
        node = terms.cells[j, NODE]
        own = net.nodes[node, REST_WIDE]
        for slot in range(doc.slots[common, OF_TOPIC] if own else 1):
            h = slot if own else common
            c, t = doc.ints[h, j, N_CUSTOMERS], doc.ints[h, j, N_TABLES]
            if c == 0:
                continue
            _add(out, j, SEATED, c)
            _add(out, j, OPENED, t)
            b = doc.concentration[j]
            kind = net.nodes[node, KIND]
            if not in_layer(net, node):
                _add(out, j, JOINT, log_restaurant(kind, net.reals[node, DISCOUNT], b, c, t))
                drawn = t
                if kind == DIRICHLET:
                    drawn, n = _local_dirichlet(net, doc, j, node, b, key, n, out)
                n = add_auxiliaries(net, node, b, c, drawn, key, n, out[j])
            if net.nodes[node, N_PARENTS] > 1:
                for p in range(net.nodes[node, N_PARENTS]):
                    _add(out, j, JOINT, log_mix(net, node, p, doc.ints[h, j, N_TO + 2 * p], t))
    return n


@inner
def _local_dirichlet(net, doc, j, node, b, key, n, out):
    """Auxiliary tables of a document's Dirichlet over topics, and its dishes' part of the log joint."""
    mass = b * net.reals[node, BASE]
    t = 0
    for h in range(doc.slots[len(doc.slots) - 1, OF_TOPIC]):
        c = doc.ints[h, j, CUSTOMERS]
        if c > 0:
            x, n = bernoulli_sum_tables(c, mass, key, n)
            t += x
            _add(out, j, JOINT, log_rising(mass, c))
    return t, n


@inlined
def shared_dish(franchise, node, b, counts, it, key, n, out):
    """One dish of a shared restaurant; returns its tables (drawn for a Dirichlet, one for a gem)."""
    net, tables, terms = franchise
    c, t = counts[CUSTOMERS], counts[TABLES]
    if c == 0:
        return 0, n
    kind = net.nodes[node, KIND]
    if kind == GEM:
        out[JOINT] += math.lgamma(c - net.reals[node, DISCOUNT]) - math.lgamma(1.0 - net.reals[node, DISCOUNT])
        return 1, n
    if kind == DIRICHLET:
        mass = b * net.reals[node, BASE]
        out[JOINT] += log_rising(mass, c)
        return bernoulli_sum_tables(c, mass, key, n)
    out[JOINT] += log_dish(net, tables, terms, node, c, t)
    n_parents = net.nodes[node, N_PARENTS]
    if n_parents == 0:
        out[JOINT] += t * math.log(net.reals[node, BASE])
    elif n_parents > 1:
        out[JOINT] += log_rising(1.0, t)
        for p in range(n_parents):
            out[JOINT] -= log_rising(1.0, net.to[it + p])
    return t, n


@inner
def shared_restaurant(net, node, q, qt, t, key, n, out):
    c, b = net.totals[q, CUSTOMERS], net.rests[CONCENTRATION, q]
    if c == 0:
        return
    kind = net.nodes[node, KIND]
    out[JOINT] += log_restaurant(kind, net.reals[node, DISCOUNT], b, c, t)
    for p in range(net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0):
        out[JOINT] += log_mix(net, node, p, net.n_to[qt + p], t)
    add_auxiliaries(net, node, b, c, t, key, n, out)


@inner
def _measure_topic_row(franchise, cell, out, seed):
    net = franchise.net
    node = net.cells[cell, NODE]
    row, q, to_row = net.cells[cell, ROW], net.cells[cell, REST], net.cells[cell, TO_ROW]
    key, n = stream_key(seed[0], seed[1], seed[2], cell, purposes.MEASURE), np.int64(0)
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    out[:] = 0.0
    total = 0
    b = net.rests[CONCENTRATION, q]
    for k in range(net.status[N_COLUMNS]):
        t, n = shared_dish(franchise, node, b, net.counts[row + k], to_row + k * n_parents, key, n, out)
        total += t
    shared_restaurant(net, node, q, net.cells[cell, TO_REST], total, key, n, out)


@spread
def measure_topics(franchise, start, stop, out, seed):
    """Measures of the restaurants of a shared topic-side node (cells start..stop-1): a row of `out` for each."""
    for cell in prange(start, stop):
        _measure_topic_row(franchise, cell, out[cell - start], seed)
