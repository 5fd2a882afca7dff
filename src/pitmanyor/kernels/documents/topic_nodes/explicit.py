"""The explicit sweep where every stream's topics are local: general/explicit.py's target, in rows that vectorise.

A local node has two parents at most. Topics are drawn as `topic_draw.py` says or, where words may be the document's
own, as `own_words_draw.py` does; where no stream has such words `own` is an empty tuple, and Numba compiles nothing
of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba import prange

from pitmanyor import purposes
from pitmanyor.kernels.documents.fold_sweeps import NEW, is_seated
from pitmanyor.kernels.documents.general.document import listed_cell, lowest_shared
from pitmanyor.kernels.documents.one_node.scratch import NO_SLOT, NOT_SUMMED
from pitmanyor.kernels.documents.own_words.token_words import (
    UNLISTED,
    close_words,
    leave_word,
    leaves_word,
    open_words,
    seat_word,
    turn_to,
)
from pitmanyor.kernels.documents.product_sums import dot
from pitmanyor.kernels.documents.sweep_arrays import DOCUMENTS, end_of_block, in_thread, n_blocks
from pitmanyor.kernels.documents.topic_nodes.leaf_mean import move_parts, set_parts
from pitmanyor.kernels.documents.topic_nodes.node_facts import set_nodes
from pitmanyor.kernels.documents.topic_nodes.node_seating import leave, seat
from pitmanyor.kernels.documents.topic_nodes.own_words_draw import draw_own, move_words
from pitmanyor.kernels.documents.topic_nodes.scratch import (
    CONTEXT,
    NODE_GAIN,
    OF_TOPICS,
    ONE,
    SCALARS,
    SPAN,
    TWO,
    Document,
    clear_slot,
    frame_of,
    move_slot,
    open_slot,
)
from pitmanyor.kernels.documents.topic_nodes.stored_walks import load, save
from pitmanyor.kernels.documents.topic_nodes.topic_draw import Token, draw, evaluate, evaluate_slot
from pitmanyor.kernels.restaurant.arrays import AT_WORD, CELL, LEAF, LIVE, MODE, ROW, SHARED, WORD_LIST
from pitmanyor.kernels.runtime.jit import inlined, spread
from pitmanyor.kernels.runtime.random import stream_key, uniform_in
from pitmanyor.kernels.runtime.simd import LINE, WIDTH, prefetch
from pitmanyor.kernels.switching.redrawn_rows import row_of_cell

FETCHED_TOKENS = 32  # tokens of the next document, of each stream, whose rows are fetched
FAR, LATER = 16, 8  # documents ahead: where a document's text begins is fetched, then the text itself


class Lines(NamedTuple):
    """Where a stream's rows of phi lie in a context."""

    stream: int
    mode: int  # how the cell of a token's word is found
    first: np.uint64  # the slot of `Text.cells`, or the row of the first word; its cell, if any is packed
    step: np.uint64  # from one word's row to the next


@inlined
def topic_for(arrays, own, document, mean, token, sizes, n):
    """A topic for a token that was taken out, and the counter."""
    rows = arrays.scratch
    gain = rows.scalars[np.uint64(token.leaf) * SCALARS + NODE_GAIN]
    if len(own) == 0:
        u = uniform_in(rows.reals.dtype.type, document.key, n)
        return np.int64(draw(arrays, document.frame, mean, gain, token, sizes[0], u)), n + 1
    return draw_own(arrays, document, mean, gain, token, sizes, n)


@inlined
def slot_for(arrays, frame, mean, leaf, k, left, sizes):
    """A slot for a token of topic k that was taken out of slot `left`, or is new; opened if need be.

    Also the numbers of slots and of topics that have its word.
    """
    rows, (n_slots, n_listed) = arrays.scratch, sizes
    vacated, h = left >= 0 and rows.tokens[np.uint64(left)] == 0, rows.slot_of[np.uint64(k)]
    if h != NO_SLOT:
        if vacated and np.int64(h) != left:
            n_slots -= 1
            move_slot(rows, frame, left, n_slots)
            clear_slot(rows, frame, n_slots)
            n_listed = move_words(arrays.own, left, n_slots, n_listed)
            move_parts(mean, left, n_slots)
        return np.int64(rows.slot_of[np.uint64(k)]), n_slots, n_listed
    slot = n_slots
    if vacated:
        slot = left
        rows.slot_of[np.uint64(rows.topic[np.uint64(left)])] = NO_SLOT
    else:
        n_slots += 1
    open_slot(arrays.franchise.net, rows, frame, slot, k)
    evaluate_slot(rows, frame, leaf, slot)
    return slot, n_slots, n_listed


