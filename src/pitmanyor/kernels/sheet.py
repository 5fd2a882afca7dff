"""A document on a sheet: its topic-side local nodes, slot by slot, in rows that vectorise.

A slot stands for a topic that the document holds. Rows of `reals`, for each slot: p of each base (a shared parent of
local nodes, or one for every topic where a local node has no parent); then A, stay and open of each local node; then
the opening part of the leaf's weight, and prefix sums of weights. The first slots stand for no topic: the r-th has customers nowhere, p = 1 in base r and 0 in the others, so
that A there says how much of base r a topic has that no slot holds. One that nobody uses has p and stay 0 everywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pitmanyor.kernels.arrays import (
    BASE,
    CELL,
    CONCENTRATION,
    DESK,
    DIRICHLET,
    DISCOUNT,
    FIRST,
    KIND,
    LEAF,
    LEARNED,
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
    Floats,
    Ints,
    Ints32,
    Reals,
)
from pitmanyor.kernels.desk import LOG_S, OPEN, STAY, is_small, place_of
from pitmanyor.kernels.draws import bernoulli_sum_tables
from pitmanyor.kernels.jit import inlined
from pitmanyor.kernels.measure import (
    JOINT,
    OPENED,
    SEATED,
    add_auxiliaries,
    in_layer,
    log_mix,
    log_restaurant,
    log_rising,
)
from pitmanyor.kernels.seating import open_term, stay_term
from pitmanyor.kernels.slots import CONSTANT
from pitmanyor.kernels.stirling import log_stirling

NONE = np.uint32(0xFFFFFFFF)  # no slot
# rows of Sheet.ints: topic and tokens of a slot, then per local node customers, tables, tables to each parent
TOPIC_OF, TOKENS, COUNTS = 0, 1, 2
# columns of Sheet.nodes, the last two for each parent: its row of A, and tables sent to it
ID, N_CUSTOMERS, N_TABLES, UP, SENT = 0, 1, 2, 3, 4
# columns of Sheet.scalars, the last for each parent: its mixing weight
CONC, GAIN, SHARE = 0, 1, 2
# places of Sheet.known
VALUED, CONTEXT = 0, 1
# of each sum in Sheet.sums: its value, and the rows of p and phi for which it stands, all in one line of memory
VALUE, OF_TOPICS, OF_WORD, SPAN = 0, 1, 2, 4


class Sheet(NamedTuple):
    """Scratch of one thread, with a leading thread axis until `take_sheet` picks one."""

    ints: Ints32
    reals: Reals
    slot_of: np.ndarray  # (topic): uint32, or NONE
    nodes: Ints  # (local node, ID ...)
    scalars: Floats  # (local node, CONC ...)
    form: Reals  # (base row): what the leaf opens for a topic that no slot holds, as weights of the bases
    bases: Ints  # (base row, position on the topic side and first count), both CONSTANT where p is one for every topic
    sums: Floats  # (base row, stream, word * SPAN ...): where it depends on the document, sum over topics of p_k phi_kw
    blocks: Floats
    known: Ints  # [A of so many local nodes, the first, is as their counts say; the context of `nodes`, or -1]


class Frame(NamedTuple):
    """Where the rows of a sheet lie, and how this sweep uses it."""

    n_held: int  # topics that tokens may take
    value: int  # first row of A of the local nodes, and first slot of a topic
    stay: int
    open: int
    opening: int
    weights: int  # prefix sums
    span: int  # rows of Sheet.ints for each local node


@inlined
def take_sheet(sheet, thread):
    return Sheet(
        sheet.ints[thread],
        sheet.reals[thread],
        sheet.slot_of[thread],
        sheet.nodes[thread],
        sheet.scalars[thread],
        sheet.form[thread],
        sheet.bases[thread],
        sheet.sums[thread],
        sheet.blocks[thread],
        sheet.known[thread],
    )


@inlined
def frame_of(sheet, n_held):
    n_local, value = len(sheet.nodes), len(sheet.bases)
    span = (sheet.ints.shape[0] - COUNTS) // n_local
    return Frame(
        n_held, value, value + n_local, value + 2 * n_local, value + 3 * n_local, value + 3 * n_local + 1, span
    )


@inlined
def set_terms(net, tables, terms, sheet, frame, j, h):
    """stay and open of local node j at slot h, from its counts."""
    node, row = sheet.nodes[j, ID], COUNTS + j * frame.span
    c, t = np.int64(sheet.ints[row, h]), np.int64(sheet.ints[row + 1, h])
    if net.nodes[node, KIND] == DIRICHLET:
        stay, opens = float(c), 1.0
    elif is_small(c, t):
        at = place_of(net.nodes[node, TABLE], c, t)
        stay, opens = terms.flat[at + np.uint64(STAY)], terms.flat[at + np.uint64(OPEN)]
    else:
        index, a = net.nodes[node, TABLE], net.reals[node, DISCOUNT]
        stay = stay_term(tables, index, a, net.status[RULE], c, t)
        opens = open_term(tables, index, a, net.status[RULE], c, t)
    sheet.reals[frame.stay + j, h], sheet.reals[frame.open + j, h] = stay, opens


@inlined
def set_restaurant(net, sheet, j):
    """gain and mixing weights of local node j, from its totals."""
    node = sheet.nodes[j, ID]
    b, n_parents = sheet.scalars[j, CONC], net.nodes[node, N_PARENTS]
    sheet.scalars[j, GAIN] = b + net.reals[node, DISCOUNT] * sheet.nodes[j, N_TABLES]
    if n_parents > 1 and net.nodes[node, LEARNED]:
        prior, total = net.nodes[node, PRIOR_FIRST], float(sheet.nodes[j, N_TABLES])
        for i in range(n_parents):
            total += net.prior[prior + i]
        scale = 1.0 / total
        for i in range(n_parents):
            sheet.scalars[j, SHARE + i] = (net.prior[prior + i] + sheet.nodes[j, SENT + 2 * i]) * scale


@inlined
def set_bases(net, sheet, h, k):
    """p of every base at slot h, for topic k."""
    for r in range(len(sheet.bases)):
        sheet.reals[r, h] = net.stay[sheet.bases[r, 1] + k] if sheet.bases[r, 1] != CONSTANT else 1.0


@inlined
def open_slot(net, sheet, frame, h, k):
    """Slot h, without customers, for topic k."""
    sheet.ints[TOPIC_OF, h], sheet.slot_of[k] = k, h
    for row in range(TOKENS, sheet.ints.shape[0]):
        sheet.ints[row, h] = 0
    set_bases(net, sheet, h, k)
    for j in range(len(sheet.nodes)):
        sheet.reals[frame.stay + j, h], sheet.reals[frame.open + j, h] = 0.0, 1.0
    sheet.reals[frame.opening, h] = 0.0


@inlined
def move_slot(sheet, h, last):
    """Slot `last` takes the place of h, whose topic the document no longer holds."""
    sheet.slot_of[sheet.ints[TOPIC_OF, h]] = NONE
    if h != last:
        for row in range(sheet.ints.shape[0]):
            sheet.ints[row, h] = sheet.ints[row, last]
        for row in range(sheet.reals.shape[0]):
            sheet.reals[row, h] = sheet.reals[row, last]
        sheet.slot_of[sheet.ints[TOPIC_OF, h]] = h


@inlined
def set_nodes(net, terms, text, topics, sheet, d):
    """Local nodes of document d, without customers. Documents of one context, which follow each other, share them."""
    context = np.int64(text.context[d])
    if sheet.known[CONTEXT] != context:
        sheet.known[CONTEXT] = context
        set_parents(net, terms, topics, sheet, context)
    for j in range(len(sheet.nodes)):
        node = sheet.nodes[j, ID]
        sheet.nodes[j, N_CUSTOMERS], sheet.nodes[j, N_TABLES] = 0, 0
        for i in range(net.nodes[node, N_PARENTS]):
            sheet.nodes[j, SENT + 2 * i] = 0
        if net.nodes[node, OWN] >= 0:
            sheet.scalars[j, CONC] = text.concentration[net.nodes[node, OWN], d]


@inlined
def set_parents(net, terms, topics, sheet, context):
    """What the local nodes of a context are: their parents' rows, concentrations and mixing weights."""
    entry, n_shared = topics.lists[context, FIRST], topics.lists[context, SHARED]
    n_local, n_rows, used = len(sheet.nodes), len(sheet.bases), 0
    for j in range(n_local):
        node = net.cells[topics.entries[entry + n_shared + j, CELL], NODE]
        n_parents = net.nodes[node, N_PARENTS]
        sheet.nodes[j, ID] = node
        sheet.scalars[j, CONC] = net.rests[CONCENTRATION, terms.cells[net.nodes[node, DESK], REST]]
        sheet.scalars[j, SHARE] = net.reals[node, BASE] if n_parents == 0 else 1.0
        for i in range(max(n_parents, 1)):
            pos = np.int64(CONSTANT)
            if n_parents > 0:
                pos = topics.par[topics.entries[entry + n_shared + j, PARENTS] + i]
            if n_parents > 1:
                sheet.scalars[j, SHARE + i] = net.prior[net.nodes[node, PRIOR_FIRST] + i]
            if pos >= n_shared:
                sheet.nodes[j, UP + 2 * i] = n_rows + pos - n_shared
                continue
            row = 0
            while row < used and sheet.bases[row, 0] != pos:
                row += 1
            if row == used:
                sheet.bases[row, 0] = pos
                sheet.bases[row, 1] = CONSTANT if pos < 0 else net.cells[topics.entries[entry + pos, CELL], ROW]
                used += 1
            sheet.nodes[j, UP + 2 * i] = row


