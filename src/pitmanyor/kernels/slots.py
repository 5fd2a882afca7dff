"""A document's one local node, slot by slot: the scratch of kernels/simple.py and kernels/plain_collapsed.py.

A slot stands for a topic that the document holds. Each quantity is an array by itself, so that loops over slots
vectorise and a token's work stays in registers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pitmanyor.kernels.arrays import (
    BASE,
    CELL,
    CONCENTRATION,
    DIRICHLET,
    DISCOUNT,
    FIRST,
    KIND,
    LEAF,
    NODE,
    OWN,
    PARENTS,
    REST,
    ROW,
    RULE,
    SHIFT,
    TABLE,
    Floats,
    Ints,
    Ints32,
    Reals,
)
from pitmanyor.kernels.desk import LEAVE, LOG_S, OPEN, SMALL, STAY
from pitmanyor.kernels.draws import bernoulli_sum_tables
from pitmanyor.kernels.jit import inlined, inner
from pitmanyor.kernels.measure import JOINT, OMEGA, OPENED, SEATED, ZETA, add_auxiliaries, in_layer, log_restaurant
from pitmanyor.kernels.seating import leave_probability, open_term, stay_term
from pitmanyor.kernels.stirling import log_stirling

CONSTANT = -1  # in place of a row: one for every topic
NONE = np.uint32(0xFFFFFFFF)  # no slot
LANES = 4  # in which weights of slots are summed
COUNTED = 1 << 40  # in place of the number of held topics: shared nodes are counts, and topics are born and die


class Slots(NamedTuple):
    """Scratch of one thread, with a leading thread axis until `take_slots` picks one."""

    topic: np.ndarray  # (slot): uint32
    slot_of: np.ndarray  # (topic): uint32, or NONE
    customers: Ints32
    tables: Ints32
    stay: Reals
    opening: Reals  # (open - 1) p_k: what a table weighs beyond its topic's share of the sum over all topics
    base: Reals  # p_k of the parent
    lanes: Reals
    sums: Floats  # (stream, word): sum over topics of p_k phi_kw, where it depends on the document's parent
    stamp: Ints  # (stream, word, 2): the rows of p and phi for which it stands
    blocks: Floats


class Shape(NamedTuple):
    """What one document's node is."""

    node: int
    kind: int
    rule: int
    index: int
    at: int  # where its terms of small counts start
    discount: float
    concentration: float
    constant: float  # p of every topic, where there is no row
    row: int  # of the parent's p; CONSTANT for a Dirichlet
    parent: int  # its position, -1 for a Dirichlet
    shift: int
    n_held: int


@inner
def take_slots(slots, thread):
    return Slots(
        slots.topic[thread],
        slots.slot_of[thread],
        slots.customers[thread],
        slots.tables[thread],
        slots.stay[thread],
        slots.opening[thread],
        slots.base[thread],
        slots.lanes[thread],
        slots.sums[thread],
        slots.stamp[thread],
        slots.blocks[thread],
    )


@inner
def shape_of(net, text, topics, terms, d, n_held):
    """Document d's node. Under counts its base changes with every token: slots then keep open - 1 by itself."""
    context = text.context[d]
    entry, leaf = topics.lists[context, FIRST], text.leaf[context, 0, LEAF]
    node = net.cells[topics.entries[entry + leaf, CELL], NODE]
    own = net.nodes[node, OWN]
    b = text.concentration[own, d] if own >= 0 else net.rests[CONCENTRATION, terms.cells[0, REST]]
    parent, row, constant = -1, CONSTANT, net.reals[node, BASE]
    if net.nodes[node, KIND] != DIRICHLET:
        parent = topics.par[topics.entries[entry + leaf, PARENTS]]
        constant = 1.0
        if n_held != COUNTED:
            row = net.cells[topics.entries[entry + parent, CELL], ROW]
    index = net.nodes[node, TABLE]
    return Shape(
        node,
        net.nodes[node, KIND],
        net.status[RULE],
        index,
        index * SMALL * SMALL * 4,
        net.reals[node, DISCOUNT],
        b,
        constant,
        row,
        parent,
        net.nodes[node, SHIFT],
        n_held,
    )


@inlined
def place_of(shape, c, t):
    """Where `terms.flat` has the terms of c customers and t tables, both below SMALL."""
    return np.uint64(shape.at + (t * SMALL + c) * 4)


@inner
def far_terms(tables, shape, c, t):
    """stay, open and leave of counts beyond the small ones, or of a Dirichlet."""
    if shape.kind == DIRICHLET:
        return float(c), 1.0, 0.0
    stay = stay_term(tables, shape.index, shape.discount, shape.rule, c, t)
    opens = open_term(tables, shape.index, shape.discount, shape.rule, c, t)
    return stay, opens, leave_probability(tables, shape.index, shape.discount, shape.rule, c, t) if c > 0 else 0.0


@inlined
def set_slot(tables, terms, slots, shape, h):
    """stay and the opening part of slot h from its counts."""
    c, t = np.int64(slots.customers[h]), np.int64(slots.tables[h])
    if c < SMALL and shape.kind != DIRICHLET:
        at = place_of(shape, c, t)
        stay, opens = terms.flat[at + np.uint64(STAY)], terms.flat[at + np.uint64(OPEN)]
    else:
        stay, opens, _ = far_terms(tables, shape, c, t)
    slots.stay[h] = stay
    slots.opening[h] = (opens - 1.0) * slots.base[h]


