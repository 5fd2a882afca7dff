"""A document's one local node, slot by slot: the scratch of explicit.py and collapsed.py here.

A slot stands for a topic that the document holds. Each quantity is an array by itself, so that loops over slots
vectorise and a token's work stays in registers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pitmanyor.kernels.restaurant.arrays import (
    BASE,
    CELL,
    CONCENTRATION,
    DIRICHLET,
    DISCOUNT,
    FIRST,
    KIND,
    LEAF,
    LOCAL_INDEX,
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
from pitmanyor.kernels.restaurant.count_terms import leave_probability, open_term, stay_term
from pitmanyor.kernels.restaurant.small_terms import LEAVE, OPEN, STAY, STRIDE, is_small, place_of
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.simd import WIDTH

CONSTANT = -1  # in place of a row: one for every topic
NO_SLOT = np.uint32(0xFFFFFFFF)
NOT_SUMMED = -2  # no row
COUNTED = 1 << 40  # in place of the number of held topics: shared nodes are counts, and topics are born and die


@bundle
class ActiveTopics(NamedTuple):
    """Scratch of one thread, with a leading thread axis until `of_thread` picks one."""

    topic: np.ndarray  # (slot): uint32
    column: np.ndarray  # (slot): uint32, where a word's value is read: the topic, or any other where it weighs nothing
    slot_of: np.ndarray  # (topic): uint32, or NO_SLOT
    seat: np.ndarray  # (token of the document): uint32, its slot
    customers: Ints32
    tables: Ints32
    stay: Reals
    opening: Reals  # (open - 1) p_k: weight of a table beyond its topic's share of the sum over all topics
    leave: Reals  # the probability that a customer who leaves takes the table along
    base: Reals  # p_k of the parent
    weights: Reals  # prefix sums
    sums: Floats  # (stream, word): sum over topics of p_k phi_kw, where it depends on the document's parent
    stamp: Ints  # (stream, word, 2): the rows of p and phi for which it stands
    blocks: Floats


class Document(NamedTuple):
    """The current document."""

    d: int
    shape: Shape
    key: np.uint64  # of its random stream


class Shape(NamedTuple):
    """What one document's node is."""

    node: int
    kind: int
    rule: int
    index: int
    discount: float
    concentration: float
    constant: float  # p of every topic, where there is no row
    row: int  # of the parent's p; CONSTANT for a Dirichlet
    parent: int  # its position, -1 for a Dirichlet
    shift: int
    n_held: int


@inlined
def shape_of(net, text, topics, terms, d, n_held):
    """Document d's node. Under counts its base changes with every token: slots then keep open - 1 by itself."""
    context = text.context[d]
    entry, leaf = topics.lists[context, FIRST], text.leaf[context, 0, LEAF]
    node = net.cells[topics.entries[entry + leaf, CELL], NODE]
    own = net.nodes[node, OWN]
    b = (
        text.concentration[own, d]
        if own >= 0
        else net.rests[CONCENTRATION, terms.cells[net.nodes[node, LOCAL_INDEX], REST]]
    )
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
        net.reals[node, DISCOUNT],
        b,
        constant,
        row,
        parent,
        net.nodes[node, SHIFT],
        n_held,
    )


@inner
def far_terms(tables, shape, c, t):
    """stay, open and leave of counts beyond the small ones, or of a Dirichlet."""
    if shape.kind == DIRICHLET:
        return float(c), 1.0, 0.0
    stay = stay_term(tables, shape.index, shape.discount, shape.rule, c, t)
    opens = open_term(tables, shape.index, shape.discount, shape.rule, c, t)
    return stay, opens, leave_probability(tables, shape.index, shape.discount, shape.rule, c, t) if c > 0 else 0.0


@inlined
def new_terms(tables, terms, active, shape, h):
    """Slot h with stay and the opening part after a change of its counts, not yet written; its `leave` is."""
    c, t = np.int64(active.customers[h]), np.int64(active.tables[h])
    real = active.stay.dtype.type
    if shape.kind == DIRICHLET:
        active.leave[h] = 0.0
        return h, real(c), real(0.0)
    if is_small(c, t):
        at = place_of(shape.index, c, t)
        stay, opens = terms.flat[at + np.uint64(STAY)], terms.flat[at + np.uint64(OPEN)]
        active.leave[h] = terms.flat[at + np.uint64(LEAVE)]
    else:
        far, opens_far, active.leave[h] = far_terms(tables, shape, c, t)
        stay, opens = real(far), real(opens_far)
    return h, stay, (opens - real(1.0)) * active.base[h]


@inlined
def join(tables, terms, active, shape, h, opens):
    """One more customer in slot h, and a table if it `opens` one; the slot with its terms, as `new_terms` has them.

    Terms are read for either case before it is known which applies, because the next token waits for them.
    """
    c, t = np.int64(active.customers[h]) + 1, np.int64(active.tables[h])
    active.customers[h] = c
    active.tables[h] = t + np.int64(opens)
    if not is_small(c, t + 1) or shape.kind == DIRICHLET:
        return new_terms(tables, terms, active, shape, h)
    sits = place_of(shape.index, c, t)
    other = sits + np.uint64(STRIDE)
    stay, stay_other = terms.flat[sits + np.uint64(STAY)], terms.flat[other + np.uint64(STAY)]
    ratio, ratio_other = terms.flat[sits + np.uint64(OPEN)], terms.flat[other + np.uint64(OPEN)]
    leave, leave_other = terms.flat[sits + np.uint64(LEAVE)], terms.flat[other + np.uint64(LEAVE)]
    active.leave[h] = leave_other if opens else leave
    opening = (ratio_other if opens else ratio) - active.stay.dtype.type(1.0)
    return h, stay_other if opens else stay, opening * active.base[h]


@inlined
def write_terms(active, change):
    active.stay[change[0]], active.opening[change[0]] = change[1], change[2]


@inlined
def set_slot(tables, terms, active, shape, h):
    """stay and the opening part of slot h from its counts."""
    write_terms(active, new_terms(tables, terms, active, shape, h))


@inlined
def base_of(net, shape, k):
    return net.stay[np.uint64(shape.row) + k] if shape.row >= 0 else shape.constant


@inlined
def open_slot(net, active, shape, k, n_slots):
    """A slot for topic k, which has none: one without customers, or one more. Returns it and the number of slots."""
    h = np.uint64(0)
    while h < np.uint64(n_slots) and active.customers[h] != 0:
        h += np.uint64(1)
    if h < np.uint64(n_slots):
        active.slot_of[active.topic[h]] = NO_SLOT
    else:
        n_slots += 1
        empty_weight(active, n_slots + WIDTH - 1)
    active.topic[h], active.column[h], active.slot_of[k] = k, k, h
    active.customers[h], active.tables[h], active.stay[h], active.opening[h] = 0, 0, 0.0, 0.0
    active.base[h] = base_of(net, shape, k)
    return h, n_slots


@inlined
def empty_weight(active, h):
    """Slot h weighs nothing."""
    active.stay[h], active.opening[h] = 0.0, 0.0
