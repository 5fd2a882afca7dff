"""New documents with topic nodes, over fixed vectors: their sweeps, and the mean of a leaf over those that are kept."""

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
from pitmanyor.kernels.documents.sweep_arrays import DOCUMENTS, end_of_block, in_thread, n_blocks
from pitmanyor.kernels.documents.topic_nodes.explicit import fetch_ahead, lines_of, row_of_token, update_stream
from pitmanyor.kernels.documents.topic_nodes.leaf_mean import base_row, keep
from pitmanyor.kernels.documents.topic_nodes.node_facts import set_nodes
from pitmanyor.kernels.documents.topic_nodes.scratch import CONTEXT, Document, frame_of
from pitmanyor.kernels.documents.topic_nodes.stored_walks import clear_slots, load
from pitmanyor.kernels.restaurant.arrays import LEAF, SHARED
from pitmanyor.kernels.runtime.jit import inlined, spread
from pitmanyor.kernels.runtime.per_thread import of_thread
from pitmanyor.kernels.runtime.random import stream_key


@inlined
def add_rows(net, text, words, rows, mean, frame, d, n_shared):
    """Add the contributions of the bases to every topic, and those of tokens that were counted by probability."""
    n_streams, context = text.leaf.shape[1], text.context[d]
    first = text.first[d * n_streams]
    for r in range(frame.n_bases):
        start_products(mean, mean.sums.of_bases[r], frame.n_held)
        for s in range(n_streams):
            lines = lines_of(net, text, words, context, s)
            if text.leaf[context, s, LEAF] - n_shared == mean.leaf:
                for i in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
                    row = np.int64(row_of_token(net, text, lines, np.uint64(i)))
                    add_product(net, mean, mean.sums.of_tokens[(i - first) * frame.n_bases + r], row, frame.n_held)
        finish_products(net, mean, base_row(rows, r), frame.n_held)


@inlined
def leaf_of(text, fold, d, n_shared):
    """The number of the stream's leaf among the document's local nodes."""
    return text.leaf[text.context[d], fold.stream, LEAF] - n_shared


@inlined
def visit(arrays, means, frame, fold, d):
    """All sweeps of document d, and the mean of the stream's leaf."""
    text, rows, sweeps, n = arrays.text, arrays.scratch, fold.sweeps, np.int64(0)
    n_streams, n_shared = text.leaf.shape[1], arrays.topics.lists[text.context[d], SHARED]
    leaf, key = leaf_of(text, fold, d, n_shared), stream_key(sweeps.seed, 0, 0, d, purposes.FOLD_IN)
    n_tokens = text.first[(d + 1) * n_streams] - text.first[d * n_streams]
    for r in range(frame.n_bases):
        means.of_bases[r] = 0.0
    for i in range(n_tokens * frame.n_bases):
        means.of_tokens[i] = 0.0
    set_nodes(arrays, frame, d)
    n_slots = load(arrays, frame, d, n_shared)
    document = Document(d, frame, n_shared, key)
    n_sweeps, n_left_out = sweeps_of(sweeps, n_tokens)
    for sweep in range(n_sweeps + 1):
        by_chance = sweeps.by_chance and sweep > n_left_out
        mean = Mean(fold.shares[d], means, leaf, sweep, by_chance)
        for stream in range(n_streams):
            n_slots, n = update_stream(arrays, document, mean, stream, n_slots, n)
        if sweep > n_left_out:
            keep(rows, mean, frame, n_slots)
    mean = Mean(fold.shares[d], means, leaf, 0, False)
    add_rows(arrays.franchise.net, text, arrays.words, rows, mean, frame, d, n_shared)
    clear_slots(rows, frame, n_slots)


@inlined
def _visit_block(arrays, fold, block):
    mine, means = in_thread(arrays, numba.get_thread_id()), of_thread(fold.means, numba.get_thread_id())
    frame = frame_of(mine.scratch, fold.n_held)
    mine.scratch.known[CONTEXT] = -1
    for j in range(block * DOCUMENTS, end_of_block(fold.documents, block)):
        fetch_ahead(mine, frame, fold.documents, j)
        visit(mine, means, frame, fold, fold.documents[j])


@spread
def fold_topic_nodes(arrays, fold):
    """Add to each row of the shares the mean of the stream's leaf, up to a factor."""
    for block in prange(n_blocks(fold.documents)):
        _visit_block(arrays, fold, block)
