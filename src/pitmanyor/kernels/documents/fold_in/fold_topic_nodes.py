"""New documents over fixed vectors, any local nodes on the topic side (the TNTM's three): fold_one_node for networks.

A topic's weight beyond the form of the leaf (fold_values.py) is not negative, so a token draws among the slots'
excesses and, base by base, among all topics. Words may be the document's own (fold_own_words.py); where no stream has
such words `own` is None, and Numba compiles nothing of it.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import prange

from pitmanyor.kernels.documents.fold_in.fold_one_node import (
    DOCUMENTS,
    FOLD,
    NONE,
    SHORT,
    add_products,
    pick_topic,
    sum_topics,
)
from pitmanyor.kernels.documents.fold_in.fold_own_words import (
    chance,
    credit_entries,
    dish_of,
    factor_of,
    leave_own,
    move_own,
    open_own,
    pick_entry,
    seat_own,
    take_own,
    tries_of,
    weigh_entries,
)
from pitmanyor.kernels.documents.fold_in.fold_seating import clear_slot, close_slot, leave, open_slot, seat
from pitmanyor.kernels.documents.fold_in.fold_simd import credit, surplus, weigh
from pitmanyor.kernels.documents.fold_in.fold_values import (
    BASE,
    CHANCES,
    CUT,
    GAIN,
    PHI,
    SCALE,
    STAY,
    SUMS,
    C,
    T,
    cut_eight,
    evaluate,
    form_at,
    form_of,
    row_of,
    set_scalars,
    take,
    term_row,
    value_eight,
    value_row,
)
from pitmanyor.kernels.runtime.jit import inlined, inner, spread
from pitmanyor.kernels.runtime.random import stream_key, uniform
from pitmanyor.kernels.runtime.simd import LINE, WIDTH, count_below, prefetch

LEAST = 1e-30  # that all topics weigh, which rounding may bring to nothing
SOON = 32  # tokens of the next document whose rows are fetched


@inlined
def weigh_slots(rows, bench, row, factor, leaf, n_slots):
    """Prefix sums of what the slots weigh beyond the form; returns the last."""
    out, value, cut, phi = row_of(bench, SUMS), value_row(bench, leaf), row_of(bench, CUT), row_of(bench, PHI)
    words, held = np.uint64(row * rows.words.shape[1]), np.float32(0.0)
    for start in range(0, n_slots, WIDTH):
        h = np.uint64(start)
        cut_eight(bench, leaf, start)
        held = weigh(
            bench.flat, out + h, phi + h, value + h, factor + h, cut + h, bench.topic, h, rows.words, words, held
        )
    return held


@inlined
def pick_slot(bench, n_slots, x):
    """The topic of the slot into which x falls."""
    sums, h, first = row_of(bench, SUMS), np.int64(0), len(bench.kept)
    for start in range(0, n_slots, WIDTH):
        h += np.int64(count_below(bench.flat, np.float32(x), sums + np.uint64(start)))
    h = min(h, n_slots - 1)
    while h > first and bench.flat[sums + np.uint64(h)] <= bench.flat[sums + np.uint64(h - 1)]:  # only by rounding
        h -= 1
    return np.int64(bench.topic[np.uint64(h)])


@inlined
def weigh_form(bench, i, leaf):
    """What all topics weigh by the form, for token i."""
    n_bases, total = len(bench.kept), 0.0
    for b in range(n_bases):
        total += form_of(bench, leaf, b) * bench.sums[np.uint64(i * n_bases + b)]
    return total


@inlined
def pick_by_form(rows, bench, documents, d, i, row, leaf, x):
    """A topic by the form: the base into which x falls, and a topic of it."""
    n_bases = len(bench.kept)
    b, last = 0, 0
    while b < n_bases:
        part = form_of(bench, leaf, b) * bench.sums[np.uint64(i * n_bases + b)]
        if part > 0.0:
            last = b
            if x < part:
                break
            x -= part
        b += 1
    x /= max(form_of(bench, leaf, last), 1e-30)
    return pick_topic(rows, bench, i * n_bases + last, row, documents.base[np.uint64(d), np.uint64(last)], x)


@inlined
def all_weights(own, bench, factor, leaf, n_slots, held, again, fresh):
    """What all topics weigh. A slot of own words may weigh less than by the form, which `held` does not tell."""
    if own is not None:
        value, cut, phi, held = value_row(bench, leaf), row_of(bench, CUT), row_of(bench, PHI), np.float32(0.0)
        for start in range(0, n_slots, WIDTH):
            h = np.uint64(start)
            held += surplus(bench.flat, value + h, factor + h, cut + h, phi + h)
    return float(held) + again + fresh


@inlined
def count_by_chance(net, own, bench, i, s, dish, leaf, factor, n_slots, total):
    """Add to every topic the chance of token i to be of it, less a t/c with what c and t of the leaf are then."""
    node, n_bases = np.uint64(leaf), len(bench.kept)
    a, by = net.discount[node], net.inverse[node, 0, np.uint64(bench.totals[node, C] + 1)] / total
    scale, size, slots = np.float32(bench.scalars[node, SCALE]), bench.counts.shape[1], bench.counts.shape[2]
    c, t = np.uint64((leaf * size + C) * slots), np.uint64((leaf * size + T) * slots)
    value, cut, phi, out = value_row(bench, leaf), row_of(bench, CUT), row_of(bench, PHI), row_of(bench, CHANCES)
    stay = term_row(bench, leaf, STAY)
    for start in range(0, n_slots, WIDTH):
        h = np.uint64(start)
        credit(
            bench.flat, out + h, value + h, factor + h, cut + h, stay + h, phi + h, bench.counts, c + h, t + h,
            np.float32(a), scale, np.float32(by),
        )  # fmt: skip
    credit_entries(own, bench, s, dish, leaf, a, by)
    for b in range(n_bases):
        bench.by_base[np.uint64(i * n_bases + b)] += (1.0 - a) * by * form_of(bench, leaf, b)


@inlined
def draw(rows, tables, net, own, bench, documents, d, i, row, s, leaf, n_slots, key, n, by_chance):
    """A topic for token i of stream s, and the counter. A topic by the form may be refused (fold_own_words.py)."""
    dish = dish_of(own, documents, d, i)
    factor = factor_of(own, bench, s)
    held = float(weigh_slots(rows, bench, row, factor, leaf, n_slots))
    again, fresh = weigh_entries(rows, tables, own, bench, s, dish, row, leaf), weigh_form(bench, i, leaf)
    if by_chance and leaf == net.main:
        total = all_weights(own, bench, factor, leaf, n_slots, held, again, fresh)
        count_by_chance(net, own, bench, i, s, dish, leaf, factor, n_slots, max(total, LEAST))
    for left in range(tries_of(own), -1, -1):
        if left == 0:
            fresh = weigh_slowly(rows, own, bench, documents, d, row, s, leaf)
        x = uniform(key, n) * (held + again + fresh)
        n += 1
        if x < held:
            return pick_slot(bench, n_slots, x), n
        if x < held + again:
            return pick_entry(own, dish, x - held), n
        x -= held + again
        if left == 0:
            return pick_slowly(rows, own, bench, documents, d, row, s, leaf, x), n
        k = pick_by_form(rows, bench, documents, d, i, row, leaf, x)
        taken = chance(own, bench, s, leaf, k)
        if taken >= 1.0 or uniform(key, n) < taken:
            return k, n + 1
        n += 1
    return np.int64(0), n  # nobody comes here


@inlined
def slow_weight(rows, own, bench, documents, d, row, s, leaf, k):
    """What topic k weighs by the form, as far as it is taken."""
    weight = 0.0
    for b in range(len(bench.kept)):
        weight += form_of(bench, leaf, b) * rows.bases[documents.base[d, b], k]
    return weight * rows.words[row, k] * chance(own, bench, s, leaf, k)


@inner
def weigh_slowly(rows, own, bench, documents, d, row, s, leaf):
    """What is left of the form: for documents that hold nearly all topics, and few of their own words."""
    total = 0.0
    for k in range(rows.n_topics):
        total += slow_weight(rows, own, bench, documents, d, row, s, leaf, k)
    return total


@inner
def pick_slowly(rows, own, bench, documents, d, row, s, leaf, x):
    """The topic into which x falls, of what is left of the form."""
    found = np.int64(0)
    for k in range(rows.n_topics):
        weight = slow_weight(rows, own, bench, documents, d, row, s, leaf, k)
        if weight > 0.0:
            found = np.int64(k)
            if x < weight:
                break
            x -= weight
    return found


@inlined
def update(rows, tables, net, own, bench, documents, d, i, row, s, n_slots, key, n, by_chance, shares):
    """Token i, of stream s, leaves, if it was seated, and is seated anew; returns the number of slots, the counter."""
    leaf, token = net.leaf[s], np.uint64(i)
    if bench.token[token] != NONE:
        gone = np.int64(bench.token[token])
        h = np.int64(bench.slot_of[np.uint64(gone)])
        n = leave(rows, tables, net, bench, leaf, h, key, n)
        n = leave_own(rows, tables, own, bench, s, dish_of(own, documents, d, i), gone, h, key, n)
        bench.tokens[np.uint64(h)] -= 1
        if bench.tokens[np.uint64(h)] == 0:
            n_slots -= 1
            close_slot(bench, h, n_slots, d, shares)
            move_own(own, bench, h, n_slots)
    evaluate(net, bench, leaf, n_slots)
    k, n = draw(rows, tables, net, own, bench, documents, d, i, row, s, leaf, n_slots, key, n, by_chance)
    if bench.slot_of[np.uint64(k)] == NONE:
        open_slot(rows, net, bench, documents, d, leaf, k, n_slots)
        open_own(own, bench, n_slots)
        n_slots += 1
    h = np.int64(bench.slot_of[np.uint64(k)])
    bench.tokens[np.uint64(h)] += 1
    bench.token[token] = k
    n = seat(rows, tables, net, bench, leaf, h, key, n)
    return n_slots, seat_own(rows, tables, own, bench, s, dish_of(own, documents, d, i), row, k, h, key, n)


@inlined
def keep(net, bench, n_slots, d, by_chance, shares):
    """Add the mean of the main leaf (appendix B): its excess at every slot, and its form.

    By chance, its customers were added as they were drawn.
    """
    leaf, n_bases = net.main, len(bench.kept)
    bench.known[0] = 0  # the rows of A have means for a while
    for j in range(leaf + 1):
        node = np.uint64(j)
        if net.above[np.uint64(leaf), node]:
            set_scalars(net, bench, j)
            a, gain, scale = net.discount[node], bench.scalars[node, GAIN], bench.scalars[node, SCALE]
            base, value = term_row(bench, j, BASE), value_row(bench, j)
            for start in range(0, n_slots, WIDTH):
                value_eight(net, bench, j, start)
            for slot in range(n_bases, n_slots):
                h = np.uint64(slot)
                own = 0.0 if by_chance and j == leaf else bench.counts[node, C, h] - a * bench.counts[node, T, h]
                bench.flat[value + h] = (own + gain * bench.flat[base + h]) * scale
    value, chances = value_row(bench, leaf), row_of(bench, CHANCES)
    for slot in range(n_bases, n_slots):
        h = np.uint64(slot)
        k = np.uint64(bench.topic[h])
        shares[np.uint64(d), k] += max(bench.flat[value + h] - form_at(bench, leaf, h), 0.0) + bench.flat[chances + h]
        bench.flat[chances + h] = 0.0
    for b in range(n_bases):
        bench.kept[b] += form_of(bench, leaf, b)


@inlined
def begin(rows, net, own, bench, documents, d):
    """Empty nodes, and the sums of every token's word with every base."""
    n_streams, n_bases = len(net.leaf), len(bench.kept)
    start, stop = documents.first[d * n_streams], documents.first[(d + 1) * n_streams]
    for i in range(stop - start):
        bench.token[i] = NONE
        if own is not None:
            own.n_entries[i] = 0
        for b in range(n_bases):
            bench.by_base[i * n_bases + b] = 0.0
            sum_topics(rows, bench, i * n_bases + b, documents.row[start + i], documents.base[d, b])
    bench.known[0] = 0
    for j in range(bench.totals.shape[0]):
        for x in range(bench.totals.shape[1]):
            bench.totals[j, x] = 0
    for b in range(n_bases):
        bench.kept[b] = 0.0


