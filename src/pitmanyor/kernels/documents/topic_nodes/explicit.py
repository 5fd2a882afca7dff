"""The explicit sweep where no word node is local: general/explicit.py's target, in rows that vectorise (maths 4).

All ready models have this shape but bursty ones; a local node has two parents at most. A topic of the document weighs
[stay + E (open A - base)] phi_kw beyond its share of E * sum_k base_k phi_kw, where `base` is the part of A that a
topic without customers in the document has too.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba import prange

from pitmanyor.kernels.documents.general.document import listed_cell
from pitmanyor.kernels.documents.general.explicit import DOCUMENTS, EXPLICIT, dot, dot_part, pick_in_block, pick_product
from pitmanyor.kernels.documents.topic_nodes.scratch import (
    AT,
    CONC,
    CONTEXT,
    FACTS,
    GAIN,
    ID,
    N_CUSTOMERS,
    N_TABLES,
    N_UP,
    NEXT,
    NONE,
    OF_TOPICS,
    OF_WORD,
    ONE,
    OPENED_HERE,
    SCALARS,
    SENT,
    SHARE,
    SITTING,
    SORT,
    SPAN,
    TERMS,
    TO,
    TWO,
    UP,
    VALUE,
    VALUED,
    clear_slot,
    count_at,
    frame_of,
    load,
    move_slot,
    open_slot,
    prefix_row,
    save,
    set_nodes,
    set_restaurant,
    set_terms,
    take_sheet,
)
from pitmanyor.kernels.restaurant.arrays import (
    AT_WORD,
    BLOCK,
    CELL,
    DIRICHLET,
    DISCOUNT,
    FIRST,
    LEAF,
    LIVE,
    MODE,
    ROW,
    RULE,
    SHARED,
    TABLE,
    WORD_LIST,
)
from pitmanyor.kernels.restaurant.seating import leave_probability
from pitmanyor.kernels.restaurant.small_terms import LEAVE, is_small, place_of
from pitmanyor.kernels.runtime.jit import inlined, inner, spread
from pitmanyor.kernels.runtime.random import stream_key, uniform, uniform_in
from pitmanyor.kernels.runtime.simd import LINE, WIDTH, count_below, prefetch, value_lanes, weigh_lanes

SOON = 32  # tokens of the next document, of each stream, whose rows are fetched
FAR, LATER = 16, 8  # documents ahead: where a document's text begins is fetched, then the text itself


class Lines(NamedTuple):
    """Where a stream's rows of phi lie in a context."""

    stream: int
    mode: int  # how the cell of a token's word is found
    first: np.uint64  # the slot of `Text.cells`, or the row of the first word
    step: np.uint64  # from one word's row to the next


class Token(NamedTuple):
    """A token that is updated."""

    stream: int
    word: np.uint64
    row: np.uint64  # phi_kw of all topics k


@inlined
def count(net, tables, terms, sheet, frame, j, h, choice, sign):
    """One customer more or less at slot h of local node j, with a table towards parent `choice` if that is >= 0."""
    fact, at = np.uint64(j) * FACTS, count_at(frame, j, h)
    sheet.known[VALUED] = min(sheet.known[VALUED], j)
    sheet.counts[at + SITTING] += sign
    sheet.facts[fact + N_CUSTOMERS] += sign
    if choice >= 0:
        parent = np.uint64(choice)
        sheet.counts[at + OPENED_HERE] += sign
        sheet.facts[fact + N_TABLES] += sign
        sheet.counts[at + TO + parent] += sign
        sheet.facts[fact + SENT + parent] += sign
        set_restaurant(sheet, j)
    set_terms(net, tables, terms, sheet, frame, j, h)


@inlined
def leaving(net, tables, terms, sheet, j, c, t):
    """The probability that a customer leaving c customers and t tables of local node j takes its table along."""
    fact = np.uint64(j) * FACTS
    if sheet.facts[fact + SORT] == DIRICHLET:
        return 0.0
    if is_small(c, t):
        place = np.uint64(sheet.facts[fact + TERMS]) + place_of(0, c, t)
        return float(terms.flat[place + np.uint64(LEAVE)])
    node = sheet.facts[fact + ID]
    return leave_probability(tables, net.nodes[node, TABLE], net.reals[node, DISCOUNT], net.status[RULE], c, t)


