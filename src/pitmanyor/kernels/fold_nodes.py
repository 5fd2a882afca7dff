"""New documents over fixed vectors, any local nodes on the topic side (the TNTM's three): kernels/fold.py for networks.

After a token has left, A of every local node on its way is a form in the shared bases, A(leaf, k) = sum_b s_b p_b[k],
but for the few topics that the document holds (4.1). A slot's weight beyond that form is never negative, so a token
draws among the slots' excesses and, base by base, among all topics.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba import prange

from pitmanyor.kernels.arrays import CLAMP, Floats, Ints, Ints32, Reals
from pitmanyor.kernels.desk import LEAVE, OPEN, STAY
from pitmanyor.kernels.fold import DOCUMENTS, FOLD, NONE, SMALL, pick_topic, sum_topics
from pitmanyor.kernels.jit import inlined, inner, spread
from pitmanyor.kernels.random import stream_key, uniform
from pitmanyor.kernels.seating import leave_probability, open_term, stay_term

C, T, TO = 0, 1, 2  # rows of counts: customers, tables, and tables to parent i at TO + i
GAIN, SCALE, SHARE = 0, 1, 2  # rows of scalars: b + a T, 1/(b + C), and r_i at SHARE + i
A_STAY, A_OPEN, A_BASE = 0, 1, 2  # rows of reals: the terms of A, and sum_i r_i A(P_i, k)


class Network(NamedTuple):
    """The local nodes, parents first. Rows of values are the shared bases and, after them, the local nodes."""

    parents: Ints  # (node, i): a row of values; there are at least two, and beyond `n_parents` they are of no weight
    n_parents: Ints
    prior: Floats  # (node, i): lambda_i, or fixed weights
    learned: Ints
    index: Ints  # of the discount
    discount: Floats
    concentration: Floats
    above: Ints  # (leaf, node): does a walk from the leaf come by?
    leaf: Ints  # (stream)
    main: int  # the leaf whose mean is asked for


class NetRows(NamedTuple):
    """What is fixed, as `fold.Rows`."""

    words: Reals
    bases: Reals
    n_topics: int
    small: Floats  # (discount, tables, customers, STAY...)


class NetDocuments(NamedTuple):
    """Tokens by document and stream, as rows of `NetRows.words`, and the rows of every document's bases."""

    first: Ints  # (document * n_streams + stream)
    row: Ints
    base: Ints  # (document, base)


class Bench(NamedTuple):
    """Scratch with a leading thread axis until `take` picks one. A slot stands for a topic of the document."""

    token: Ints32
    slot_of: Ints32
    slots: Ints32  # (TOPIC or TOKENS, slot)
    counts: Ints32  # (node, C...; slot)
    totals: Ints  # (node, C...)
    scalars: Floats  # (node, GAIN...)
    reals: Floats  # (node, A_STAY...; slot)
    values: Floats  # (base or node, slot): p_b of the slot's topic; A
    forms: Floats  # (base or node, base): the same for a topic that no slot holds, as weights of the bases
    weights: Floats  # (slot)
    kept: Floats  # (base): the leaf's forms, summed over sweeps
    sums: Floats  # (token * n_bases + base): sum over topics of p_k phi_kw
    blocks: Reals  # (token * n_bases + base, block of topics): its parts


TOPIC, TOKENS = 0, 1


@inner
def take(bench, thread):
    return Bench(
        bench.token[thread],
        bench.slot_of[thread],
        bench.slots[thread],
        bench.counts[thread],
        bench.totals[thread],
        bench.scalars[thread],
        bench.reals[thread],
        bench.values[thread],
        bench.forms[thread],
        bench.weights[thread],
        bench.kept[thread],
        bench.sums[thread],
        bench.blocks[thread],
    )


@inlined
def set_scalars(net, bench, j):
    """gain, scale and the urn's weights of node j from its totals."""
    b = net.concentration[j]
    bench.scalars[j, GAIN] = b + net.discount[j] * bench.totals[j, T]
    bench.scalars[j, SCALE] = 1.0 / (b + bench.totals[j, C])
    n = net.n_parents[j]
    if n == 1 or not net.learned[j]:
        return  # as they were set for good
    total = float(bench.totals[j, T])
    for i in range(n):
        total += net.prior[j, i]
    whole = 1.0 / total
    for i in range(n):
        bench.scalars[j, SHARE + i] = (net.prior[j, i] + bench.totals[j, TO + i]) * whole


