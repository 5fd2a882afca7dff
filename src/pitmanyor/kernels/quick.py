"""The explicit sweep where no word node is local: kernels/explicit.py's target, in rows that vectorise (maths 4).

All ready models have this shape but bursty ones; a local node has two parents at most. A topic of the document weighs
[stay + E (open A - base)] phi_kw beyond its share of E * sum_k base_k phi_kw, where `base` is the part of A that a
topic without customers in the document has too.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import prange

from pitmanyor.kernels.arrays import (
    AT_TOKEN,
    BLOCK,
    CELL,
    DIRICHLET,
    DISCOUNT,
    FIRST,
    KIND,
    LEAF,
    LIVE,
    MODE,
    N_PARENTS,
    ROW,
    RULE,
    SHARED,
    TABLE,
    WORD_LIST,
)
from pitmanyor.kernels.desk import LEAVE, is_small, place_of
from pitmanyor.kernels.explicit import DOCUMENTS, EXPLICIT, dot, dot_part, pick_in_block, pick_product
from pitmanyor.kernels.jit import inlined, inner, spread
from pitmanyor.kernels.lanes import LINE, WIDTH, count_below, cumulate, prefetch, take_lanes, value_lanes
from pitmanyor.kernels.random import stream_key, uniform, uniform_in
from pitmanyor.kernels.seating import leave_probability
from pitmanyor.kernels.sheet import (
    CONC,
    CONTEXT,
    COUNTS,
    GAIN,
    ID,
    N_CUSTOMERS,
    N_TABLES,
    NONE,
    OF_TOPICS,
    OF_WORD,
    SENT,
    SHARE,
    SPAN,
    TOKENS,
    TOPIC_OF,
    UP,
    VALUE,
    VALUED,
    frame_of,
    load,
    move_slot,
    open_slot,
    save,
    set_nodes,
    set_restaurant,
    set_terms,
    take_sheet,
)

NOWHERE = np.uint64(0xFFFFFFFF)  # no slot
SOON = 32  # tokens of the next document, of each stream, whose rows are fetched
FAR, LATER = 16, 8  # documents ahead: where a document's text begins is fetched, then the text itself


@inlined
def count(net, tables, terms, sheet, frame, j, h, choice, sign):
    """One customer more or less at slot h of local node j, with a table towards parent `choice` if that is >= 0."""
    row = COUNTS + j * frame.span
    sheet.known[VALUED] = min(sheet.known[VALUED], j)
    sheet.ints[row, h] += sign
    sheet.nodes[j, N_CUSTOMERS] += sign
    if choice >= 0:
        sheet.ints[row + 1, h] += sign
        sheet.nodes[j, N_TABLES] += sign
        if net.nodes[sheet.nodes[j, ID], N_PARENTS] > 1:
            sheet.ints[row + 2 + choice, h] += sign
            sheet.nodes[j, SENT + 2 * choice] += sign
        set_restaurant(net, sheet, j)
    set_terms(net, tables, terms, sheet, frame, j, h)


@inlined
def leaving(net, tables, terms, sheet, frame, j, h):
    """The probability that a customer leaving slot h of local node j takes its table along."""
    node, row = sheet.nodes[j, ID], COUNTS + j * frame.span
    c, t = np.int64(sheet.ints[row, h]), np.int64(sheet.ints[row + 1, h])
    if net.nodes[node, KIND] == DIRICHLET:
        return 0.0
    if is_small(c, t):
        return terms.flat[place_of(net.nodes[node, TABLE], c, t) + np.uint64(LEAVE)]
    return leave_probability(tables, net.nodes[node, TABLE], net.reals[node, DISCOUNT], net.status[RULE], c, t)


@inlined
def by_tables(net, sheet, frame, j, h, key, n):
    """A parent in proportion to the tables that slot h of local node j sent it."""
    n_parents = net.nodes[sheet.nodes[j, ID], N_PARENTS]
    if n_parents < 2:
        return 0, n
    row = COUNTS + j * frame.span
    x, choice = uniform(key, n) * sheet.ints[row + 1, h], 0
    while choice < n_parents - 1 and x >= sheet.ints[row + 2 + choice, h]:
        x -= sheet.ints[row + 2 + choice, h]
        choice += 1
    while sheet.ints[row + 2 + choice, h] == 0:  # only rounding can come here
        choice -= 1
    return choice, n + 1


@inlined
def leave(net, tables, terms, sheet, frame, leaf, h, key, n):
    """Take a customer of slot h out of the leaf and, table by table, of the nodes above (maths 3).

    Returns whether it left (rule `paper` may keep it: then all is as before) and the counter.
    """
    j, path = leaf, np.int64(0)  # `path` has a digit 0 (stayed) or 1 + choice for each node below, lowest first
    width, shift = np.int64(4), np.int64(0)
    while True:
        row = COUNTS + j * frame.span
        goes = uniform(key, n) < leaving(net, tables, terms, sheet, frame, j, h)
        n += 1
        choice = -1
        if goes:
            if sheet.ints[row + 1, h] == 1 and sheet.ints[row, h] > 1:
                undo(net, tables, terms, sheet, frame, leaf, h, path)
                return False, n
            choice, n = by_tables(net, sheet, frame, j, h, key, n)
        count(net, tables, terms, sheet, frame, j, h, choice, -1)
        if not goes:
            return True, n
        path |= np.int64(choice + 1) << shift
        shift += width
        j = sheet.nodes[j, UP + 2 * choice] - frame.value
        if j < 0:
            return True, n


@inner
def undo(net, tables, terms, sheet, frame, leaf, h, path):
    """Seat a customer again that went along `path`."""
    j = leaf
    while path > 0:
        choice = (path & 15) - 1
        count(net, tables, terms, sheet, frame, j, h, choice, 1)
        j = sheet.nodes[j, UP + 2 * choice] - frame.value
        path >>= 4


@inlined
def base_at(net, sheet, j, h):
    """sum_i r_i A(P_i, k) of local node j at slot h."""
    n_parents = net.nodes[sheet.nodes[j, ID], N_PARENTS]
    total = sheet.scalars[j, SHARE] * float(sheet.reals[sheet.nodes[j, UP], h])
    for i in range(1, n_parents):
        total += sheet.scalars[j, SHARE + i] * float(sheet.reals[sheet.nodes[j, UP + 2 * i], h])
    return total


@inlined
def evaluate(net, sheet, frame, leaf, n_slots):
    """A of the local nodes above the leaf at every slot, then the opening part of the leaf's weight."""
    real = sheet.reals.dtype.type
    for j in range(sheet.known[VALUED], leaf + 1):  # a customer has just left the leaf, so it is not known
        up, shares = (sheet.nodes[j, UP], sheet.nodes[j, UP]), (real(sheet.scalars[j, SHARE]), real(0.0))
        if net.nodes[sheet.nodes[j, ID], N_PARENTS] > 1:
            up, shares = (up[0], sheet.nodes[j, UP + 2]), (shares[0], real(sheet.scalars[j, SHARE + 1]))
        out, stays, gain, scale = frame.opening, 0.0, 1.0, 1.0
        if j < leaf:
            out, stays, gain = frame.value + j, 1.0, sheet.scalars[j, GAIN]
            scale = 1.0 / (sheet.scalars[j, CONC] + sheet.nodes[j, N_CUSTOMERS])
        terms = (frame.stay + j, frame.open + j)
        for h in range(0, n_slots, WIDTH):
            value_lanes(sheet.reals, out, up, shares, terms, real(stays), real(gain), real(scale), h)
    sheet.known[VALUED] = leaf
    for r in range(frame.value):
        sheet.form[r] = sheet.reals[frame.opening, r]
    for r in range(frame.value):
        if sheet.form[r] != 0.0:
            for h in range(0, n_slots, WIDTH):
                take_lanes(sheet.reals, frame.opening, r, sheet.form[r], h)