@inlined
def by_tables(sheet, fact, at, key, n):
    """A parent in proportion to the tables that were sent it, and the counter."""
    if sheet.facts[fact + N_UP] < 2:
        return np.int64(0), n
    sent = np.int64(sheet.counts[at + TO])
    x = uniform(key, n) * sheet.counts[at + OPENED_HERE]
    choice = np.int64(x >= sent)
    if sheet.counts[at + TO + np.uint64(choice)] == 0:  # only rounding can come here
        choice = 1 - choice
    return choice, n + 1


@inlined
def leave(net, tables, terms, sheet, frame, leaf, h, key, n):
    """Take a customer of slot h out of the leaf and, table by table, of the nodes above (maths 3).

    Returns whether it left (rule `paper` may keep it: then all is as before) and the counter.
    """
    j, path = leaf, np.int64(0)  # `path` has a digit 0 (stayed) or 1 + choice for each node below, lowest first
    width, shift = np.int64(4), np.int64(0)
    while True:
        fact, at = np.uint64(j) * FACTS, count_at(frame, j, h)
        c, t = np.int64(sheet.counts[at + SITTING]), np.int64(sheet.counts[at + OPENED_HERE])
        goes = uniform(key, n) < leaving(net, tables, terms, sheet, j, c, t)
        n += 1
        choice = np.int64(-1)
        if goes:
            if t == 1 and c > 1:
                undo(net, tables, terms, sheet, frame, leaf, h, path)
                return False, n
            choice, n = by_tables(sheet, fact, at, key, n)
        count(net, tables, terms, sheet, frame, j, h, choice, -1)
        if not goes:
            return True, n
        path |= (choice + 1) << shift
        shift += width
        j = sheet.facts[fact + NEXT + np.uint64(choice)]
        if j < 0:
            return True, n


@inner
def undo(net, tables, terms, sheet, frame, leaf, h, path):
    """Seat a customer again that went along `path`."""
    j = leaf
    while path > 0:
        choice = (path & 15) - 1
        count(net, tables, terms, sheet, frame, j, h, choice, 1)
        j = sheet.facts[np.uint64(j) * FACTS + NEXT + np.uint64(choice)]
        path >>= 4


@inlined
def base_parts(sheet, j, h):
    """r_i A(P_i, k) of local node j at slot h, for both parents: the second of one parent has no share."""
    fact, at, slot = np.uint64(j) * FACTS, np.uint64(j) * SCALARS, np.uint64(h)
    first = float(sheet.reals[np.uint64(sheet.facts[fact + UP]) + slot])
    second = float(sheet.reals[np.uint64(sheet.facts[fact + UP + ONE]) + slot])
    return sheet.scalars[at + SHARE] * first, sheet.scalars[at + SHARE + ONE] * second


@inlined
def bases_of(sheet, j):
    """Where the rows of local node j's two parents lie, and their shares."""
    fact, at, real = np.uint64(j) * FACTS, np.uint64(j) * SCALARS, sheet.reals.dtype.type
    up = (np.uint64(sheet.facts[fact + UP]), np.uint64(sheet.facts[fact + UP + ONE]))
    return up, (real(sheet.scalars[at + SHARE]), real(sheet.scalars[at + SHARE + ONE]))


@inlined
def evaluate(sheet, frame, leaf, n_slots):
    """A of the local nodes above the leaf at every slot, then the leaf's form.

    A customer has just left the leaf, so what is known ends there at the latest.
    """
    real = sheet.reals.dtype.type
    for j in range(sheet.known[VALUED], leaf):
        fact, at = np.uint64(j) * FACTS, np.uint64(j) * SCALARS
        (up, shares), first = bases_of(sheet, j), np.uint64(sheet.facts[fact + AT])
        gain = real(sheet.scalars[at + GAIN])
        scale = real(1.0 / (sheet.scalars[at + CONC] + sheet.facts[fact + N_CUSTOMERS]))
        terms = (first + frame.width, first + TWO * frame.width)
        for h in range(0, n_slots, WIDTH):
            value_lanes(sheet.reals, first, up, shares, terms, gain, scale, np.uint64(h))
    sheet.known[VALUED] = leaf
    up, shares = bases_of(sheet, leaf)
    for i in range(frame.n_bases):
        r = np.uint64(i)
        sheet.form[r] = shares[0] * sheet.reals[up[0] + r] + shares[1] * sheet.reals[up[1] + r]


