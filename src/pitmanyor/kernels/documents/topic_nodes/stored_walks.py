"""Rows of a document's topic nodes, filled from the stored walks of its tokens, and written back."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.one_node.scratch import NO_SLOT
from pitmanyor.kernels.documents.topic_nodes.node_measures import measure
from pitmanyor.kernels.documents.topic_nodes.scratch import (
    DIGIT,
    DIGITS,
    FACTS,
    N_UP,
    NEXT,
    NODE_CUSTOMERS,
    NODE_TABLES,
    OPENED_HERE,
    SENT,
    SITTING,
    SORT,
    TABLES_TO,
    VALUED,
    clear_slot,
    count_at,
    open_slot,
    set_restaurant,
    set_terms,
)
from pitmanyor.kernels.restaurant.arrays import (
    DIRICHLET,
    LEAF,
)
from pitmanyor.kernels.runtime.jit import inlined


@inlined
def walk(rows, frame, leaf, h, code):
    """Count a token's stored walk."""
    j = leaf
    while True:
        fact, at = np.uint64(j) * FACTS, count_at(frame, j, h)
        digit = np.int64((code >> rows.facts[fact + DIGIT]) & rows.facts[fact + DIGITS])
        rows.counts[at + SITTING] += 1
        rows.facts[fact + NODE_CUSTOMERS] += 1
        if digit == 0 or rows.facts[fact + N_UP] == 0:
            return
        parent = np.uint64(digit - 1)
        rows.counts[at + OPENED_HERE] += 1
        rows.facts[fact + NODE_TABLES] += 1
        rows.counts[at + TABLES_TO + parent] += 1
        rows.facts[fact + SENT + parent] += 1
        j = rows.facts[fact + NEXT + parent]
        if j < 0:
            return


@inlined
def load(arrays, frame, d, n_shared):
    """Fill the rows from document d's tokens; returns the number of slots, those of the bases included."""
    text, rows = arrays.text, arrays.scratch
    n_streams, context, n_slots = text.leaf.shape[1], text.context[d], np.int64(frame.n_bases)
    for s in range(n_streams):
        leaf = text.leaf[context, s, LEAF] - n_shared
        for i in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            token = np.uint64(i)
            if text.topic[token] < 0:  # not seated yet
                continue
            k = np.uint64(text.topic[token])
            if rows.slot_of[k] == NO_SLOT:
                open_slot(arrays.franchise.net, rows, frame, n_slots, np.int64(k))
                n_slots += 1
            h = np.int64(rows.slot_of[k])
            rows.tokens[np.uint64(h)] += 1
            walk(rows, frame, leaf, h, np.int64(text.code[token]))
    for j in range(frame.n_local):
        set_restaurant(rows, j)
    rows.known[VALUED] = 0
    for h in range(frame.n_bases, n_slots):
        for j in range(frame.n_local):
            if rows.counts[count_at(frame, j, h)] > 0:  # else as the slot was opened
                set_terms(arrays.franchise, rows, frame, j, h)
        if rows.topic[np.uint64(h)] >= frame.n_held:  # its tokens stay, and no token joins them
            shut_slot(rows, frame, h)
    return n_slots


@inlined
def shut_slot(rows, frame, h):
    """A slot whose topic is not held weighs nothing."""
    topic = rows.topic[np.uint64(h)]
    clear_slot(rows, frame, h)
    rows.topic[np.uint64(h)] = topic


@inlined
def walk_back(rows, frame, leaf, h, code):
    """Take one walk from the tables that are left into a token's code: indicators are exchangeable."""
    j = leaf
    while j >= 0:
        fact, at = np.uint64(j) * FACTS, count_at(frame, j, h)
        if rows.facts[fact + SORT] == DIRICHLET:
            return code
        code &= ~(rows.facts[fact + DIGITS] << rows.facts[fact + DIGIT])
        if rows.counts[at + OPENED_HERE] == 0:
            return code
        rows.counts[at + OPENED_HERE] -= 1
        parent = np.uint64(rows.counts[at + TABLES_TO] == 0)
        rows.counts[at + TABLES_TO + parent] -= 1
        code |= (np.int64(parent) + 1) << rows.facts[fact + DIGIT]
        j = rows.facts[fact + NEXT + parent]
    return code


@inlined
def save(arrays, document, n_slots, n):
    """Measure the document, write its walks back, and clear its slots."""
    text, rows, d, frame = arrays.text, arrays.scratch, document.d, document.frame
    n_streams, context = text.leaf.shape[1], text.context[d]
    measure(arrays.franchise, rows, frame, n_slots, document.key, n, text.measures[d])
    for s in range(n_streams):
        leaf = text.leaf[context, s, LEAF] - document.n_shared
        for i in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            token = np.uint64(i)
            h = np.int64(rows.slot_of[np.uint64(text.topic[token])])
            text.code[token] = walk_back(rows, frame, leaf, h, np.int64(text.code[token]))
    clear_slots(rows, frame, n_slots)


@inlined
def clear_slots(rows, frame, n_slots):
    """No topic has a slot."""
    for h in range(frame.n_bases, n_slots):
        rows.slot_of[np.uint64(rows.topic[np.uint64(h)])] = NO_SLOT
        clear_slot(rows, frame, h)
