"""A document's topic-side local nodes, slot by slot, in rows that vectorise.

A slot stands for a topic that the document holds. The first slots stand for no topic: the r-th has customers nowhere, p
= 1 in base r and 0 in the others, so A there is the weight of base r for a topic without a slot. An unused slot has p,
A and stay 0 everywhere.

`NodeRows.reals` has rows over the slots, `Frame.width` apart: p of each base (a shared parent of local nodes, or one
for every topic where a local node has no parent); then A, stay and open of each local node; then prefix sums of
weights. All arrays are flat with unsigned indices, and the properties of a node are stored next to its totals, because
computing a signed address in an array of several axes costs as much as the work done there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pitmanyor.kernels.documents.one_node.scratch import CONSTANT, NO_SLOT
from pitmanyor.kernels.restaurant.arrays import (
    DIRICHLET,
    DISCOUNT,
    RULE,
    TABLE,
    Floats,
    Ints,
    Ints32,
    Reals,
)
from pitmanyor.kernels.restaurant.count_terms import open_term, stay_term
from pitmanyor.kernels.restaurant.small_terms import OPEN, STAY, is_small, place_of
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined, inner

ONE, TWO = np.uint64(1), np.uint64(2)
# of each local node in NodeRows.facts: what it is, where its first row (A) lies, its totals; then by parent tables sent
# to it, where its row lies (p of a base, or A), and which local node it is, or -1
FACTS = np.uint64(18)
ID, SORT, TERMS, DIGIT, DIGITS, MIXED, N_UP, FIRST_ROW, PLACE = (np.uint64(i) for i in range(9))
NODE_CUSTOMERS, NODE_TABLES, SENT, UP, NEXT = (np.uint64(i) for i in (9, 10, 11, 13, 15))
# of each local node in NodeRows.scalars; prior and share by parent
SCALARS = np.uint64(8)
CONC, NODE_GAIN, STEP, PRIORS, PRIOR, SHARE = (np.uint64(i) for i in (0, 1, 2, 3, 4, 6))
# of each slot and local node in NodeRows.counts: customers, tables, tables to each parent
COUNTS = np.uint64(4)
SITTING, OPENED_HERE, TABLES_TO = (np.uint64(i) for i in range(3))
# places of NodeRows.known: for how many of the first local nodes A is up to date; the context of `facts`, or -1;
# and how large the parts are
VALUED, CONTEXT, N_BASES, N_LOCAL, VOCABULARY, N_SLOTS, N_KNOWN = range(7)
# of each sum in NodeRows.sums: its value, and the rows of p and phi for which it stands, all in one line of memory
SUM, OF_TOPICS, OF_WORD, SPAN = (np.uint64(i) for i in (0, 1, 2, 4))
# NodeRows.logs has log n! and, for each local node, log of the rising factorials of its mixing priors and of their sum
LOGS, MOST = np.uint64(3), np.uint64(32)


@bundle
class NodeRows(NamedTuple):
    """Scratch of one thread, with a leading thread axis until `of_thread` picks one. Arrays are longer than said."""

    topic: Ints32  # (slot)
    tokens: Ints32  # (slot)
    counts: Ints32  # (slot, local node, SITTING ...)
    reals: Reals  # (row, slot)
    slot_of: np.ndarray  # (topic): uint32, or NO_SLOT
    seat: np.ndarray  # (token): uint32, the slot of its topic, where own words ask for it
    facts: Ints  # (local node, ID ...)
    scalars: Floats  # (local node, CONC ...)
    form: Reals  # (base): what the leaf opens for a topic that no slot holds, as weights of the bases
    bases: Ints  # (base, position on the topic side and first count), both CONSTANT where p is one for every topic
    pairs: Ints  # (stream, base): where `Sums` has its sums, or -1
    sums: Floats  # (base, stream, word, SUM ...): where it depends on the document, sum over topics of p_k phi_kw
    logs: Floats  # (log n!, then for each local node of its priors and their sum, n)
    blocks: Floats
    known: Ints  # [VALUED ...]


class Frame(NamedTuple):
    """How large the parts of `NodeRows` are, and how this sweep uses them."""

    n_held: int  # topics that tokens may take
    n_bases: int  # also the first slot of a topic
    n_local: int | np.int64
    n_words: int | np.int64
    width: np.uint64  # slots


class Document(NamedTuple):
    """The current document."""

    d: int
    frame: Frame
    n_shared: int  # shared positions of its topic list
    key: np.uint64  # of its random stream


@inlined
def frame_of(rows, n_held):
    known = rows.known
    return Frame(n_held, known[N_BASES], known[N_LOCAL], known[VOCABULARY], np.uint64(known[N_SLOTS]))


@inlined
def prefix_row(frame):
    """The row of prefix sums of weights."""
    return np.uint64(frame.n_bases + 3 * frame.n_local) * frame.width


@inlined
def count_at(frame, j, h):
    """The counts of local node j at slot h."""
    return (np.uint64(h) * np.uint64(frame.n_local) + np.uint64(j)) * COUNTS


@inner
def large_terms(tables, index, a, rule, c, t):
    """stay and open of counts that no table has."""
    return stay_term(tables, index, a, rule, c, t), open_term(tables, index, a, rule, c, t)


@inlined
def set_terms(franchise, rows, frame, j, h):
    """stay and open of local node j at slot h, from its counts."""
    net, flat = franchise.net, franchise.terms.flat
    fact, at = np.uint64(j) * FACTS, count_at(frame, j, h)
    c, t = np.int64(rows.counts[at + SITTING]), np.int64(rows.counts[at + OPENED_HERE])
    out = np.uint64(rows.facts[fact + FIRST_ROW]) + frame.width + np.uint64(h)
    if rows.facts[fact + SORT] == DIRICHLET:
        rows.reals[out], rows.reals[out + frame.width] = c, 1.0
    elif is_small(c, t):
        place = np.uint64(rows.facts[fact + TERMS]) + place_of(0, c, t)
        rows.reals[out], rows.reals[out + frame.width] = flat[place + np.uint64(STAY)], flat[place + np.uint64(OPEN)]
    else:
        node = rows.facts[fact + ID]
        index, a = net.nodes[node, TABLE], net.reals[node, DISCOUNT]
        stay, opens = large_terms(franchise.tables, index, a, net.status[RULE], c, t)
        rows.reals[out], rows.reals[out + frame.width] = stay, opens


@inlined
def set_restaurant(rows, j):
    """gain and mixing weights of local node j, from its totals."""
    fact, at = np.uint64(j) * FACTS, np.uint64(j) * SCALARS
    n_tables = float(rows.facts[fact + NODE_TABLES])
    rows.scalars[at + NODE_GAIN] = rows.scalars[at + CONC] + rows.scalars[at + STEP] * n_tables
    if rows.facts[fact + MIXED]:
        scale = 1.0 / (rows.scalars[at + PRIORS] + n_tables)
        for p in range(2):
            i = np.uint64(p)
            sent = float(rows.facts[fact + SENT + i])
            rows.scalars[at + SHARE + i] = (rows.scalars[at + PRIOR + i] + sent) * scale


@inlined
def open_slot(net, rows, frame, h, k):
    """Slot h, without customers, for topic k."""
    slot = np.uint64(h)
    rows.topic[slot], rows.tokens[slot], rows.slot_of[np.uint64(k)] = k, 0, h
    first = count_at(frame, 0, h)
    for i in range(frame.n_local * np.int64(COUNTS)):
        rows.counts[first + np.uint64(i)] = 0
    for r in range(frame.n_bases):
        row = rows.bases[np.uint64(r) * TWO + ONE]
        p = net.stay[np.uint64(row) + np.uint64(k)] if row != CONSTANT else 1.0
        rows.reals[np.uint64(r) * frame.width + slot] = p
    out = np.uint64(frame.n_bases) * frame.width + slot
    for _ in range(frame.n_local):
        rows.reals[out + frame.width], rows.reals[out + TWO * frame.width] = 0.0, 1.0
        out += np.uint64(3) * frame.width


@inlined
def move_slot(rows, frame, h, last):
    """Slot `last` takes the place of h, whose topic the document no longer holds."""
    here, there = np.uint64(h), np.uint64(last)
    rows.slot_of[np.uint64(rows.topic[here])] = NO_SLOT
    if h == last:
        return
    rows.topic[here], rows.tokens[here] = rows.topic[there], rows.tokens[there]
    for i in range(frame.n_local * np.int64(COUNTS)):
        rows.counts[count_at(frame, 0, h) + np.uint64(i)] = rows.counts[count_at(frame, 0, last) + np.uint64(i)]
    for row in range(frame.n_bases + 3 * frame.n_local):
        first = np.uint64(row) * frame.width
        rows.reals[first + here] = rows.reals[first + there]
    rows.slot_of[np.uint64(rows.topic[here])] = h


@inlined
def clear_slot(rows, frame, h):
    """Set the weight of an unused slot to zero, because it is read together with those in use.

    A is cleared too, since it is recomputed only when a customer of the node is added or removed.
    """
    slot = np.uint64(h)
    for r in range(frame.n_bases):
        rows.reals[np.uint64(r) * frame.width + slot] = 0.0
    for j in range(frame.n_local):
        value = np.uint64(frame.n_bases + 3 * j) * frame.width + slot
        rows.reals[value], rows.reals[value + frame.width] = 0.0, 0.0
    rows.topic[slot] = 0
