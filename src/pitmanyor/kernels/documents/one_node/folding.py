"""New documents with one node over one base, over fixed vectors: their sweeps, and the mean of the node."""

from __future__ import annotations

import numba
import numpy as np
from numba import prange

from pitmanyor import purposes
from pitmanyor.kernels.documents.fold_sweeps import (
    Mean,
    add_product,
    finish_products,
    start_products,
    sweeps_of,
)
from pitmanyor.kernels.documents.general.document import lowest_shared, row_of_words
from pitmanyor.kernels.documents.one_node.explicit import fetch_first, row_of_token, update_stream
from pitmanyor.kernels.documents.one_node.leaf_mean import keep
from pitmanyor.kernels.documents.one_node.scratch import NO_SLOT, Document, shape_of
from pitmanyor.kernels.documents.one_node.stored_seats import free_slots, load
from pitmanyor.kernels.documents.sweep_arrays import DOCUMENTS, end_of_block, in_thread, n_blocks
from pitmanyor.kernels.restaurant.arrays import LIVE, WORD_LIST
from pitmanyor.kernels.runtime.jit import inlined, inner, spread
from pitmanyor.kernels.runtime.per_thread import of_thread
from pitmanyor.kernels.runtime.random import stream_key


@inlined
def add_rows(net, text, words, mean, shape, d):
    """Add the contribution of the base to every topic, and that of tokens that were counted by probability."""
    n_streams, stride = text.leaf.shape[1], np.uint64(len(net.status) - LIVE)
    first = text.first[d * n_streams]
    start_products(mean, mean.sums.of_bases[0] * shape.constant, shape.n_held)
    for s in range(n_streams):
        bottom = lowest_shared(words, text.leaf[text.context[d], s, WORD_LIST])
        top, in_order = row_of_words(net, text, words, d, s)
        for i in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            row = top + np.uint64(text.word[np.uint64(i)]) * stride
            if not in_order:
                row = row_of_token(net, text, words, bottom, i)
            add_product(net, mean, mean.sums.of_tokens[i - first] * shape.constant, np.int64(row), shape.n_held)
    finish_products(net, mean, shape.row, shape.n_held)


@inlined
def visit(arrays, means, fold, d):
    """All sweeps of document d, and the mean of its node."""
    net, terms, text, active = arrays.franchise.net, arrays.franchise.terms, arrays.text, arrays.scratch
    n_held, sweeps = fold.n_held, fold.sweeps
    n_streams, key = text.leaf.shape[1], stream_key(sweeps.seed, 0, 0, d, purposes.FOLD_IN)
    n_tokens = text.first[(d + 1) * n_streams] - text.first[d * n_streams]
    fetch_first(net, text, arrays.words, d, n_held)
    shape = shape_of(net, text, arrays.topics, terms, d, n_held)
    n_slots, n_tables = load(net, arrays.franchise.tables, terms, text, active, shape, d)
    means.of_bases[0] = 0.0
    for i in range(n_tokens):
        active.seat[i], means.of_tokens[i] = NO_SLOT, 0.0
    stand = (n_slots, n_tables, np.int64(0), (np.uint64(0), active.stay[0], active.opening[0]))
    document = Document(d, shape, key)
    n_sweeps, n_left_out = sweeps_of(sweeps, n_tokens)
    mean = Mean(fold.shares[d], means, 0, 0, False)
    for sweep in range(n_sweeps + 1):
        mean = Mean(fold.shares[d], means, 0, sweep, sweeps.by_chance and sweep > n_left_out)
        for s in range(n_streams):
            stand = update_stream(arrays, document, mean, s, stand)
        if sweep > n_left_out:
            keep(active, mean, shape, stand[0], stand[1])
    add_rows(net, text, arrays.words, mean, shape, d)
    free_slots(active, stand[0])


@inner
def _visit_block(arrays, fold, block):
    mine, means = in_thread(arrays, numba.get_thread_id()), of_thread(fold.means, numba.get_thread_id())
    for j in range(block * DOCUMENTS, end_of_block(fold.documents, block)):
        visit(mine, means, fold, fold.documents[j])


@spread
def fold_one_node(arrays, fold):
    """Add to each row of the shares the mean of the node, the leaf of every stream, up to a factor."""
    for block in prange(n_blocks(fold.documents)):
        _visit_block(arrays, fold, block)
