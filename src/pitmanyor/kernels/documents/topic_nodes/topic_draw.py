"""A topic for a token of a document with topic nodes, given the shared vectors (maths 4).

A topic of the document weighs [stay + E (open A - base)] phi_kw beyond its share of E * sum_k base_k phi_kw, where
`base` is the part of A that a topic without customers in the document has too. `NodeRows.form` has it base by base.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pitmanyor.kernels.documents.product_sums import dot, pick_product, pick_uncached
from pitmanyor.kernels.documents.topic_nodes.leaf_mean import count_by_chance
from pitmanyor.kernels.documents.topic_nodes.node_seating import base_parts, bases_of, stay_of
from pitmanyor.kernels.documents.topic_nodes.scratch import (
    CONC,
    FACTS,
    FIRST_ROW,
    NODE_CUSTOMERS,
    NODE_GAIN,
    OF_TOPICS,
    OF_WORD,
    ONE,
    SCALARS,
    SPAN,
    SUM,
    TWO,
    VALUED,
    prefix_row,
)
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.simd import WIDTH, count_below
from pitmanyor.kernels.runtime.simd_rows import value_lanes, weigh_lanes


class Token(NamedTuple):
    """A token that is updated."""

    stream: int
    place: int  # in the document
    word: np.uint64
    row: np.uint64  # phi_kw of all topics k
    leaf: int  # its local node
    word_node: Any  # WordNode of its stream, or an empty tuple


@inlined
def evaluate(rows, frame, leaf, n_slots):
    """A of the local nodes above the leaf at every slot, then the leaf's form.

    A customer has just left the leaf, so at most the nodes above it are up to date.
    """
    real = rows.reals.dtype.type
    for j in range(rows.known[VALUED], leaf):
        fact, at = np.uint64(j) * FACTS, np.uint64(j) * SCALARS
        (up, shares), first = bases_of(rows, j), np.uint64(rows.facts[fact + FIRST_ROW])
        gain = real(rows.scalars[at + NODE_GAIN])
        scale = real(1.0 / (rows.scalars[at + CONC] + rows.facts[fact + NODE_CUSTOMERS]))
        terms = (first + frame.width, first + TWO * frame.width)
        for h in range(0, n_slots, WIDTH):
            value_lanes(rows.reals, first, up, shares, terms, gain, scale, np.uint64(h))
    rows.known[VALUED] = leaf
    up, shares = bases_of(rows, leaf)
    for i in range(frame.n_bases):
        r = np.uint64(i)
        rows.form[r] = shares[0] * rows.reals[up[0] + r] + shares[1] * rows.reals[up[1] + r]


@inlined
def evaluate_slot(rows, frame, leaf, h):
    """A of the local nodes above the leaf at one slot."""
    for j in range(leaf):
        fact, at = np.uint64(j) * FACTS, np.uint64(j) * SCALARS
        first = np.uint64(rows.facts[fact + FIRST_ROW]) + np.uint64(h)
        parts = base_parts(rows, j, h)
        scale = 1.0 / (rows.scalars[at + CONC] + rows.facts[fact + NODE_CUSTOMERS])
        opens = rows.scalars[at + NODE_GAIN] * rows.reals[first + TWO * frame.width] * (parts[0] + parts[1])
        rows.reals[first] = (rows.reals[first + frame.width] + opens) * scale


@inner
def heaviest(rows, frame, n_slots):
    """Where rounding has led to a slot without weight, the one with most."""
    prefix, best, most = prefix_row(frame), frame.n_bases, -1.0
    for h in range(frame.n_bases, n_slots):
        weight = rows.reals[prefix + np.uint64(h)] - rows.reals[prefix + np.uint64(h - 1)]
        if weight > most:
            best, most = h, weight
    return best


@inlined
def sum_of(net, sums, rows, frame, r, token):
    """sum_k p_k phi_kw over the held topics for base r, from where it is cached, or made."""
    place = np.uint64(token.stream * frame.n_bases + r)
    pair = rows.pairs[place]
    if pair >= 0:
        return sums.total[np.uint64(pair), token.word]
    p, row = rows.bases[np.uint64(r) * TWO + ONE], np.int64(token.row)
    at = (place * np.uint64(frame.n_words) + token.word) * SPAN
    if rows.sums[at + OF_TOPICS] != p or rows.sums[at + OF_WORD] != row:
        rows.sums[at + SUM] = dot(net.stay, p, row, frame.n_held, rows.blocks)
        rows.sums[at + OF_TOPICS], rows.sums[at + OF_WORD] = p, row
    return rows.sums[at + SUM]


@inlined
def fresh_topic(net, sums, rows, frame, r, token, x):
    """A topic in proportion to p_k phi_kw for base r; x is uniform on (0, 1)."""
    pair = rows.pairs[np.uint64(token.stream * frame.n_bases + r)]
    p, row = rows.bases[np.uint64(r) * TWO + ONE], np.int64(token.row)
    if pair >= 0:
        blocks, x = sums.blocks[np.uint64(pair), token.word], x * sums.total[np.uint64(pair), token.word]
        return pick_product(net.stay, p, row, blocks, x, frame.n_held)
    return pick_uncached(net.stay, p, row, x * sum_of(net, sums, rows, frame, r, token), frame.n_held)


@inlined
def weigh_slots(net, rows, factors, frame, leaf, gain, row, n_slots):
    """Prefix sums of the slots' weights beyond what the sum over all topics gives them; their total.

    `factors` of phi_kw are those of slots whose words are the document's own, or an empty tuple.
    """
    real, stay, (up, shares) = rows.reals.dtype.type, stay_of(rows, frame, leaf), bases_of(rows, leaf)
    terms, bases, total = (stay, stay + frame.width), (np.uint64(frame.n_bases), frame.width), real(0.0)
    for h in range(0, n_slots, WIDTH):
        total = weigh_lanes(
            rows.reals, up, shares, terms, prefix_row(frame), rows.form, bases, rows.topic, net.stay, row,
            real(gain), np.uint64(h), total, factors,
        )  # fmt: skip
    return total


@inlined
def draw_fresh(net, sums, rows, frame, gain, token, x):
    """A topic by the bases of the leaf's form; x is uniform on (0, sum of their parts)."""
    last, part = 0, 1.0
    for r in range(frame.n_bases):
        if rows.form[np.uint64(r)] != 0.0:
            last, part = r, gain * float(rows.form[np.uint64(r)]) * sum_of(net, sums, rows, frame, r, token)
            if x < part:
                break
            x -= part
    return fresh_topic(net, sums, rows, frame, last, token, x / part)


