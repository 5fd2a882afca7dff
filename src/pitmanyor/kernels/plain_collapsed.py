"""The collapsed sweep for the plain shape (kernels/slots.py): same target as kernels/collapsed.py, fewer bundles."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.arrays import (
    AT,
    BASE,
    BLOCK,
    CELL,
    DIRICHLET,
    FIRST,
    GEM_CELL,
    LIVE,
    MAX_TOPICS,
    N_COLUMNS,
    N_LIVE,
    SHARED,
    WORD_LIST,
)
from pitmanyor.kernels.births import update_topics
from pitmanyor.kernels.collapsed import COLLAPSED, FORCED
from pitmanyor.kernels.document import set_word_cells
from pitmanyor.kernels.jit import inlined, inner, kernel
from pitmanyor.kernels.random import stream_key, uniform
from pitmanyor.kernels.scoring import pick, score_side, sum_blocks
from pitmanyor.kernels.seating import STUCK, apply_removal, plan_removal, seat
from pitmanyor.kernels.slots import (
    COUNTED,
    NONE,
    load,
    measure,
    open_slot,
    save,
    set_slot,
    shape_of,
    take_slots,
)


@inner
def score_plain(net, topics, words, visit, slots, shape, place, n_slots, gain):
    """The weight of every topic for a token that was taken out, up to the restaurant's scale; returns their total."""
    entry, n_shared, word_entry, bottom = place
    n_columns = net.status[N_COLUMNS]
    if visit.marks[0] < n_shared:
        score_side(net, topics, entry, visit.marks[0], n_shared, n_columns)
        visit.marks[0] = n_shared
    score_side(net, words, word_entry, 0, bottom + 1, n_columns)
    total = weigh_all(net, topics, words, visit, shape, bottom, gain, n_columns)
    for h in range(n_slots):
        k = slots.topic[h]
        p = net.reals[shape.node, BASE] if shape.parent < 0 else float(topics.values[shape.parent, k])
        excess = (slots.stay[h] + gain * p * slots.opening[h]) * float(words.values[bottom, k])
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
def take_plain(net, tables, terms, topics, words, visit, slots, shape, place, k, key, n):
    """Remove a token of topic k from both sides; whether it left, whether its table did, and the counter."""
    entry, _, word_entry, bottom = place
    h = np.uint64(slots.slot_of[k])
    chance = slots.leave[h]
    leaves = chance >= 1.0
    if 0.0 < chance < 1.0:
        leaves = uniform(key, n) < chance
        n += 1
    if leaves and slots.tables[h] == 1 and slots.customers[h] > 1:
        return False, leaves, n
    length = 0
    if leaves:
        length, n = plan_removal(net, tables, topics, entry, shape.parent, k, 0, key, n)
    word_length, n = plan_removal(net, tables, words, word_entry, bottom, k, 0, key, n)
    if length == STUCK or word_length == STUCK:
        return False, leaves, n
    slots.customers[h] -= 1
    slots.tables[h] -= leaves
    visit.marks[0] = min(visit.marks[0], apply_removal(net, tables, topics, 0, length, k))
    apply_removal(net, tables, words, 0, word_length, k)
    changed, n = update_topics(net, k, key, n)
    if changed:
        visit.marks[0] = 0
    return True, leaves, n


@inlined
def put_plain(net, tables, topics, words, visit, slots, shape, place, n_slots, gain, forced, key, n):
    """Draw a topic (or take the forced one) and its walks; returns it, whether a table opened, and the counter."""
    entry, _, word_entry, bottom = place
    total = score_plain(net, topics, words, visit, slots, shape, place, n_slots, gain)
    k = forced
    if k < 0:
        k = pick(visit.score, visit.blocks, uniform(key, n) * total, net.status[N_COLUMNS])
        n += 1
    opens = shape.kind != DIRICHLET
    h = slots.slot_of[k]
    if opens and h != NONE and slots.customers[h] > 0:
        stays = float(slots.stay[h])
        opening = gain * float(topics.values[shape.parent, k]) * (1.0 + float(slots.opening[h]))
        opens = uniform(key, n) * (stays + opening) >= stays
        n += 1
    if opens:
        lowest, n = seat(net, tables, topics, entry, shape.parent, k, key, n)
        visit.marks[0] = min(visit.marks[0], lowest)
    _, n = seat(net, tables, words, word_entry, bottom, k, key, n)
    changed, n = update_topics(net, k, key, n)
    if changed:
        visit.marks[0] = 0
    return k, opens, n


@inner
def visit_plain_collapsed(net, tables, terms, text, topics, words, visit, slots, d, key):
    """One Gibbs update of every token of document d, blocked over its topic and all its walks."""
    n = np.int64(0)
    n_streams, context = text.leaf.shape[1], text.context[d]
    shape = shape_of(net, text, topics, terms, d, COUNTED)
    entry = topics.lists[context, FIRST]
    for pos in range(topics.lists[context + 1, FIRST] - entry):
        topics.scratch[AT, pos] = topics.entries[entry + pos, CELL]
    n_slots, n_tables = load(net, tables, terms, text, slots, shape, d)
    visit.marks[0] = 0
    start = text.first[d * n_streams]
    for s in range(n_streams):
        which = text.leaf[context, s, WORD_LIST]
        bottom = words.lists[which + 1, FIRST] - words.lists[which, FIRST] - 1
        place = (entry, topics.lists[context, SHARED], words.lists[which, FIRST], bottom)
        for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            set_word_cells(words, text, which, token)
            k = np.int64(text.topic[token])
            forced = np.int64(FORCED - k) if k < 0 else np.int64(-1)
            if k >= 0:
                left, took, n = take_plain(net, tables, terms, topics, words, visit, slots, shape, place, k, key, n)
                if not left:
                    continue
                h = np.uint64(slots.slot_of[k])
                n_tables -= took
                set_slot(tables, terms, slots, shape, h)
            gain = shape.concentration + shape.discount * n_tables
            k, opened, n = put_plain(
                net, tables, topics, words, visit, slots, shape, place, n_slots, gain, forced, key, n
            )
            if slots.slot_of[k] == NONE:
                _, n_slots = open_slot(net, slots, shape, np.uint64(k), n_slots)
            h = np.uint64(slots.slot_of[k])
            slots.seat[np.uint64(token - start)] = h
            slots.customers[h] += 1
            slots.tables[h] += opened
            n_tables += opened
            set_slot(tables, terms, slots, shape, h)
    measure(net, tables, terms, text, slots, shape, d, n_slots, n_tables, key, n)
    save(text, slots, shape, d, n_slots)


@kernel
def plain_collapsed_sweep(net, tables, terms, bench, text, topics, words, visit, documents, start, seed):
    """Visit the documents from `start` on; returns where it stopped: at the end, or where columns may run out."""
    slots = take_slots(bench, 0)
    n_streams = text.leaf.shape[1]
    for j in range(start, len(documents)):
        d = documents[j]
        size = text.first[(d + 1) * n_streams] - text.first[d * n_streams]
        births = min(size, net.status[MAX_TOPICS] - net.status[N_LIVE])
        if net.status[GEM_CELL] >= 0 and net.status[N_LIVE] + births + 1 > len(net.status) - LIVE:
            return j
        key = stream_key(seed[0], seed[1], seed[2], d, COLLAPSED)
        visit_plain_collapsed(net, tables, terms, text, topics, words, visit, slots, d, key)
    return len(documents)
