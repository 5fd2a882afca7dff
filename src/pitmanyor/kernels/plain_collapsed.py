"""The collapsed sweep for the plain shape (kernels/plain.py): same target as kernels/collapsed.py, fewer bundles."""

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
from pitmanyor.kernels.collapsed import COLLAPSED, FORCED
from pitmanyor.kernels.document import set_word_cells
from pitmanyor.kernels.jit import inlined, inner, kernel
from pitmanyor.kernels.plain import (
    EXCESS,
    MASS,
    ROUND,
    SEATS,
    STAYS,
    TOPIC_OF,
    add_slot,
    drop_slot,
    leaving,
    load,
    save,
    set_slot,
    shape_of,
    take_sheet,
)
from pitmanyor.kernels.random import stream_key, uniform
from pitmanyor.kernels.scoring import pick, score_side
from pitmanyor.kernels.seating import STUCK, apply_removal, plan_removal, seat, update_topics

NO_TOPIC_HELD_BACK = 1 << 40


@inner
def score_plain(net, topics, words, visit, sheet, shape, place, n_slots, gain):
    """The weight of every topic for a token that was taken out, up to the restaurant's scale; returns their total."""
    entry, n_shared, word_entry, bottom = place
    n_columns = net.status[N_COLUMNS]
    if visit.marks[0] < n_shared:
        score_side(net, topics, entry, visit.marks[0], n_shared, n_columns)
        visit.marks[0] = n_shared
    score_side(net, words, word_entry, 0, bottom + 1, n_columns)
    total = weigh_all(net, topics, words, visit, shape, bottom, gain, n_columns)
    for h in range(n_slots):
        k = sheet.ints[TOPIC_OF, h]
        p = net.reals[shape.node, BASE] if shape.parent < 0 else float(topics.values[shape.parent, k])
        sheet.reals[MASS, h] = p
        excess = (sheet.reals[STAYS, h] + gain * p * sheet.reals[EXCESS, h]) * float(words.values[bottom, k])
        visit.score[k] += excess
        visit.blocks[k // BLOCK] += excess
        total += excess
    return total


@inlined
def weigh_all(net, topics, words, visit, shape, bottom, gain, n_columns):
    """score[k] = gain A(parent, k) A(word leaf, w), with sums over blocks; returns the total."""
    total = 0.0
    constant = gain * net.reals[shape.node, BASE]
    for block in range((n_columns + BLOCK - 1) // BLOCK):
        partial = 0.0
        for k in range(block * BLOCK, min((block + 1) * BLOCK, n_columns)):
            p = constant if shape.parent < 0 else gain * topics.values[shape.parent, k]
            visit.score[k] = p * words.values[bottom, k]
            partial += visit.score[k]
        visit.blocks[block] = partial
        total += partial
    return total


@inlined
def take_plain(net, tables, terms, topics, words, visit, sheet, shape, place, k, key, n):
    """Remove a token of topic k from both sides; whether it left, whether its table did, and the counter."""
    entry, _, word_entry, bottom = place
    h = sheet.slot_of[k]
    c, t = sheet.ints[SEATS, h], sheet.ints[ROUND, h]
    leaves, n = leaving(tables, terms, shape, c, t, key, n)
    if leaves and t == 1 and c > 1:
        return False, leaves, n
    length = 0
    if leaves:
        length, n = plan_removal(net, tables, topics, entry, shape.parent, k, 0, key, n)
    word_length, n = plan_removal(net, tables, words, word_entry, bottom, k, 0, key, n)
    if length == STUCK or word_length == STUCK:
        return False, leaves, n
    sheet.ints[SEATS, h], sheet.ints[ROUND, h] = c - 1, t - leaves
    visit.marks[0] = min(visit.marks[0], apply_removal(net, tables, topics, 0, length, k))
    apply_removal(net, tables, words, 0, word_length, k)
    if update_topics(net, k):
        visit.marks[0] = 0
    return True, leaves, n


@inlined
def put_plain(net, tables, topics, words, visit, sheet, shape, place, n_slots, gain, forced, key, n):
    """Draw a topic (or take the forced one) and its walks; returns it, whether a table opened, and the counter."""
    entry, _, word_entry, bottom = place
    total = score_plain(net, topics, words, visit, sheet, shape, place, n_slots, gain)
    k = forced
    if k < 0:
        k = pick(visit.score, visit.blocks, uniform(key, n) * total, net.status[N_COLUMNS])
        n += 1
    h = sheet.slot_of[k]
    opens = shape.kind != DIRICHLET
    if h >= 0 and opens:
        stays = sheet.reals[STAYS, h]
        opening = gain * sheet.reals[MASS, h] * (1.0 + sheet.reals[EXCESS, h])
        opens = uniform(key, n) * (stays + opening) >= stays
        n += 1
    if opens:
        lowest, n = seat(net, tables, topics, entry, shape.parent, k, key, n)
        visit.marks[0] = min(visit.marks[0], lowest)
    _, n = seat(net, tables, words, word_entry, bottom, k, key, n)
    if update_topics(net, k):
        visit.marks[0] = 0
    return k, opens, n


@inner
def visit_plain_collapsed(net, tables, terms, text, topics, words, visit, sheet, d, key):
    """One Gibbs update of every token of document d, blocked over its topic and all its walks."""
    n = np.int64(0)
    n_streams, context = text.leaf.shape[1], text.context[d]
    shape = shape_of(net, text, topics, terms, d)
    entry = topics.lists[context, FIRST]
    for pos in range(topics.lists[context + 1, FIRST] - entry):
        topics.scratch[AT, pos] = topics.entries[entry + pos, CELL]
    n_slots, n_customers, n_tables = load(net, tables, terms, text, sheet, shape, d, NO_TOPIC_HELD_BACK)
    visit.marks[0] = 0
    for s in range(n_streams):
        which = text.leaf[context, s, WORD_LIST]
        bottom = words.lists[which + 1, FIRST] - words.lists[which, FIRST] - 1
        place = (entry, topics.lists[context, SHARED], words.lists[which, FIRST], bottom)
        for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            set_word_cells(words, text, which, token)
            k = np.int64(text.topic[token])
            forced = np.int64(FORCED - k) if k < 0 else np.int64(-1)
            if k >= 0:
                left, took, n = take_plain(net, tables, terms, topics, words, visit, sheet, shape, place, k, key, n)
                if not left:
                    continue
                h = sheet.slot_of[k]
                n_customers -= 1
                n_tables -= took
                if sheet.ints[SEATS, h] == 0:
                    n_slots -= 1
                    drop_slot(sheet, h, n_slots)
                else:
                    set_slot(tables, terms, sheet, shape, h)
            gain = shape.concentration + shape.discount * n_tables
            k, opened, n = put_plain(
                net, tables, topics, words, visit, sheet, shape, place, n_slots, gain, forced, key, n
            )
            if sheet.slot_of[k] < 0:
                add_slot(sheet, n_slots, k)
                n_slots += 1
            h = sheet.slot_of[k]
            sheet.ints[SEATS, h] += 1
            sheet.ints[ROUND, h] += opened
            n_customers += 1
            n_tables += opened
            set_slot(tables, terms, sheet, shape, h)
            text.topic[token] = k
    save(net, tables, terms, text, sheet, shape, d, (n_slots, n_customers, n_tables), key, n)


@kernel
def plain_collapsed_sweep(net, tables, terms, sheets, text, topics, words, visit, documents, start, seed):
    """Visit the documents from `start` on; returns where it stopped: at the end, or where columns may run out."""
    sheet = take_sheet(sheets, 0)
    n_streams = text.leaf.shape[1]
    for j in range(start, len(documents)):
        d = documents[j]
        size = text.first[(d + 1) * n_streams] - text.first[d * n_streams]
        births = min(size, net.status[MAX_TOPICS] - net.status[N_LIVE])
        if net.status[GEM_CELL] >= 0 and net.status[N_LIVE] + births + 1 > len(net.status) - LIVE:
            return j
        key = stream_key(seed[0], seed[1], seed[2], d, COLLAPSED)
        visit_plain_collapsed(net, tables, terms, text, topics, words, visit, sheet, d, key)
    return len(documents)
