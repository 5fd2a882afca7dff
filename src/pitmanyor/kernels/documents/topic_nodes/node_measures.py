"""What concentrations and the log joint need of a document's topic nodes (maths 1 and 5)."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.topic_nodes.scratch import (
    CONC,
    FACTS,
    ID,
    LOGS,
    MIXED,
    MOST,
    N_UP,
    NODE_CUSTOMERS,
    NODE_TABLES,
    ONE,
    OPENED_HERE,
    PLACE,
    PRIOR,
    PRIORS,
    SCALARS,
    SENT,
    SITTING,
    SORT,
    TABLES_TO,
    TWO,
    count_at,
)
from pitmanyor.kernels.monitor.log_joint import (
    JOINT,
    OPENED,
    SEATED,
    add_auxiliaries,
    in_layer,
    log_mix,
    log_restaurant,
    log_rising,
)
from pitmanyor.kernels.numbers.draws import bernoulli_sum_tables
from pitmanyor.kernels.numbers.stirling import log_stirling
from pitmanyor.kernels.restaurant.arrays import (
    BASE,
    DIRICHLET,
    DISCOUNT,
    KIND,
    TABLE,
)
from pitmanyor.kernels.restaurant.small_terms import LOG_S, is_small
from pitmanyor.kernels.runtime.jit import inlined, inner


@inner
def long_rising(x, n):
    return log_rising(x, n)


@inlined
def rising(rows, row, x, n):
    """log of x (x + 1) ... (x + n - 1), from a row of `NodeRows.logs` where n is small."""
    if np.uint64(n) < MOST:
        return rows.logs[row * MOST + np.uint64(n)]
    return long_rising(x, np.int64(n))


@inlined
def measure_dishes(franchise, rows, frame, j, n_slots):
    """The topics of local node j, into the log joint (maths 1)."""
    fact, total, small = np.uint64(j) * FACTS, 0.0, franchise.terms.small
    index = franchise.net.nodes[rows.facts[fact + ID], TABLE]
    for h in range(frame.n_bases, n_slots):
        at = count_at(frame, j, h)
        c, t = np.int64(rows.counts[at + SITTING]), np.int64(rows.counts[at + OPENED_HERE])
        if is_small(c, t):  # zero without customers
            total += small[np.uint64(index), np.uint64(t), np.uint64(c), np.uint64(LOG_S)]
        else:
            total += log_stirling(franchise.tables, index, c, t)
        if t > 1 and rows.facts[fact + N_UP] > 1:  # else t! / prod t_to! is one
            to = (rows.counts[at + TABLES_TO], rows.counts[at + TABLES_TO + ONE])
            nothing = np.uint64(0)
            total += rising(rows, nothing, 1.0, t) - rising(rows, nothing, 1.0, to[0])
            total -= rising(rows, nothing, 1.0, to[1])
    return total


@inlined
def mixing(net, rows, j, t):
    """log of a learned mix's B(lambda + T_to) / B(lambda), or of the fixed weights (maths 1)."""
    fact, at = np.uint64(j) * FACTS, np.uint64(j) * SCALARS
    sent = (rows.facts[fact + SENT], rows.facts[fact + SENT + ONE])
    if not rows.facts[fact + MIXED]:
        node = rows.facts[fact + ID]
        return log_mix(net, node, 0, sent[0], t) + log_mix(net, node, 1, sent[1], t)
    row = ONE + np.uint64(rows.facts[fact + PLACE]) * LOGS
    total = rising(rows, row, rows.scalars[at + PRIOR], sent[0])
    total += rising(rows, row + ONE, rows.scalars[at + PRIOR + ONE], sent[1])
    return total - rising(rows, row + TWO, rows.scalars[at + PRIORS], t)


@inlined
def measure(franchise, rows, frame, n_slots, key, n, out):
    """The local nodes, into the log joint and the concentrations' auxiliaries (maths 1 and 5)."""
    net = franchise.net
    for j in range(frame.n_local):
        fact, b = np.uint64(j) * FACTS, rows.scalars[np.uint64(j) * SCALARS + CONC]
        node, at = rows.facts[fact + ID], np.uint64(rows.facts[fact + PLACE])
        c, t = rows.facts[fact + NODE_CUSTOMERS], rows.facts[fact + NODE_TABLES]
        drawn = t
        for i in range(out.shape[1]):
            out[at, np.uint64(i)] = 0.0
        if c == 0:
            continue
        joint = 0.0
        if rows.facts[fact + SORT] == DIRICHLET:
            drawn, joint, n = draw_dirichlet_tables(net, rows, frame, j, n_slots, key, n)
        else:
            joint = measure_dishes(franchise, rows, frame, j, n_slots)
        out[at, np.uint64(SEATED)], out[at, np.uint64(OPENED)] = c, t
        if not in_layer(net, node):
            joint += log_restaurant(net.nodes[node, KIND], net.reals[node, DISCOUNT], b, c, t)
            n = add_auxiliaries(net, node, b, c, drawn, key, n, out[at])
        if rows.facts[fact + N_UP] > 1:
            joint += mixing(net, rows, j, t)
        out[at, np.uint64(JOINT)] = joint


@inner
def draw_dirichlet_tables(net, rows, frame, j, n_slots, key, n):
    """Auxiliary tables of a Dirichlet, its part of the log joint, and the counter."""
    mass = rows.scalars[np.uint64(j) * SCALARS + CONC] * net.reals[rows.facts[np.uint64(j) * FACTS + ID], BASE]
    drawn, joint = np.int64(0), 0.0
    for h in range(frame.n_bases, n_slots):
        c = np.int64(rows.counts[count_at(frame, j, h)])
        t, n = bernoulli_sum_tables(c, mass, key, n)
        drawn += t
        joint += log_rising(mass, c)
    return drawn, joint, n
