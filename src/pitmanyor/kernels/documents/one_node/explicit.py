"""The explicit sweep for documents with one local node over one base (maths 4).

LDA, HDP-LDA, the HPYP model and author-topic models have it. Topics are drawn as `topic_draw.py` says or, where words
are the document's own, as `own_words_draw.py` does.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import prange

from pitmanyor import purposes
from pitmanyor.kernels.documents.fold_sweeps import is_near, is_seated
from pitmanyor.kernels.documents.general.document import listed_cell, lowest_shared, row_of_words
from pitmanyor.kernels.documents.one_node.leaf_mean import set_parts
from pitmanyor.kernels.documents.one_node.own_words_draw import draw_own, scale_slots, scaled_terms
from pitmanyor.kernels.documents.one_node.scratch import (
    NO_SLOT,
    NOT_SUMMED,
    Document,
    join,
    new_terms,
    shape_of,
    write_terms,
)
from pitmanyor.kernels.documents.one_node.stored_seats import load, measure, save
from pitmanyor.kernels.documents.one_node.topic_draw import Token, draw, weigh
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
from pitmanyor.kernels.restaurant.arrays import (
    AT_WORD,
    CELL,
    DIRICHLET,
    FIRST,
    LIVE,
    MODE,
    PAPER,
    ROW,
    WORD_LIST,
)
from pitmanyor.kernels.runtime.jit import inlined, inner, spread
from pitmanyor.kernels.runtime.random import stream_key, uniform_in, uniform_pair
from pitmanyor.kernels.runtime.simd import LINE, WIDTH, prefetch
from pitmanyor.kernels.switching.redrawn_rows import row_of_cell

AHEAD = 4  # tokens ahead whose rows are prefetched


@inlined
def row_of_token(net, text, words, bottom, token):
    """Where the row of a token's word starts, if not all words have one."""
    slot, mode = words.entries[bottom, CELL], words.entries[bottom, MODE]
    return np.uint64(net.cells[listed_cell(text, slot, mode, token), ROW])


@inlined
def look_up(arrays, drawn, shape, bottom, pair, token):
    """As `row_of_token`, with the number by which sums of the row are kept; a packed word's row is drawn if need be."""
    net, text, words, sums = arrays.franchise.net, arrays.text, arrays.words, arrays.sums
    if len(drawn) == 0:
        return row_of_token(net, text, words, bottom, token), np.uint64(text.word[np.uint64(token)])
    active, (_, kept, lanes) = arrays.scratch, arrays.redrawn
    cell, mode = words.entries[bottom, CELL], words.entries[bottom, MODE]
    cell = cell + text.word[np.uint64(token)] if mode == AT_WORD else listed_cell(text, cell, mode, token)
    row, number, is_new = row_of_cell(net, drawn, kept, lanes, cell)
    if is_new:
        for other in range(len(active.stamp)):
            active.stamp[other, number, 0] = NOT_SUMMED
        if pair >= 0:
            sums.total[pair, number] = dot(net.stay, shape.row, row, shape.n_held, sums.blocks[pair, number])
    return np.uint64(row), np.uint64(number)


@inlined
def fetch_first(net, text, words, d, n_held):
    """Prefetch the rows of document d's first tokens, while it is loaded."""
    n_streams, stride = text.leaf.shape[1], np.uint64(len(net.status) - LIVE)
    for s in range(n_streams):
        top, in_order = row_of_words(net, text, words, d, s)
        start, stop = text.first[d * n_streams + s], text.first[d * n_streams + s + 1]
        for token in range(start, min(start + AHEAD, stop) if in_order else start):
            row = top + np.uint64(text.word[np.uint64(token)]) * stride
            for j in range(0, min(n_held, WIDTH * LINE), LINE):
                prefetch(net.stay, row + np.uint64(j))


@inlined
def fetch(net, active, row, n_held, n_slots):
    """Prefetch the part of a word's row that the document will read."""
    if n_held <= WIDTH * LINE:
        for j in range(0, n_held, LINE):
            prefetch(net.stay, row + np.uint64(j))
    else:
        for h in range(n_slots):
            prefetch(net.stay, row + np.uint64(active.column[np.uint64(h)]))


