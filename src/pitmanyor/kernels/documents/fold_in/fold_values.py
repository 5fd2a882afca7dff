"""The local topic nodes of a new document, and A of them: at every slot, and as forms in the shared bases.

After a token has left, A of every local node on its way is a form in the shared bases, A(leaf, k) = sum_b s_b p_b[k],
but for the few topics that the document holds (4.1). Those have slots. The first slots stand for the bases themselves:
a dish that nobody has, with p_b = 1 at base b and 0 at the others. So A there is s_b, and the form comes with the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pitmanyor.kernels.documents.fold_in.fold_one_node import SMALL
from pitmanyor.kernels.documents.fold_in.fold_simd import appraise, mix_in, mix_two
from pitmanyor.kernels.restaurant.arrays import Floats, Ints, Ints32, Reals
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.simd import WIDTH

C, T, TO = 0, 1, 2  # rows of counts: customers, tables, and tables to parent i at TO + i
GAIN, SCALE, SHARE = 0, 1, 2  # rows of scalars: b + a T, 1/(b + C), and r_i at SHARE + i
# rows of Bench.flat that every leaf has: sums of the slots' weights, what the form has at them, ones, phi of a word,
# and what topics have of tokens by chance. After them come the shared bases (p_b of the slot's topic), then A
# of the local nodes, then three rows a node, then own words'.
SUMS, CUT, ONES, PHI, CHANCES, VALUES = 0, 1, 2, 3, 4, 5
STAY, OPEN, BASE = 0, 1, 2  # the terms of A, and sum_i r_i A(P_i, k)


class Network(NamedTuple):
    """The local topic nodes, parents first. A parent is a number: first the shared bases, then the local nodes."""

    parents: Ints  # (node, i): there are at least two, and beyond `n_parents` they are of no weight
    n_parents: Ints
    prior: Floats  # (node, i): lambda_i, or fixed weights
    learned: Ints
    index: Ints  # of the discount
    discount: Floats
    concentration: Floats
    inverse: Floats  # (node, 0 or 1, n): 1/(b + n) and, for the urn, 1/(sum_i lambda_i + n)
    above: Ints  # (leaf, node): does a walk from the leaf come by?
    leaf: Ints  # (stream)
    main: int  # the leaf whose mean is asked for


class NetRows(NamedTuple):
    """What is fixed, as `fold_one_node.Rows`."""

    words: Reals
    bases: Reals
    n_topics: int
    small: Floats  # (discount, tables, customers, STAY...) as one row


class NetDocuments(NamedTuple):
    """Tokens by document and stream, as rows of `NetRows.words`, and the rows of every document's bases."""

    first: Ints  # (document * n_streams + stream)
    row: Ints
    base: Ints  # (document, base)


class Bench(NamedTuple):
    """Scratch with a leading thread axis until `take` picks one. A slot stands for a topic of the document."""

    token: Ints32  # (token): its topic, or NONE
    slot_of: Ints32  # (topic) -> slot or NONE
    topic: Ints32  # (slot)
    tokens: Ints32  # (slot): how many
    counts: Ints32  # (node, C...; slot)
    totals: Ints  # (node, C...)
    scalars: Floats  # (node, GAIN...)
    flat: Reals  # rows over slots, one after the other; beyond those of the bases and the document's they hold zeros
    kept: Floats  # (base): the leaf's forms, summed over sweeps
    by_base: Floats  # (token * n_bases + base): how much of p_k phi_kw every topic has by chance
    sums: Floats  # (token * n_bases + base): sum over topics of p_k phi_kw
    starts: Reals  # (token * n_bases + base, block of topics) as one row, as `fold.Folded`
    known: Ints  # [A of so many nodes, the first, is as their counts say]


@inner
def take(bench, thread):
    return Bench(
        bench.token[thread],
        bench.slot_of[thread],
        bench.topic[thread],
        bench.tokens[thread],
        bench.counts[thread],
        bench.totals[thread],
        bench.scalars[thread],
        bench.flat[thread],
        bench.kept[thread],
        bench.by_base[thread],
        bench.sums[thread],
        bench.starts[thread],
        bench.known[thread],
    )


@inlined
def row_of(bench, row):
    """Where a row of `flat` begins."""
    return np.uint64(row * bench.topic.shape[0])


@inlined
def term_row(bench, j, term):
    """Where the row of a node's STAY, OPEN or BASE begins."""
    return row_of(bench, VALUES + len(bench.kept) + bench.counts.shape[0] + 3 * j + term)