@inlined
def add_by_chance(rows, net, bench, documents, d, shares):
    """Add what every topic has by chance beside the slots', for each token in proportion to p_k phi_kw."""
    n_streams, n_bases = len(net.leaf), len(bench.kept)
    start = documents.first[d * n_streams]
    for s in range(n_streams):
        if net.leaf[s] == net.main:
            for at in range(documents.first[d * n_streams + s], documents.first[d * n_streams + s + 1]):
                for b in range(n_bases):
                    by = bench.by_base[(at - start) * n_bases + b]
                    add_products(rows, documents.row[at], documents.base[d, b], by, d, shares)


@inlined
def visit(rows, tables, net, own, bench, documents, sweeps, d, shares):
    """All sweeps of document d. The first seats its tokens one after the other, each given those before it."""
    key, n, n_slots = stream_key(sweeps.seed, 0, 0, d, FOLD), np.int64(0), np.int64(len(bench.kept))
    n_streams = len(net.leaf)
    start = documents.first[d * n_streams]
    begin(rows, net, own, bench, documents, d)
    n_sweeps, n_left_out = sweeps.long, sweeps.left_out_of_long
    if documents.first[(d + 1) * n_streams] - start <= SHORT:
        n_sweeps, n_left_out = sweeps.short, sweeps.left_out_of_short
    for sweep in range(n_sweeps + 1):
        kept = sweep > n_left_out
        by_chance = kept and sweeps.by_chance
        for s in range(n_streams):
            for at in range(documents.first[d * n_streams + s], documents.first[d * n_streams + s + 1]):
                row = documents.row[at]
                n_slots, n = update(
                    rows, tables, net, own, bench, documents, d, at - start, row, s, n_slots, key, n, by_chance, shares
                )  # fmt: skip
        if kept:
            keep(net, bench, n_slots, d, by_chance, shares)
    for h in range(len(bench.kept), n_slots):
        clear_slot(bench, h, bench.topic[h])
    if sweeps.by_chance:
        add_by_chance(rows, net, bench, documents, d, shares)
    for b in range(len(bench.kept)):
        for k in range(rows.n_topics):
            shares[d, k] += bench.kept[b] * rows.bases[documents.base[d, b], k]


@inlined
def fetch(rows, documents, d, n_streams):
    """Have the rows of words that document d is of come near, if there is one."""
    if d < len(documents.base):
        start, width = documents.first[d * n_streams], rows.words.shape[1]
        for at in range(start, min(documents.first[(d + 1) * n_streams], start + SOON)):
            for k in range(0, rows.n_topics, LINE):
                prefetch(rows.words, np.uint64(documents.row[at] * width + k))


@inner
def _visit_block(rows, tables, net, owns, benches, documents, sweeps, block, shares):
    bench, own = take(benches, numba.get_thread_id()), take_own(owns, numba.get_thread_id())
    for d in range(block * DOCUMENTS, min((block + 1) * DOCUMENTS, len(documents.base))):
        fetch(rows, documents, d + 1, len(net.leaf))
        visit(rows, tables, net, own, bench, documents, sweeps, d, shares)


@spread
def fold_nodes(rows, tables, net, owns, benches, documents, sweeps, shares):
    """Add to each row of `shares` the document's topic shares, up to a factor. Any number of threads, one result."""
    for block in prange((len(documents.base) + DOCUMENTS - 1) // DOCUMENTS):
        _visit_block(rows, tables, net, owns, benches, documents, sweeps, block, shares)
