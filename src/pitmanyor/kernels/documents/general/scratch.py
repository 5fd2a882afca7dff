"""Scratch with which one thread works through a document of any graph.

A document's local nodes are held sparsely: a *slot* for every topic that the document holds. Slot arrays are indexed
(slot, local node) with the topic side's local nodes first, then those of the word side's lists. Word-side nodes that
are not per topic keep their counts in one common slot, the last.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from pitmanyor.kernels.numbers.stirling import log_stirling, ratio
from pitmanyor.kernels.restaurant.arrays import (
    CUSTOMERS,
    DIRICHLET,
    DISCOUNT,
    KIND,
    LEARNED,
    N_PARENTS,
    NODE,
    PRIOR_FIRST,
    RULE,
    TABLE,
    TABLES,
    Floats,
    Ints,
)
from pitmanyor.kernels.restaurant.count_terms import leave_probability, open_term, stay_term
from pitmanyor.kernels.restaurant.small_terms import LEAVE, LOG_S, OPEN, STAY, is_small
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined, kernel

OF_TOPIC, TOKENS = 0, 1
N_CUSTOMERS, N_TABLES, TO, N_TO = 2, 3, 4, 5  # after CUSTOMERS and TABLES
VALUE, LOCAL_GAIN, LOCAL_SCALE, WEIGHT = 2, 3, 4, 5  # after STAY and OPEN
TOPIC, WORD, NODES = 0, 1, 2  # rows of forms


@bundle
class DocumentScratch(NamedTuple):
    """Scratch of one thread (arrays have a leading thread axis until `of_thread` picks one)."""

    slots: Ints  # (slot, OF_TOPIC or TOKENS); the common slot holds the number of slots
    slot_of: Ints  # (topic) -> slot or -1
    ints: Ints  # (slot, node, CUSTOMERS ...; TO + 2 p, N_TO + 2 p for parent p)
    reals: Floats  # (slot, node, STAY ...; WEIGHT + p)
    forms: Floats  # (side or NODES + node, 0: offset, 1 + shared position: slope): A of a topic that no slot holds
    concentration: Floats  # (node)
    weights: Floats  # (slot)
    blocks: Floats


@kernel
def fill_terms(small, tables, discounts, rule):
    """Tabulate stay, open and leave of small counts for every discount."""
    for i in range(len(discounts)):
        for t in range(small.shape[1]):
            for c in range(small.shape[2]):
                if t <= c and (t > 0 or c == 0):
                    small[i, t, c, 0] = stay_term(tables, i, discounts[i], rule, c, t)
                    small[i, t, c, 1] = open_term(tables, i, discounts[i], rule, c, t)
                    if t < 2:
                        small[i, t, c, LOG_S] = log_stirling(tables, i, c, t)
                    else:
                        small[i, t, c, LOG_S] = small[i, t - 1, c, LOG_S] + math.log(ratio(tables, i, c, t - 1))
                    if c > 0:
                        small[i, t, c, LEAVE] = leave_probability(tables, i, discounts[i], rule, c, t)


@inlined
def refresh_slot(net, tables, terms, doc, h, node, j):
    """stay and open of node j (graph node `node`) at slot h, from its counts."""
    c, t = doc.ints[h, j, CUSTOMERS], doc.ints[h, j, TABLES]
    if net.nodes[node, KIND] == DIRICHLET:
        doc.reals[h, j, STAY], doc.reals[h, j, OPEN] = c, 1.0
        return
    index = net.nodes[node, TABLE]
    if is_small(c, t):
        doc.reals[h, j, STAY], doc.reals[h, j, OPEN] = terms.small[index, t, c, 0], terms.small[index, t, c, 1]
    else:
        a, rule = net.reals[node, DISCOUNT], net.status[RULE]
        doc.reals[h, j, STAY] = stay_term(tables, index, a, rule, c, t)
        doc.reals[h, j, OPEN] = open_term(tables, index, a, rule, c, t)


@inlined
def refresh_local(net, doc, h, node, j):
    """gain, scale and mixing weights of the restaurant of node j at slot h."""
    b = doc.concentration[j]
    doc.reals[h, j, LOCAL_SCALE] = 1.0 / (b + doc.ints[h, j, N_CUSTOMERS])
    doc.reals[h, j, LOCAL_GAIN] = b + net.reals[node, DISCOUNT] * doc.ints[h, j, N_TABLES]
    n_parents = net.nodes[node, N_PARENTS]
    if n_parents > 1:
        p = net.nodes[node, PRIOR_FIRST]
        total = float(doc.ints[h, j, N_TABLES])
        for i in range(n_parents):
            total += net.prior[p + i]
        for i in range(n_parents):
            if net.nodes[node, LEARNED]:
                doc.reals[h, j, WEIGHT + i] = (net.prior[p + i] + doc.ints[h, j, N_TO + 2 * i]) / total
            else:
                doc.reals[h, j, WEIGHT + i] = net.prior[p + i]


@inlined
def open_slot(net, terms, doc, k):
    """The slot of topic k, made if there is none."""
    h = doc.slot_of[k]
    if h >= 0:
        return h
    h = doc.slots[-1, OF_TOPIC]
    doc.slots[-1, OF_TOPIC] += 1
    doc.slots[h, OF_TOPIC], doc.slot_of[k], doc.slots[h, TOKENS] = k, h, 0
    for j in range(len(terms.cells)):
        empty_slot(net, terms, doc, h, j)
    return h


@inlined
def empty_slot(net, terms, doc, h, j):
    """No customers at (slot, node): its counts, and its restaurant if it is one."""
    doc.ints[h, j, CUSTOMERS], doc.ints[h, j, TABLES], doc.reals[h, j, STAY], doc.reals[h, j, OPEN] = 0, 0, 0.0, 1.0
    doc.ints[h, j, N_CUSTOMERS], doc.ints[h, j, N_TABLES] = 0, 0
    for p in range((doc.ints.shape[2] - TO) // 2):
        doc.ints[h, j, TO + 2 * p], doc.ints[h, j, N_TO + 2 * p] = 0, 0
    refresh_local(net, doc, h, terms.cells[j, NODE], j)


@inlined
def close_slot(terms, doc, h):
    """Drop slot h, whose topic the document no longer holds; the last slot takes its place."""
    last = doc.slots[-1, OF_TOPIC] - 1
    doc.slot_of[doc.slots[h, OF_TOPIC]] = -1
    doc.slots[-1, OF_TOPIC] = last
    if h == last:
        return
    doc.slots[h, OF_TOPIC], doc.slots[h, TOKENS] = doc.slots[last, OF_TOPIC], doc.slots[last, TOKENS]
    doc.slot_of[doc.slots[h, OF_TOPIC]] = h
    for j in range(len(terms.cells)):
        doc.ints[h, j, CUSTOMERS], doc.ints[h, j, TABLES] = doc.ints[last, j, CUSTOMERS], doc.ints[last, j, TABLES]
        doc.reals[h, j, STAY], doc.reals[h, j, OPEN] = doc.reals[last, j, STAY], doc.reals[last, j, OPEN]
        doc.ints[h, j, N_CUSTOMERS], doc.ints[h, j, N_TABLES] = (
            doc.ints[last, j, N_CUSTOMERS],
            doc.ints[last, j, N_TABLES],
        )
        doc.reals[h, j, LOCAL_GAIN], doc.reals[h, j, LOCAL_SCALE] = (
            doc.reals[last, j, LOCAL_GAIN],
            doc.reals[last, j, LOCAL_SCALE],
        )
        for p in range((doc.ints.shape[2] - TO) // 2):
            doc.ints[h, j, TO + 2 * p], doc.ints[h, j, N_TO + 2 * p] = (
                doc.ints[last, j, TO + 2 * p],
                doc.ints[last, j, N_TO + 2 * p],
            )
            doc.reals[h, j, WEIGHT + p] = doc.reals[last, j, WEIGHT + p]