@inlined
def terms_at(tables, terms, active, own, shape, h):
    """Slot h with its terms after a change of its counts, not yet written; those of own words are scaled."""
    if len(own) == 0:
        return new_terms(tables, terms, active, shape, h)
    return scaled_terms(tables, terms, active, own, shape, h)


@inlined
def terms_joined(tables, terms, active, own, shape, h, opens):
    """One more customer in slot h, and a table if it `opens` one; the slot with its terms."""
    if len(own) == 0:
        return join(tables, terms, active, shape, h, opens)
    active.customers[h] += 1
    active.tables[h] += np.int64(opens)
    return scaled_terms(tables, terms, active, own, shape, h)


@inlined
def opening_at(active, own, h):
    """open p_k of slot h, on the scale of its stay."""
    if len(own) == 0:
        return active.opening[h] + active.base[h]
    return active.opening[h]


@inlined
def slot_for(arrays, own, document, mean, token, sizes, weights, n):
    """A slot for a token that was taken out, the number of slots, and the counter.

    `weights` are the gain of the document's node and what its slots weigh.
    """
    if len(own) == 0:
        u = uniform_in(arrays.franchise.net.stay.dtype.type, document.key, n)
        h, n_slots = draw(arrays, document, mean, token, sizes, weights, u)
        return h, n_slots, n + 1
    return draw_own(arrays, document, mean, token, sizes, weights, n)


@inlined
def update_token(arrays, document, mean, token, sizes, late, n):
    """One Gibbs update of a token.

    `sizes` are the numbers of slots, of tables and of topics that have the word; `late` is the slot that the last token
    joined, with terms that are not in the arrays yet. Returns the new values of both, and the counter.
    """
    (net, tables, terms), active, own = arrays.franchise, arrays.scratch, arrays.own
    _, shape, key = document
    (n_slots, n_tables, n_listed), word_node = sizes, token.word_node
    real = net.stay.dtype.type
    left, gone = np.uint64(active.seat[token.seat]), late
    u, v = uniform_pair(real, key, n)
    n += 1
    if is_seated(mean, left != np.uint64(NO_SLOT)):
        leaves = np.int64(u < active.leave[left])
        # first what can be guessed: whether it leaves cannot
        if shape.rule == PAPER and leaves and active.tables[left] == 1 and active.customers[left] > 1:
            return sizes, late, n  # this rule keeps the token
        took, n = leaves_word(tables, terms, own, word_node, left, n_listed, key, n)
        if took < 0:
            return sizes, late, n
        leave_word(own, word_node, left, took, n_listed)
        active.customers[left] -= 1
        active.tables[left] -= leaves
        n_tables -= leaves
        gone = terms_at(tables, terms, active, own, shape, left)
        set_parts(active, mean, shape, left)
    gain = real(shape.concentration) + real(shape.discount) * real(n_tables)
    held = weigh(net, active, gain, token.row, n_slots, late, gone)
    write_terms(active, late)
    write_terms(active, gone)
    h, n_slots, n = slot_for(arrays, own, document, mean, token, sizes, (gain, held), n)
    active.seat[token.seat] = h
    stays, opening = active.stay[h], gain * opening_at(active, own, h)
    opens = shape.kind != DIRICHLET and v * (stays + opening) >= stays
    n_tables += np.int64(opens)
    n_listed, n = seat_word(arrays, own, word_node, token.row, h, n_listed, key, n)
    joined = terms_joined(tables, terms, active, own, shape, h, opens)
    set_parts(active, mean, shape, h)
    return (n_slots, n_tables, n_listed), joined, n


@inlined
def stays(active, mean, shape, seat):
    """Has a token a topic that is not held? None has where all are."""
    if len(mean) > 0:
        return False
    return active.topic[np.uint64(active.seat[seat])] >= shape.n_held


@inlined
def note_seat(text, active, mean, i, seat):
    """Own words ask for the topics of tokens, which are written once all passes are done; new tokens have none."""
    if len(mean) == 0:
        return
    text.topic[np.uint64(i)] = active.topic[np.uint64(active.seat[seat])]


