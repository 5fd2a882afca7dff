"""A topic for a token, given the shared vectors (maths 4).

With E = b + a T a topic weighs [stay + E open p_k] phi_kw. A token weighs the topics of its document, each beyond its
share of E * sum of p_k phi_kw over all topics, which is cached.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pitmanyor.kernels.documents.one_node.leaf_mean import count_by_chance
from pitmanyor.kernels.documents.one_node.scratch import NO_SLOT, open_slot
from pitmanyor.kernels.documents.product_sums import dot, pick_product, pick_uncached
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.simd import WIDTH, count_below, cumulate


class Token(NamedTuple):
    """A token that is updated."""

    stream: int
    pair: int  # where `Sums` has the sums of its stream's words, or -1
    seat: np.uint64  # its place in the document
    word: np.uint64
    row: np.uint64  # phi_kw of all topics k
    word_node: Any  # WordNode of its stream, or an empty tuple


@inner
def heaviest(net, active, gain, row, n_slots):
    """Where rounding has led to a slot without weight or beyond the last one, the one with most weight."""
    best, most = np.uint64(0), -1.0
    for h in range(n_slots):
        k = np.uint64(active.topic[h])
        weight = float((active.stay[h] + gain * active.opening[h]) * net.stay[row + k])
        if weight > most:
            best, most = np.uint64(h), weight
    return best


@inlined
def weigh(net, active, gain, row, n_slots, late, gone):
    """Prefix sums of the slots' weights beyond what the sum over all topics gives them; their total."""
    total = net.stay.dtype.type(0.0)
    for j in range(0, n_slots, WIDTH):
        h = np.uint64(j)
        total = cumulate(
            active.stay, active.opening, active.column, net.stay, active.weights, row, gain, h, total, late, gone
        )
    return total


@inlined
def slot_at(net, active, gain, row, n_slots, x):
    """The slot into which x, uniform on (0, sum of the weights), falls.

    Each of eight sums is added in another order, so a slot without weight may seem to have some in the last digit. It
    may be that of a topic that no token may join.
    """
    h = np.uint64(0)
    for j in range(0, n_slots, WIDTH):
        h += count_below(active.weights, x, np.uint64(j))
    if h < np.uint64(n_slots) and (active.stay[h] != 0.0 or active.opening[h] != 0.0):
        return h
    return heaviest(net, active, gain, row, n_slots)


@inlined
def sum_of(net, sums, active, shape, token):
    """sum_k p_k phi_kw over the held topics, from where it is cached, or made."""
    if token.pair >= 0:
        return sums.total[token.pair, token.word]
    s, word, row = token.stream, token.word, np.int64(token.row)
    if active.stamp[s, word, 0] != shape.row or active.stamp[s, word, 1] != row:
        active.sums[s, word] = dot(net.stay, shape.row, row, shape.n_held, active.blocks)
        active.stamp[s, word, 0], active.stamp[s, word, 1] = shape.row, row
    return active.sums[s, word]


@inlined
def fresh_topic(net, sums, active, shape, token, x):
    """A topic in proportion to p_k phi_kw; x is uniform on (0, 1)."""
    row = np.int64(token.row)
    if token.pair >= 0:
        blocks, mass = sums.blocks[token.pair, token.word], x * sums.total[token.pair, token.word]
        return pick_product(net.stay, shape.row, row, blocks, mass, shape.n_held)
    mass = sum_of(net, sums, active, shape, token)
    return pick_uncached(net.stay, shape.row, row, x * mass, shape.n_held)


@inlined
def weigh_fresh(net, sums, active, shape, gain, token):
    """What all topics weigh by E p_k phi_kw."""
    real = net.stay.dtype.type
    scale = shape.constant if shape.row < 0 else 1.0
    return gain * real(scale * sum_of(net, sums, active, shape, token))


@inlined
def draw(arrays, document, mean, token, sizes, weights, u):
    """A slot in proportion to its weight, among the document's or afresh; u is uniform on (0, 1)."""
    net, sums, active, shape, n_slots = arrays.franchise.net, arrays.sums, arrays.scratch, document.shape, sizes[0]
    gain, held = weights
    fresh = weigh_fresh(net, sums, active, shape, gain, token)
    count_by_chance(arrays, mean, shape, gain, token, sizes, (held, np.float64(fresh)))
    x = u * (held + fresh)
    if x >= held and fresh > net.stay.dtype.type(0.0):
        k = np.uint64(fresh_topic(net, sums, active, shape, token, (x - held) / fresh))
        if active.slot_of[k] == NO_SLOT:
            return open_slot(net, active, shape, k, n_slots)
        return np.uint64(active.slot_of[k]), n_slots
    return slot_at(net, active, gain, token.row, n_slots, x), n_slots
