"""The explicit sweep for the simplest documents: one local node over one base, no local word nodes (maths 4).

LDA, HDP-LDA, the HPYP model and author-topic models have it. With E = b + a T a topic weighs
[stay + E open p_k] phi_kw. A token weighs the topics of its document, each beyond its share of E * sum of p_k phi_kw
over all topics, which is cached.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import prange

from pitmanyor.kernels.documents.general.document import listed_cell, lowest_shared, row_of_words
from pitmanyor.kernels.documents.general.explicit import DOCUMENTS, EXPLICIT, dot, pick_product
from pitmanyor.kernels.documents.one_node.scratch import (
    NONE,
    join,
    load,
    measure,
    new_terms,
    open_slot,
    save,
    shape_of,
    take_slots,
    write_terms,
)
from pitmanyor.kernels.restaurant.arrays import CELL, DIRICHLET, FIRST, LIVE, MODE, PAPER, ROW, WORD_LIST
from pitmanyor.kernels.runtime.jit import inlined, inner, spread
from pitmanyor.kernels.runtime.random import stream_key, uniform_in, uniform_pair
from pitmanyor.kernels.runtime.simd import LINE, WIDTH, count_below, cumulate, prefetch

AHEAD = 4  # tokens: the rows of words that come are fetched so early


@inner
def heaviest(net, slots, gain, row, n_slots):
    """Where rounding has led beyond the last slot, the one with most weight."""
    best, most = np.uint64(0), -1.0
    for h in range(n_slots):
        k = np.uint64(slots.topic[h])
        weight = float((slots.stay[h] + gain * slots.opening[h]) * net.stay[row + k])
        if weight > most:
            best, most = np.uint64(h), weight
    return best


@inlined
def weigh(net, slots, gain, row, n_slots, late, gone):
    """Prefix sums of the slots' weights beyond what the sum over all topics gives them; their total."""
    total = net.stay.dtype.type(0.0)
    for j in range(0, n_slots, WIDTH):
        h = np.uint64(j)
        total = cumulate(
            slots.stay, slots.opening, slots.column, net.stay, slots.weights, row, gain, h, total, late, gone
        )
    return total


@inlined
def slot_below(slots, x, n_slots):
    """The slot into which x, uniform on (0, sum of the weights), falls."""
    h = np.uint64(0)
    for j in range(0, n_slots, WIDTH):
        h += count_below(slots.weights, x, np.uint64(j))
    return h


@inlined
def row_of_token(net, text, words, bottom, token):
    """Where the row of a token's word starts, if not all words have one."""
    slot, mode = words.entries[bottom, CELL], words.entries[bottom, MODE]
    return np.uint64(net.cells[listed_cell(text, slot, mode, token), ROW])


@inlined
def fetch_first(net, text, words, d, n_held):
    """Have the rows of document d's first tokens come near, while it is loaded."""
    n_streams, stride = text.leaf.shape[1], np.uint64(len(net.status) - LIVE)
    for s in range(n_streams):
        top, in_order = row_of_words(net, text, words, d, s)
        start, stop = text.first[d * n_streams + s], text.first[d * n_streams + s + 1]
        for token in range(start, min(start + AHEAD, stop) if in_order else start):
            row = top + np.uint64(text.word[np.uint64(token)]) * stride
            for j in range(0, min(n_held, WIDTH * LINE), LINE):
                prefetch(net.stay, row + np.uint64(j))


@inlined
def fetch(net, slots, row, n_held, n_slots):
    """Have the part of a word's row come near that the document will read."""
    if n_held <= WIDTH * LINE:
        for j in range(0, n_held, LINE):
            prefetch(net.stay, row + np.uint64(j))
    else:
        for h in range(n_slots):
            prefetch(net.stay, row + np.uint64(slots.column[np.uint64(h)]))


@inlined
def sum_of(net, sums, slots, shape, s, pair, word, row):
    """sum_k p_k phi_kw over the held topics, from where it is cached, or made."""
    if pair >= 0:
        return sums.total[pair, word]
    if slots.stamp[s, word, 0] != shape.row or slots.stamp[s, word, 1] != np.int64(row):
        slots.sums[s, word] = dot(net.stay, shape.row, np.int64(row), shape.n_held, slots.blocks)
        slots.stamp[s, word, 0], slots.stamp[s, word, 1] = shape.row, np.int64(row)
    return slots.sums[s, word]


@inlined
def fresh_topic(net, sums, slots, shape, pair, word, row, x):
    """A topic in proportion to p_k phi_kw; x is uniform on (0, 1)."""
    if pair >= 0:
        blocks, mass = sums.blocks[pair, word], x * sums.total[pair, word]
        return pick_product(net.stay, shape.row, np.int64(row), blocks, mass, shape.n_held)
    mass = dot(net.stay, shape.row, np.int64(row), shape.n_held, slots.blocks)
    return pick_product(net.stay, shape.row, np.int64(row), slots.blocks, x * mass, shape.n_held)