@inlined
def evaluate_slot(net, sheet, frame, leaf, h):
    """A of the local nodes above the leaf at one slot."""
    for j in range(leaf):
        base = base_at(net, sheet, j, h)
        scale = 1.0 / (sheet.scalars[j, CONC] + sheet.nodes[j, N_CUSTOMERS])
        opens = sheet.scalars[j, GAIN] * sheet.reals[frame.open + j, h] * base
        sheet.reals[frame.value + j, h] = (sheet.reals[frame.stay + j, h] + opens) * scale


@inlined
def weight_at(net, sheet, frame, leaf, gain, row, h):
    """The weight of slot h beyond what the sum over all topics gives it."""
    k = np.uint64(sheet.ints[TOPIC_OF, h])
    return (sheet.reals[frame.stay + leaf, h] + gain * sheet.reals[frame.opening, h]) * net.stay[row + k]


@inner
def heaviest(net, sheet, frame, leaf, gain, row, n_slots):
    """Where rounding has led to a slot without weight, the one with most."""
    best, most = frame.value, -1.0
    for h in range(frame.value, n_slots):
        weight = weight_at(net, sheet, frame, leaf, gain, row, h)
        if weight > most:
            best, most = h, weight
    return best


@inlined
def sum_of(net, sums, sheet, r, place, word, row, n_held):
    """sum_k p_k phi_kw over the held topics for base r, from where it is cached, or made."""
    s, bottom = place
    pair = sums.pair[sheet.bases[r, 0] + 1, s, bottom + 1]
    if pair >= 0:
        return sums.total[pair, word]
    p, at = sheet.bases[r, 1], np.uint64(word * SPAN)
    if sheet.sums[r, s, at + np.uint64(OF_TOPICS)] != p or sheet.sums[r, s, at + np.uint64(OF_WORD)] != np.int64(row):
        sheet.sums[r, s, at + np.uint64(VALUE)] = dot(net.stay, p, np.int64(row), n_held, sheet.blocks)
        sheet.sums[r, s, at + np.uint64(OF_TOPICS)], sheet.sums[r, s, at + np.uint64(OF_WORD)] = p, np.int64(row)
    return sheet.sums[r, s, at + np.uint64(VALUE)]


