"""The explicit sweep of documents with one local node over one base, whose words have crossed nodes (maths 4)."""

from __future__ import annotations

import numba
import numpy as np
from numba import prange

from pitmanyor.kernels.documents.general.document import lowest_shared, row_of_words
from pitmanyor.kernels.documents.general.explicit import DOCUMENTS, EXPLICIT
from pitmanyor.kernels.documents.one_node.explicit import AHEAD, fetch, fetch_first, row_of_token, weigh
from pitmanyor.kernels.documents.one_node.scratch import load, measure, save, shape_of, take_slots, write_terms
from pitmanyor.kernels.documents.own_words.scratch import (
    close_stream,
    count_restaurant,
    crossing_of,
    open_stream,
    take_crossed,
)
from pitmanyor.kernels.documents.own_words.topic_draw import draw, scale_slots, scaled_terms, weigh_dishes
from pitmanyor.kernels.documents.own_words.word_repeats import (
    close_run,
    end_of_run,
    leave_dish,
    leaves_dish,
    open_run,
    opens_dish,
    seat_dish,
)
from pitmanyor.kernels.restaurant.arrays import DIRICHLET, FIRST, LIVE, PAPER, WORD_LIST
from pitmanyor.kernels.runtime.jit import inlined, inner, spread
from pitmanyor.kernels.runtime.random import stream_key, uniform_pair


@inlined
def update_token(net, tables, terms, sums, slots, crossed, shape, crossing, given, seat, sizes, late, key, n):
    """One Gibbs update; returns the numbers of slots, tables and who have the word, the slot joined, the counter."""
    (place, word, row), (n_slots, n_tables, n_listed) = given, sizes
    real = net.stay.dtype.type
    left = np.uint64(slots.seat[seat])
    u, v = uniform_pair(real, key, n)
    n += 1
    leaves = np.int64(u < slots.leave[left])
    if shape.rule == PAPER and leaves and slots.tables[left] == 1 and slots.customers[left] > 1:
        return sizes, late, n  # this rule keeps the token
    took = np.int64(1)
    if n_listed > 0:
        took, n = leaves_dish(tables, terms, crossed, crossing, left, key, n)
        if took < 0:
            return sizes, late, n
        leave_dish(crossed, left, took)
    slots.customers[left] -= 1
    slots.tables[left] -= leaves
    n_tables -= leaves
    count_restaurant(crossed, crossing, left, -1, -took)
    gone = scaled_terms(tables, terms, slots, crossed, shape, left)
    gain = real(shape.concentration) + real(shape.discount) * real(n_tables)
    held, extra = weigh(net, slots, gain, row, n_slots, late, gone), real(0.0)
    write_terms(slots, late)
    write_terms(slots, gone)
    if n_listed > 0:
        extra = real(weigh_dishes(net, tables, terms, slots, crossed, shape, crossing, gain, row, n_listed))
    h, n_slots, n = draw(
        net, sums, slots, crossed, shape, gain, place, word, row, n_slots, n_listed, held, extra, key, n
    )
    slots.seat[seat] = h
    stays, opening = slots.stay[h], gain * slots.opening[h]
    opens, opened = np.int64(shape.kind != DIRICHLET and v * (stays + opening) >= stays), np.int64(1)
    if n_listed > 0:
        phi = float(net.stay[row + np.uint64(slots.topic[h])])
        opened, n = opens_dish(tables, terms, crossed, crossing, h, phi, key, n)
        n_listed = seat_dish(crossed, h, opened, n_listed)
    slots.customers[h] += 1
    slots.tables[h] += opens
    n_tables += opens
    count_restaurant(crossed, crossing, h, 1, opened)
    return (n_slots, n_tables, n_listed), scaled_terms(tables, terms, slots, crossed, shape, h), n


@inlined
def next_run(text, slots, crossed, crossing, start, stop, first):
    """The run of equal words that begins at a token, and the number of those who have the word.

    Nobody is listed for a word that comes once: its token brings a table and takes it along.
    """
    end, n_listed = end_of_run(text, start, stop), np.int64(0)
    if end - start > 1:
        n_listed = open_run(text, slots.seat, crossed, crossing, (start, end), first)
    return (start, end), n_listed


@inlined
def end_run(tables, terms, text, slots, crossed, crossing, run, first, n_listed):
    """Put a run away; returns its part of the log joint."""
    if n_listed == 0:
        return 0.0
    return close_run(tables, terms, text, slots.seat, crossed, crossing, run, first, n_listed)


