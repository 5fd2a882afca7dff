"""The explicit sweep for the plain shape: one document node over one shared parent, shared word nodes (maths 4).

HDP-LDA, the HPYP model, author-topic models and LDA have it. Same target as kernels/explicit.py, without its bundles:
the terms of a document's topics lie in a few short arrays. With E = b + a T a topic of the document weighs
[stay + E p_k (open - 1)] phi_kw beyond its share of E * sum_k p_k phi_kw.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np
from numba import prange

from pitmanyor.kernels.arrays import (
    AT_TOKEN,
    BASE,
    CELL,
    CONCENTRATION,
    DIRICHLET,
    DISCOUNT,
    FIRST,
    KIND,
    LEAF,
    MODE,
    NODE,
    OWN,
    PARENTS,
    REST,
    ROW,
    RULE,
    SHIFT,
    TABLE,
    WORD_LIST,
    Floats,
    Ints,
)
from pitmanyor.kernels.desk import LEAVE, LOG_S, OPEN, SMALL, STAY
from pitmanyor.kernels.draws import bernoulli_sum_tables
from pitmanyor.kernels.explicit import CONSTANT, DOCUMENTS, EXPLICIT, dot, pick_product
from pitmanyor.kernels.jit import inlined, inner, spread
from pitmanyor.kernels.measure import JOINT, OPENED, SEATED, add_auxiliaries, log_restaurant
from pitmanyor.kernels.random import stream_key, uniform
from pitmanyor.kernels.seating import leave_probability, open_term, stay_term
from pitmanyor.kernels.stirling import log_stirling

# rows of Sheet.ints and Sheet.reals
TOPIC_OF, SEATS, ROUND = 0, 1, 2
STAYS, EXCESS, MASS, WEIGHT_OF = 0, 1, 2, 3


class Sheet(NamedTuple):
    """Scratch of one thread, with a leading thread axis until `take_sheet` picks one."""

    ints: Ints  # (TOPIC_OF, SEATS or ROUND; slot): topic, customers, tables
    reals: Floats  # (STAYS, EXCESS, MASS or WEIGHT_OF; slot): stay, open - 1, p of the parent, weight
    slot_of: Ints  # (topic) -> slot or -1
    sums: Floats  # (stream, word): sum over topics of p_k phi_kw, where it depends on the document's parent
    stamp: Ints  # (stream, word, 2): the rows of p and phi for which it stands
    blocks: Floats


class Shape(NamedTuple):
    """What one document's node is."""

    node: int
    index: int
    kind: int
    rule: int
    discount: float
    concentration: float
    row: int  # of the parent's p; CONSTANT for a Dirichlet
    parent: int  # its position, -1 for a Dirichlet


@inner
def take_sheet(sheet, thread):
    return Sheet(
        sheet.ints[thread],
        sheet.reals[thread],
        sheet.slot_of[thread],
        sheet.sums[thread],
        sheet.stamp[thread],
        sheet.blocks[thread],
    )


@inlined
def set_slot(tables, terms, sheet, shape, h):
    """stay and open - 1 of slot h from its counts."""
    c, t = sheet.ints[SEATS, h], sheet.ints[ROUND, h]
    if shape.kind == DIRICHLET:
        stay, opens = float(c), 1.0
    elif c < SMALL:
        stay, opens = terms.small[shape.index, t, c, STAY], terms.small[shape.index, t, c, OPEN]
    else:
        stay = stay_term(tables, shape.index, shape.discount, shape.rule, c, t)
        opens = open_term(tables, shape.index, shape.discount, shape.rule, c, t)
    sheet.reals[STAYS, h], sheet.reals[EXCESS, h] = stay, opens - 1.0


@inlined
def set_mass(net, sheet, shape, h):
    """p of the parent at slot h's topic."""
    explicit = shape.row >= 0
    sheet.reals[MASS, h] = (
        float(net.stay[shape.row + sheet.ints[TOPIC_OF, h]]) if explicit else net.reals[shape.node, BASE]
    )


@inlined
def add_slot(sheet, n_slots, k):
    sheet.ints[TOPIC_OF, n_slots], sheet.ints[SEATS, n_slots], sheet.ints[ROUND, n_slots] = k, 0, 0
    sheet.slot_of[k] = n_slots


@inlined
def drop_slot(sheet, h, last):
    """Slot `last` takes the place of h."""
    sheet.slot_of[sheet.ints[TOPIC_OF, h]] = -1
    if h != last:
        for f in range(3):
            sheet.ints[f, h] = sheet.ints[f, last]
            sheet.reals[f, h] = sheet.reals[f, last]
        sheet.slot_of[sheet.ints[TOPIC_OF, h]] = h


@inlined
def leaving(tables, terms, shape, c, t, key, n):
    """Does a leaving customer take its table? Also the counter."""
    if shape.kind == DIRICHLET:
        return False, n
    if c < SMALL:
        p = terms.small[shape.index, t, c, LEAVE]
    else:
        p = leave_probability(tables, shape.index, shape.discount, shape.rule, c, t)
    if p <= 0.0 or p >= 1.0:
        return p >= 1.0, n
    return uniform(key, n) < p, n + 1


