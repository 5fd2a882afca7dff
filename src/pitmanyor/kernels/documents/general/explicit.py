"""The explicit sweep: shared nodes are vectors, so documents are independent and run on all cores (maths 4).

A token costs the topics of its document. For a topic that the document does not hold, A(leaf, k) A(word leaf, w) is a
sum of products over pairs of shared positions of the two sides; a pair's sum over all topics is cached per word where
neither side depends on the document, else summed on the spot.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba import prange

from pitmanyor import purposes
from pitmanyor.kernels.documents.general.document import (
    load_document,
    load_run,
    save_document,
    save_run,
    set_word_cells,
    word_leaf,
    word_part,
)
from pitmanyor.kernels.documents.general.local_nodes import evaluate, leave_local, linearise, plan_leaving, seat_local
from pitmanyor.kernels.documents.general.scratch import OF_TOPIC, TOKENS, TOPIC, WORD, close_slot, open_slot
from pitmanyor.kernels.documents.one_node.scratch import CONSTANT
from pitmanyor.kernels.documents.sweep_arrays import SweepArrays
from pitmanyor.kernels.restaurant.arrays import (
    AT,
    BLOCK,
    FIRST,
    LEAF,
    ROW,
    SHARED,
    WORD_LIST,
    Floats,
    Ints,
    Reals,
    Side,
)
from pitmanyor.kernels.restaurant.seating import STUCK
from pitmanyor.kernels.restaurant.shared import Franchise
from pitmanyor.kernels.runtime.bundles import of_thread
from pitmanyor.kernels.runtime.jit import inlined, inner, spread
from pitmanyor.kernels.runtime.random import stream_key, uniform
from pitmanyor.kernels.runtime.simd import dot_block, place_in_block

FRESH_TRIES = 32  # draws of a topic outside the document before it is found by a full scan
DOCUMENTS = 16  # visited together by one thread


class Sums(NamedTuple):
    """Cached sums over the held topics of products of a topic-side row and a word's row."""

    pair: Ints  # (topic position + 1, stream, word position + 1) -> index, or -1; position -1 is the constant
    total: Floats  # (index, word)
    blocks: Reals  # (index, word, block)


class ListScratch(NamedTuple):
    """Thread-private scratch, with a leading thread axis: the two sides' lists, and the components of a weight."""

    topics: Ints
    words: Ints
    components: Floats


@inlined
def row_of(net, side, pos):
    return CONSTANT if pos < 0 else net.cells[side.scratch[AT, pos], ROW]


@inlined
def product(values, a, b, k):
    x = 1.0 if a < 0 else float(values[a + k])
    return x if b < 0 else x * float(values[b + k])


@inlined
def dot_part(values, a, b, n_held, block):
    """Sum over the held topics of a block of the product of two rows."""
    lo, hi = block * BLOCK, min((block + 1) * BLOCK, n_held)
    if a >= 0 and b >= 0 and hi - lo == BLOCK:
        return float(dot_block(values, a + lo, b + lo))
    total = 0.0
    for k in range(lo, hi):
        total += product(values, a, b, k)
    return total


