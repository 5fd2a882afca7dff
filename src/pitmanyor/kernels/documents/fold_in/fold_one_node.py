"""New documents over fixed vectors, one local node over one base: every sweep of a document before the next document.

With E = b + a T a topic weighs [stay + E open p_k] phi_kw (maths 4). One uniform chooses topic and seat together: an
old table of a held topic (stay phi), a new one of a held topic beyond its share (E (open - 1) p_k phi, which is never
negative), or a new one of any topic in proportion to p_k phi_kw, whose sum is made once for each token. Without a
discount tables do not matter: the node is a Dirichlet of b p, stay is c and E open is b.

Shares may count a token by the chances of its topics, which are known when it is drawn, instead of by the one drawn
(maths 7).
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba import prange

from pitmanyor.kernels.documents.fold_in.fold_simd import dot_rows, place_in
from pitmanyor.kernels.restaurant.arrays import BLOCK, CLAMP, Floats, Ints, Ints32, Reals
from pitmanyor.kernels.restaurant.seating import leave_probability, open_term, stay_term
from pitmanyor.kernels.restaurant.small_terms import LEAVE, OPEN, STAY
from pitmanyor.kernels.runtime.jit import inlined, inner, spread
from pitmanyor.kernels.runtime.random import stream_key, uniform
from pitmanyor.kernels.runtime.simd import WIDTH, count_below

DOCUMENTS = 64  # in a block of work
FOLD = 23  # the purpose of the random streams
NONE = -1
SHORT = 16  # tokens: such documents forget where they began within few sweeps
SMALL = 64  # counts below it have their terms in a table: posts are short


class Rows(NamedTuple):
    """What is fixed: rows of `n_topics` in float32, padded with zeros to whole blocks."""

    words: Reals  # (row, topic): phi_kw
    bases: Reals  # (instance, topic): p_k
    n_topics: int
    discount: float
    concentration: float
    small: Floats  # (tables, customers, STAY...): terms of small counts, as in general/scratch.py


class Documents(NamedTuple):
    """Tokens by document, as rows of `Rows.words`, and the base of every document."""

    first: Ints
    row: Ints
    base: Ints


class Folded(NamedTuple):
    """Scratch with a leading thread axis until `take` picks one. A slot stands for a topic that the document holds."""

    token: Ints32  # (token): its topic, or NONE
    slot_of: Ints32  # (topic) -> slot or NONE
    topic: Ints32
    customers: Ints32
    tables: Ints32
    stay: Floats
    opening: Floats  # (open - 1) p_k
    weights: Floats  # (2 slots): seats at old tables, then at new ones
    chances: Floats  # (slot): what its topic has of tokens by chance
    by_base: Floats  # (token): how much of p_k phi_kw every topic has by chance
    sums: Floats  # (token): sum over topics of p_k phi_kw
    starts: Reals  # (token, block of topics) as one row: what of the sum is in front of each block; see `starts_at`


class Sweeps(NamedTuple):
    """How many sweeps of documents beyond SHORT tokens and of others, how many of them are not kept, and the seed.

    `by_chance`: tokens count by the chances of their topics, not by the topics drawn.
    """

    long: int
    left_out_of_long: int
    short: int
    left_out_of_short: int
    seed: int
    by_chance: bool


@inner
def take(folded, thread):
    return Folded(
        folded.token[thread],
        folded.slot_of[thread],
        folded.topic[thread],
        folded.customers[thread],
        folded.tables[thread],
        folded.stay[thread],
        folded.opening[thread],
        folded.weights[thread],
        folded.chances[thread],
        folded.by_base[thread],
        folded.sums[thread],
        folded.starts[thread],
    )


@inlined
def starts_at(rows, at):
    """Where the starts of token `at` begin: whole vectors of them, infinite beyond the last block."""
    n_blocks = rows.words.shape[1] // BLOCK
    return np.uint64(at * ((n_blocks + WIDTH - 1) // WIDTH * WIDTH))


@inlined
def sum_topics(rows, out, at, row, base):
    """The sum of p_k phi_kw for a row of words and one of bases, block by block, into place `at` of some scratch."""
    total, width, first = 0.0, rows.words.shape[1], starts_at(rows, at)
    for block in range(width // BLOCK):
        start = block * BLOCK
        out.starts[first + np.uint64(block)] = total
        total += dot_rows(rows.words, np.uint64(row * width + start), rows.bases, np.uint64(base * width + start))
    out.sums[at] = total


@inlined
def pick_topic(rows, made, at, row, base, x):
    """The topic into which x, uniform on (0, sum of p_k phi_kw), falls: first its block, then its place there."""
    width, first, block = rows.words.shape[1], starts_at(rows, at), np.int64(-1)
    for start in range(0, width // BLOCK, WIDTH):
        block += np.int64(count_below(made.starts, np.float32(x), first + np.uint64(start)))
    block = min(max(block, np.int64(0)), np.int64(width // BLOCK - 1))  # whatever x is, a number of a block
    k, left = block * BLOCK, np.float32(x - made.starts[first + np.uint64(block)])
    k += np.int64(place_in(rows.words, np.uint64(row * width + k), rows.bases, np.uint64(base * width + k), left))
    while k > 0 and rows.words[row, k] * rows.bases[base, k] <= 0.0:  # only by rounding
        k -= 1
    return k


@inlined
def set_slot(rows, tables, folded, base, h):
    """stay and the opening part of slot h from its counts."""
    c, t, a = np.int64(folded.customers[h]), np.int64(folded.tables[h]), rows.discount
    if a == 0.0:
        folded.stay[h], folded.opening[h] = c, 0.0
        return
    if c < SMALL:
        stay, opens = rows.small[t, c, STAY], rows.small[t, c, OPEN]
    else:
        stay = stay_term(tables, 0, a, CLAMP, c, t)
        opens = open_term(tables, 0, a, CLAMP, c, t)
    folded.stay[h], folded.opening[h] = stay, (opens - 1.0) * rows.bases[base, folded.topic[h]]


@inlined
def takes_table(rows, tables, folded, h, key, n):
    """Does a customer who leaves slot h take its table along? Also the counter of uniforms."""
    c, t = np.int64(folded.customers[h]), np.int64(folded.tables[h])
    if rows.discount == 0.0 or (t == 1 and c > 1):
        return 0, n
    if t == c:
        return 1, n
    chance = rows.small[t, c, LEAVE] if c < SMALL else leave_probability(tables, 0, rows.discount, CLAMP, c, t)
    return np.int64(uniform(key, n) < chance), n + 1


@inlined
def leave(rows, tables, folded, base, k, n_slots, key, n, d, shares):
    """A customer of topic k goes; returns whether a table went, the number of slots and the counter."""
    h = folded.slot_of[k]
    goes, n = takes_table(rows, tables, folded, h, key, n)
    folded.customers[h] -= 1
    folded.tables[h] -= goes
    if folded.customers[h] > 0:
        set_slot(rows, tables, folded, base, h)
        return goes, n_slots, n
    last = n_slots - 1
    folded.slot_of[k] = NONE
    shares[d, k] += folded.chances[h]
    if h != last:
        folded.topic[h], folded.customers[h], folded.tables[h] = (
            folded.topic[last], folded.customers[last], folded.tables[last],
        )  # fmt: skip
        folded.stay[h], folded.opening[h] = folded.stay[last], folded.opening[last]
        folded.chances[h] = folded.chances[last]
        folded.slot_of[folded.topic[h]] = h
    return goes, last, n


@inlined
def count_by_chance(rows, folded, i, row, base, gain, n_slots, total):
    """Add to every topic the chance of token i to be of it, less a t/c with what c and t are then."""
    a, by = rows.discount, 1.0 / total
    for h in range(n_slots):
        k, part, t = folded.topic[h], a / (folded.customers[h] + 1.0), folded.tables[h]
        sits, opens = folded.weights[2 * h], folded.weights[2 * h + 1]
        even = gain * rows.bases[base, k] * rows.words[row, k]  # of which (1 - a) comes with `by_base`
        less = part * (t * (sits + opens + even) + opens + even) - a * even
        folded.chances[h] += (sits + opens - less) * by
    folded.by_base[i] += (1.0 - a) * gain * by


@inlined
def draw(rows, folded, i, row, base, gain, n_slots, u, by_chance):
    """A topic for token i, and whether it opens a table."""
    held = 0.0
    for h in range(n_slots):
        phi = float(rows.words[row, folded.topic[h]])
        sits, opens = folded.stay[h] * phi, gain * folded.opening[h] * phi
        folded.weights[2 * h], folded.weights[2 * h + 1] = sits, opens
        held += sits + opens
    fresh = gain * folded.sums[i]
    if by_chance and held + fresh > 0.0:
        count_by_chance(rows, folded, i, row, base, gain, n_slots, held + fresh)
    x = u * (held + fresh)
    best, most = -1, 0.0
    if x < held or fresh <= 0.0:
        for j in range(2 * n_slots):
            weight = folded.weights[j]
            if x < weight:
                return np.int64(folded.topic[j // 2]), j % 2
            x -= weight
            if weight > most:
                best, most = j, weight
        if best >= 0:  # only rounding can come here
            return np.int64(folded.topic[best // 2]), best % 2
        return pick_topic(rows, folded, i, row, base, 0.0), 1
    return pick_topic(rows, folded, i, row, base, (x - held) / gain), 1


@inlined
def sit(rows, tables, folded, base, k, opens, n_slots):
    """A customer of topic k comes; returns the number of slots."""
    h = folded.slot_of[k]
    if h == NONE:
        h, n_slots = n_slots, n_slots + 1
        folded.slot_of[k], folded.topic[h], folded.customers[h], folded.tables[h] = h, k, 0, 0
        folded.chances[h] = 0.0
    folded.customers[h] += 1
    folded.tables[h] += opens
    set_slot(rows, tables, folded, base, h)
    return n_slots


@inlined
def add_products(rows, row, base, by, d, shares):
    """Add so much of p_k phi_kw to the shares of document d."""
    for k in range(rows.n_topics):
        shares[d, k] += by * rows.words[row, k] * rows.bases[base, k]


@inlined
def visit(rows, tables, folded, documents, sweeps, d, shares):
    """All sweeps of document d. The first seats its tokens one after the other, each given those before it."""
    key, n = stream_key(sweeps.seed, 0, 0, d, FOLD), np.int64(0)
    start, stop, base = documents.first[d], documents.first[d + 1], documents.base[d]
    a, b = rows.discount, rows.concentration
    n_slots, n_tables, gains = np.int64(0), np.int64(0), 0.0
    for i in range(stop - start):
        sum_topics(rows, folded, i, documents.row[start + i], base)
        folded.token[i], folded.by_base[i] = NONE, 0.0
    n_sweeps, n_left_out = sweeps.long, sweeps.left_out_of_long
    if stop - start <= SHORT:
        n_sweeps, n_left_out = sweeps.short, sweeps.left_out_of_short
    for sweep in range(n_sweeps + 1):
        kept = sweep > n_left_out
        by_chance = kept and sweeps.by_chance
        for i in range(stop - start):
            if folded.token[i] != NONE:
                went, n_slots, n = leave(rows, tables, folded, base, folded.token[i], n_slots, key, n, d, shares)
                n_tables -= went
            row = documents.row[start + i]
            k, opens = draw(rows, folded, i, row, base, b + a * n_tables, n_slots, uniform(key, n), by_chance)
            n += 1
            if a == 0.0:
                opens = 0
            n_slots = sit(rows, tables, folded, base, k, opens, n_slots)
            n_tables += opens
            folded.token[i] = k
        if kept:
            gains += b + a * n_tables
            if not by_chance:
                for h in range(n_slots):
                    shares[d, folded.topic[h]] += folded.customers[h] - a * folded.tables[h]
    for h in range(n_slots):
        shares[d, folded.topic[h]] += folded.chances[h]
        folded.slot_of[folded.topic[h]] = NONE
    for i in range(stop - start if sweeps.by_chance else 0):
        add_products(rows, documents.row[start + i], base, folded.by_base[i], d, shares)
    for k in range(rows.n_topics):  # the mean of the node, up to a factor (appendix B)
        shares[d, k] += gains * rows.bases[base, k]


@inner
def _visit_block(rows, tables, bench, documents, sweeps, block, shares):
    folded = take(bench, numba.get_thread_id())
    for d in range(block * DOCUMENTS, min((block + 1) * DOCUMENTS, len(documents.base))):
        visit(rows, tables, folded, documents, sweeps, d, shares)


@spread
def fold(rows, tables, bench, documents, sweeps, shares):
    """Add to each row of `shares` the document's topic shares, up to a factor. Any number of threads, one result."""
    for block in prange((len(documents.base) + DOCUMENTS - 1) // DOCUMENTS):
        _visit_block(rows, tables, bench, documents, sweeps, block, shares)