@inlined
def lines_of(net, text, words, context, s):
    """Where the rows of phi of one stream lie."""
    last = lowest_shared(words, text.leaf[context, s, WORD_LIST])
    first, step = words.entries[last, CELL], np.uint64(len(net.status) - LIVE)
    mode = words.entries[last, MODE]
    if mode == AT_WORD and len(net.packed_first) == 0:
        first = net.cells[first, ROW]
    return Lines(s, mode, np.uint64(first), step)


@inlined
def row_of_token(net, text, lines, token):
    """Where the row of a token's word starts: phi_kw of all topics k."""
    if lines.mode != AT_WORD:
        return np.uint64(net.cells[np.uint64(listed_cell(text, lines.first, lines.mode, token)), np.uint64(ROW)])
    return lines.first + np.uint64(text.word[token]) * lines.step


@inlined
def look_up(arrays, drawn, frame, lines, token):
    """As `row_of_token`, with the number by which sums of the row are kept; a packed word's row is drawn if need be."""
    net, text, sums, rows = arrays.franchise.net, arrays.text, arrays.sums, arrays.scratch
    if len(drawn) == 0:
        return row_of_token(net, text, lines, token), np.uint64(text.word[token])
    _, kept, lanes = arrays.redrawn
    cell = np.int64(lines.first) + np.int64(text.word[token])
    if lines.mode != AT_WORD:
        cell = listed_cell(text, lines.first, lines.mode, token)
    row, number, is_new = row_of_cell(net, drawn, kept, lanes, cell)
    if is_new:
        for j in range(text.leaf.shape[1] * frame.n_bases):
            rows.sums[(np.uint64(j) * np.uint64(frame.n_words) + np.uint64(number)) * SPAN + OF_TOPICS] = NOT_SUMMED
        for r in range(frame.n_bases):
            pair = rows.pairs[np.uint64(lines.stream * frame.n_bases + r)]
            if pair >= 0:
                p = rows.bases[np.uint64(r) * TWO + ONE]
                sums.total[pair, number] = dot(net.stay, p, row, frame.n_held, sums.blocks[pair, number])
    return np.uint64(row), np.uint64(number)