@inlined
def update_stream(net, tables, terms, text, sums, words, slots, crossed, shape, crossing, of, tokens, sizes, key, n):
    """The tokens of one stream of a document, run by run of equal words; also returns their part of the log joint."""
    (d, s), (n_slots, n_tables) = of, sizes
    first, stride = text.first[d * text.leaf.shape[1]], np.uint64(len(net.status) - LIVE)
    which = text.leaf[text.context[d], s, WORD_LIST]
    bottom = lowest_shared(words, which)
    place = (s, sums.pair[shape.parent + 1, s, bottom - words.lists[which, FIRST] + 1])
    top, in_order = row_of_words(net, text, words, d, s)
    late = (np.uint64(0), slots.stay[0], slots.opening[0])  # the slot that the last token joined
    joint, run, n_listed = 0.0, (tokens[0], tokens[0]), np.int64(0)
    for token in range(tokens[0], tokens[1]):
        word = np.uint64(text.word[np.uint64(token)])
        row = top + word * stride
        if not in_order:
            row = row_of_token(net, text, words, bottom, token)
        else:
            later = np.uint64(text.word[np.uint64(min(token + AHEAD, tokens[1] - 1))])
            fetch(net, slots, top + later * stride, shape.n_held, n_slots)
        if token == run[1]:
            joint += end_run(tables, terms, text, slots, crossed, crossing, run, first, n_listed)
            run, n_listed = next_run(text, slots, crossed, crossing, token, tokens[1], first)
        seat = np.uint64(token - first)
        if slots.topic[slots.seat[seat]] < shape.n_held:
            now, given = (n_slots, n_tables, n_listed), (place, word, row)
            (n_slots, n_tables, n_listed), late, n = update_token(
                net, tables, terms, sums, slots, crossed, shape, crossing, given, seat, now, late, key, n
            )
    joint += end_run(tables, terms, text, slots, crossed, crossing, run, first, n_listed)
    return n_slots, n_tables, joint, n


@inner
def visit(net, tables, terms, text, sums, topics, words, slots, crossed, d, n_held, key, passes):
    """So many Gibbs updates of every token of document d given the shared vectors; one of a topic not held stays."""
    n, n_streams = np.int64(0), text.leaf.shape[1]
    fetch_first(net, text, words, d, n_held)
    shape = shape_of(net, text, topics, terms, d, n_held)
    n_slots, n_tables = load(net, tables, terms, text, slots, shape, d)
    first = text.first[d * n_streams]
    for turn in range(passes * n_streams):
        s = turn % n_streams
        tokens, sizes = (text.first[d * n_streams + s], text.first[d * n_streams + s + 1]), (n_slots, n_tables)
        crossing = crossing_of(net, terms, words, text.leaf[text.context[d], s, WORD_LIST])
        open_stream(text, slots.seat, crossed, crossing, tokens, first, n_slots)
        scale_slots(tables, terms, slots, crossed, shape, n_slots)
        n_slots, n_tables, joint, n = update_stream(
            net, tables, terms, text, sums, words, slots, crossed, shape, crossing, (d, s), tokens, sizes, key, n
        )
        close_stream(net, text, crossed, crossing, d, n_slots, joint)
    measure(net, tables, terms, text, slots, shape, d, n_slots, n_tables, key, n)
    save(text, slots, shape, d, n_slots)


@inner
def _visit_block(net, tables, terms, bench, crossed, text, sums, topics, words, documents, n_held, seed, passes, block):
    thread = numba.get_thread_id()
    slots, mine = take_slots(bench, thread), take_crossed(crossed, thread)
    for j in range(block * DOCUMENTS, min((block + 1) * DOCUMENTS, len(documents))):
        d = documents[j]
        key = stream_key(seed[0], seed[1], seed[2], d, EXPLICIT)
        visit(net, tables, terms, text, sums, topics, words, slots, mine, d, n_held, key, passes)


@spread
def crossed_sweep(net, tables, terms, bench, crossed, text, sums, topics, words, documents, n_held, seed, passes):
    """Visit the documents in any order, on any number of threads: each has its own random stream.

    Every token is updated `passes` times.
    """
    for block in prange((len(documents) + DOCUMENTS - 1) // DOCUMENTS):
        _visit_block(
            net, tables, terms, bench, crossed, text, sums, topics, words, documents, n_held, seed, passes, block
        )