@inlined
def walk(net, sheet, frame, leaf, h, code):
    """Put a token's stored walk on the sheet."""
    j = leaf
    while True:
        node, row = sheet.nodes[j, ID], COUNTS + j * frame.span
        choice = np.int64((code >> net.nodes[node, SHIFT]) & net.nodes[node, MASK]) - 1
        sheet.ints[row, h] += 1
        sheet.nodes[j, N_CUSTOMERS] += 1
        if choice < 0 or net.nodes[node, N_PARENTS] == 0:
            return
        sheet.ints[row + 1, h] += 1
        sheet.nodes[j, N_TABLES] += 1
        if net.nodes[node, N_PARENTS] > 1:
            sheet.ints[row + 2 + choice, h] += 1
            sheet.nodes[j, SENT + 2 * choice] += 1
        j = sheet.nodes[j, UP + 2 * choice] - frame.value
        if j < 0:
            return


@inlined
def load(net, tables, terms, text, sheet, frame, d, n_shared):
    """Fill the sheet from document d's tokens; returns the number of slots, those of the bases included."""
    n_streams, context, n_slots = text.leaf.shape[1], text.context[d], np.int64(frame.value)
    for s in range(n_streams):
        leaf = text.leaf[context, s, LEAF] - n_shared
        for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            k = np.int64(text.topic[token])
            if sheet.slot_of[k] == NONE:
                open_slot(net, sheet, frame, n_slots, k)
                n_slots += 1
            h = np.int64(sheet.slot_of[k])
            sheet.ints[TOKENS, h] += 1
            walk(net, sheet, frame, leaf, h, text.code[token])
    for j in range(len(sheet.nodes)):
        set_restaurant(net, sheet, j)
    sheet.known[VALUED] = 0
    for h in range(frame.value, n_slots):
        for j in range(len(sheet.nodes)):
            if sheet.ints[COUNTS + j * frame.span, h] > 0:  # else as the slot was opened
                set_terms(net, tables, terms, sheet, frame, j, h)
            if sheet.ints[TOPIC_OF, h] >= frame.n_held:  # its tokens stay, and nobody joins them
                sheet.reals[frame.stay + j, h] = 0.0
        if sheet.ints[TOPIC_OF, h] >= frame.n_held:
            for r in range(len(sheet.bases)):
                sheet.reals[r, h] = 0.0
    return n_slots


