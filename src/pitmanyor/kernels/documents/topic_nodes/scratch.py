"""A document's topic-side local nodes, slot by slot, in rows that vectorise.

A slot stands for a topic that the document holds. The first slots stand for no topic: the r-th has customers nowhere,
p = 1 in base r and 0 in the others, so that A there says how much of base r a topic has that no slot holds. A slot that
nobody uses has p, A and stay 0 everywhere.

`NodeRows.reals` has rows over the slots, `Frame.width` apart: p of each base (a shared parent of local nodes, or one
for every topic where a local node has no parent); then A, stay and open of each local node; then prefix sums of
weights. All arrays are flat and read at unsigned places, and what a node is stands beside its totals: a place of signed
numbers in an array of several axes costs as much as the work that is done there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pitmanyor.kernels.documents.one_node.scratch import CONSTANT, NO_SLOT
from pitmanyor.kernels.monitor.log_joint import (
    JOINT,
    OPENED,
    SEATED,
    add_auxiliaries,
    in_layer,
    log_mix,
    log_restaurant,
    log_rising,
)
from pitmanyor.kernels.numbers.draws import bernoulli_sum_tables
from pitmanyor.kernels.numbers.stirling import log_stirling
from pitmanyor.kernels.restaurant.arrays import (
    BASE,
    CELL,
    CONCENTRATION,
    DIRICHLET,
    DISCOUNT,
    FIRST,
    KIND,
    LEAF,
    LEARNED,
    LOCAL_INDEX,
    MASK,
    N_PARENTS,
    NODE,
    OWN,
    PARENTS,
    PRIOR_FIRST,
    REST,
    ROW,
    RULE,
    SHARED,
    SHIFT,
    TABLE,
    WORD_LIST,
    Floats,
    Ints,
    Ints32,
    Reals,
)
from pitmanyor.kernels.restaurant.seating import open_term, stay_term
from pitmanyor.kernels.restaurant.small_terms import LOG_S, OPEN, STAY, is_small, place_of
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
# places of NodeRows.known: A of so many local nodes, the first, is as their counts say; the context of `facts`, or -1;
# and how large the parts are
VALUED, CONTEXT, N_BASES, N_LOCAL, VOCABULARY, N_SLOTS, N_KNOWN = range(7)
# of each sum in NodeRows.sums: its value, and the rows of p and phi for which it stands, all in one line of memory
SUM, OF_TOPICS, OF_WORD, SPAN = (np.uint64(i) for i in (0, 1, 2, 4))
# NodeRows.logs has log n! and, for each local node, log of the rising factorials of its mixing priors and of their sum
LOGS, MOST = np.uint64(3), np.uint64(32)


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
    """The document at hand."""

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
    """A slot that nobody uses weighs nothing: it is read together with those in use.

    A too: it is not made anew for the next token if no customer comes to the node or goes.
    """
    slot = np.uint64(h)
    for r in range(frame.n_bases):
        rows.reals[np.uint64(r) * frame.width + slot] = 0.0
    for j in range(frame.n_local):
        value = np.uint64(frame.n_bases + 3 * j) * frame.width + slot
        rows.reals[value], rows.reals[value + frame.width] = 0.0, 0.0
    rows.topic[slot] = 0


@inlined
def set_nodes(arrays, frame, d):
    """Local nodes of document d, without customers. Documents of one context, which follow each other, share them."""
    net, text, rows = arrays.franchise.net, arrays.text, arrays.scratch
    context = np.int64(text.context[d])
    if rows.known[CONTEXT] != context:
        rows.known[CONTEXT] = context
        set_parents(arrays, frame, context)
    for j in range(frame.n_local):
        fact = np.uint64(j) * FACTS
        rows.facts[fact + NODE_CUSTOMERS], rows.facts[fact + NODE_TABLES] = 0, 0
        rows.facts[fact + SENT], rows.facts[fact + SENT + ONE] = 0, 0
        own = net.nodes[rows.facts[fact + ID], OWN]
        if own >= 0:
            rows.scalars[np.uint64(j) * SCALARS + CONC] = text.concentration[own, d]


@inlined
def set_parents(arrays, frame, context):
    """What the local nodes of a context are: their parents' rows, concentrations and mixing weights."""
    net, text, topics, words, rows = arrays.franchise.net, arrays.text, arrays.topics, arrays.words, arrays.scratch
    entry, n_shared, used = topics.lists[context, FIRST], topics.lists[context, SHARED], 0
    n_bases, width = frame.n_bases, np.int64(frame.width)
    for j in range(frame.n_local):
        node = net.cells[topics.entries[entry + n_shared + j, CELL], NODE]
        set_node(net, arrays.franchise.terms, rows, j, node, (n_bases + 3 * j) * width)
        fact, n_parents = np.uint64(j) * FACTS, net.nodes[node, N_PARENTS]
        for i in range(max(n_parents, 1)):
            pos = np.int64(CONSTANT)
            if n_parents > 0:
                pos = topics.par[topics.entries[entry + n_shared + j, PARENTS] + i]
            if pos >= n_shared:
                rows.facts[fact + UP + np.uint64(i)] = (n_bases + 3 * (pos - n_shared)) * width
                rows.facts[fact + NEXT + np.uint64(i)] = pos - n_shared
                continue
            row = 0
            while row < used and rows.bases[2 * row] != pos:
                row += 1
            if row == used:
                rows.bases[2 * row] = pos
                rows.bases[2 * row + 1] = CONSTANT if pos < 0 else net.cells[topics.entries[entry + pos, CELL], ROW]
                used += 1
            rows.facts[fact + UP + np.uint64(i)] = row * width
            rows.facts[fact + NEXT + np.uint64(i)] = -1
        if n_parents < 2:  # the second parent is read with a share of 0
            rows.facts[fact + UP + ONE] = rows.facts[fact + UP]
            rows.facts[fact + NEXT + ONE] = rows.facts[fact + NEXT]
    for s in range(text.leaf.shape[1]):
        which = text.leaf[context, s, WORD_LIST]
        for r in range(n_bases):
            rows.pairs[s * n_bases + r] = arrays.sums.pair[rows.bases[2 * r] + 1, s, words.lists[which, SHARED]]