@inner
def dot(values, a, b, n_held, blocks):
    """Sum over the held topics of the product of two rows, with its sums over blocks."""
    total = 0.0
    for block in range((n_held + BLOCK - 1) // BLOCK):
        blocks[block] = dot_part(values, a, b, n_held, block)
        total += float(blocks[block])
    return total


@inner
def _fill_sum(net, sums, index, word, row, other, n_held):
    sums.total[index, word] = dot(net.stay, row, other, n_held, sums.blocks[index, word])


@spread
def fill_sums(net, sums, index, row, first, stride, n_words, n_held):
    """Cache one pair: a topic-side row with the rows of every word, which start at `first` and lie `stride` apart."""
    for word in prange(n_words):
        _fill_sum(net, sums, index, word, row, first + word * stride, n_held)


@inlined
def components(arrays, place, s, word, n_held, out):
    """The total weight of topics as if none were held, split over pairs of positions (into `out`)."""
    part, _, word_side, _ = place
    net, doc, sums = arrays.franchise.net, arrays.scratch, arrays.sums
    total, c = 0.0, 0
    for j in range(-1, part[1]):
        a = doc.forms[TOPIC, 0] if j < 0 else doc.forms[TOPIC, 1 + j]
        for i in range(-1, word_side[1]):
            b = doc.forms[WORD, 0] if i < 0 else doc.forms[WORD, 1 + i]
            out[c] = 0.0
            if a != 0.0 and b != 0.0:
                cached = sums.pair[j + 1, s, i + 1]
                if cached >= 0:
                    mass = sums.total[cached, word]
                else:
                    a_row, b_row = row_of(net, arrays.topics, j), row_of(net, arrays.words, i)
                    mass = dot(net.stay, a_row, b_row, n_held, doc.blocks)
                out[c] = a * b * mass
            total += out[c]
            c += 1
    return total


@inner
def pick_fresh(arrays, place, s, word, n_held, parts, x):
    """The topic into which x, uniform on (0, sum of the components), falls."""
    net, doc, sums = arrays.franchise.net, arrays.scratch, arrays.sums
    n_words = place[2][1] + 1
    c, last = 0, (place[0][1] + 1) * n_words - 1
    while c < last and x >= parts[c]:
        x -= parts[c]
        c += 1
    while parts[c] <= 0.0 and c > 0:  # only rounding can come here
        c -= 1
    j, i = c // n_words - 1, c % n_words - 1
    a, b = row_of(net, arrays.topics, j), row_of(net, arrays.words, i)
    cached = sums.pair[j + 1, s, i + 1]
    if cached >= 0:
        return pick_product(net.stay, a, b, sums.blocks[cached, word], x / parts[c] * sums.total[cached, word], n_held)
    mass = dot(net.stay, a, b, n_held, doc.blocks)
    return pick_product(net.stay, a, b, doc.blocks, x / parts[c] * mass, n_held)


@inner
def pick_product(values, a, b, blocks, x, n_held):
    block, last = 0, (n_held - 1) // BLOCK
    while block < last and x >= blocks[block]:
        x -= blocks[block]
        block += 1
    return pick_in_block(values, a, b, block, x, n_held)


@inner
def pick_uncached(values, a, b, x, n_held):
    """As `pick_product`, where no sums over blocks are at hand."""
    block, last = 0, (n_held - 1) // BLOCK
    while block < last:
        part = dot_part(values, a, b, n_held, block)
        if x < part:
            break
        x -= part
        block += 1
    return pick_in_block(values, a, b, block, x, n_held)


@inner
def pick_in_block(values, a, b, block, x, n_held):
    """The topic of a block into which x falls, uniform on (0, the block's sum of products)."""
    k, end = block * BLOCK, min((block + 1) * BLOCK, n_held) - 1
    if a >= 0 and b >= 0 and end - k == BLOCK - 1:
        k = min(k + place_in_block(values, a + k, b + k, x), end)
    else:
        while k < end:
            weight = product(values, a, b, k)
            if x < weight:
                break
            x -= weight
            k += 1
    while product(values, a, b, k) <= 0.0 and k > 0:  # only rounding can come here
        k -= 1
    return k


@inner
def scan_fresh(net, doc, topics, words, place, n_held, x):
    """As `pick_fresh`, but among topics that no slot holds, by a full scan; -1 if there is none."""
    total, chosen = 0.0, -1
    for turn in range(2):
        reached = 0.0
        for k in range(n_held):
            if doc.slot_of[k] >= 0:
                continue
            left, right = doc.forms[TOPIC, 0], doc.forms[WORD, 0]
            for j in range(place[0][1]):
                left += doc.forms[TOPIC, 1 + j] * product(net.stay, row_of(net, topics, j), CONSTANT, k)
            for i in range(place[2][1]):
                right += doc.forms[WORD, 1 + i] * product(net.stay, row_of(net, words, i), CONSTANT, k)
            reached += left * right
            if turn == 1 and left * right > 0.0:
                chosen = k
                if reached > x * total:
                    return chosen
        total = reached
    return chosen


@inlined
def weigh_slots(net, doc, topics, words, place, local_words, n_held):
    """Weights of the document's held topics, in excess of what the components give them; or, where the word side
    has local nodes (the excess can be negative), their whole weights. Returns their sum and the components' share."""
    part, leaf, word_side, bottom = place
    total, covered = 0.0, 0.0
    for h in range(doc.slots[-1, OF_TOPIC]):
        k = doc.slots[h, OF_TOPIC]
        doc.weights[h] = 0.0
        if k >= n_held:
            continue
        value, base = evaluate(net, doc, topics, part, leaf, h), doc.forms[TOPIC, 0]
        for j in range(part[1]):
            if doc.forms[TOPIC, 1 + j] != 0.0:
                base += doc.forms[TOPIC, 1 + j] * product(net.stay, row_of(net, topics, j), CONSTANT, k)
        word_value = evaluate(net, doc, words, word_side, bottom, h)
        if local_words:
            word_base = doc.forms[WORD, 0]
            for i in range(word_side[1]):
                if doc.forms[WORD, 1 + i] != 0.0:
                    word_base += doc.forms[WORD, 1 + i] * product(net.stay, row_of(net, words, i), CONSTANT, k)
            covered += base * word_base
            doc.weights[h] = value * word_value
        else:
            doc.weights[h] = max(value - base, 0.0) * word_value
        total += doc.weights[h]
    return total, covered


@inlined
def draw_topic(arrays, place, s, word, n_held, parts, key, n):
    """A topic among the held ones for a token that was taken out."""
    net, topics, words, doc = arrays.franchise.net, arrays.topics, arrays.words, arrays.scratch
    local_words = place[3] >= place[2][1]
    whole = components(arrays, place, s, word, n_held, parts)
    held, covered = weigh_slots(net, doc, topics, words, place, local_words, n_held)
    fresh = max(whole - covered, 0.0)
    x = uniform(key, n) * (held + fresh)
    n += 1
    if x < held or fresh <= 0.0:
        h, last = 0, doc.slots[-1, OF_TOPIC] - 1
        while h < last and x >= doc.weights[h]:
            x -= doc.weights[h]
            h += 1
        while doc.weights[h] <= 0.0 and h > 0:  # only rounding can come here
            h -= 1
        return doc.slots[h, OF_TOPIC], n
    if not local_words:
        return pick_fresh(arrays, place, s, word, n_held, parts, x - held), n
    for _ in range(FRESH_TRIES):
        k = pick_fresh(arrays, place, s, word, n_held, parts, uniform(key, n) * whole)
        n += 1
        if doc.slot_of[k] < 0:
            return k, n
    k = scan_fresh(net, doc, topics, words, place, n_held, uniform(key, n))
    if k < 0:  # `fresh` was rounding: every held topic has a slot
        h = 0
        for other in range(doc.slots[-1, OF_TOPIC]):
            if doc.weights[other] > doc.weights[h]:
                h = other
        k = doc.slots[h, OF_TOPIC]
    return k, n + 1


@inlined
def update_token(arrays, place, s, token, n_held, parts, key, n):
    """One Gibbs update of a token given the shared vectors; one whose topic is not held stays."""
    franchise, text, topics, words, doc = arrays.franchise, arrays.text, arrays.topics, arrays.words, arrays.scratch
    net, terms = franchise.net, franchise.terms
    part, leaf, word_side, bottom = place
    k = np.int64(text.topic[token])
    if k >= n_held:
        return n
    h = doc.slot_of[k]
    length, _, n = plan_leaving(franchise, doc, topics, part, leaf, h, key, n)
    word_length, _, n = plan_leaving(franchise, doc, words, word_side, bottom, h, key, n)
    if length == STUCK or word_length == STUCK:
        return n
    leave_local(franchise, doc, topics, length, h)
    leave_local(franchise, doc, words, word_length, h)
    doc.slots[h, TOKENS] -= 1
    if doc.slots[h, TOKENS] == 0:
        close_slot(terms, doc, h)
    linearise(net, doc, topics, part, leaf, TOPIC)
    linearise(net, doc, words, word_side, bottom, WORD)
    k, n = draw_topic(arrays, place, s, text.word[token], n_held, parts, key, n)
    fresh = doc.slot_of[k] < 0
    h = open_slot(net, terms, doc, k)
    doc.slots[h, TOKENS] += 1
    if fresh:
        evaluate(net, doc, topics, part, leaf, h)
        evaluate(net, doc, words, word_side, bottom, h)
    _, n = seat_local(franchise, doc, topics, part, leaf, h, key, n)
    _, n = seat_local(franchise, doc, words, word_side, bottom, h, key, n)
    text.topic[token] = k
    return n


@inlined
def update_stream(arrays, part, d, s, n_held, parts, key, n):
    """One Gibbs update of every token of one stream of a document, run by run of one word."""
    franchise, text, words, doc = arrays.franchise, arrays.text, arrays.words, arrays.scratch
    n_streams, context = text.leaf.shape[1], text.context[d]
    which = text.leaf[context, s, WORD_LIST]
    place = (part, text.leaf[context, s, LEAF], word_part(words, which, False), word_leaf(words, which))
    start, stop = text.first[d * n_streams + s], text.first[d * n_streams + s + 1]
    while start < stop:
        end = start + 1
        while end < stop and text.word[end] == text.word[start]:
            end += 1
        if text.partner[s, s]:
            load_run(franchise, doc, text, words, d, s, text.word[start])
        set_word_cells(words, text, which, start)
        for token in range(start, end):
            n = update_token(arrays, place, s, token, n_held, parts, key, n)
        if text.partner[s, s]:
            save_run(franchise, doc, text, words, d, s, text.word[start])
        start = end
    return n


@inner
def visit_explicit(arrays, d, n_held, parts, key, passes):
    """So many Gibbs updates of every token of document d given the shared vectors."""
    franchise, text, topics, doc = arrays.franchise, arrays.text, arrays.topics, arrays.scratch
    n = np.int64(0)
    context = text.context[d]
    load_document(franchise, doc, text, topics, arrays.words, d)
    part = (topics.lists[context, FIRST], topics.lists[context, SHARED], False)
    for _ in range(passes):
        for s in range(text.leaf.shape[1]):
            n = update_stream(arrays, part, d, s, n_held, parts, key, n)
    save_document(franchise, doc, text, topics, d, key, n)


@inner
def _visit_block(arrays, lists, documents, n_held, seed, passes, block):
    """The documents of one block, in the scratch of the thread that runs it."""
    thread = numba.get_thread_id()
    text, topics, words = arrays.text, arrays.topics, arrays.words
    mine = Side(topics.lists, topics.entries, topics.par, lists.topics[thread], topics.values)
    other = Side(words.lists, words.entries, words.par, lists.words[thread], words.values)
    doc, parts = of_thread(arrays.scratch, thread), lists.components[thread]
    here = SweepArrays(arrays.franchise, text, mine, other, doc, (), arrays.sums, (), arrays.redrawn)
    for j in range(block * DOCUMENTS, min((block + 1) * DOCUMENTS, len(documents))):
        d = documents[j]
        key = stream_key(seed[0], seed[1], seed[2], text.number[d], purposes.EXPLICIT)
        visit_explicit(here, d, n_held, parts, key, passes)


@spread
def explicit_sweep(net, tables, terms, scratch, lists, text, sums, topics, words, documents, n_held, seed, passes):
    """Visit the documents in any order, on any number of threads: each has its own random stream.

    Every token is updated `passes` times.
    """
    for block in prange((len(documents) + DOCUMENTS - 1) // DOCUMENTS):
        arrays = SweepArrays(Franchise(net, tables, terms), text, topics, words, scratch, (), sums, (), ((), (), ()))
        _visit_block(arrays, lists, documents, n_held, seed, passes, block)
