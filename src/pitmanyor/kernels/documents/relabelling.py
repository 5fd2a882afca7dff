"""A Gibbs step of the explicit sweep: all tokens that share a topic in a document take another one together (maths 4).

The tokens of a document cling to each other, more so if its words are its own, so a document changes from one topic to
a similar one only by many unlikely steps. Given the shared vectors, its local restaurants do not depend on what its
topics are called. If a topic of the document becomes one that it does not have, tables and customers stay, and the
full conditional (4.5) has one factor for every walk that leaves the document:

    weight(k) = prod_i p_i[k]^(customers sent to i) * prod_w phi_k,w^(customers sent to w)

The topic to be renamed is that of a token drawn uniformly, which has the same probability before and after.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba import prange

from pitmanyor import purposes
from pitmanyor.kernels.documents.general.document import set_word_cells, word_leaf
from pitmanyor.kernels.documents.sweep_arrays import DOCUMENTS, end_of_block, in_thread, n_blocks
from pitmanyor.kernels.restaurant.arrays import AT, CELL, FIRST, LEAF, NODE, ROW, WIDE, WORD_LIST, Floats, Ints
from pitmanyor.kernels.restaurant.shared import with_scratch
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined, inner, spread
from pitmanyor.kernels.runtime.random import stream_key, uniform
from pitmanyor.kernels.switching.customers import exit_of
from pitmanyor.kernels.switching.redrawn_rows import row_of_cell

FACTORS = 4  # that are multiplied before the weights are scaled
SMALLEST_WEIGHT = 1e-60


@bundle
class Labels(NamedTuple):
    """Scratch, with a leading thread axis: the lists of the two sides, and a weight for every topic."""

    topics: Ints
    words: Ints
    weights: Floats


@inlined
def scale(weights, n_held):
    """Have the largest weight be 1, where products have become small."""
    n_large = 0
    for k in range(n_held):  # most calls end here, after a loop that vectorises
        n_large += weights[k] >= SMALLEST_WEIGHT
    if n_large > 0:
        return
    largest = 0.0
    for k in range(n_held):
        largest = max(largest, weights[k])
    if largest > 0.0:
        for k in range(n_held):
            weights[k] /= largest


@inlined
def multiply(values, row, weights, n_held, n_factors):
    """Multiply the weights by a row of probabilities; returns how many factors they have now."""
    for k in range(n_held):
        weights[k] *= values[row + np.uint64(k)]
    if (n_factors + 1) % FACTORS == 0:
        scale(weights, n_held)
    return n_factors + 1


@inlined
def row_at_exit(net, redrawn, side, entry, leaf, code):
    """The row over topics that a walk reads where it leaves the document; -1 if it does not, or finds no topics."""
    pos = exit_of(net, side, entry, leaf, code)
    if pos < 0:
        return np.int64(-1)
    cell = side.scratch[AT, pos]
    return row_of(net, redrawn[0], redrawn, cell) if net.nodes[net.cells[cell, NODE], WIDE] else np.int64(-1)


@inlined
def row_of(net, drawn, redrawn, cell):
    """Where the row of a cell lies; that of a packed word is drawn again."""
    if len(drawn) == 0:
        return net.cells[cell, ROW]
    _, kept, lanes = redrawn
    row, _, _ = row_of_cell(net, drawn, kept, lanes, cell)
    return row


@inlined
def weigh(arrays, d, old, n_held):
    """The weights of all held topics for the tokens of topic `old`; 0 for others that the document has."""
    net, text, labels = arrays.franchise.net, arrays.text, arrays.scratch
    topics, words = with_scratch(arrays.topics, labels.topics), with_scratch(arrays.words, labels.words)
    n_streams, context, weights, n_factors = text.leaf.shape[1], text.context[d], labels.weights, 0
    entry = topics.lists[context, FIRST]
    weights[:n_held] = 1.0
    for pos in range(topics.lists[context + 1, FIRST] - entry):
        topics.scratch[AT, pos] = topics.entries[entry + pos, CELL]
    for s in range(n_streams):
        leaf, which = text.leaf[context, s, LEAF], text.leaf[context, s, WORD_LIST]
        for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            k = np.int64(text.topic[token])
            if k != old:
                if k < n_held:
                    weights[k] = 0.0
                continue
            row = row_at_exit(net, ((), (), ()), topics, entry, leaf, text.code[token])
            if row >= 0:
                n_factors = multiply(net.stay, np.uint64(row), weights, n_held, n_factors)
            set_word_cells(words, text, which, token)
            first, leaf_word = words.lists[which, FIRST], word_leaf(words, which)
            row = row_at_exit(net, arrays.redrawn, words, first, leaf_word, text.code[token])
            if row >= 0:
                n_factors = multiply(net.stay, np.uint64(row), weights, n_held, n_factors)


@inlined
def pick(weights, n_held, old, u):
    """A topic by its weight; the old one if there is none."""
    total = 0.0
    for k in range(n_held):
        total += weights[k]
    x, chosen = u * total, old
    for k in range(n_held):
        if weights[k] > 0.0:
            chosen = k
            x -= weights[k]
            if x < 0.0:
                return chosen
    return chosen


@inner
def relabel(arrays, d, n_held, key):
    """Redraw one topic of document d for all of its tokens together."""
    text, weights = arrays.text, arrays.scratch.weights
    n_streams = text.leaf.shape[1]
    start, stop = text.first[d * n_streams], text.first[(d + 1) * n_streams]
    if start == stop:
        return
    old = np.int64(text.topic[min(start + int(uniform(key, 0) * (stop - start)), stop - 1)])
    if old >= n_held:
        return
    weigh(arrays, d, old, n_held)
    new = pick(weights, n_held, old, uniform(key, 1))
    if new != old:
        for token in range(start, stop):
            if text.topic[token] == old:
                text.topic[token] = new


@inner
def _relabel_block(arrays, documents, n_held, seed, block):
    mine = in_thread(arrays, numba.get_thread_id())
    for j in range(block * DOCUMENTS, end_of_block(documents, block)):
        key = stream_key(seed[0], seed[1], seed[2], mine.text.number[documents[j]], purposes.RELABELLING)
        relabel(mine, documents[j], n_held, key)


@spread
def relabel_documents(arrays, documents, n_held, seed):
    """Redraw one topic of each document, on any number of threads; the scratch is `Labels`."""
    for block in prange(n_blocks(documents)):
        _relabel_block(arrays, documents, n_held, seed, block)
