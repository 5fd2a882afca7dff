"""A document with one local node, from the stored walks of its tokens to slots and back, and its measures."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.one_node.scratch import NO_SLOT, base_of, empty_weight, set_slot
from pitmanyor.kernels.monitor.log_joint import (
    JOINT,
    OMEGA,
    OPENED,
    SEATED,
    ZETA,
    add_auxiliaries,
    in_layer,
    log_restaurant,
    log_rising,
)
from pitmanyor.kernels.numbers.draws import bernoulli_sum_tables
from pitmanyor.kernels.numbers.stirling import log_stirling
from pitmanyor.kernels.restaurant.arrays import (
    DIRICHLET,
    LOCAL_INDEX,
)
from pitmanyor.kernels.restaurant.small_terms import LOG_S, is_small
from pitmanyor.kernels.runtime.jit import inlined
from pitmanyor.kernels.runtime.simd import WIDTH


@inlined
def table_bit(shape):
    """The bit of a token's walk that says it opened a table; none under a Dirichlet, which has no tables."""
    return np.uint32(0) if shape.kind == DIRICHLET else np.uint32(1) << np.uint32(shape.shift)


@inlined
def load(net, tables, terms, text, active, shape, d):
    """Fill the slots from document d's tokens; returns their number and the total of tables."""
    n_streams = text.leaf.shape[1]
    n_slots, n_tables = np.int64(0), np.int64(0)
    start, stop = text.first[d * n_streams], text.first[(d + 1) * n_streams]
    bit = table_bit(shape)
    for i in range(stop - start):
        token = np.uint64(start + i)
        if text.topic[token] < 0:  # not seated yet
            continue
        k = np.uint64(text.topic[token])
        if active.slot_of[k] == NO_SLOT:
            active.topic[n_slots], active.slot_of[k], active.base[n_slots] = k, n_slots, base_of(net, shape, k)
            active.customers[n_slots], active.tables[n_slots] = 0, 0
            n_slots += 1
        h = np.uint64(active.slot_of[k])
        active.seat[np.uint64(i)] = h
        opened = np.int32((text.code[token] & bit) != 0)
        active.customers[h] += 1
        active.tables[h] += opened
        n_tables += opened
    near = np.uint32(0)  # what weighs nothing is read where something else is: memory is far
    for h in range(n_slots):
        empty_weight(active, h)
        if active.topic[h] < shape.n_held:  # tokens of other topics stay, and no token joins them
            set_slot(tables, terms, active, shape, np.uint64(h))
            near = active.topic[h]
        active.column[h] = near
    for h in range(n_slots, n_slots + WIDTH):
        empty_weight(active, h)
        active.column[h] = near
    return n_slots, n_tables


@inlined
def measure(arrays, document, n_slots, n_tables, n):
    """What concentrations and the log joint need of the document (maths 1 and 5); clears the slots' customers."""
    net, active, shape, key = arrays.franchise.net, arrays.scratch, document.shape, document.key
    n_customers, joint, drawn = 0, 0.0, n_tables
    b, mass = shape.concentration, shape.concentration * shape.constant
    for h in range(n_slots):
        c, t = np.int64(active.customers[h]), np.int64(active.tables[h])
        n_customers += c
        active.customers[h] = 0
        if shape.kind == DIRICHLET:
            opened, n = bernoulli_sum_tables(c, mass, key, n)
            drawn += opened
            joint += log_rising(mass, c)
        elif is_small(c, t):
            joint += arrays.franchise.terms.small[shape.index, t, c, LOG_S]
        else:
            joint += log_stirling(arrays.franchise.tables, shape.index, c, t)
    out = arrays.text.measures[document.d, net.nodes[shape.node, LOCAL_INDEX]]
    out[SEATED], out[OPENED] = n_customers, n_tables
    if not in_layer(net, shape.node):
        out[ZETA], out[OMEGA] = 0.0, 0.0
        if n_customers > 0:
            joint += log_restaurant(shape.kind, shape.discount, b, n_customers, n_tables)
            add_auxiliaries(net, shape.node, b, n_customers, drawn, key, n, out)
    out[JOINT] = joint


@inlined
def save(text, active, shape, d, n_slots):
    """Write the walks of document d back, and free its slots."""
    n_streams = text.leaf.shape[1]
    start, stop = text.first[d * n_streams], text.first[(d + 1) * n_streams]
    bit = table_bit(shape)
    for i in range(stop - start):
        token, h = np.uint64(start + i), np.uint64(active.seat[np.uint64(i)])
        text.topic[token] = active.topic[h]
        opened = active.tables[h] > 0
        active.tables[h] -= np.int32(opened)
        text.code[token] = (text.code[token] & ~bit) | (bit if opened else np.uint32(0))
    free_slots(active, n_slots)


@inlined
def free_slots(active, n_slots):
    """No topic has a slot."""
    for h in range(n_slots):
        active.slot_of[np.uint64(active.topic[h])] = NO_SLOT