@inlined
def value_row(bench, j):
    """Where the row of A of node j begins; in front are the slots of the bases, its form."""
    return row_of(bench, VALUES + len(bench.kept) + j)


@inlined
def small_place(index, c, t):
    """Where `NetRows.small` has the terms of small counts."""
    return np.uint64(((index * SMALL + t) * SMALL + c) * 4)


@inlined
def set_scalars(net, bench, j):
    """gain, scale and the urn's weights of node j from its totals."""
    j = np.uint64(j)
    bench.scalars[j, GAIN] = net.concentration[j] + net.discount[j] * bench.totals[j, T]
    bench.scalars[j, SCALE] = net.inverse[j, 0, np.uint64(bench.totals[j, C])]
    n = net.n_parents[j]
    if n == 1 or not net.learned[j]:
        return  # as they were set for good
    whole = net.inverse[j, 1, np.uint64(bench.totals[j, T])]
    for i in range(n):
        weight = net.prior[j, np.uint64(i)] + bench.totals[j, np.uint64(TO + i)]
        bench.scalars[j, np.uint64(SHARE + i)] = weight * whole


@inlined
def value_eight(net, bench, j, start):
    """sum_i r_i A(P_i, k) of node j, and A, at eight slots from `start` on."""
    h, node, base = np.uint64(start), np.uint64(j), term_row(bench, j, BASE)
    one, two = np.float32(bench.scalars[node, SHARE]), np.float32(bench.scalars[node, SHARE + 1])
    first, second = row_of(bench, VALUES + net.parents[node, 0]), row_of(bench, VALUES + net.parents[node, 1])
    mix_two(bench.flat, base + h, one, first + h, two, second + h)
    for i in range(2, net.n_parents[node]):
        share = np.float32(bench.scalars[node, np.uint64(SHARE + i)])
        mix_in(bench.flat, base + h, share, row_of(bench, VALUES + net.parents[node, np.uint64(i)]) + h)
    gain, scale = np.float32(bench.scalars[node, GAIN]), np.float32(bench.scalars[node, SCALE])
    out, stay, opens = value_row(bench, j), term_row(bench, j, STAY), term_row(bench, j, OPEN)
    appraise(bench.flat, out + h, stay + h, opens + h, base + h, gain, scale)


@inlined
def value_one(net, bench, j, at):
    """As `value_eight`, at one slot of a dish that nobody has there."""
    base, node = np.float32(0.0), np.uint64(j)
    for i in range(net.n_parents[node]):
        parent = row_of(bench, VALUES + net.parents[node, np.uint64(i)])
        base += np.float32(bench.scalars[node, np.uint64(SHARE + i)]) * bench.flat[parent + at]
    bench.flat[term_row(bench, j, BASE) + at] = base
    gain, scale = np.float32(bench.scalars[node, GAIN]), np.float32(bench.scalars[node, SCALE])
    bench.flat[value_row(bench, j) + at] = gain * base * scale


@inlined
def form_of(bench, leaf, b):
    """The weight of base b in the form of a leaf."""
    return bench.flat[value_row(bench, leaf) + np.uint64(b)]


@inlined
def form_at(bench, leaf, at):
    """What the form of a leaf has at a slot."""
    total = 0.0
    for b in range(len(bench.kept)):
        total += form_of(bench, leaf, b) * bench.flat[row_of(bench, VALUES + b) + at]
    return total


@inlined
def cut_eight(bench, leaf, start):
    """What the form of a leaf has at eight slots."""
    h, out, first = np.uint64(start), row_of(bench, CUT), row_of(bench, VALUES)
    second, share = first, np.float32(0.0)
    if len(bench.kept) > 1:
        second, share = row_of(bench, VALUES + 1), form_of(bench, leaf, 1)
    mix_two(bench.flat, out + h, form_of(bench, leaf, 0), first + h, share, second + h)
    for b in range(2, len(bench.kept)):
        mix_in(bench.flat, out + h, form_of(bench, leaf, b), row_of(bench, VALUES + b) + h)


@inlined
def evaluate(net, bench, leaf, n_slots):
    """A of all nodes on the way from the leaf, at every slot: of those that are not known, and of all after a gap."""
    known = leaf + 1
    for j in range(bench.known[0], leaf + 1):
        if net.above[np.uint64(leaf), np.uint64(j)]:
            set_scalars(net, bench, j)
            for start in range(0, n_slots, WIDTH):
                value_eight(net, bench, j, start)
        else:
            known = min(known, j)
    bench.known[0] = known
