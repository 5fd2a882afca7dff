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
    BLOCK,
    CONCENTRATION,
    CUSTOMERS,
    DIRICHLET,
    DISCOUNT,
    DISH,
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
from pitmanyor.kernels.restaurant.packed_rows import entries_of, is_packed
from pitmanyor.kernels.restaurant.small_terms import LOG_S, is_small
from pitmanyor.kernels.runtime.jit import dealt, inlined, inner, n_dealt, spread
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
    """Dishes of the local nodes of one side of the document at hand, into the log joint."""
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
    """Restaurants of the local nodes of the document at hand; a Dirichlet's dishes too."""
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
def _shared_dish(net, tables, terms, node, b, counts, it, key, n, out):
    """One dish of a shared restaurant; returns its tables (drawn for a Dirichlet, one for a gem)."""
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
def _shared_restaurant(net, node, q, qt, t, key, n, out):
    c, b = net.totals[q, CUSTOMERS], net.rests[CONCENTRATION, q]
    if c == 0:
        return
    kind = net.nodes[node, KIND]
    out[JOINT] += log_restaurant(kind, net.reals[node, DISCOUNT], b, c, t)
    for p in range(net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0):
        out[JOINT] += log_mix(net, node, p, net.n_to[qt + p], t)
    add_auxiliaries(net, node, b, c, t, key, n, out)


@inner
def _measure_topic_row(net, tables, terms, cell, out, seed):
    node = net.cells[cell, NODE]
    row, q, to_row = net.cells[cell, ROW], net.cells[cell, REST], net.cells[cell, TO_ROW]
    key, n = stream_key(seed[0], seed[1], seed[2], cell, purposes.MEASURE), np.int64(0)
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    out[:] = 0.0
    total = 0
    b = net.rests[CONCENTRATION, q]
    for k in range(net.status[N_COLUMNS]):
        t, n = _shared_dish(net, tables, terms, node, b, net.counts[row + k], to_row + k * n_parents, key, n, out)
        total += t
    _shared_restaurant(net, node, q, net.cells[cell, TO_REST], total, key, n, out)


@spread
def measure_topics(net, tables, terms, start, stop, out, seed):
    """Measures of the restaurants of a shared topic-side node (cells start..stop-1): a row of `out` for each."""
    for cell in prange(start, stop):
        _measure_topic_row(net, tables, terms, cell, out[cell - start], seed)


@inlined
def _small_dishes(terms, index, block, joint):
    """The log joint with the dishes of a block, all of them small: one without customers adds nothing."""
    for j in range(len(block)):
        joint += terms.small[index, np.uint64(block[j, TABLES]), np.uint64(block[j, CUSTOMERS]), LOG_S]
    return joint


@inner
def _measure_entries(net, tables, terms, cell, drawn, key, out):
    """The dishes of a packed cell, which has no tables per parent."""
    node, q, n = net.cells[cell, NODE], net.cells[cell, REST], np.int64(0)
    first, last = entries_of(net, cell)
    for e in range(first, last):
        k = net.packed[e, DISH]
        b = net.rests[CONCENTRATION, q + k]
        t, n = _shared_dish(net, tables, terms, node, b, net.packed[e], 0, key, n, out)
        drawn[k] += t


@inner
def _measure_word_run(net, tables, terms, start, stop, drawn, out, seed):
    """Dishes of the cells start..stop-1 of a word-side node, all columns of a cell at a time, into the log joint.

    `drawn` gets the auxiliary tables of a Dirichlet, by column.
    """
    node = net.cells[start, NODE]
    n_columns = net.status[N_COLUMNS] if net.nodes[node, WIDE] else 1
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    is_dirichlet, plain = net.nodes[node, KIND] == DIRICHLET, net.nodes[node, N_PARENTS] == 1
    index = np.uint64(max(net.nodes[node, TABLE], 0))
    out[:] = 0.0
    drawn[:] = 0
    for cell in range(start, stop):
        row, to_row, q = net.cells[cell, ROW], net.cells[cell, TO_ROW], net.cells[cell, REST]
        key, n = np.uint64(0), np.int64(0)
        if is_dirichlet:
            key = stream_key(seed[0], seed[1], seed[2], cell, purposes.MEASURE)
        if is_packed(net, cell):
            _measure_entries(net, tables, terms, cell, drawn, key, out)
            continue
        counts = net.counts[row : row + n_columns]
        for first in range(0, n_columns, BLOCK):
            block = counts[first : min(first + BLOCK, n_columns)]
            some, tables_of = np.int32(0), np.int32(0)
            for j in range(len(block)):
                some |= block[j, CUSTOMERS]
                tables_of |= block[j, TABLES]
            if some == 0:
                continue
            if plain and is_small(some, tables_of):
                out[JOINT] = _small_dishes(terms, index, block, out[JOINT])
                continue
            for j in range(len(block)):
                if block[j, CUSTOMERS] > 0:
                    k = first + j
                    b = net.rests[CONCENTRATION, q + k]
                    t, n = _shared_dish(net, tables, terms, node, b, block[j], to_row + k * n_parents, key, n, out)
                    drawn[k] += t


@inner
def _measure_word_restaurant(net, cell, runs, k, drawn, out, seed):
    """Column k of the instance with first cell `cell`, whose runs are runs[0]..runs[1]-1."""
    node = net.cells[cell, NODE]
    q = net.cells[cell, REST] + k
    total = net.totals[q, TABLES]
    if net.nodes[node, KIND] == DIRICHLET:
        total = 0
        for r in range(runs[0], runs[1]):
            total += drawn[r, k]
    # cells have the streams of these keys up to here
    key, n = stream_key(seed[0], seed[1], seed[2], q, purposes.MEASURE), np.int64(1) << 40
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    out[:] = 0.0
    _shared_restaurant(net, node, q, net.cells[cell, TO_REST] + k * n_parents, total, key, n, out)


@spread
def measure_words(net, tables, terms, bounds, instances, drawn, dishes, out, seed):
    """Measures of a word-side node: `out` has a row per (instance, column), `dishes` one per run of cells.

    `bounds` and `instances` are the runs, fixed, so that no number of threads changes a sum; `drawn` is scratch.
    """
    n_runs = len(bounds) - 1
    for turn in prange(n_dealt(n_runs)):
        r = dealt(turn, n_runs)
        if r < n_runs:
            _measure_word_run(net, tables, terms, bounds[r], bounds[r + 1], drawn[r], dishes[r], seed)
    n_columns = drawn.shape[1]
    for j in prange(len(instances) * n_columns):
        runs = (instances[j // n_columns, 0], instances[j // n_columns, 1])
        _measure_word_restaurant(net, bounds[runs[0]], runs, j % n_columns, drawn, out[j], seed)