@inlined
def draw(net, sums, slots, shape, gain, s, pair, word, row, n_slots, held, u):
    """A slot in proportion to its weight, among the document's or afresh; u is uniform on (0, 1)."""
    real = net.stay.dtype.type
    scale = shape.constant if shape.row < 0 else 1.0
    fresh = gain * real(scale * sum_of(net, sums, slots, shape, s, pair, word, row))
    x = u * (held + fresh)
    if x >= held and fresh > real(0.0):
        k = np.uint64(fresh_topic(net, sums, slots, shape, pair, word, row, (x - held) / fresh))
        if slots.slot_of[k] == NONE:
            return open_slot(net, slots, shape, k, n_slots)
        return np.uint64(slots.slot_of[k]), n_slots
    h = slot_below(slots, x, n_slots)
    if h >= np.uint64(n_slots):
        h = heaviest(net, slots, gain, row, n_slots)
    return h, n_slots


@inlined
def update_stream(net, tables, terms, text, sums, words, slots, shape, d, s, stand, key):
    """One Gibbs update of every token of one stream of a document; one whose topic is not held stays.

    `stand` and what is returned: the numbers of slots, of tables and of random draws used, and the slot that the last
    token joined, with terms that are not in the arrays yet.
    """
    n_slots, n_tables, n, late = stand
    n_streams = text.leaf.shape[1]
    start, stride = text.first[d * n_streams], np.uint64(len(net.status) - LIVE)
    real = net.stay.dtype.type
    a, b = real(shape.discount), real(shape.concentration)
    which = text.leaf[text.context[d], s, WORD_LIST]
    bottom = lowest_shared(words, which)
    pair = sums.pair[shape.parent + 1, s, bottom - words.lists[which, FIRST] + 1]
    top, in_order = row_of_words(net, text, words, d, s)
    stop = text.first[d * n_streams + s + 1]
    for token in range(text.first[d * n_streams + s], stop):
        seat, word = np.uint64(token - start), np.uint64(text.word[np.uint64(token)])
        row = top + word * stride
        if not in_order:
            row = row_of_token(net, text, words, bottom, token)
        else:
            later = np.uint64(text.word[np.uint64(min(token + AHEAD, stop - 1))])
            fetch(net, slots, top + later * stride, shape.n_held, n_slots)
        left = np.uint64(slots.seat[seat])
        if slots.topic[left] >= shape.n_held:
            continue
        u, v = uniform_pair(real, key, n)
        leaves = np.int64(u < slots.leave[left])
        # first what can be guessed: whether it leaves cannot
        if shape.rule == PAPER and leaves and slots.tables[left] == 1 and slots.customers[left] > 1:
            n += 1
            continue  # this rule keeps the token
        slots.customers[left] -= 1
        slots.tables[left] -= leaves
        n_tables -= leaves
        gone = new_terms(tables, terms, slots, shape, left)
        gain = b + a * real(n_tables)
        held = weigh(net, slots, gain, row, n_slots, late, gone)
        write_terms(slots, late)
        write_terms(slots, gone)
        u = uniform_in(real, key, n + 1)
        h, n_slots = draw(net, sums, slots, shape, gain, s, pair, word, row, n_slots, held, u)
        slots.seat[seat] = h
        stays, opening = slots.stay[h], gain * (slots.opening[h] + slots.base[h])
        opens = shape.kind != DIRICHLET and v * (stays + opening) >= stays
        n += 2
        n_tables += np.int64(opens)
        late = join(tables, terms, slots, shape, h, opens)
    return n_slots, n_tables, n, late


@inlined
def visit(net, tables, terms, text, sums, topics, words, slots, d, n_held, key, passes):
    """So many Gibbs updates of every token of document d given the shared vectors."""
    fetch_first(net, text, words, d, n_held)
    shape = shape_of(net, text, topics, terms, d, n_held)
    n_slots, n_tables = load(net, tables, terms, text, slots, shape, d)
    stand = (n_slots, n_tables, np.int64(0), (np.uint64(0), slots.stay[0], slots.opening[0]))
    for _ in range(passes):
        for s in range(text.leaf.shape[1]):
            stand = update_stream(net, tables, terms, text, sums, words, slots, shape, d, s, stand, key)
    n_slots, n_tables, n, _ = stand
    measure(net, tables, terms, text, slots, shape, d, n_slots, n_tables, key, n)
    save(text, slots, shape, d, n_slots)


@inner
def _visit_block(net, tables, terms, bench, text, sums, topics, words, documents, n_held, seed, passes, block):
    slots = take_slots(bench, numba.get_thread_id())
    for j in range(block * DOCUMENTS, min((block + 1) * DOCUMENTS, len(documents))):
        d = documents[j]
        key = stream_key(seed[0], seed[1], seed[2], d, EXPLICIT)
        visit(net, tables, terms, text, sums, topics, words, slots, d, n_held, key, passes)


@spread
def simple_sweep(net, tables, terms, bench, text, sums, topics, words, documents, n_held, seed, passes):
    """Visit the documents in any order, on any number of threads: each has its own random stream.

    Every token is updated `passes` times.
    """
    for block in prange((len(documents) + DOCUMENTS - 1) // DOCUMENTS):
        _visit_block(net, tables, terms, bench, text, sums, topics, words, documents, n_held, seed, passes, block)
