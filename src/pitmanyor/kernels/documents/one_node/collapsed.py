"""The collapsed sweep for documents with one local node over one base: target of general/collapsed.py, fewer bundles.

With words of the document's own (own_words/scratch.py), a token changes the shared nodes only if a table of its own
node is closed or opened.
"""

from __future__ import annotations

import numpy as np

from pitmanyor import purposes
from pitmanyor.kernels.documents.general.collapsed import FORCED, is_full
from pitmanyor.kernels.documents.general.document import SOON, fetch_counts, row_of_words, set_word_cells
from pitmanyor.kernels.documents.one_node.scratch import COUNTED, NO_SLOT, Document, open_slot, set_slot, shape_of
from pitmanyor.kernels.documents.one_node.stored_seats import load, measure, save
from pitmanyor.kernels.documents.own_words.scratch import (
    close_stream,
    count_restaurant,
    open_stream,
    word_node_of,
)
from pitmanyor.kernels.documents.own_words.word_repeats import (
    close_run,
    end_of_run,
    leave_dish,
    leaves_dish,
    open_run,
    opens_dish,
    seat_dish,
    word_weight,
)
from pitmanyor.kernels.documents.sweep_arrays import in_thread
from pitmanyor.kernels.restaurant.arrays import (
    AT,
    BASE,
    BLOCK,
    CELL,
    DIRICHLET,
    FIRST,
    N_COLUMNS,
    SHARED,
    WORD_LIST,
)
from pitmanyor.kernels.restaurant.births import update_topics
from pitmanyor.kernels.restaurant.packed_rows import unpack_cells
from pitmanyor.kernels.restaurant.scoring import pick, score_side, sum_blocks
from pitmanyor.kernels.restaurant.seating import STUCK, apply_removal, plan_removal, seat
from pitmanyor.kernels.runtime.jit import inlined, inner, kernel
from pitmanyor.kernels.runtime.random import stream_key, uniform