@inlined
def evaluate_slot(sheet, frame, leaf, h):
    """A of the local nodes above the leaf at one slot."""
    for j in range(leaf):
        fact, at = np.uint64(j) * FACTS, np.uint64(j) * SCALARS
        first = np.uint64(sheet.facts[fact + AT]) + np.uint64(h)
        parts = base_parts(sheet, j, h)
        scale = 1.0 / (sheet.scalars[at + CONC] + sheet.facts[fact + N_CUSTOMERS])
        opens = sheet.scalars[at + GAIN] * sheet.reals[first + TWO * frame.width] * (parts[0] + parts[1])
        sheet.reals[first] = (sheet.reals[first + frame.width] + opens) * scale


@inlined
def stay_of(sheet, frame, j):
    """The row of stay of local node j."""
    return np.uint64(sheet.facts[np.uint64(j) * FACTS + AT]) + frame.width


@inner
def heaviest(sheet, frame, n_slots):
    """Where rounding has led to a slot without weight, the one with most."""
    prefix, best, most = prefix_row(frame), frame.n_bases, -1.0
    for h in range(frame.n_bases, n_slots):
        weight = sheet.reals[prefix + np.uint64(h)] - sheet.reals[prefix + np.uint64(h - 1)]
        if weight > most:
            best, most = h, weight
    return best


@inlined
def sum_of(net, sums, sheet, frame, r, token):
    """sum_k p_k phi_kw over the held topics for base r, from where it is cached, or made."""
    place = np.uint64(token.stream * frame.n_bases + r)
    pair = sheet.pairs[place]
    if pair >= 0:
        return sums.total[np.uint64(pair), token.word]
    p, row = sheet.bases[np.uint64(r) * TWO + ONE], np.int64(token.row)
    at = (place * np.uint64(frame.n_words) + token.word) * SPAN
    if sheet.sums[at + OF_TOPICS] != p or sheet.sums[at + OF_WORD] != row:
        sheet.sums[at + VALUE] = dot(net.stay, p, row, frame.n_held, sheet.blocks)
        sheet.sums[at + OF_TOPICS], sheet.sums[at + OF_WORD] = p, row
    return sheet.sums[at + VALUE]


@inlined
def fresh_topic(net, sums, sheet, frame, r, token, x):
    """A topic in proportion to p_k phi_kw for base r; x is uniform on (0, 1)."""
    pair = sheet.pairs[np.uint64(token.stream * frame.n_bases + r)]
    p, row = sheet.bases[np.uint64(r) * TWO + ONE], np.int64(token.row)
    if pair >= 0:
        blocks, x = sums.blocks[np.uint64(pair), token.word], x * sums.total[np.uint64(pair), token.word]
        return pick_product(net.stay, p, row, blocks, x, frame.n_held)
    x *= sum_of(net, sums, sheet, frame, r, token)
    block, last = 0, (frame.n_held - 1) // BLOCK
    while block < last:
        part = dot_part(net.stay, p, row, frame.n_held, block)
        if x < part:
            break
        x -= part
        block += 1
    return pick_in_block(net.stay, p, row, block, x, frame.n_held)


@inlined
def weigh_slots(net, sheet, frame, leaf, gain, row, n_slots):
    """Prefix sums of the slots' weights beyond what the sum over all topics gives them; their total."""
    real, stay, (up, shares) = sheet.reals.dtype.type, stay_of(sheet, frame, leaf), bases_of(sheet, leaf)
    terms, bases, total = (stay, stay + frame.width), (np.uint64(frame.n_bases), frame.width), real(0.0)
    for h in range(0, n_slots, WIDTH):
        total = weigh_lanes(
            sheet.reals, up, shares, terms, prefix_row(frame), sheet.form, bases, sheet.topic, net.stay, row,
            real(gain), np.uint64(h), total,
        )  # fmt: skip
    return total


@inlined
def draw_fresh(net, sums, sheet, frame, gain, token, x):
    """A topic by the bases of the leaf's form; x is uniform on (0, sum of their parts)."""
    last, part = 0, 1.0
    for r in range(frame.n_bases):
        if sheet.form[np.uint64(r)] != 0.0:
            last, part = r, gain * float(sheet.form[np.uint64(r)]) * sum_of(net, sums, sheet, frame, r, token)
            if x < part:
                break
            x -= part
    return fresh_topic(net, sums, sheet, frame, last, token, x / part)