@inlined
def fresh_topic(net, sums, sheet, r, place, word, row, n_held, x):
    """A topic in proportion to p_k phi_kw for base r; x is uniform on (0, 1)."""
    s, bottom = place
    pair, p = sums.pair[sheet.bases[r, 0] + 1, s, bottom + 1], sheet.bases[r, 1]
    if pair >= 0:
        return pick_product(net.stay, p, np.int64(row), sums.blocks[pair, word], x * sums.total[pair, word], n_held)
    x *= sum_of(net, sums, sheet, r, place, word, row, n_held)
    block, last = 0, (n_held - 1) // BLOCK
    while block < last:
        part = dot_part(net.stay, p, np.int64(row), n_held, block)
        if x < part:
            break
        x -= part
        block += 1
    return pick_in_block(net.stay, p, np.int64(row), block, x, n_held)


@inlined
def weigh_slots(net, sheet, frame, leaf, gain, row, n_slots):
    """Prefix sums of the slots' weights beyond what the sum over all topics gives them; their total."""
    stay, opening, weights = sheet.reals[frame.stay + leaf], sheet.reals[frame.opening], sheet.reals[frame.weights]
    real = sheet.reals.dtype.type
    total, nothing = real(0.0), (NOWHERE, real(0.0), real(0.0))
    for j in range(0, n_slots, WIDTH):
        h = np.uint64(j)
        total = cumulate(
            stay, opening, sheet.ints[TOPIC_OF], net.stay, weights, row, real(gain), h, total, nothing, nothing
        )
    return total


@inlined
def draw_fresh(net, sums, sheet, frame, leaf, gain, place, word, row, x):
    """A topic by the bases of the leaf's form; x is uniform on (0, sum of their parts)."""
    last, part = 0, 1.0
    for r in range(sheet.bases.shape[0]):
        if sheet.form[r] != 0.0:
            last, part = r, gain * float(sheet.form[r]) * sum_of(net, sums, sheet, r, place, word, row, frame.n_held)
            if x < part:
                break
            x -= part
    return fresh_topic(net, sums, sheet, last, place, word, row, frame.n_held, x / part)


