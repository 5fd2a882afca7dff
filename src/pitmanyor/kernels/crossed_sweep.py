"""The explicit sweep of documents with one local node over one base, whose words have crossed nodes (maths 4).

With E = b + a T of the document's node, one of its topics weighs [stay + E open p_k] A(crossed node, w), where the last
is a factor of phi_kw but for the few topics that have the word. The others weigh E p_k phi_kw. A topic is proposed from
all of these and from E p_k phi_kw of all topics, which is cached; what this proposes of the document's own topics is
rejected, and drawn again.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import prange

from pitmanyor.kernels.arrays import CELL, DIRICHLET, FIRST, LIVE, ROW, WORD_LIST
from pitmanyor.kernels.crossed import (
    close_run,
    close_stream,
    count_restaurant,
    crossing_of,
    dish_of,
    gain_of,
    leave_dish,
    leaves_dish,
    open_run,
    open_stream,
    opens_dish,
    scale_of,
    seat_dish,
    take_crossed,
)
from pitmanyor.kernels.document import lowest_shared
from pitmanyor.kernels.explicit import DOCUMENTS, EXPLICIT
from pitmanyor.kernels.jit import inlined, inner, spread
from pitmanyor.kernels.random import stream_key, uniform_in, uniform_pair
from pitmanyor.kernels.simple import (
    AHEAD,
    fetch,
    fetch_first,
    fresh_topic,
    heaviest,
    row_of_words,
    slot_below,
    sum_of,
    weigh,
)
from pitmanyor.kernels.slots import (
    NONE,
    base_of,
    load,
    measure,
    new_terms,
    open_slot,
    save,
    shape_of,
    take_slots,
    write_terms,
)

TRIES = 16  # proposals of a topic before one is drawn by a full scan


@inlined
def scaled_terms(tables, terms, slots, crossed, shape, h):
    """Slot h with stay and open p_k after a change of its counts, times its factor of phi_kw; not yet written."""
    _, stay, opening = new_terms(tables, terms, slots, shape, h)
    factor = slots.stay.dtype.type(crossed.factor[h])
    return h, stay * factor, (opening + slots.base[h]) * factor


@inlined
def scale_slots(tables, terms, slots, crossed, shape, n_slots):
    """Let the weights of all slots be those of a stream whose restaurants are open."""
    for h in range(n_slots):
        if slots.topic[h] < shape.n_held:
            write_terms(slots, scaled_terms(tables, terms, slots, crossed, shape, np.uint64(h)))


@inner
def weigh_dishes(net, tables, terms, slots, crossed, shape, crossing, gain, row, n_listed):
    """Weights of those who have the word, beyond what their slots give them; returns their total."""
    total = 0.0
    for p in range(n_listed):
        h = np.uint64(crossed.slot[p])
        k = np.uint64(slots.topic[h])
        crossed.weights[p] = 0.0
        if crossed.seated[p] > 0 and k < np.uint64(shape.n_held):
            _, stays, opening = new_terms(tables, terms, slots, shape, h)
            stay, opens = dish_of(tables, terms, crossed, crossing, h)
            dish = stay + gain_of(crossed, crossing, h) * (opens - 1.0) * net.stay[row + k]
            value = stays + gain * (opening + slots.base[h])
            weight = value * dish * scale_of(crossed, crossing, h)
            crossed.weights[p] = weight
            total += weight
    return total


@inlined
def slot_at(net, slots, crossed, gain, row, n_slots, n_listed, held, x):
    """The slot into which x falls, uniform on (0, weights of slots and of those who have the word)."""
    if x < held or n_listed == 0:
        h = slot_below(slots, x, n_slots)
        return h if h < np.uint64(n_slots) else heaviest(net, slots, gain, row, n_slots)
    x, p = x - held, 0
    while p < n_listed - 1 and x >= crossed.weights[p]:
        x -= crossed.weights[p]
        p += 1
    while p > 0 and crossed.weights[p] <= 0.0:  # only rounding can come here
        p -= 1
    return np.uint64(crossed.slot[p])


@inlined
def open_fresh(net, slots, shape, k, n_slots):
    """A slot for topic k, which has none, with its weight."""
    h, n_slots = open_slot(net, slots, shape, k, n_slots)
    slots.opening[h] = slots.base[h]
    return h, n_slots


@inner
def fresh_by_scan(net, slots, shape, row, x):
    """The sum of p_k phi_kw over the topics that have no slot; or, for x >= 0, the topic into which x of it falls."""
    total, chosen = 0.0, np.int64(-1)
    for k in range(shape.n_held):
        weight = float(base_of(net, shape, np.uint64(k)) * net.stay[row + np.uint64(k)])
        if slots.slot_of[k] == NONE and weight > 0.0:
            total, chosen = total + weight, np.int64(k)
            if x >= 0.0 and x < total:
                break
    return total, chosen


@inner
def draw_by_scan(net, slots, crossed, shape, gain, row, n_slots, n_listed, held, extra, key, n):
    """As `draw`, without rejections."""
    real = net.stay.dtype.type
    fresh = gain * real(fresh_by_scan(net, slots, shape, row, real(-1.0))[0])
    x = uniform_in(real, key, n) * (held + extra + fresh)
    if x >= held + extra and fresh > real(0.0):
        _, k = fresh_by_scan(net, slots, shape, row, (x - (held + extra)) / gain)
        return open_fresh(net, slots, shape, np.uint64(k), n_slots)
    return slot_at(net, slots, crossed, gain, row, n_slots, n_listed, held, x), n_slots


@inlined
def draw(net, sums, slots, crossed, shape, gain, place, word, row, n_slots, n_listed, held, extra, key, n):
    """A slot in proportion to its weight, among the document's or afresh; the number of slots, and the counter."""
    s, pair = place
    real = net.stay.dtype.type
    scale = shape.constant if shape.row < 0 else 1.0
    fresh = gain * real(scale * sum_of(net, sums, slots, shape, s, pair, word, row))
    for _ in range(TRIES):
        x = uniform_in(real, key, n) * (held + extra + fresh)
        n += 1
        if x < held + extra:
            return slot_at(net, slots, crossed, gain, row, n_slots, n_listed, held, x), n_slots, n
        if fresh > real(0.0):
            k = np.uint64(fresh_topic(net, sums, slots, shape, pair, word, row, (x - (held + extra)) / fresh))
            if slots.slot_of[k] == NONE:
                h, n_slots = open_fresh(net, slots, shape, k, n_slots)
                return h, n_slots, n
    h, n_slots = draw_by_scan(net, slots, crossed, shape, gain, row, n_slots, n_listed, held, extra, key, n)
    return h, n_slots, n + 1