@inlined
def draw(net, sums, sheet, frame, leaf, gain, token, n_slots, u):
    """A topic in proportion to its weight, among the document's slots or afresh; u is uniform on (0, 1)."""
    held = weigh_slots(net, sheet, frame, leaf, gain, token.row, n_slots)
    fresh = 0.0
    for r in range(frame.n_bases):
        if sheet.form[np.uint64(r)] != 0.0:
            fresh += gain * float(sheet.form[np.uint64(r)]) * sum_of(net, sums, sheet, frame, r, token)
    x = u * (held + sheet.reals.dtype.type(fresh))
    if x >= held and fresh > 0.0:
        return draw_fresh(net, sums, sheet, frame, gain, token, x - held)
    h, prefix = np.int64(0), prefix_row(frame)
    for j in range(0, n_slots, WIDTH):
        h += np.int64(count_below(sheet.reals, x, prefix + np.uint64(j)))
    if h >= n_slots:
        h = heaviest(sheet, frame, n_slots)
    return np.int64(sheet.topic[np.uint64(h)])


@inlined
def seat(net, tables, terms, sheet, frame, leaf, h, key, n):
    """Seat a customer at slot h by the terms of A, from the leaf up."""
    j = leaf
    while True:
        fact, choice = np.uint64(j) * FACTS, np.int64(-1)
        if sheet.facts[fact + SORT] != DIRICHLET:
            at = stay_of(sheet, frame, j) + np.uint64(h)
            parts, stays = base_parts(sheet, j, h), float(sheet.reals[at])
            opens = sheet.scalars[np.uint64(j) * SCALARS + GAIN] * float(sheet.reals[at + frame.width])
            opens *= parts[0] + parts[1]
            if uniform(key, n) * (stays + opens) >= stays:
                choice, n = by_shares(sheet, fact, parts, key, n)
            n += 1
        count(net, tables, terms, sheet, frame, j, h, choice, 1)
        if choice < 0:
            return n
        j = sheet.facts[fact + NEXT + np.uint64(choice)]
        if j < 0:
            return n


@inlined
def by_shares(sheet, fact, parts, key, n):
    """A parent in proportion to r_i A(P_i, k); the caller has used uniform n."""
    if sheet.facts[fact + N_UP] < 2:
        return np.int64(0), n
    return np.int64(uniform(key, n + 1) * (parts[0] + parts[1]) >= parts[0]), n + 1


@inlined
def slot_for(net, sums, sheet, frame, leaf, token, n_slots, left, u):
    """A slot for a token that was taken out of slot `left`, opened if need be; and the number of slots."""
    gain = sheet.scalars[np.uint64(leaf) * SCALARS + GAIN]
    k = draw(net, sums, sheet, frame, leaf, gain, token, n_slots, u)
    vacated, h = sheet.tokens[np.uint64(left)] == 0, sheet.slot_of[np.uint64(k)]
    if h != NONE:
        if vacated and np.int64(h) != left:
            n_slots -= 1
            move_slot(sheet, frame, left, n_slots)
            clear_slot(sheet, frame, n_slots)
        return np.int64(sheet.slot_of[np.uint64(k)]), n_slots
    slot = n_slots
    if vacated:
        slot = left
        sheet.slot_of[np.uint64(sheet.topic[np.uint64(left)])] = NONE
    else:
        n_slots += 1
    open_slot(net, sheet, frame, slot, k)
    evaluate_slot(sheet, frame, leaf, slot)
    return slot, n_slots


@inlined
def lines_of(net, text, words, context, s):
    """Where the rows of phi of one stream lie."""
    last = words.lists[text.leaf[context, s, WORD_LIST] + 1, FIRST] - 1
    first, step = words.entries[last, CELL], np.uint64(len(net.status) - LIVE)
    mode = words.entries[last, MODE]
    if mode == AT_WORD:
        first = net.cells[first, ROW]
    return Lines(s, mode, np.uint64(first), step)


@inlined
def row_of_token(net, text, lines, token):
    """Where the row of a token's word starts: phi_kw of all topics k."""
    if lines.mode != AT_WORD:
        return np.uint64(net.cells[np.uint64(listed_cell(text, lines.first, lines.mode, token)), np.uint64(ROW)])
    return lines.first + np.uint64(text.word[token]) * lines.step