@inlined
def set_node(net, terms, rows, j, node, at):
    """What local node j is, its first row being `at`, but for its parents."""
    fact, scalar, n_parents = np.uint64(j) * FACTS, np.uint64(j) * SCALARS, net.nodes[node, N_PARENTS]
    rows.facts[fact + ID], rows.facts[fact + SORT] = node, net.nodes[node, KIND]
    rows.facts[fact + TERMS] = np.int64(place_of(net.nodes[node, TABLE], 0, 0))
    rows.facts[fact + DIGIT], rows.facts[fact + DIGITS] = net.nodes[node, SHIFT], net.nodes[node, MASK]
    rows.facts[fact + MIXED] = n_parents > 1 and net.nodes[node, LEARNED] != 0
    rows.facts[fact + N_UP], rows.facts[fact + FIRST_ROW], rows.facts[fact + PLACE] = (
        n_parents,
        at,
        net.nodes[node, LOCAL_INDEX],
    )
    rows.scalars[scalar + CONC] = net.rests[CONCENTRATION, terms.cells[net.nodes[node, LOCAL_INDEX], REST]]
    rows.scalars[scalar + STEP], rows.scalars[scalar + PRIORS] = net.reals[node, DISCOUNT], 0.0
    rows.scalars[scalar + SHARE] = net.reals[node, BASE] if n_parents == 0 else 1.0
    rows.scalars[scalar + SHARE + ONE] = 0.0
    for p in range(n_parents if n_parents > 1 else 0):
        i, prior = np.uint64(p), net.prior[net.nodes[node, PRIOR_FIRST] + p]
        rows.scalars[scalar + PRIOR + i], rows.scalars[scalar + SHARE + i] = prior, prior
        rows.scalars[scalar + PRIORS] += prior


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
        if rows.topic[np.uint64(h)] >= frame.n_held:  # its tokens stay, and nobody joins them
            shut_slot(rows, frame, h)
    return n_slots


@inlined
def shut_slot(rows, frame, h):
    """A slot whose topic is not held weighs nothing."""
    topic = rows.topic[np.uint64(h)]
    clear_slot(rows, frame, h)
    rows.topic[np.uint64(h)] = topic


@inner
def long_rising(x, n):
    return log_rising(x, n)