@inlined
def weigh(net, sheet, n_slots, gain, row):
    """Weights of the document's topics beyond their share of the sum over all; returns their total."""
    total = 0.0
    for h in range(n_slots):
        excess = sheet.reals[STAYS, h] + gain * sheet.reals[MASS, h] * sheet.reals[EXCESS, h]
        weight = excess * net.stay[row + sheet.ints[TOPIC_OF, h]]
        sheet.reals[WEIGHT_OF, h] = weight
        total += weight
    return total


@inlined
def sum_of(net, sums, sheet, shape, s, pair, word, row, n_held):
    """sum_k p_k phi_kw over the held topics, from the cache it stands in, or made."""
    if pair >= 0:
        return sums.total[pair, word]
    if sheet.stamp[s, word, 0] != shape.row or sheet.stamp[s, word, 1] != row:
        sheet.sums[s, word] = dot(net, shape.row, row, n_held, sheet.blocks)
        sheet.stamp[s, word, 0], sheet.stamp[s, word, 1] = shape.row, row
    return sheet.sums[s, word]


@inner
def fresh_topic(net, sums, sheet, shape, pair, word, row, n_held, x):
    """A topic in proportion to p_k phi_kw; x is uniform on (0, 1)."""
    if pair >= 0:
        return pick_product(net, shape.row, row, sums.blocks[pair, word], x * sums.total[pair, word], n_held)
    mass = dot(net, shape.row, row, n_held, sheet.blocks)
    return pick_product(net, shape.row, row, sheet.blocks, x * mass, n_held)


@inlined
def draw(net, sums, sheet, shape, n_slots, gain, s, pair, word, row, n_held, key, n):
    """A topic for a token that was taken out."""
    total = weigh(net, sheet, n_slots, gain, row)
    scale = net.reals[shape.node, BASE] if shape.row < 0 else 1.0
    fresh = gain * scale * sum_of(net, sums, sheet, shape, s, pair, word, row, n_held)
    x = uniform(key, n) * (total + fresh)
    if x >= total and fresh > 0.0:
        return fresh_topic(net, sums, sheet, shape, pair, word, row, n_held, (x - total) / fresh)
    h = 0
    while h < n_slots - 1 and x >= sheet.reals[WEIGHT_OF, h]:
        x -= sheet.reals[WEIGHT_OF, h]
        h += 1
    while sheet.reals[WEIGHT_OF, h] <= 0.0 and h > 0:  # only rounding can come here
        h -= 1
    return sheet.ints[TOPIC_OF, h]


@inlined
def load(net, tables, terms, text, sheet, shape, d, n_held):
    """Slots of document d's topics; returns their number and the totals of customers and tables."""
    n_streams = text.leaf.shape[1]
    shift = net.nodes[shape.node, SHIFT]
    n_slots, n_customers, n_tables = 0, 0, 0
    start, stop = text.first[d * n_streams], text.first[(d + 1) * n_streams]
    for token in range(start, stop):
        k = np.int64(text.topic[token])
        if k < 0:  # not seated yet
            continue
        if sheet.slot_of[k] < 0:
            add_slot(sheet, n_slots, k)
            n_slots += 1
        n_customers += 1
        h = sheet.slot_of[k]
        opened = np.int64((text.code[token] >> shift) & 1) if shape.kind != DIRICHLET else 0
        sheet.ints[SEATS, h] += 1
        sheet.ints[ROUND, h] += opened
        n_tables += opened
    for h in range(n_slots):
        set_slot(tables, terms, sheet, shape, h)
        set_mass(net, sheet, shape, h)
        if sheet.ints[TOPIC_OF, h] >= n_held:  # its tokens stay, and nobody joins them
            sheet.reals[STAYS, h], sheet.reals[EXCESS, h] = 0.0, 0.0
    return n_slots, n_customers, n_tables


@inlined
def save(net, tables, terms, text, sheet, shape, d, totals, key, n):
    """Measure the document, write its walks back, clear the slots."""
    n_slots, n_customers, n_tables = totals
    out = text.measures[d, 0]
    out[:] = 0.0
    b = shape.concentration
    tables_drawn = n_tables
    if n_customers > 0:
        out[SEATED], out[OPENED] = n_customers, n_tables
        out[JOINT] = log_restaurant(shape.kind, shape.discount, b, n_customers, n_tables)
    mass = b * net.reals[shape.node, BASE]
    for h in range(n_slots):
        c, t = sheet.ints[SEATS, h], sheet.ints[ROUND, h]
        if shape.kind == DIRICHLET:
            drawn, n = bernoulli_sum_tables(c, mass, key, n)
            tables_drawn += drawn
            out[JOINT] += math.lgamma(c + mass) - math.lgamma(mass)
        elif c < SMALL:
            out[JOINT] += terms.small[shape.index, t, c, LOG_S]
        else:
            out[JOINT] += log_stirling(tables, shape.index, c, t)
    if n_customers > 0:
        add_auxiliaries(net, shape.node, b, n_customers, tables_drawn, key, n, out)
    n_streams, shift = text.leaf.shape[1], net.nodes[shape.node, SHIFT]
    if shape.kind != DIRICHLET:
        for token in range(text.first[d * n_streams], text.first[(d + 1) * n_streams]):
            h = sheet.slot_of[text.topic[token]]
            opened = 1 if sheet.ints[ROUND, h] > 0 else 0
            sheet.ints[ROUND, h] -= opened
            text.code[token] = (np.int64(text.code[token]) & ~(1 << shift)) | (opened << shift)
    for h in range(n_slots):
        sheet.slot_of[sheet.ints[TOPIC_OF, h]] = -1