@inlined
def measure_slot(net, tables, terms, sheet, frame, h, out):
    """A topic's dishes in every local node, into the log joint (maths 1)."""
    for j in range(len(sheet.nodes)):
        node, row = sheet.nodes[j, ID], COUNTS + j * frame.span
        at = net.nodes[node, DESK]
        c, t = np.int64(sheet.ints[row, h]), np.int64(sheet.ints[row + 1, h])
        if net.nodes[node, KIND] == DIRICHLET:
            continue
        if is_small(c, t):  # zero where nobody sits
            out[at, JOINT] += terms.small[net.nodes[node, TABLE], t, c, LOG_S]
        else:
            out[at, JOINT] += log_stirling(tables, net.nodes[node, TABLE], c, t)
        if t > 1 and net.nodes[node, N_PARENTS] > 1:  # else t! / prod t_to! is one
            out[at, JOINT] += log_rising(1.0, t)
            for i in range(net.nodes[node, N_PARENTS]):
                out[at, JOINT] -= log_rising(1.0, sheet.ints[row + 2 + i, h])


@inlined
def measure_nodes(net, sheet, drawn, key, n, out):
    """Restaurants of the local nodes, into the log joint and the concentrations' auxiliaries (maths 5)."""
    for j in range(len(sheet.nodes)):
        node, b = sheet.nodes[j, ID], sheet.scalars[j, CONC]
        at = net.nodes[node, DESK]
        c, t = sheet.nodes[j, N_CUSTOMERS], sheet.nodes[j, N_TABLES]
        if c == 0:
            continue
        out[at, SEATED], out[at, OPENED] = c, t
        if not in_layer(net, node):
            out[at, JOINT] += log_restaurant(net.nodes[node, KIND], net.reals[node, DISCOUNT], b, c, t)
            n = add_auxiliaries(net, node, b, c, drawn if net.nodes[node, KIND] == DIRICHLET else t, key, n, out[at])
        if net.nodes[node, N_PARENTS] > 1:
            for i in range(net.nodes[node, N_PARENTS]):
                out[at, JOINT] += log_mix(net, node, i, sheet.nodes[j, SENT + 2 * i], t)