@inner
def visit(net, tables, terms, text, sums, topics, words, slots, crossed, d, n_held, key):
    """One Gibbs update of every token of document d given the shared vectors; one whose topic is not held stays."""
    n = np.int64(0)
    n_streams, context = text.leaf.shape[1], text.context[d]
    fetch_first(net, text, words, d, n_held)
    shape = shape_of(net, text, topics, terms, d, n_held)
    n_slots, n_tables = load(net, tables, terms, text, slots, shape, d)
    first = text.first[d * n_streams]
    for s in range(n_streams):
        tokens = (text.first[d * n_streams + s], text.first[d * n_streams + s + 1])
        crossing = crossing_of(net, terms, words, text.leaf[context, s, WORD_LIST])
        open_stream(text, slots, crossed, crossing, tokens, first, n_slots)
        scale_slots(tables, terms, slots, crossed, shape, n_slots)
        n_slots, n_tables, joint, n = update_stream(
            net,
            tables,
            terms,
            text,
            sums,
            words,
            slots,
            crossed,
            shape,
            crossing,
            d,
            s,
            tokens,
            n_slots,
            n_tables,
            key,
            n,
        )
        close_stream(net, text, crossed, crossing, d, n_slots, joint)
    measure(net, tables, terms, text, slots, shape, d, n_slots, n_tables, key, n)
    save(text, slots, shape, d, n_slots)


