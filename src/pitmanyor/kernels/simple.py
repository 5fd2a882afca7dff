"""The explicit sweep for the simplest documents: one local node over one base, no local word nodes (maths 4).

LDA, HDP-LDA, the HPYP model and author-topic models have it. With E = b + a T a topic weighs
[stay + E open p_k] phi_kw. A token weighs the topics of its document, each beyond its share of E * sum of p_k phi_kw
over all topics, which is cached.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import prange

from pitmanyor.kernels.arrays import AT_TOKEN, CELL, DIRICHLET, FIRST, LIVE, MODE, ROW, WORD_LIST
from pitmanyor.kernels.explicit import DOCUMENTS, EXPLICIT, dot, pick_product
from pitmanyor.kernels.jit import inlined, inner, spread
from pitmanyor.kernels.random import stream_key, uniform
from pitmanyor.kernels.slots import leaving, load, measure, save, set_slot, shape_of, slot_at, slot_for, take_slots

U0, U1, U2, U3, U4 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


@inlined
def weight_at(net, slots, gain, row, h):
    """The weight of slot h beyond what the sum over all topics gives it."""
    return (slots.stay[h] + gain * slots.opening[h]) * net.stay[row + np.uint64(slots.topic[h])]


@inner
def heaviest(net, slots, gain, row, n_slots):
    """Where rounding has led to a slot without weight, the one with most."""
    best, most = U0, -1.0
    for h in range(n_slots):
        weight = float(weight_at(net, slots, gain, row, np.uint64(h)))
        if weight > most:
            best, most = np.uint64(h), weight
    return best


@inlined
def weigh(net, slots, gain, row, n_slots):
    """Weights of the packed slots, summed in four lanes (into `lanes`)."""
    zero = net.stay.dtype.type(0.0)
    a, b, c, d = zero, zero, zero, zero
    for j in range(0, n_slots, 4):
        h = np.uint64(j)
        a += (slots.stay[h] + gain * slots.opening[h]) * net.stay[row + np.uint64(slots.topic[h])]
        b += (slots.stay[h + U1] + gain * slots.opening[h + U1]) * net.stay[row + np.uint64(slots.topic[h + U1])]
        c += (slots.stay[h + U2] + gain * slots.opening[h + U2]) * net.stay[row + np.uint64(slots.topic[h + U2])]
        d += (slots.stay[h + U3] + gain * slots.opening[h + U3]) * net.stay[row + np.uint64(slots.topic[h + U3])]
    slots.lanes[0], slots.lanes[1], slots.lanes[2], slots.lanes[3] = a, b, c, d
    return (float(a) + float(b)) + (float(c) + float(d))


@inlined
def sum_of(net, sums, slots, shape, s, pair, word, row):
    """sum_k p_k phi_kw over the held topics, from where it is cached, or made."""
    if pair >= 0:
        return sums.total[pair, word]
    if slots.stamp[s, word, 0] != shape.row or slots.stamp[s, word, 1] != np.int64(row):
        slots.sums[s, word] = dot(net, shape.row, np.int64(row), shape.n_held, slots.blocks)
        slots.stamp[s, word, 0], slots.stamp[s, word, 1] = shape.row, np.int64(row)
    return slots.sums[s, word]


@inner
def fresh_topic(net, sums, slots, shape, pair, word, row, x):
    """A topic in proportion to p_k phi_kw; x is uniform on (0, 1)."""
    if pair >= 0:
        blocks, mass = sums.blocks[pair, word], x * sums.total[pair, word]
        return pick_product(net, shape.row, np.int64(row), blocks, mass, shape.n_held)
    mass = dot(net, shape.row, np.int64(row), shape.n_held, slots.blocks)
    return pick_product(net, shape.row, np.int64(row), slots.blocks, x * mass, shape.n_held)


@inlined
def draw(net, sums, slots, shape, gain, s, pair, word, row, n_slots, u):
    """A topic in proportion to its weight, among the document's slots or afresh; u is uniform on (0, 1)."""
    held = weigh(net, slots, gain, row, n_slots)
    scale = shape.constant if shape.row < 0 else 1.0
    fresh = gain * scale * sum_of(net, sums, slots, shape, s, pair, word, row)
    x = u * (held + fresh)
    if x >= held and fresh > 0.0:
        return np.uint64(fresh_topic(net, sums, slots, shape, pair, word, row, (x - held) / fresh))
    lane = 0
    while lane < 3 and x >= slots.lanes[lane]:
        x -= slots.lanes[lane]
        lane += 1
    h = np.uint64(lane)
    weight = weight_at(net, slots, gain, row, h)
    while h + U4 < np.uint64(n_slots) and x >= weight:
        x -= weight
        h += U4
        weight = weight_at(net, slots, gain, row, h)
    if weight <= 0.0:
        h = heaviest(net, slots, gain, row, n_slots)
    return np.uint64(slots.topic[h])