@inlined
def walk_back(net, sheet, frame, leaf, h, code):
    """Take one walk from the tables left on the sheet into a token's code: indicators are exchangeable."""
    j = leaf
    while j >= 0:
        node, row = sheet.nodes[j, ID], COUNTS + j * frame.span
        if net.nodes[node, KIND] == DIRICHLET:
            return code
        code &= ~(net.nodes[node, MASK] << net.nodes[node, SHIFT])
        if sheet.ints[row + 1, h] == 0:
            return code
        sheet.ints[row + 1, h] -= 1
        choice = 0
        if net.nodes[node, N_PARENTS] > 1:
            while sheet.ints[row + 2 + choice, h] == 0:
                choice += 1
            sheet.ints[row + 2 + choice, h] -= 1
        code |= (choice + 1) << net.nodes[node, SHIFT]
        j = sheet.nodes[j, UP + 2 * choice] - frame.value
    return code


@inlined
def save(net, tables, terms, text, sheet, frame, d, n_shared, key, n):
    """Measure document d, write its walks back, and clear its slots."""
    n_streams, context = text.leaf.shape[1], text.context[d]
    out = text.measures[d]
    out[:] = 0.0
    mass, drawn = sheet.scalars[0, CONC] * net.reals[sheet.nodes[0, ID], BASE], 0
    start, stop = text.first[d * n_streams], text.first[(d + 1) * n_streams]
    for token in range(start, stop):
        h = np.int64(sheet.slot_of[text.topic[token]])
        if sheet.ints[TOKENS, h] > 0:
            sheet.ints[TOKENS, h] = 0
            measure_slot(net, tables, terms, sheet, frame, h, out)
            if net.nodes[sheet.nodes[0, ID], KIND] == DIRICHLET:
                t, n = bernoulli_sum_tables(sheet.ints[COUNTS, h], mass, key, n)
                drawn += t
                out[0, JOINT] += log_rising(mass, sheet.ints[COUNTS, h])
    measure_nodes(net, sheet, drawn, key, n, out)
    for s in range(n_streams):
        leaf = text.leaf[context, s, LEAF] - n_shared
        for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            h = np.int64(sheet.slot_of[text.topic[token]])
            text.code[token] = walk_back(net, sheet, frame, leaf, h, np.int64(text.code[token]))
    for token in range(start, stop):
        sheet.slot_of[np.int64(text.topic[token])] = NONE
