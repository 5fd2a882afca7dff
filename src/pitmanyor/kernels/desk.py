"""The desk at which one thread works through a document in the explicit sweep.

A document's local nodes are held sparsely: a *slot* for every topic that the document holds. Slot arrays are indexed
(slot, local node) with the topic side's local nodes first, then those of the word side's lists. Word-side nodes that
are not per topic keep their counts in one common slot, the last.
"""

from __future__ import annotations

from typing import NamedTuple

from pitmanyor.kernels.arrays import DIRICHLET, RULE, Floats, Ints
from pitmanyor.kernels.jit import inner, kernel
from pitmanyor.kernels.seating import leave_probability, open_term, stay_term

SMALL = 64  # counts below it have their terms in `Terms`


class Terms(NamedTuple):
    """Terms of small counts, by (discount, tables, customers), and the graph nodes on the desk."""

    small: Floats  # (..., 2): stay and open
    leave: Floats
    node: Ints
    rest: Ints  # where the concentration of each stands among the restaurants of `Net`


class Desk(NamedTuple):
    """Scratch of one thread (arrays have a leading thread axis until `take` picks one)."""

    topic: Ints  # (slot)
    n_tokens: Ints  # (slot)
    slot: Ints  # (topic) -> slot or -1
    customers: Ints  # (slot, node)
    tables: Ints
    to: Ints  # (slot, node, parent)
    stay: Floats
    open: Floats
    value: Floats  # (slot, node): A(N, k), as evaluated last
    n_customers: Ints  # (slot, node)
    n_tables: Ints
    n_to: Ints
    gain: Floats
    scale: Floats
    weight: Floats
    concentration: Floats  # (node)
    slope: Floats  # (node, shared position): A of a topic not held, per unit of the position's p
    offset: Floats  # (node): its constant part
    form_slope: Floats  # (side, shared position): the same for the leaves of topic and word side
    form_offset: Floats  # (side)
    weights: Floats  # (slot)
    blocks: Floats
    scalars: Ints  # [number of slots]


@inner
def take(desk, thread):
    """The desk of one thread."""
    return Desk(
        desk.topic[thread],
        desk.n_tokens[thread],
        desk.slot[thread],
        desk.customers[thread],
        desk.tables[thread],
        desk.to[thread],
        desk.stay[thread],
        desk.open[thread],
        desk.value[thread],
        desk.n_customers[thread],
        desk.n_tables[thread],
        desk.n_to[thread],
        desk.gain[thread],
        desk.scale[thread],
        desk.weight[thread],
        desk.concentration[thread],
        desk.slope[thread],
        desk.offset[thread],
        desk.form_slope[thread],
        desk.form_offset[thread],
        desk.weights[thread],
        desk.blocks[thread],
        desk.scalars[thread],
    )


@kernel
def fill_terms(terms, tables, discounts, rule):
    """Tabulate stay, open and leave of small counts for every discount."""
    for i in range(len(discounts)):
        for t in range(SMALL):
            for c in range(SMALL):
                if t <= c and (t > 0 or c == 0):
                    terms.small[i, t, c, 0] = stay_term(tables, i, discounts[i], rule, c, t)
                    terms.small[i, t, c, 1] = open_term(tables, i, discounts[i], rule, c, t)
                    if c > 0:
                        terms.leave[i, t, c] = leave_probability(tables, i, discounts[i], rule, c, t)


@inner
def refresh_slot(net, tables, terms, desk, h, node, j):
    """stay and open of node j (graph node `node`) at slot h, from its counts."""
    c, t = desk.customers[h, j], desk.tables[h, j]
    if net.kind[node] == DIRICHLET:
        desk.stay[h, j], desk.open[h, j] = c, 1.0
        return
    index = net.table[node]
    if c < SMALL:
        desk.stay[h, j], desk.open[h, j] = terms.small[index, t, c, 0], terms.small[index, t, c, 1]
    else:
        a, rule = net.discount[node], net.status[RULE]
        desk.stay[h, j] = stay_term(tables, index, a, rule, c, t)
        desk.open[h, j] = open_term(tables, index, a, rule, c, t)


@inner
def refresh_local(net, desk, h, node, j):
    """gain, scale and mixing weights of the restaurant of node j at slot h."""
    b = desk.concentration[j]
    desk.scale[h, j] = 1.0 / (b + desk.n_customers[h, j])
    desk.gain[h, j] = b + net.discount[node] * desk.n_tables[h, j]
    n_parents = net.n_parents[node]
    if n_parents > 1:
        p = net.prior_first[node]
        total = float(desk.n_tables[h, j])
        for i in range(n_parents):
            total += net.prior[p + i]
        for i in range(n_parents):
            if net.learned[node]:
                desk.weight[h, j, i] = (net.prior[p + i] + desk.n_to[h, j, i]) / total
            else:
                desk.weight[h, j, i] = net.prior[p + i]


@inner
def open_slot(net, terms, desk, k):
    """The slot of topic k, made if there is none."""
    h = desk.slot[k]
    if h >= 0:
        return h
    h = desk.scalars[0]
    desk.scalars[0] += 1
    desk.topic[h], desk.slot[k], desk.n_tokens[h] = k, h, 0
    for j in range(len(terms.node)):
        empty_slot(net, terms, desk, h, j)
    return h


@inner
def empty_slot(net, terms, desk, h, j):
    """No customers at (slot, node): its counts, and its restaurant if it is one."""
    desk.customers[h, j], desk.tables[h, j], desk.stay[h, j], desk.open[h, j] = 0, 0, 0.0, 1.0
    desk.n_customers[h, j], desk.n_tables[h, j] = 0, 0
    for p in range(desk.to.shape[2]):
        desk.to[h, j, p], desk.n_to[h, j, p] = 0, 0
    refresh_local(net, desk, h, terms.node[j], j)


@inner
def close_slot(terms, desk, h):
    """Drop slot h, whose topic the document no longer holds; the last slot takes its place."""
    last = desk.scalars[0] - 1
    desk.slot[desk.topic[h]] = -1
    desk.scalars[0] = last
    if h == last:
        return
    desk.topic[h], desk.n_tokens[h] = desk.topic[last], desk.n_tokens[last]
    desk.slot[desk.topic[h]] = h
    for j in range(len(terms.node)):
        desk.customers[h, j], desk.tables[h, j] = desk.customers[last, j], desk.tables[last, j]
        desk.stay[h, j], desk.open[h, j] = desk.stay[last, j], desk.open[last, j]
        desk.n_customers[h, j], desk.n_tables[h, j] = desk.n_customers[last, j], desk.n_tables[last, j]
        desk.gain[h, j], desk.scale[h, j] = desk.gain[last, j], desk.scale[last, j]
        for p in range(desk.to.shape[2]):
            desk.to[h, j, p], desk.n_to[h, j, p] = desk.to[last, j, p], desk.n_to[last, j, p]
            desk.weight[h, j, p] = desk.weight[last, j, p]