@inlined
def shape_of(net, text, topics, terms, d):
    context = text.context[d]
    entry, leaf = topics.lists[context, FIRST], text.leaf[context, 0, LEAF]
    node = net.cells[topics.entries[entry + leaf, CELL], NODE]
    own = net.nodes[node, OWN]
    b = text.concentration[own, d] if own >= 0 else net.rests[CONCENTRATION, terms.cells[0, REST]]
    parent, row = -1, CONSTANT
    if net.nodes[node, KIND] != DIRICHLET:
        parent = topics.par[topics.entries[entry + leaf, PARENTS]]
        row = net.cells[topics.entries[entry + parent, CELL], ROW]
    return Shape(
        node, net.nodes[node, TABLE], net.nodes[node, KIND], net.status[RULE], net.reals[node, DISCOUNT], b, row, parent
    )


@inner
def visit_plain(net, tables, terms, text, sums, topics, words, sheet, d, n_held, key):
    """One Gibbs update of every token of document d given the shared vectors."""
    n = np.int64(0)
    n_streams, context = text.leaf.shape[1], text.context[d]
    shape = shape_of(net, text, topics, terms, d)
    n_slots, n_customers, n_tables = load(net, tables, terms, text, sheet, shape, d, n_held)
    for s in range(n_streams):
        which = text.leaf[context, s, WORD_LIST]
        bottom = words.lists[which + 1, FIRST] - 1
        first, mode = words.entries[bottom, CELL], words.entries[bottom, MODE]
        pair = sums.pair[shape.parent + 1, s, bottom - words.lists[which, FIRST] + 1]
        for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            k, word = np.int64(text.topic[token]), np.int64(text.word[token])
            if k >= n_held:
                continue
            h = sheet.slot_of[k]
            c, t = sheet.ints[SEATS, h], sheet.ints[ROUND, h]
            leaves, n = leaving(tables, terms, shape, c, t, key, n)
            if leaves and t == 1 and c > 1:
                continue  # rule `paper` keeps the token
            sheet.ints[SEATS, h] = c - 1
            sheet.ints[ROUND, h] = t - leaves
            n_tables -= leaves
            if c == 1:
                n_slots -= 1
                drop_slot(sheet, h, n_slots)
            else:
                set_slot(tables, terms, sheet, shape, h)
            row = net.cells[text.cells[first, token] if mode == AT_TOKEN else first + word, ROW]
            gain = shape.concentration + shape.discount * n_tables
            k = draw(net, sums, sheet, shape, n_slots, gain, s, pair, word, row, n_held, key, n)
            n += 1
            h = sheet.slot_of[k]
            opens = shape.kind != DIRICHLET
            if h < 0:
                h = n_slots
                add_slot(sheet, h, k)
                set_mass(net, sheet, shape, h)
                n_slots += 1
            elif opens:
                stays = sheet.reals[STAYS, h]
                opening = gain * sheet.reals[MASS, h] * (1.0 + sheet.reals[EXCESS, h])
                opens = uniform(key, n) * (stays + opening) >= stays
                n += 1
            sheet.ints[SEATS, h] += 1
            sheet.ints[ROUND, h] += opens
            n_tables += opens
            set_slot(tables, terms, sheet, shape, h)
            text.topic[token] = k
    save(net, tables, terms, text, sheet, shape, d, (n_slots, n_customers, n_tables), key, n)


@inner
def _plain_block(net, tables, terms, sheets, text, sums, topics, words, documents, n_held, seed, block):
    sheet = take_sheet(sheets, numba.get_thread_id())
    for j in range(block * DOCUMENTS, min((block + 1) * DOCUMENTS, len(documents))):
        d = documents[j]
        key = stream_key(seed[0], seed[1], seed[2], d, EXPLICIT)
        visit_plain(net, tables, terms, text, sums, topics, words, sheet, d, n_held, key)


@spread
def plain_sweep(net, tables, terms, sheets, text, sums, topics, words, documents, n_held, seed):
    """Visit the documents in any order, on any number of threads: each has its own random stream."""
    for block in prange((len(documents) + DOCUMENTS - 1) // DOCUMENTS):
        _plain_block(net, tables, terms, sheets, text, sums, topics, words, documents, n_held, seed, block)
