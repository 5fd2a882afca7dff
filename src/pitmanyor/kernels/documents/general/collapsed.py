"""The collapsed sweep: every token is removed, scored and seated again, with all nodes as counts (maths 2-4)."""

from __future__ import annotations

import numpy as np

from pitmanyor import purposes
from pitmanyor.kernels.documents.general.document import (
    SOON,
    fetch_counts,
    load_document,
    load_run,
    row_of_words,
    save_document,
    save_run,
    set_word_cells,
    word_leaf,
    word_part,
)
from pitmanyor.kernels.documents.general.local_nodes import leave_local, plan_leaving, seat_local
from pitmanyor.kernels.documents.general.node_values import evaluate, join_slot, linearise
from pitmanyor.kernels.documents.general.scratch import OF_TOPIC, TOKENS, TOPIC, WORD, close_slot
from pitmanyor.kernels.documents.sweep_arrays import in_thread
from pitmanyor.kernels.restaurant.arrays import (
    BLOCK,
    FIRST,
    GEM_CELL,
    LEAF,
    LIVE,
    MAX_TOPICS,
    N_COLUMNS,
    N_LIVE,
    SHARED,
    WORD_LIST,
)
from pitmanyor.kernels.restaurant.births import update_topics
from pitmanyor.kernels.restaurant.packed_rows import unpack_cells
from pitmanyor.kernels.restaurant.scoring import fill_form, multiply, pick, score_side
from pitmanyor.kernels.restaurant.seating import STUCK, apply_removal, plan_removal, seat
from pitmanyor.kernels.runtime.jit import inlined, inner, kernel
from pitmanyor.kernels.runtime.random import stream_key, uniform

# a token's topic before its first visit: UNSEEN, or FORCED - k to start it in topic k
UNSEEN, FORCED = -1, -2


@inlined
def take_token(arrays, place, token, key, n):
    """Remove a token from both sides; False if rule `paper` keeps it where it is."""
    franchise, text, topics, words = arrays.franchise, arrays.text, arrays.topics, arrays.words
    net, terms, doc, visit = franchise.net, franchise.terms, arrays.scratch, arrays.visit
    part, leaf, word_side, bottom = place
    k = np.int64(text.topic[token])
    h = doc.slot_of[k]
    length, exit, n = plan_leaving(franchise, doc, topics, part, leaf, h, key, n)
    if length == STUCK:
        return False, n
    above = length
    if exit >= 0:
        above, n = plan_removal(franchise, topics, part[0], exit, k, length, key, n)
    word_length, word_exit, n = plan_leaving(franchise, doc, words, word_side, bottom, h, key, n)
    if above == STUCK or word_length == STUCK:
        return False, n
    word_above = word_length
    if word_exit >= 0:
        word_above, n = plan_removal(franchise, words, word_side[0], word_exit, k, word_length, key, n)
    if word_above == STUCK:
        return False, n
    leave_local(franchise, doc, topics, length, h)
    leave_local(franchise, doc, words, word_length, h)
    visit.marks[0] = min(visit.marks[0], apply_removal(franchise, topics, length, above, k))
    apply_removal(franchise, words, word_length, word_above, k)
    doc.slots[h, TOKENS] -= 1
    if doc.slots[h, TOKENS] == 0:
        close_slot(terms, doc, h)
    changed, n = update_topics(net, k, key, n)
    if changed:
        visit.marks[0] = 0
    return True, n