@inlined
def set_terms(rows, tables, net, bench, j, h):
    """stay and open of node j at slot h from its counts."""
    c, t, i = np.int64(bench.counts[j, C, h]), np.int64(bench.counts[j, T, h]), net.index[j]
    if c < SMALL:
        bench.reals[j, A_STAY, h], bench.reals[j, A_OPEN, h] = rows.small[i, t, c, STAY], rows.small[i, t, c, OPEN]
    else:
        bench.reals[j, A_STAY, h] = stay_term(tables, i, net.discount[j], CLAMP, c, t)
        bench.reals[j, A_OPEN, h] = open_term(tables, i, net.discount[j], CLAMP, c, t)


@inlined
def count(rows, tables, net, bench, j, h, choice, by):
    """One customer more or less (`by`) at node j; with its table if `choice` names a parent."""
    bench.counts[j, C, h] += by
    bench.totals[j, C] += by
    if choice >= 0:
        bench.counts[j, T, h] += by
        bench.totals[j, T] += by
        bench.counts[j, TO + choice, h] += by
        bench.totals[j, TO + choice] += by
    set_terms(rows, tables, net, bench, j, h)


@inlined
def takes_table(rows, tables, net, bench, j, h, key, n):
    """Does a customer who leaves node j's slot h take its table along? Also the counter of uniforms."""
    c, t, i = np.int64(bench.counts[j, C, h]), np.int64(bench.counts[j, T, h]), net.index[j]
    if t == c:
        return True, n
    if t == 1:
        return False, n
    if c < SMALL:
        return uniform(key, n) < rows.small[i, t, c, LEAVE], n + 1
    return uniform(key, n) < leave_probability(tables, i, net.discount[j], CLAMP, c, t), n + 1


@inlined
def leave(rows, tables, net, bench, j, h, key, n):
    """A customer of slot h goes from the leaf j and, table by table, from the nodes above (maths 3)."""
    while j >= 0:
        goes, n = takes_table(rows, tables, net, bench, j, h, key, n)
        choice = -1
        if goes:
            choice = 0
            if net.n_parents[j] > 1:
                x = uniform(key, n) * bench.counts[j, T, h]
                n += 1
                while x >= bench.counts[j, TO + choice, h] and choice < net.n_parents[j] - 1:
                    x -= bench.counts[j, TO + choice, h]
                    choice += 1
        count(rows, tables, net, bench, j, h, choice, -1)
        if not goes:
            return n
        j = net.parents[j, choice] - bench.forms.shape[1]
    return n


@inlined
def value_slots(net, bench, j, start, stop):
    """sum_i r_i A(P_i, k) of node j at slots start to stop, and A."""
    gain, scale, n = bench.scalars[j, GAIN], bench.scalars[j, SCALE], net.n_parents[j]
    one, two = bench.scalars[j, SHARE], bench.scalars[j, SHARE + 1]
    first, second = np.uint64(net.parents[j, 0]), np.uint64(net.parents[j, 1])
    node, row = np.uint64(j), np.uint64(bench.forms.shape[1] + j)
    for slot in range(start, stop):
        h = np.uint64(slot)
        base = one * bench.values[first, h] + two * bench.values[second, h]
        for i in range(2, n):
            base += bench.scalars[j, SHARE + i] * bench.values[net.parents[j, i], h]
        bench.reals[node, A_BASE, h] = base
        bench.values[row, h] = (bench.reals[node, A_STAY, h] + gain * bench.reals[node, A_OPEN, h] * base) * scale


@inlined
def set_form(net, bench, j):
    """A of node j for a topic that no slot holds, as weights of the bases."""
    factor, n_bases = bench.scalars[j, GAIN] * bench.scalars[j, SCALE], bench.forms.shape[1]
    for b in range(n_bases):
        total = 0.0
        for i in range(net.n_parents[j]):
            total += bench.scalars[j, SHARE + i] * bench.forms[net.parents[j, i], b]
        bench.forms[n_bases + j, b] = factor * total


@inlined
def evaluate(net, bench, leaf, n_slots):
    """A of all nodes on the way from the leaf, at every slot and as forms."""
    for j in range(leaf + 1):
        if net.above[leaf, j]:
            set_scalars(net, bench, j)
            set_form(net, bench, j)
            value_slots(net, bench, j, 0, n_slots)


