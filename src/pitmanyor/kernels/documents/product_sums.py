"""Sums over topics of products of two rows, with sums over blocks; and topics drawn in proportion to such products."""

from __future__ import annotations

from typing import NamedTuple

from numba import prange

from pitmanyor.kernels.restaurant.arrays import (
    BLOCK,
    Floats,
    Ints,
    Reals,
)
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined, inner, spread
from pitmanyor.kernels.runtime.simd import dot_block, place_in_block


@bundle
class Sums(NamedTuple):
    """Cached sums over the held topics of products of a topic-side row and a word's row."""

    pair: Ints  # (topic position + 1, stream, word position + 1) -> index, or -1; position -1 is the constant
    total: Floats  # (index, word)
    blocks: Reals  # (index, word, block)


@inlined
def product(values, a, b, k):
    x = 1.0 if a < 0 else float(values[a + k])
    return x if b < 0 else x * float(values[b + k])


@inlined
def dot_part(values, a, b, n_held, block):
    """Sum over the held topics of a block of the product of two rows."""
    lo, hi = block * BLOCK, min((block + 1) * BLOCK, n_held)
    if a >= 0 and b >= 0 and hi - lo == BLOCK:
        return float(dot_block(values, a + lo, b + lo))
    total = 0.0
    for k in range(lo, hi):
        total += product(values, a, b, k)
    return total


@inner
def dot(values, a, b, n_held, blocks):
    """Sum over the held topics of the product of two rows, with its sums over blocks."""
    total = 0.0
    for block in range((n_held + BLOCK - 1) // BLOCK):
        blocks[block] = dot_part(values, a, b, n_held, block)
        total += float(blocks[block])
    return total


@inner
def _fill_sum(net, sums, index, word, row, other, n_held):
    sums.total[index, word] = dot(net.stay, row, other, n_held, sums.blocks[index, word])


@spread
def fill_sums(net, sums, index, row, first, stride, n_words, n_held):
    """Cache one pair: a topic-side row with the rows of every word, which start at `first` and lie `stride` apart."""
    for word in prange(n_words):
        _fill_sum(net, sums, index, word, row, first + word * stride, n_held)


@inner
def pick_product(values, a, b, blocks, x, n_held):
    block, last = 0, (n_held - 1) // BLOCK
    while block < last and x >= blocks[block]:
        x -= blocks[block]
        block += 1
    return pick_in_block(values, a, b, block, x, n_held)


@inner
def pick_uncached(values, a, b, x, n_held):
    """As `pick_product`, without sums over blocks."""
    block, last = 0, (n_held - 1) // BLOCK
    while block < last:
        part = dot_part(values, a, b, n_held, block)
        if x < part:
            break
        x -= part
        block += 1
    return pick_in_block(values, a, b, block, x, n_held)


@inner
def pick_in_block(values, a, b, block, x, n_held):
    """The topic of a block into which x falls, uniform on (0, the block's sum of products)."""
    k, end = block * BLOCK, min((block + 1) * BLOCK, n_held) - 1
    if a >= 0 and b >= 0 and end - k == BLOCK - 1:
        k = min(k + place_in_block(values, a + k, b + k, x), end)
    else:
        while k < end:
            weight = product(values, a, b, k)
            if x < weight:
                break
            x -= weight
            k += 1
    while product(values, a, b, k) <= 0.0 and k > 0:  # reached by rounding only
        k -= 1
    return k