@inlined
def score_token(net, doc, topics, words, visit, place):
    """The weight of every topic for a token that was taken out; returns their total."""
    part, leaf, word_side, bottom = place
    n_columns = net.status[N_COLUMNS]
    stale = visit.marks[0]
    if stale < part[1]:
        score_side(net, topics, part[0], stale, part[1], n_columns)
        visit.marks[0] = part[1]
    score_side(net, words, word_side[0], 0, word_side[1], n_columns)
    linearise(net, doc, topics, part, leaf, TOPIC)
    linearise(net, doc, words, word_side, bottom, WORD)
    fill_form(doc, topics, part[1], TOPIC, visit.score, n_columns)
    fill_form(doc, words, word_side[1], WORD, visit.form, n_columns)
    total = multiply(visit.score, visit.form, visit.blocks, n_columns)
    for h in range(doc.slots[-1, OF_TOPIC]):
        k = doc.slots[h, OF_TOPIC]
        weight = evaluate(net, doc, topics, part, leaf, h) * evaluate(net, doc, words, word_side, bottom, h)
        change = weight - visit.score[k]
        visit.score[k] = weight
        visit.blocks[k // BLOCK] += change
        total += change
    return total


@inlined
def put_token(arrays, place, token, key, n):
    """Draw a topic for a token that was taken out, and its walks on both sides (maths 2)."""
    franchise, text, topics, words = arrays.franchise, arrays.text, arrays.topics, arrays.words
    net, terms, doc, visit = franchise.net, franchise.terms, arrays.scratch, arrays.visit
    part, leaf, word_side, bottom = place
    total = score_token(net, doc, topics, words, visit, place)
    k = np.int64(FORCED - text.topic[token])
    if k < 0 or text.topic[token] >= 0:
        k = pick(visit.score, visit.blocks, uniform(key, n) * total, net.status[N_COLUMNS])
        n += 1
    h = join_slot(net, terms, doc, topics, words, place, k)
    exit, n = seat_local(franchise, doc, topics, part, leaf, h, key, n)
    if exit >= 0:
        lowest, n = seat(franchise, topics, part[0], exit, k, key, n)
        visit.marks[0] = min(visit.marks[0], lowest)
    exit, n = seat_local(franchise, doc, words, word_side, bottom, h, key, n)
    if exit >= 0:
        _, n = seat(franchise, words, word_side[0], exit, k, key, n)
    text.topic[token] = k
    changed, n = update_topics(net, k, key, n)
    if changed:
        visit.marks[0] = 0
    return n


@inner
def visit_document(arrays, d, key):
    """One Gibbs update of every token of document d, blocked over its topic and all its walks."""
    franchise, text, topics, words = arrays.franchise, arrays.text, arrays.topics, arrays.words
    net, doc, visit, n = franchise.net, arrays.scratch, arrays.visit, np.int64(0)
    n_streams = text.leaf.shape[1]
    context = text.context[d]
    load_document(franchise, doc, text, topics, words, d)
    visit.marks[0] = 0
    part = (topics.lists[context, FIRST], topics.lists[context, SHARED], True)
    for s in range(n_streams):
        which = text.leaf[context, s, WORD_LIST]
        place = (part, text.leaf[context, s, LEAF], word_part(words, which, True), word_leaf(words, which))
        start, stop = text.first[d * n_streams + s], text.first[d * n_streams + s + 1]
        top, in_order = row_of_words(net, text, words, d, s)
        while start < stop:
            if in_order:
                fetch_counts(net, text, words, which, top, min(start + SOON, stop - 1))
            end = start + 1
            while end < stop and text.word[end] == text.word[start]:
                end += 1
            if text.partner[s, s]:
                load_run(franchise, doc, text, words, d, s, text.word[start])
            set_word_cells(words, text, which, start)
            unpack_cells(net, franchise.tables, franchise.terms, words, which)
            for token in range(start, end):
                free = True
                if text.topic[token] >= 0:
                    free, n = take_token(arrays, place, token, key, n)
                if free:
                    n = put_token(arrays, place, token, key, n)
            if text.partner[s, s]:
                save_run(franchise, doc, text, words, d, s, text.word[start])
            start = end
    save_document(franchise, doc, text, topics, d, key, n)


@inlined
def is_full(net, text, d):
    """May the topics that document d could open be more than there are columns?"""
    n_streams = text.leaf.shape[1]
    size = text.first[(d + 1) * n_streams] - text.first[d * n_streams]
    births = min(size, net.status[MAX_TOPICS] - net.status[N_LIVE])
    return net.status[GEM_CELL] >= 0 and net.status[N_LIVE] + births + 1 > len(net.status) - LIVE


@kernel
def collapsed_sweep(arrays, documents, start, seed):
    """Visit the documents from `start` on; returns where it stopped: at the end, or where columns may run out.

    `seed` is (seed, chain, sweep); every document has its own random stream, so a stop changes nothing.
    """
    mine, net, text = in_thread(arrays, 0), arrays.franchise.net, arrays.text
    for j in range(start, len(documents)):
        if is_full(net, text, documents[j]):
            return j
        key = stream_key(seed[0], seed[1], seed[2], text.number[documents[j]], purposes.COLLAPSED)
        visit_document(mine, documents[j], key)
    return len(documents)