@inlined
def fetch_text(text, documents, j):
    """Have the text of documents that come after the j-th near: those of one context lie apart in memory."""
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
def fetch(net, text, sums, words, sheet, frame, d):
    """Have what document d will read of its words come near, while the one before it is updated."""
    n_streams, context = text.leaf.shape[1], text.context[d]
    for s in range(n_streams):
        lines = lines_of(net, text, words, context, s)
        start, stop = text.first[d * n_streams + s], text.first[d * n_streams + s + 1]
        for i in range(start, min(stop, start + SOON)):
            token = np.uint64(i)
            row, word = row_of_token(net, text, lines, token), np.uint64(text.word[token])
            for k in range(0, min(frame.n_held, WIDTH * LINE), LINE):
                prefetch(net.stay, row + np.uint64(k))
            for r in range(frame.n_bases):
                place = np.uint64(s * frame.n_bases + r)
                if sheet.pairs[place] < 0:
                    prefetch(sheet.sums, (place * np.uint64(frame.n_words) + word) * SPAN)
                else:
                    prefetch(sums.total, np.uint64(sheet.pairs[place]) * np.uint64(sums.total.shape[1]) + word)


@inlined
def update_stream(net, tables, terms, text, sums, words, sheet, frame, d, s, n_shared, n_slots, key, n):
    """One Gibbs update of every token of one stream of a document; one whose topic is not held stays.

    Returns the numbers of slots and of random draws used.
    """
    n_streams, context = text.leaf.shape[1], text.context[d]
    leaf, lines = text.leaf[context, s, LEAF] - n_shared, lines_of(net, text, words, context, s)
    for i in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
        place = np.uint64(i)
        k = np.int64(text.topic[place])
        if k >= frame.n_held:
            continue
        token = Token(s, np.uint64(text.word[place]), row_of_token(net, text, lines, place))
        h = np.int64(sheet.slot_of[np.uint64(k)])
        left, n = leave(net, tables, terms, sheet, frame, leaf, h, key, n)
        if not left:
            continue
        sheet.tokens[np.uint64(h)] -= 1
        evaluate(sheet, frame, leaf, n_slots)
        u = uniform_in(sheet.reals.dtype.type, key, n)
        h, n_slots = slot_for(net, sums, sheet, frame, leaf, token, n_slots, h, u)
        sheet.tokens[np.uint64(h)] += 1
        n = seat(net, tables, terms, sheet, frame, leaf, h, key, n + 1)
        text.topic[place] = sheet.topic[np.uint64(h)]
    return n_slots, n


@inlined
def visit(net, tables, terms, text, sums, topics, words, sheet, frame, d, key, passes):
    """So many Gibbs updates of every token of document d given the shared vectors."""
    n = np.int64(0)
    n_shared = topics.lists[text.context[d], SHARED]
    set_nodes(net, terms, text, sums, topics, words, sheet, frame, d)
    n_slots = load(net, tables, terms, text, sheet, frame, d, n_shared)
    for _ in range(passes):
        for s in range(text.leaf.shape[1]):
            n_slots, n = update_stream(
                net, tables, terms, text, sums, words, sheet, frame, d, s, n_shared, n_slots, key, n
            )
    save(net, tables, terms, text, sheet, frame, d, n_shared, n_slots, key, n)


@inlined
def _visit_block(net, tables, terms, sheets, text, sums, topics, words, documents, n_held, seed, passes, block):
    sheet = take_sheet(sheets, numba.get_thread_id())
    frame = frame_of(sheet, n_held)
    sheet.known[CONTEXT] = -1
    for j in range(block * DOCUMENTS, min((block + 1) * DOCUMENTS, len(documents))):
        d = documents[j]
        if j + 1 < len(documents):
            fetch_text(text, documents, j)
            fetch(net, text, sums, words, sheet, frame, documents[j + 1])
        key = stream_key(seed[0], seed[1], seed[2], d, EXPLICIT)
        visit(net, tables, terms, text, sums, topics, words, sheet, frame, d, key, passes)


@spread
def quick_sweep(net, tables, terms, sheets, text, sums, topics, words, documents, n_held, seed, passes):
    """Visit the documents in any order, on any number of threads: each has its own random stream.

    Every token is updated `passes` times.
    """
    for block in prange((len(documents) + DOCUMENTS - 1) // DOCUMENTS):
        _visit_block(net, tables, terms, sheets, text, sums, topics, words, documents, n_held, seed, passes, block)