@inner
def score_token(arrays, shape, word_node, place, n_slots, gain):
    """The weight of every topic for a token that was taken out, up to the restaurant's scale; returns their total."""
    net, topics, words, visit, active = arrays.franchise.net, arrays.topics, arrays.words, arrays.visit, arrays.scratch
    entry, n_shared, word_entry, bottom = place
    n_columns = net.status[N_COLUMNS]
    if visit.marks[0] < n_shared:
        score_side(net, topics, entry, visit.marks[0], n_shared, n_columns)
        visit.marks[0] = n_shared
    score_side(net, words, word_entry, 0, bottom + 1, n_columns)
    total = weigh_all(net, topics, words, visit, shape, bottom, gain, n_columns)
    for h in range(n_slots):
        k = active.topic[h]
        p = net.reals[shape.node, BASE] if shape.parent < 0 else float(topics.values[shape.parent, k])
        phi = float(words.values[bottom, k])
        excess = (active.stay[h] + gain * p * active.opening[h]) * phi
        if word_node.node >= 0:
            weight = word_weight(arrays.franchise.tables, arrays.franchise.terms, arrays.own, word_node, h, phi)
            excess = (active.stay[h] + gain * p * (1.0 + float(active.opening[h]))) * weight - visit.score[k]
        visit.score[k] += excess
        visit.blocks[k // BLOCK] += excess
        total += excess
    return total


@inlined
def weigh_all(net, topics, words, visit, shape, bottom, gain, n_columns):
    """score[k] = gain A(parent, k) A(word leaf, w), with sums over blocks; returns the total."""
    constant, score, leaf = gain * net.reals[shape.node, BASE], visit.score, words.values[bottom]
    if shape.parent < 0:
        for k in range(n_columns):
            score[k] = constant * leaf[k]
    else:
        base = topics.values[shape.parent]
        for k in range(n_columns):
            score[k] = gain * base[k] * leaf[k]
    return sum_blocks(score, visit.blocks, n_columns)


@inlined
def take_token(arrays, document, word_node, place, k, n):
    """Remove a token of topic k from both sides; whether it left, whether its table did, and the counter."""
    (net, tables, terms), topics, words = arrays.franchise, arrays.topics, arrays.words
    visit, active, own, shape, key = arrays.visit, arrays.scratch, arrays.own, document.shape, document.key
    entry, _, word_entry, bottom = place
    h = np.uint64(active.slot_of[k])
    chance = active.leave[h]
    leaves = chance >= 1.0
    if 0.0 < chance < 1.0:
        leaves = uniform(key, n) < chance
        n += 1
    if leaves and active.tables[h] == 1 and active.customers[h] > 1:
        return False, leaves, n
    length, word_length, goes = 0, 0, np.int64(1)
    if leaves:
        length, n = plan_removal(arrays.franchise, topics, entry, shape.parent, k, 0, key, n)
    if word_node.node >= 0:
        goes, n = leaves_dish(tables, terms, own, word_node, h, key, n)
    if length == STUCK or goes < 0:
        return False, leaves, n
    if goes > 0:
        word_length, n = plan_removal(arrays.franchise, words, word_entry, bottom, k, 0, key, n)
    if word_length == STUCK:
        return False, leaves, n
    if word_node.node >= 0:
        leave_dish(own, h, goes)
        count_restaurant(own, word_node, h, -1, -goes)
    active.customers[h] -= 1
    active.tables[h] -= leaves
    visit.marks[0] = min(visit.marks[0], apply_removal(arrays.franchise, topics, 0, length, k))
    apply_removal(arrays.franchise, words, 0, word_length, k)
    changed, n = update_topics(net, k, key, n)
    if changed:
        visit.marks[0] = 0
    return True, leaves, n


@inlined
def put_token(arrays, document, word_node, place, n_slots, gain, forced, n):
    """Draw a topic (or take the forced one) and its walks; returns it, whether tables opened, and the counter."""
    (net, tables, terms), topics, words = arrays.franchise, arrays.topics, arrays.words
    visit, active, shape, key = arrays.visit, arrays.scratch, document.shape, document.key
    entry, _, word_entry, bottom = place
    total = score_token(arrays, shape, word_node, place, n_slots, gain)
    k = forced
    if k < 0:
        k = pick(visit.score, visit.blocks, uniform(key, n) * total, net.status[N_COLUMNS])
        n += 1
    opens = shape.kind != DIRICHLET
    h = active.slot_of[k]
    if opens and h != NO_SLOT and active.customers[h] > 0:
        stays = float(active.stay[h])
        opening = gain * float(topics.values[shape.parent, k]) * (1.0 + float(active.opening[h]))
        opens = uniform(key, n) * (stays + opening) >= stays
        n += 1
    if opens:
        lowest, n = seat(arrays.franchise, topics, entry, shape.parent, k, key, n)
        visit.marks[0] = min(visit.marks[0], lowest)
    opened = np.int64(1)
    if word_node.node >= 0 and h != NO_SLOT:
        opened, n = opens_dish(tables, terms, arrays.own, word_node, h, float(words.values[bottom, k]), key, n)
    if opened > 0:
        _, n = seat(arrays.franchise, words, word_entry, bottom, k, key, n)
    changed, n = update_topics(net, k, key, n)
    if changed:
        visit.marks[0] = 0
    return k, opens, opened, n


@inner
def visit_collapsed(arrays, d, key):
    """One Gibbs update of every token of document d, blocked over its topic and all its walks."""
    (net, tables, terms), text, topics = arrays.franchise, arrays.text, arrays.topics
    words, visit, active, own = arrays.words, arrays.visit, arrays.scratch, arrays.own
    n = np.int64(0)
    n_streams, context = text.leaf.shape[1], text.context[d]
    shape = shape_of(net, text, topics, terms, d, COUNTED)
    document = Document(d, shape, key)
    entry = topics.lists[context, FIRST]
    for pos in range(topics.lists[context + 1, FIRST] - entry):
        topics.scratch[AT, pos] = topics.entries[entry + pos, CELL]
    n_slots, n_tables = load(net, tables, terms, text, active, shape, d)
    visit.marks[0] = 0
    first = text.first[d * n_streams]
    for s in range(n_streams):
        which = text.leaf[context, s, WORD_LIST]
        place = (entry, topics.lists[context, SHARED], words.lists[which, FIRST], words.lists[which, SHARED] - 1)
        word_node = word_node_of(net, terms, words, which)
        top, in_order = row_of_words(net, text, words, d, s)
        start, stop, joint = text.first[d * n_streams + s], text.first[d * n_streams + s + 1], 0.0
        if word_node.node >= 0:
            open_stream(text, active.seat, own, word_node, (start, stop), first, n_slots)
        while start < stop:
            end, n_listed = end_of_run(text, start, stop), np.int64(0)
            if word_node.node >= 0:
                n_listed = open_run(text, active.seat, own, word_node, (start, end), first)
            for token in range(start, end):
                if in_order:
                    fetch_counts(net, text, words, which, top, min(token + SOON, stop - 1))
                set_word_cells(words, text, which, token)
                unpack_cells(net, tables, terms, words, which)
                at = (token, first, n_slots, n_tables, n_listed)
                n_slots, n_tables, n_listed, n = update_token(arrays, document, word_node, place, at, n)
            if word_node.node >= 0:
                joint += close_run(tables, terms, text, active.seat, own, word_node, (start, end, first), n_listed)
            start = end
        if word_node.node >= 0:
            close_stream(net, text, own, word_node, d, n_slots, joint)
    measure(arrays, document, n_slots, n_tables, n)
    save(text, active, shape, d, n_slots)


@inlined
def update_token(arrays, document, word_node, place, at, n):
    """One token; returns the numbers of slots, of tables and of topics that have its word, and the counter."""
    tables, terms, text, active, own = (
        arrays.franchise.tables,
        arrays.franchise.terms,
        arrays.text,
        arrays.scratch,
        arrays.own,
    )
    shape = document.shape
    token, first, n_slots, n_tables, n_listed = at
    k = np.int64(text.topic[token])
    forced = np.int64(FORCED - k) if k < 0 else np.int64(-1)
    if k >= 0:
        left, took, n = take_token(arrays, document, word_node, place, k, n)
        if not left:
            return n_slots, n_tables, n_listed, n
        n_tables -= took
        set_slot(tables, terms, active, shape, np.uint64(active.slot_of[k]))
    gain = shape.concentration + shape.discount * n_tables
    k, opens, opened, n = put_token(arrays, document, word_node, place, n_slots, gain, forced, n)
    if active.slot_of[k] == NO_SLOT:
        _, n_slots = open_slot(arrays.franchise.net, active, shape, np.uint64(k), n_slots)
    h = np.uint64(active.slot_of[k])
    active.seat[np.uint64(token - first)] = h
    active.customers[h] += 1
    active.tables[h] += opens
    set_slot(tables, terms, active, shape, h)
    if word_node.node >= 0:
        n_listed = seat_dish(own, h, opened, n_listed)
        count_restaurant(own, word_node, h, 1, opened)
    return n_slots, n_tables + opens, n_listed, n


@kernel
def one_node_collapsed_sweep(arrays, documents, start, seed):
    """Visit the documents from `start` on; returns where it stopped: at the end, or where columns may run out."""
    mine, net, text = in_thread(arrays, 0), arrays.franchise.net, arrays.text
    for j in range(start, len(documents)):
        if is_full(net, text, documents[j]):
            return j
        key = stream_key(seed[0], seed[1], seed[2], text.number[documents[j]], purposes.COLLAPSED)
        visit_collapsed(mine, documents[j], key)
    return len(documents)