@inlined
def draw(net, sums, sheet, frame, leaf, gain, place, word, row, n_slots, u):
    """A topic in proportion to its weight, among the document's slots or afresh; u is uniform on (0, 1)."""
    held = weigh_slots(net, sheet, frame, leaf, gain, row, n_slots)
    fresh = 0.0
    for r in range(sheet.bases.shape[0]):
        if sheet.form[r] != 0.0:
            fresh += gain * float(sheet.form[r]) * sum_of(net, sums, sheet, r, place, word, row, frame.n_held)
    x = u * (held + sheet.reals.dtype.type(fresh))
    if x >= held and fresh > 0.0:
        return draw_fresh(net, sums, sheet, frame, leaf, gain, place, word, row, x - held)
    h = np.int64(0)
    for j in range(0, n_slots, WIDTH):
        h += np.int64(count_below(sheet.reals[frame.weights], x, np.uint64(j)))
    if h >= n_slots:
        h = heaviest(net, sheet, frame, leaf, gain, row, n_slots)
    return np.int64(sheet.ints[TOPIC_OF, h])


@inlined
def seat(net, tables, terms, sheet, frame, leaf, h, key, n):
    """Seat a customer at slot h by the terms of A, from the leaf up."""
    j = leaf
    while True:
        node = sheet.nodes[j, ID]
        choice = -1
        if net.nodes[node, KIND] != DIRICHLET:
            stays, base = float(sheet.reals[frame.stay + j, h]), base_at(net, sheet, j, h)
            opens = sheet.scalars[j, GAIN] * float(sheet.reals[frame.open + j, h]) * base
            if uniform(key, n) * (stays + opens) >= stays:
                choice, n = by_shares(net, sheet, j, h, base, key, n)
            n += 1
        count(net, tables, terms, sheet, frame, j, h, choice, 1)
        if choice < 0:
            return n
        j = sheet.nodes[j, UP + 2 * choice] - frame.value
        if j < 0:
            return n


@inlined
def by_shares(net, sheet, j, h, base, key, n):
    """A parent in proportion to r_i A(P_i, k); the caller has used uniform n."""
    n_parents = net.nodes[sheet.nodes[j, ID], N_PARENTS]
    if n_parents < 2:
        return 0, n
    x, choice = uniform(key, n + 1) * base, 0
    while choice < n_parents - 1:
        share = sheet.scalars[j, SHARE + choice] * float(sheet.reals[sheet.nodes[j, UP + 2 * choice], h])
        if x < share:
            break
        x -= share
        choice += 1
    return choice, n + 1


@inlined
def slot_for(net, sums, sheet, frame, leaf, place, word, row, n_slots, left, u):
    """A slot for a token that was taken out of slot `left`, opened if need be; and the number of slots."""
    k = draw(net, sums, sheet, frame, leaf, sheet.scalars[leaf, GAIN], place, word, row, n_slots, u)
    vacated = sheet.ints[TOKENS, left] == 0
    if sheet.slot_of[k] != NONE:
        if vacated and np.int64(sheet.slot_of[k]) != left:
            n_slots -= 1
            move_slot(sheet, left, n_slots)
            clear_slot(sheet, frame, n_slots)
        return np.int64(sheet.slot_of[k]), n_slots
    h = n_slots
    if vacated:
        h = left
        sheet.slot_of[sheet.ints[TOPIC_OF, left]] = NONE
    else:
        n_slots += 1
    open_slot(net, sheet, frame, h, k)
    evaluate_slot(net, sheet, frame, leaf, h)
    return h, n_slots


@inlined
def clear_slot(sheet, frame, h):
    """A slot that nobody uses weighs nothing: it is read together with those in use."""
    for r in range(sheet.bases.shape[0]):
        sheet.reals[r, h] = 0.0
    for j in range(sheet.nodes.shape[0]):
        sheet.reals[frame.stay + j, h] = 0.0
    sheet.ints[TOPIC_OF, h] = 0