@inlined
def update_stream(arrays, document, mean, s, stand):
    """One Gibbs update of every token of one stream of a document; one whose topic is not held stays.

    `stand` and what is returned: the numbers of slots, of tables and of random draws used, and the slot that the last
    token joined, with terms that are not in the arrays yet.
    """
    net, text, words, active, own = arrays.franchise.net, arrays.text, arrays.words, arrays.scratch, arrays.own
    d, shape, _ = document
    n_slots, n_tables, n, late = stand
    n_streams = text.leaf.shape[1]
    first, stride = text.first[d * n_streams], np.uint64(len(net.status) - LIVE)
    which = text.leaf[text.context[d], s, WORD_LIST]
    bottom = lowest_shared(words, which)
    pair = arrays.sums.pair[shape.parent + 1, s, bottom - words.lists[which, FIRST] + 1]
    top, in_order = row_of_words(net, text, words, d, s)
    start, stop = text.first[d * n_streams + s], text.first[d * n_streams + s + 1]
    word_node = open_words(arrays, own, d, s, (start, stop), n_slots, False)
    late = scale_slots(arrays.franchise.tables, arrays.franchise.terms, active, own, shape, n_slots, late)
    run, n_listed, joint = (start, start), UNLISTED, 0.0  # of equal words, where they are the document's own
    for i in range(start, stop):
        word = np.uint64(text.word[np.uint64(i)])
        row = top + word * stride
        if not in_order:
            row, word = look_up(arrays, arrays.redrawn[0], shape, bottom, pair, i)
        elif not is_near(mean):
            later = np.uint64(text.word[np.uint64(min(i + AHEAD, stop - 1))])
            fetch(net, active, top + later * stride, shape.n_held, n_slots)
        run, n_listed, part = turn_to(arrays, own, word_node, d, (i, stop), run, n_listed, False)
        joint += part
        token = Token(s, pair, np.uint64(i - first), word, row, word_node)
        if stays(active, mean, shape, token.seat):
            continue
        sizes, late, n = update_token(arrays, document, mean, token, (n_slots, n_tables, n_listed), late, n)
        n_slots, n_tables, n_listed = sizes
        note_seat(text, active, mean, i, token.seat)
    _, _, part = turn_to(arrays, own, word_node, d, (stop, stop), run, n_listed, False)
    close_words(net, text, own, word_node, d, n_slots, joint + part)
    return n_slots, n_tables, n, late


@inlined
def visit(arrays, d, n_held, key, passes):
    """Update every token of document d `passes` times given the shared vectors."""
    (net, tables, terms), text, active = arrays.franchise, arrays.text, arrays.scratch
    fetch_first(net, text, arrays.words, d, n_held)
    shape = shape_of(net, text, arrays.topics, terms, d, n_held)
    document = Document(d, shape, key)
    n_slots, n_tables = load(net, tables, terms, text, active, shape, d)
    stand = (n_slots, n_tables, np.int64(0), (np.uint64(0), active.stay[0], active.opening[0]))
    for _ in range(passes):
        for s in range(text.leaf.shape[1]):
            stand = update_stream(arrays, document, (), s, stand)
    n_slots, n_tables, n, _ = stand
    measure(arrays, document, n_slots, n_tables, n)
    save(text, active, shape, d, n_slots)


@inner
def _visit_block(arrays, documents, n_held, seed, passes, block):
    mine = in_thread(arrays, numba.get_thread_id())
    for j in range(block * DOCUMENTS, end_of_block(documents, block)):
        d = documents[j]
        key = stream_key(seed[0], seed[1], seed[2], mine.text.number[d], purposes.EXPLICIT)
        visit(mine, d, n_held, key, passes)


@spread
def one_node_sweep(arrays, documents, n_held, seed, passes):
    """Visit the documents in any order, on any number of threads: each has its own random stream.

    Every token is updated `passes` times.
    """
    for block in prange(n_blocks(documents)):
        _visit_block(arrays, documents, n_held, seed, passes, block)