@inlined
def leaving(tables, terms, slots, shape, h):
    """The probability that a customer leaving slot h takes its table along."""
    c, t = np.int64(slots.customers[h]), np.int64(slots.tables[h])
    if c < SMALL and shape.kind != DIRICHLET:
        return terms.flat[place_of(shape, c, t) + np.uint64(LEAVE)]
    return far_terms(tables, shape, c, t)[2]


@inlined
def base_of(net, shape, k):
    return net.stay[np.uint64(shape.row) + k] if shape.row >= 0 else shape.constant


@inlined
def open_slot(net, slots, shape, h, k):
    """Slot h for topic k, without customers."""
    slots.topic[h], slots.slot_of[k] = k, h
    slots.customers[h], slots.tables[h], slots.stay[h], slots.opening[h] = 0, 0, 0.0, 0.0
    slots.base[h] = base_of(net, shape, k)


@inlined
def slot_at(slots, k):
    return np.uint64(slots.slot_of[np.uint64(k)])


@inner
def load(net, tables, terms, text, slots, shape, d):
    """Slots from document d's tokens; returns their number and the total of tables."""
    n_streams = text.leaf.shape[1]
    n_slots, n_tables = np.int64(0), np.int64(0)
    start, stop = text.first[d * n_streams], text.first[(d + 1) * n_streams]
    for token in range(start, stop):
        if text.topic[token] < 0:  # not seated yet
            continue
        k = np.uint64(text.topic[token])
        if slots.slot_of[k] == NONE:
            open_slot(net, slots, shape, np.uint64(n_slots), k)
            n_slots += 1
        h = slot_at(slots, k)
        opened = np.int64((text.code[token] >> shape.shift) & 1) if shape.kind != DIRICHLET else 0
        slots.customers[h] += 1
        slots.tables[h] += opened
        n_tables += opened
    for h in range(n_slots):
        if slots.topic[h] < shape.n_held:  # the tokens of others stay, and nobody joins them
            set_slot(tables, terms, slots, shape, np.uint64(h))
    for h in range(n_slots, n_slots + 4):
        empty_weight(slots, h)
    return n_slots, n_tables


@inlined
def empty_weight(slots, h):
    """An empty slot that a loop over four at a time may read."""
    slots.stay[h], slots.opening[h], slots.topic[h] = 0.0, 0.0, 0


@inner
def measure(net, tables, terms, text, slots, shape, d, n_slots, n_tables, key, n):
    """What concentrations and the log joint need of document d (maths 1 and 5); clears the slots' customers."""
    n_customers, joint, drawn = 0, 0.0, n_tables
    b, mass = shape.concentration, shape.concentration * shape.constant
    for h in range(n_slots):
        c, t = np.int64(slots.customers[h]), np.int64(slots.tables[h])
        n_customers += c
        slots.customers[h] = 0
        if shape.kind == DIRICHLET:
            opened, n = bernoulli_sum_tables(c, mass, key, n)
            drawn += opened
            joint += math.lgamma(c + mass) - math.lgamma(mass)
        elif c < SMALL:
            joint += terms.flat[place_of(shape, c, t) + np.uint64(LOG_S)]
        else:
            joint += log_stirling(tables, shape.index, c, t)
    out = text.measures[d, 0]
    out[ZETA], out[OMEGA], out[JOINT], out[SEATED], out[OPENED] = 0.0, 0.0, joint, n_customers, n_tables
    if n_customers > 0 and not in_layer(net, shape.node):
        out[JOINT] += log_restaurant(shape.kind, shape.discount, b, n_customers, n_tables)
        add_auxiliaries(net, shape.node, b, n_customers, drawn, key, n, out)


@inner
def save(text, slots, shape, d, n_slots):
    """Write the walks of document d back, and free its slots."""
    n_streams = text.leaf.shape[1]
    start, stop = text.first[d * n_streams], text.first[(d + 1) * n_streams]
    bit = np.uint32(1) << np.uint32(shape.shift)
    if shape.kind != DIRICHLET:
        for token in range(start, stop):
            h = slot_at(slots, text.topic[token])
            opened = slots.tables[h] > 0
            slots.tables[h] -= opened
            text.code[token] = (text.code[token] | bit) if opened else (text.code[token] & ~bit)
    for h in range(n_slots):
        slots.slot_of[np.uint64(slots.topic[h])] = NONE


@inlined
def slot_for(net, slots, shape, k, left, n_slots):
    """The slot of topic k, opened if need be, for a token that left slot `left`; and the number of slots."""
    vacated = slots.customers[left] == 0
    if slots.slot_of[k] != NONE:
        if vacated and np.uint64(slots.slot_of[k]) != left:
            n_slots -= 1
            move_slot(slots, np.uint64(n_slots), left)
        return np.uint64(slots.slot_of[k]), n_slots
    h = np.uint64(n_slots)
    if vacated:
        h = left
        slots.slot_of[slots.topic[left]] = NONE
    else:
        n_slots += 1
    open_slot(net, slots, shape, h, k)
    return h, n_slots


@inlined
def move_slot(slots, last, h):
    """Slot `last` takes the place of h, whose topic the document no longer holds."""
    slots.slot_of[slots.topic[h]] = NONE
    if h != last:
        slots.topic[h], slots.customers[h], slots.tables[h] = (
            slots.topic[last],
            slots.customers[last],
            slots.tables[last],
        )
        slots.stay[h], slots.opening[h], slots.base[h] = slots.stay[last], slots.opening[last], slots.base[last]
        slots.slot_of[slots.topic[h]] = h
    empty_weight(slots, last)