@inlined
def update_stream(
    net, tables, terms, text, sums, words, slots, crossed, shape, crossing, d, s, tokens, n_slots, n_tables, key, n
):
    """The tokens of one stream, run by run of equal words."""
    first, stride = text.first[d * text.leaf.shape[1]], np.uint64(len(net.status) - LIVE)
    real = net.stay.dtype.type
    a, b = real(shape.discount), real(shape.concentration)
    late = (np.uint64(0), slots.stay[0], slots.opening[0])  # the slot that the last token joined
    which = text.leaf[text.context[d], s, WORD_LIST]
    bottom = lowest_shared(words, which)
    place = (s, sums.pair[shape.parent + 1, s, bottom - words.lists[which, FIRST] + 1])
    top, in_order = row_of_words(net, text, words, d, s)
    joint, n_listed, start, end = 0.0, np.int64(0), tokens[0], tokens[0]
    for token in range(tokens[0], tokens[1]):
        seat, word = np.uint64(token - first), np.uint64(text.word[np.uint64(token)])
        row = top + word * stride
        if not in_order:
            row = np.uint64(net.cells[text.cells[words.entries[bottom, CELL], token], ROW])
        else:
            later = np.uint64(text.word[np.uint64(min(token + AHEAD, tokens[1] - 1))])
            fetch(net, slots, top + later * stride, shape.n_held, n_slots)
        if token == end:
            if n_listed > 0:
                joint += close_run(tables, terms, text, slots, crossed, crossing, (start, end), first, n_listed)
                n_listed = np.int64(0)
            start, end = token, token + 1
            while end < tokens[1] and text.word[np.uint64(end)] == text.word[np.uint64(token)]:
                end += 1
            if end - start > 1:  # the only one of its kind brings a table and takes it along
                n_listed = open_run(text, slots, crossed, crossing, (start, end), first)
        left = np.uint64(slots.seat[seat])
        if slots.topic[left] >= shape.n_held:
            continue
        u, v = uniform_pair(real, key, n)
        n += 1
        leaves = np.int64(u < slots.leave[left])
        if leaves and slots.tables[left] == 1 and slots.customers[left] > 1:
            continue  # rule `paper` keeps the token
        took = np.int64(1)
        if n_listed > 0:
            took, n = leaves_dish(tables, terms, crossed, crossing, left, key, n)
            if took < 0:
                continue
            leave_dish(crossed, left, took)
        slots.customers[left] -= 1
        slots.tables[left] -= leaves
        n_tables -= leaves
        count_restaurant(crossed, crossing, left, -1, -took)
        gone = scaled_terms(tables, terms, slots, crossed, shape, left)
        gain = b + a * real(n_tables)
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
        opens = np.int64(shape.kind != DIRICHLET and v * (stays + opening) >= stays)
        opened = np.int64(1)
        if n_listed > 0:
            phi = float(net.stay[row + np.uint64(slots.topic[h])])
            opened, n = opens_dish(tables, terms, crossed, crossing, h, phi, key, n)
            n_listed = seat_dish(crossed, h, opened, n_listed)
        slots.customers[h] += 1
        slots.tables[h] += opens
        n_tables += opens
        count_restaurant(crossed, crossing, h, 1, opened)
        late = scaled_terms(tables, terms, slots, crossed, shape, h)
    if n_listed > 0:
        joint += close_run(tables, terms, text, slots, crossed, crossing, (start, end), first, n_listed)
    return n_slots, n_tables, joint, n


@inner
def _visit_block(net, tables, terms, bench, crossed, text, sums, topics, words, documents, n_held, seed, block):
    thread = numba.get_thread_id()
    slots, mine = take_slots(bench, thread), take_crossed(crossed, thread)
    for j in range(block * DOCUMENTS, min((block + 1) * DOCUMENTS, len(documents))):
        d = documents[j]
        key = stream_key(seed[0], seed[1], seed[2], d, EXPLICIT)
        visit(net, tables, terms, text, sums, topics, words, slots, mine, d, n_held, key)


@spread
def crossed_sweep(net, tables, terms, bench, crossed, text, sums, topics, words, documents, n_held, seed):
    """Visit the documents in any order, on any number of threads: each has its own random stream."""
    for block in prange((len(documents) + DOCUMENTS - 1) // DOCUMENTS):
        _visit_block(net, tables, terms, bench, crossed, text, sums, topics, words, documents, n_held, seed, block)