@inlined
def excess(bench, leaf, slot):
    """What a slot has beyond the form; not negative but by rounding."""
    n_bases, h = bench.forms.shape[1], np.uint64(slot)
    row = np.uint64(n_bases + leaf)
    value = bench.values[row, h]
    for base in range(n_bases):
        b = np.uint64(base)
        value -= bench.forms[row, b] * bench.values[b, h]
    return max(value, 0.0)


@inlined
def draw(rows, net, bench, documents, d, i, row, leaf, n_slots, u):
    """A topic for token i."""
    held, fresh, n_bases = 0.0, 0.0, bench.forms.shape[1]
    for h in range(n_slots):
        phi = float(rows.words[row, bench.slots[TOPIC, h]])
        bench.weights[h] = excess(bench, leaf, h) * phi
        held += bench.weights[h]
    for b in range(n_bases):
        fresh += bench.forms[n_bases + leaf, b] * bench.sums[i * n_bases + b]
    x = u * (held + fresh)
    if x < held:
        h = 0
        while h < n_slots - 1 and x >= bench.weights[h]:
            x -= bench.weights[h]
            h += 1
        while h > 0 and bench.weights[h] <= 0.0:  # only rounding can come here
            h -= 1
        return np.int64(bench.slots[TOPIC, h])
    x -= held
    b, last = 0, 0
    while b < n_bases:
        part = bench.forms[n_bases + leaf, b] * bench.sums[i * n_bases + b]
        if part > 0.0:
            last = b
            if x < part:
                break
            x -= part
        b += 1
    x /= max(bench.forms[n_bases + leaf, last], 1e-300)
    return pick_topic(rows, bench, i * n_bases + last, row, documents.base[d, last], x)


@inlined
def open_slot(rows, net, bench, documents, d, leaf, k, h):
    """Slot h for topic k, without customers."""
    bench.slot_of[k], bench.slots[TOPIC, h], bench.slots[TOKENS, h] = h, k, 0
    for b in range(bench.forms.shape[1]):
        bench.values[b, h] = rows.bases[documents.base[d, b], k]
    for j in range(bench.counts.shape[0]):
        for x in range(bench.counts.shape[1]):
            bench.counts[j, x, h] = 0
        bench.reals[j, A_STAY, h], bench.reals[j, A_OPEN, h] = 0.0, 1.0
        if net.above[leaf, j]:
            value_slots(net, bench, j, h, h + 1)


@inlined
def close_slot(bench, h, last):
    """The last slot takes the place of h, whose topic the document no longer holds."""
    bench.slot_of[bench.slots[TOPIC, h]] = NONE
    if h == last:
        return
    bench.slots[TOPIC, h], bench.slots[TOKENS, h] = bench.slots[TOPIC, last], bench.slots[TOKENS, last]
    bench.slot_of[bench.slots[TOPIC, h]] = h
    for b in range(bench.forms.shape[1]):
        bench.values[b, h] = bench.values[b, last]
    for j in range(bench.counts.shape[0]):
        for x in range(bench.counts.shape[1]):
            bench.counts[j, x, h] = bench.counts[j, x, last]
        bench.reals[j, A_STAY, h] = bench.reals[j, A_STAY, last]
        bench.reals[j, A_OPEN, h] = bench.reals[j, A_OPEN, last]


@inlined
def seat(rows, tables, net, bench, j, h, key, n):
    """Seat a customer at slot h by the terms of A, from the leaf j up."""
    while j >= 0:
        sits, base = bench.reals[j, A_STAY, h], bench.reals[j, A_BASE, h]
        opens, choice = bench.scalars[j, GAIN] * bench.reals[j, A_OPEN, h] * base, -1
        if sits > 0.0:
            goes = uniform(key, n) * (sits + opens) >= sits
            n += 1
        else:
            goes = True
        if goes:
            choice = 0
            if net.n_parents[j] > 1:
                x = uniform(key, n) * base
                n += 1
                while choice < net.n_parents[j] - 1:
                    x -= bench.scalars[j, SHARE + choice] * bench.values[net.parents[j, choice], h]
                    if x < 0.0:
                        break
                    choice += 1
        count(rows, tables, net, bench, j, h, choice, 1)
        if not goes:
            return n
        j = net.parents[j, choice] - bench.forms.shape[1]
    return n