@inlined
def fetch_text(text, documents, j):
    """Prefetch the text of documents after the j-th; documents of one context are not adjacent in memory."""
    n_streams, last = np.uint64(text.leaf.shape[1]), len(documents) - 1
    far, later = np.uint64(documents[min(j + FAR, last)]), np.uint64(documents[min(j + LATER, last)])
    prefetch(text.first, far * n_streams)
    prefetch(text.context, far)
    for token in range(text.first[later * n_streams], text.first[(later + np.uint64(1)) * n_streams] + LINE, LINE):
        prefetch(text.word, np.uint64(token))
        prefetch(text.topic, np.uint64(token))
        prefetch(text.code, np.uint64(token))
    size = np.uint64(text.measures.shape[1] * text.measures.shape[2])
    for i in range(0, size, LINE // 2):
        prefetch(text.measures, later * size + np.uint64(i))


@inlined
def fetch_ahead(arrays, frame, documents, j):
    """Prefetch what the document after the j-th will read, and the text of later ones."""
    if j + 1 < len(documents):
        fetch_text(arrays.text, documents, j)
        fetch(arrays.franchise.net, arrays.text, arrays.sums, arrays.words, arrays.scratch, frame, documents[j + 1])


@inlined
def fetch(net, text, sums, words, rows, frame, d):
    """Prefetch what document d will read of its words, while the document before it is updated."""
    if len(net.packed_first) > 0:
        return
    n_streams, context = text.leaf.shape[1], text.context[d]
    for s in range(n_streams):
        lines = lines_of(net, text, words, context, s)
        start, stop = text.first[d * n_streams + s], text.first[d * n_streams + s + 1]
        for i in range(start, min(stop, start + FETCHED_TOKENS)):
            token = np.uint64(i)
            row, word = row_of_token(net, text, lines, token), np.uint64(text.word[token])
            for k in range(0, min(frame.n_held, WIDTH * LINE), LINE):
                prefetch(net.stay, row + np.uint64(k))
            for r in range(frame.n_bases):
                place = np.uint64(s * frame.n_bases + r)
                if rows.pairs[place] < 0:
                    prefetch(rows.sums, (place * np.uint64(frame.n_words) + word) * SPAN)
                else:
                    prefetch(sums.total, np.uint64(rows.pairs[place]) * np.uint64(sums.total.shape[1]) + word)


@inlined
def take_out(arrays, document, token, h, n_listed, n):
    """Take a token out of slot h; whether it left (rule `paper` may keep it) and the counter."""
    own, rows, word_node, key = arrays.own, arrays.scratch, token.word_node, document.key
    took, n = leaves_word(arrays.franchise.tables, arrays.franchise.terms, own, word_node, h, n_listed, key, n)
    if took < 0:
        return False, n
    left, n = leave(arrays.franchise, rows, document.frame, token.leaf, h, key, n)
    if left:
        leave_word(own, word_node, h, took, n_listed)
        rows.tokens[np.uint64(h)] -= 1
    return left, n


@inlined
def update_stream(arrays, document, mean, s, n_slots, n):
    """One Gibbs update of every token of one stream of a document; one whose topic is not held stays.

    Returns the numbers of slots and of random draws used.
    """
    net, text, rows, own = arrays.franchise.net, arrays.text, arrays.scratch, arrays.own
    d, frame, n_shared, key = document
    n_streams, context = text.leaf.shape[1], text.context[d]
    leaf, lines = text.leaf[context, s, LEAF] - n_shared, lines_of(net, text, arrays.words, context, s)
    start, stop = text.first[d * n_streams + s], text.first[d * n_streams + s + 1]
    word_node = open_words(arrays, own, d, s, (start, stop), n_slots, True)
    run, n_listed, joint = (start, start), UNLISTED, 0.0  # of equal words, where they are the document's own
    for i in range(start, stop):
        at = np.uint64(i)
        run, n_listed, part = turn_to(arrays, own, word_node, d, (i, stop), run, n_listed, True)
        joint += part
        k, h = np.int64(text.topic[at]), NEW
        if k >= frame.n_held:
            continue
        place = i - text.first[d * n_streams]
        row, word = look_up(arrays, arrays.redrawn[0], frame, lines, at)
        token = Token(s, place, word, row, leaf, word_node)
        if is_seated(mean, k >= 0):
            h = np.int64(rows.slot_of[np.uint64(k)])
            left, n = take_out(arrays, document, token, h, n_listed, n)
            if not left:
                continue
            set_parts(rows, mean, frame, h)
        evaluate(rows, frame, leaf, n_slots)
        k, n = topic_for(arrays, own, document, mean, token, (n_slots, n_listed), n)
        h, n_slots, n_listed = slot_for(arrays, frame, mean, leaf, k, h, (n_slots, n_listed))
        rows.tokens[np.uint64(h)] += 1
        n = seat(arrays.franchise, rows, frame, leaf, h, key, n)
        set_parts(rows, mean, frame, h)
        n_listed, n = seat_word(arrays, own, word_node, token.row, h, n_listed, key, n)
        text.topic[at] = k
    _, _, part = turn_to(arrays, own, word_node, d, (stop, stop), run, n_listed, True)
    close_words(net, text, own, word_node, d, n_slots, joint + part)
    return n_slots, n


@inlined
def visit(arrays, frame, d, key, passes):
    """Update every token of document d `passes` times given the shared vectors."""
    text, n = arrays.text, np.int64(0)
    document = Document(d, frame, arrays.topics.lists[text.context[d], SHARED], key)
    set_nodes(arrays, frame, d)
    n_slots = load(arrays, frame, d, document.n_shared)
    for _ in range(passes):
        for s in range(text.leaf.shape[1]):
            n_slots, n = update_stream(arrays, document, (), s, n_slots, n)
    save(arrays, document, n_slots, n)


@inlined
def _visit_block(arrays, documents, n_held, seed, passes, block):
    mine = in_thread(arrays, numba.get_thread_id())
    text, frame = mine.text, frame_of(mine.scratch, n_held)
    mine.scratch.known[CONTEXT] = -1
    for j in range(block * DOCUMENTS, end_of_block(documents, block)):
        d = documents[j]
        fetch_ahead(mine, frame, documents, j)
        key = stream_key(seed[0], seed[1], seed[2], text.number[d], purposes.EXPLICIT)
        visit(mine, frame, d, key, passes)


@spread
def topic_nodes_sweep(arrays, documents, n_held, seed, passes):
    """Visit the documents in any order, on any number of threads: each has its own random stream.

    Every token is updated `passes` times.
    """
    for block in prange(n_blocks(documents)):
        _visit_block(arrays, documents, n_held, seed, passes, block)