@inlined
def row_of_token(net, text, words, context, s, token):
    """Where the row of a token's word starts: phi_kw of all topics k."""
    last = words.lists[text.leaf[context, s, WORD_LIST] + 1, FIRST] - 1
    first = words.entries[last, CELL]
    if words.entries[last, MODE] == AT_TOKEN:
        return np.uint64(net.cells[text.cells[first, token], ROW])
    return np.uint64(net.cells[first, ROW]) + np.uint64(text.word[token]) * np.uint64(len(net.status) - LIVE)


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
def fetch(net, text, sums, words, sheet, d, n_held):
    """Have what document d will read of its words come near, while the one before it is updated."""
    n_streams, context = text.leaf.shape[1], text.context[d]
    for s in range(n_streams):
        start, stop = text.first[d * n_streams + s], text.first[d * n_streams + s + 1]
        for token in range(start, min(stop, start + SOON)):
            row = row_of_token(net, text, words, context, s, token)
            for j in range(0, min(n_held, WIDTH * LINE), LINE):
                prefetch(net.stay, row + np.uint64(j))
            for r in range(sheet.bases.shape[0]):
                prefetch(sheet.sums[r, s], np.uint64(text.word[token] * SPAN))
            for pair in range(sums.total.shape[0]):
                prefetch(sums.total[pair], np.uint64(text.word[token]))


@inlined
def update_stream(net, tables, terms, text, sums, words, sheet, frame, d, s, n_shared, n_slots, key, n):
    """One Gibbs update of every token of one stream of a document; one whose topic is not held stays.

    Returns the numbers of slots and of random draws used.
    """
    n_streams, context = text.leaf.shape[1], text.context[d]
    leaf, which = text.leaf[context, s, LEAF] - n_shared, text.leaf[context, s, WORD_LIST]
    place = (s, words.lists[which + 1, FIRST] - 1 - words.lists[which, FIRST])
    for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
        k = np.int64(text.topic[token])
        if k >= frame.n_held:
            continue
        row, word = row_of_token(net, text, words, context, s, token), np.int64(text.word[token])
        h = np.int64(sheet.slot_of[k])
        left, n = leave(net, tables, terms, sheet, frame, leaf, h, key, n)
        if not left:
            continue
        sheet.ints[TOKENS, h] -= 1
        evaluate(net, sheet, frame, leaf, n_slots)
        u = uniform_in(sheet.reals.dtype.type, key, n)
        h, n_slots = slot_for(net, sums, sheet, frame, leaf, place, word, row, n_slots, h, u)
        sheet.ints[TOKENS, h] += 1
        n = seat(net, tables, terms, sheet, frame, leaf, h, key, n + 1)
        text.topic[token] = sheet.ints[TOPIC_OF, h]
    return n_slots, n


@inlined
def visit(net, tables, terms, text, sums, topics, words, sheet, d, n_held, key, passes):
    """So many Gibbs updates of every token of document d given the shared vectors."""
    n = np.int64(0)
    n_shared = topics.lists[text.context[d], SHARED]
    set_nodes(net, terms, text, topics, sheet, d)
    frame = frame_of(sheet, n_held)
    n_slots = load(net, tables, terms, text, sheet, frame, d, n_shared)
    for _ in range(passes):
        for s in range(text.leaf.shape[1]):
            n_slots, n = update_stream(
                net, tables, terms, text, sums, words, sheet, frame, d, s, n_shared, n_slots, key, n
            )
    save(net, tables, terms, text, sheet, frame, d, n_shared, key, n)
    for h in range(frame.value, n_slots):
        clear_slot(sheet, frame, h)


@inlined
def _visit_block(net, tables, terms, sheets, text, sums, topics, words, documents, n_held, seed, passes, block):
    sheet = take_sheet(sheets, numba.get_thread_id())
    sheet.known[CONTEXT] = -1
    for j in range(block * DOCUMENTS, min((block + 1) * DOCUMENTS, len(documents))):
        d = documents[j]
        if j + 1 < len(documents):
            fetch_text(text, documents, j)
            fetch(net, text, sums, words, sheet, documents[j + 1], n_held)
        key = stream_key(seed[0], seed[1], seed[2], d, EXPLICIT)
        visit(net, tables, terms, text, sums, topics, words, sheet, d, n_held, key, passes)


@spread
def quick_sweep(net, tables, terms, sheets, text, sums, topics, words, documents, n_held, seed, passes):
    """Visit the documents in any order, on any number of threads: each has its own random stream.

    Every token is updated `passes` times.
    """
    for block in prange((len(documents) + DOCUMENTS - 1) // DOCUMENTS):
        _visit_block(net, tables, terms, sheets, text, sums, topics, words, documents, n_held, seed, passes, block)