@inlined
def update(rows, tables, net, bench, documents, d, i, row, leaf, n_slots, key, n):
    """Token i leaves, if it was seated, and is seated anew; returns the number of slots and the counter."""
    if bench.token[i] != NONE:
        h = np.int64(bench.slot_of[bench.token[i]])
        n = leave(rows, tables, net, bench, leaf, h, key, n)
        bench.slots[TOKENS, h] -= 1
        if bench.slots[TOKENS, h] == 0:
            n_slots -= 1
            close_slot(bench, h, n_slots)
    evaluate(net, bench, leaf, n_slots)
    k = draw(rows, net, bench, documents, d, i, row, leaf, n_slots, uniform(key, n))
    if bench.slot_of[k] == NONE:
        open_slot(rows, net, bench, documents, d, leaf, k, n_slots)
        n_slots += 1
    h = np.int64(bench.slot_of[k])
    bench.slots[TOKENS, h] += 1
    bench.token[i] = k
    return n_slots, seat(rows, tables, net, bench, leaf, h, key, n + 1)


@inner
def keep(net, bench, n_slots, d, shares):
    """Add the mean of the main leaf (appendix B): its excess at every slot, and its form."""
    leaf, n_bases = net.main, bench.forms.shape[1]
    for j in range(leaf + 1):
        if net.above[leaf, j]:
            set_scalars(net, bench, j)
            set_form(net, bench, j)
            a, gain, scale = net.discount[j], bench.scalars[j, GAIN], bench.scalars[j, SCALE]
            value_slots(net, bench, j, 0, n_slots)
            for h in range(n_slots):
                own = bench.counts[j, C, h] - a * bench.counts[j, T, h]
                bench.values[n_bases + j, h] = (own + gain * bench.reals[j, A_BASE, h]) * scale
    for h in range(n_slots):
        shares[d, bench.slots[TOPIC, h]] += excess(bench, leaf, h)
    for b in range(n_bases):
        bench.kept[b] += bench.forms[n_bases + leaf, b]


@inner
def begin(rows, net, bench, documents, d):
    """Empty nodes, and the sums of every token's word with every base."""
    n_streams, n_bases = len(net.leaf), bench.forms.shape[1]
    start, stop = documents.first[d * n_streams], documents.first[(d + 1) * n_streams]
    for i in range(stop - start):
        bench.token[i] = NONE
        for b in range(n_bases):
            sum_topics(rows, bench, i * n_bases + b, documents.row[start + i], documents.base[d, b])
    for j in range(bench.totals.shape[0]):
        for x in range(bench.totals.shape[1]):
            bench.totals[j, x] = 0
    for b in range(n_bases):
        bench.kept[b] = 0.0


@inner
def visit(rows, tables, net, bench, documents, sweeps, d, shares):
    """All sweeps of document d. The first seats its tokens one after the other, each given those before it."""
    key, n, n_slots = stream_key(sweeps.seed, 0, 0, d, FOLD), np.int64(0), np.int64(0)
    n_streams = len(net.leaf)
    start = documents.first[d * n_streams]
    begin(rows, net, bench, documents, d)
    for sweep in range(sweeps.n + 1):
        for s in range(n_streams):
            for at in range(documents.first[d * n_streams + s], documents.first[d * n_streams + s + 1]):
                row, leaf = documents.row[at], net.leaf[s]
                n_slots, n = update(rows, tables, net, bench, documents, d, at - start, row, leaf, n_slots, key, n)
        if sweep > sweeps.n_left_out:
            keep(net, bench, n_slots, d, shares)
    for h in range(n_slots):
        bench.slot_of[bench.slots[TOPIC, h]] = NONE
    for b in range(bench.forms.shape[1]):
        for k in range(rows.n_topics):
            shares[d, k] += bench.kept[b] * rows.bases[documents.base[d, b], k]


@inner
def _visit_block(rows, tables, net, benches, documents, sweeps, block, shares):
    bench = take(benches, numba.get_thread_id())
    for d in range(block * DOCUMENTS, min((block + 1) * DOCUMENTS, len(documents.base))):
        visit(rows, tables, net, bench, documents, sweeps, d, shares)


@spread
def fold_nodes(rows, tables, net, benches, documents, sweeps, shares):
    """Add to each row of `shares` the document's topic shares, up to a factor. Any number of threads, one result."""
    for block in prange((len(documents.base) + DOCUMENTS - 1) // DOCUMENTS):
        _visit_block(rows, tables, net, benches, documents, sweeps, block, shares)