@inlined
def rising(rows, row, x, n):
    """log of x (x + 1) ... (x + n - 1), from a row of `NodeRows.logs` where n is small."""
    if np.uint64(n) < MOST:
        return rows.logs[row * MOST + np.uint64(n)]
    return long_rising(x, np.int64(n))


@inlined
def measure_dishes(franchise, rows, frame, j, n_slots):
    """The topics of local node j, into the log joint (maths 1)."""
    fact, total, small = np.uint64(j) * FACTS, 0.0, franchise.terms.small
    index = franchise.net.nodes[rows.facts[fact + ID], TABLE]
    for h in range(frame.n_bases, n_slots):
        at = count_at(frame, j, h)
        c, t = np.int64(rows.counts[at + SITTING]), np.int64(rows.counts[at + OPENED_HERE])
        if is_small(c, t):  # zero where nobody sits
            total += small[np.uint64(index), np.uint64(t), np.uint64(c), np.uint64(LOG_S)]
        else:
            total += log_stirling(franchise.tables, index, c, t)
        if t > 1 and rows.facts[fact + N_UP] > 1:  # else t! / prod t_to! is one
            to = (rows.counts[at + TABLES_TO], rows.counts[at + TABLES_TO + ONE])
            nothing = np.uint64(0)
            total += rising(rows, nothing, 1.0, t) - rising(rows, nothing, 1.0, to[0])
            total -= rising(rows, nothing, 1.0, to[1])
    return total


@inlined
def mixing(net, rows, j, t):
    """log of a learned mix's B(lambda + T_to) / B(lambda), or of the fixed weights (maths 1)."""
    fact, at = np.uint64(j) * FACTS, np.uint64(j) * SCALARS
    sent = (rows.facts[fact + SENT], rows.facts[fact + SENT + ONE])
    if not rows.facts[fact + MIXED]:
        node = rows.facts[fact + ID]
        return log_mix(net, node, 0, sent[0], t) + log_mix(net, node, 1, sent[1], t)
    row = ONE + np.uint64(rows.facts[fact + PLACE]) * LOGS
    total = rising(rows, row, rows.scalars[at + PRIOR], sent[0])
    total += rising(rows, row + ONE, rows.scalars[at + PRIOR + ONE], sent[1])
    return total - rising(rows, row + TWO, rows.scalars[at + PRIORS], t)


@inlined
def measure(franchise, rows, frame, n_slots, key, n, out):
    """The local nodes, into the log joint and the concentrations' auxiliaries (maths 1 and 5)."""
    net = franchise.net
    for j in range(frame.n_local):
        fact, b = np.uint64(j) * FACTS, rows.scalars[np.uint64(j) * SCALARS + CONC]
        node, at = rows.facts[fact + ID], np.uint64(rows.facts[fact + PLACE])
        c, t = rows.facts[fact + NODE_CUSTOMERS], rows.facts[fact + NODE_TABLES]
        drawn = t
        for i in range(out.shape[1]):
            out[at, np.uint64(i)] = 0.0
        if c == 0:
            continue
        joint = 0.0
        if rows.facts[fact + SORT] == DIRICHLET:
            drawn, joint, n = draw_dirichlet_tables(net, rows, frame, j, n_slots, key, n)
        else:
            joint = measure_dishes(franchise, rows, frame, j, n_slots)
        out[at, np.uint64(SEATED)], out[at, np.uint64(OPENED)] = c, t
        if not in_layer(net, node):
            joint += log_restaurant(net.nodes[node, KIND], net.reals[node, DISCOUNT], b, c, t)
            n = add_auxiliaries(net, node, b, c, drawn, key, n, out[at])
        if rows.facts[fact + N_UP] > 1:
            joint += mixing(net, rows, j, t)
        out[at, np.uint64(JOINT)] = joint


@inner
def draw_dirichlet_tables(net, rows, frame, j, n_slots, key, n):
    """Auxiliary tables of a Dirichlet, its part of the log joint, and the counter."""
    mass = rows.scalars[np.uint64(j) * SCALARS + CONC] * net.reals[rows.facts[np.uint64(j) * FACTS + ID], BASE]
    drawn, joint = np.int64(0), 0.0
    for h in range(frame.n_bases, n_slots):
        c = np.int64(rows.counts[count_at(frame, j, h)])
        t, n = bernoulli_sum_tables(c, mass, key, n)
        drawn += t
        joint += log_rising(mass, c)
    return drawn, joint, n


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