@inner
def visit(net, tables, terms, text, sums, topics, words, slots, d, n_held, key):
    """One Gibbs update of every token of document d given the shared vectors; one whose topic is not held stays."""
    n = np.int64(0)
    n_streams, context = text.leaf.shape[1], text.context[d]
    shape = shape_of(net, text, topics, terms, d, n_held)
    n_slots, n_tables = load(net, tables, terms, text, slots, shape, d)
    stride = np.uint64(len(net.status) - LIVE)
    real = net.stay.dtype.type
    for s in range(n_streams):
        which = text.leaf[context, s, WORD_LIST]
        bottom = words.lists[which + 1, FIRST] - 1
        first, mode = words.entries[bottom, CELL], words.entries[bottom, MODE]
        pair = sums.pair[shape.parent + 1, s, bottom - words.lists[which, FIRST] + 1]
        top = np.uint64(net.cells[0 if mode == AT_TOKEN else first, ROW])
        stop = text.first[d * n_streams + s + 1]
        for token in range(text.first[d * n_streams + s], stop):
            if text.topic[token] >= n_held:
                continue
            word = np.int64(text.word[token])
            row = top + np.uint64(word) * stride
            if mode == AT_TOKEN:
                row = np.uint64(net.cells[text.cells[first, token], ROW])
            left = slot_at(slots, text.topic[token])
            leaves = np.int64(uniform(key, n) < leaving(tables, terms, slots, shape, left))
            if leaves and slots.tables[left] == 1 and slots.customers[left] > 1:
                n += 1
                continue  # rule `paper` keeps the token
            slots.customers[left] -= 1
            slots.tables[left] -= leaves
            n_tables -= leaves
            set_slot(tables, terms, slots, shape, left)
            gain = shape.concentration + shape.discount * n_tables
            u = uniform(key, n + 1)
            k = draw(net, sums, slots, shape, real(gain), s, pair, word, row, n_slots, u)
            text.topic[token] = k
            h, n_slots = slot_for(net, slots, shape, k, left, n_slots)
            stays, opening = float(slots.stay[h]), gain * float(slots.opening[h] + slots.base[h])
            opens = np.int64(shape.kind != DIRICHLET and uniform(key, n + 2) * (stays + opening) >= stays)
            n += 3
            slots.customers[h] += 1
            slots.tables[h] += opens
            n_tables += opens
            set_slot(tables, terms, slots, shape, h)
    measure(net, tables, terms, text, slots, shape, d, n_slots, n_tables, key, n)
    save(text, slots, shape, d, n_slots)


@inner
def _visit_block(net, tables, terms, bench, text, sums, topics, words, documents, n_held, seed, block):
    slots = take_slots(bench, numba.get_thread_id())
    for j in range(block * DOCUMENTS, min((block + 1) * DOCUMENTS, len(documents))):
        d = documents[j]
        key = stream_key(seed[0], seed[1], seed[2], d, EXPLICIT)
        visit(net, tables, terms, text, sums, topics, words, slots, d, n_held, key)


@spread
def simple_sweep(net, tables, terms, bench, text, sums, topics, words, documents, n_held, seed):
    """Visit the documents in any order, on any number of threads: each has its own random stream."""
    for block in prange((len(documents) + DOCUMENTS - 1) // DOCUMENTS):
        _visit_block(net, tables, terms, bench, text, sums, topics, words, documents, n_held, seed, block)