@inlined
def weigh_form(net, sums, rows, frame, gain, token):
    """What all topics weigh by the leaf's form."""
    total = 0.0
    for r in range(frame.n_bases):
        if rows.form[np.uint64(r)] != 0.0:
            total += gain * float(rows.form[np.uint64(r)]) * sum_of(net, sums, rows, frame, r, token)
    return total


@inlined
def slot_below(rows, frame, x, n_slots):
    """The slot into which x falls, uniform on (0, sum of the slots' weights).

    Rounding may lead beyond the last one, or to the slot of a topic that no token may take, which weighs nothing.
    """
    h, prefix = np.int64(0), prefix_row(frame)
    for j in range(0, n_slots, WIDTH):
        h += np.int64(count_below(rows.reals, x, prefix + np.uint64(j)))
    if h >= n_slots or rows.topic[np.uint64(h)] >= frame.n_held:
        h = heaviest(rows, frame, n_slots)
    return h


@inlined
def draw(arrays, frame, mean, gain, token, n_slots, u):
    """A topic in proportion to its weight, among the document's slots or afresh; u is uniform on (0, 1)."""
    net, sums, rows = arrays.franchise.net, arrays.sums, arrays.scratch
    held = weigh_slots(net, rows, (), frame, token.leaf, gain, token.row, n_slots)
    fresh = weigh_form(net, sums, rows, frame, gain, token)
    count_by_chance(arrays, mean, frame, gain, token, (n_slots, 0), (held, fresh))
    x = u * (held + rows.reals.dtype.type(fresh))
    if x >= held and fresh > 0.0:
        return draw_fresh(net, sums, rows, frame, gain, token, x - held)
    return np.int64(rows.topic[np.uint64(slot_below(rows, frame, x, n_slots))])
