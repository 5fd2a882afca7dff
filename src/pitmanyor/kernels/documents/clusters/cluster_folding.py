"""New documents as clusters of tokens, over fixed vectors: their sweeps, the mean of a leaf, and its standard error."""

from __future__ import annotations

import numba
import numpy as np
from numba import prange

from pitmanyor import purposes
from pitmanyor.kernels.documents.clusters.cluster_draw import update_token
from pitmanyor.kernels.documents.clusters.cluster_seats import pay, rejoin, remake
from pitmanyor.kernels.documents.fold_sweeps import Mean, batches_of, sweeps_of
from pitmanyor.kernels.documents.one_node.scratch import NO_SLOT
from pitmanyor.kernels.documents.sweep_arrays import DOCUMENTS, end_of_block, in_thread, n_blocks
from pitmanyor.kernels.documents.topic_nodes.explicit import fetch_ahead, lines_of, row_of_token
from pitmanyor.kernels.documents.topic_nodes.folding import add_rows, leaf_of
from pitmanyor.kernels.documents.topic_nodes.leaf_mean import set_means
from pitmanyor.kernels.documents.topic_nodes.node_facts import set_nodes
from pitmanyor.kernels.documents.topic_nodes.scratch import (
    CONTEXT,
    VALUED,
    Document,
    clear_slot,
    count_at,
    frame_of,
    set_restaurant,
)
from pitmanyor.kernels.documents.topic_nodes.topic_draw import Token
from pitmanyor.kernels.restaurant.arrays import LEAF, SHARED
from pitmanyor.kernels.runtime.jit import inlined, spread
from pitmanyor.kernels.runtime.per_thread import of_thread
from pitmanyor.kernels.runtime.random import stream_key

REFRESHED_EVERY = 4  # sweeps


@inlined
def begin(arrays, clusters, means, frame, d, n_tokens):
    """Document d without seats."""
    rows = arrays.scratch
    set_nodes(arrays, frame, d)
    for j in range(frame.n_local):
        set_restaurant(rows, j)
    rows.known[VALUED] = 0
    for i in range(n_tokens):
        rows.seat[np.uint64(i)] = NO_SLOT
    for k in range(frame.n_held):
        clusters.batch[k], clusters.whole[k], clusters.firsts[k], clusters.squares[k] = 0.0, 0.0, 0.0, 0.0
    forget_chances(means, frame, n_tokens)


@inlined
def forget_chances(means, frame, n_tokens):
    for r in range(frame.n_bases):
        means.of_bases[r] = 0.0
    for i in range(n_tokens * frame.n_bases):
        means.of_tokens[i] = 0.0


@inlined
def sweep_stream(arrays, clusters, document, mean, s, n_slots, n):
    """One Gibbs update of every token of one stream; the numbers of slots and of random draws used."""
    net, text, (d, _, n_shared, _) = arrays.franchise.net, arrays.text, document
    n_streams, context = text.leaf.shape[1], text.context[d]
    leaf, lines = text.leaf[context, s, LEAF] - n_shared, lines_of(net, text, arrays.words, context, s)
    first = text.first[d * n_streams]
    for i in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
        at = np.uint64(i)
        token = Token(s, i - first, np.uint64(text.word[at]), row_of_token(net, text, lines, at), leaf, ())
        n_slots, n = update_token(arrays, clusters, document, mean, token, n_slots, n)
    return n_slots, n


@inlined
def refresh(arrays, clusters, document, n_slots):
    """Recompute all labels, because products and quotients accumulate rounding errors and zeros stay zero."""
    net, text, rows, (d, frame, _, _) = arrays.franchise.net, arrays.text, arrays.scratch, document
    n_streams, context = text.leaf.shape[1], text.context[d]
    remake(net, rows, clusters, frame, n_slots)
    first = text.first[d * n_streams]
    for s in range(n_streams):
        lines = lines_of(net, text, arrays.words, context, s)
        for i in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            rejoin(net, rows, clusters, frame, i - first, row_of_token(net, text, lines, np.uint64(i)))


@inlined
def keep_clusters(rows, clusters, mean, frame, n_slots):
    """Add the mean of the leaf given the seats: of every cluster by the labels it may have, and of the bases."""
    first = set_means(rows, mean, frame, n_slots)
    for h in range(frame.n_bases, n_slots):
        slot = np.uint64(h)
        if rows.tokens[slot] > 0:
            clusters.owed[slot] += np.float64(rows.reals[first + slot]) / clusters.mass[slot]
    for i in range(frame.n_bases):
        mean.sums.of_bases[i] += np.float64(rows.reals[first + np.uint64(i)])


@inlined
def close_batch(arrays, clusters, means, document, leaf, n_slots, shares):
    """Add the shares of a batch of sweeps to those of the document, and to the sums that errors are made of."""
    text, rows, (d, frame, n_shared, _) = arrays.text, arrays.scratch, document
    for h in range(frame.n_bases, n_slots):
        pay(clusters, np.uint64(h), frame.n_held)
    mean = Mean(clusters.whole, means, leaf, 0, False)
    add_rows(arrays.franchise.net, text, arrays.words, rows, mean, frame, d, n_shared)
    total = 0.0
    for k in range(frame.n_held):
        clusters.whole[k] += np.float64(clusters.batch[k])
        total += clusters.whole[k]
    for k in range(frame.n_held):
        shares[d, k] += clusters.whole[k]
        share = clusters.whole[k] / total
        clusters.firsts[k] += share
        clusters.squares[k] += share * share
        clusters.whole[k], clusters.batch[k] = 0.0, 0.0
    forget_chances(means, frame, text.first[(d + 1) * text.leaf.shape[1]] - text.first[d * text.leaf.shape[1]])


@inlined
def set_errors(clusters, n_topics, n_batches, errors):
    """Standard errors of shares that sum to one: from the differences between batches."""
    for k in range(n_topics):
        spread_out = clusters.squares[k] - clusters.firsts[k] * clusters.firsts[k] / n_batches
        variance = max(spread_out, 0.0) / (n_batches * (n_batches - 1.0)) if n_batches > 1 else np.nan
        errors[k] = np.sqrt(variance)


@inlined
def end(rows, clusters, frame, n_slots):
    """No slot has a cluster."""
    for h in range(frame.n_bases, n_slots):
        clear_slot(rows, frame, h)
        rows.tokens[np.uint64(h)], clusters.owed[np.uint64(h)] = 0, 0.0
        for i in range(np.int64(count_at(frame, 0, h)), np.int64(count_at(frame, 0, h + 1))):
            rows.counts[np.uint64(i)] = 0
        for j in range(frame.n_local):
            rows.reals[np.uint64(frame.n_bases + 3 * j + 2) * frame.width + np.uint64(h)] = 1.0


@inlined
def visit(arrays, clusters, means, frame, fold, d):
    """All sweeps of document d, the mean of the stream's leaf, and its standard error."""
    text, rows, sweeps = arrays.text, arrays.scratch, fold.sweeps
    n_streams, n_shared = text.leaf.shape[1], arrays.topics.lists[text.context[d], SHARED]
    leaf, key = leaf_of(text, fold, d, n_shared), stream_key(sweeps.seed, 0, 0, d, purposes.FOLD_IN)
    n_tokens, n, n_slots = text.first[(d + 1) * n_streams] - text.first[d * n_streams], np.int64(0), frame.n_bases
    begin(arrays, clusters, means, frame, d, n_tokens)
    document = Document(d, frame, n_shared, key)
    n_sweeps, n_left_out = sweeps_of(sweeps, n_tokens)
    n_batches, size = batches_of(n_sweeps, n_left_out)
    for sweep in range(n_sweeps + 1):
        kept = sweep - (n_sweeps - n_batches * size)
        mean = Mean(clusters.whole, means, leaf, sweep, sweeps.by_chance and kept > 0)
        if sweep % REFRESHED_EVERY == 1:
            refresh(arrays, clusters, document, n_slots)
        for stream in range(n_streams):
            n_slots, n = sweep_stream(arrays, clusters, document, mean, stream, n_slots, n)
        if kept > 0:
            keep_clusters(rows, clusters, mean, frame, n_slots)
            if kept % size == 0:
                close_batch(arrays, clusters, means, document, leaf, n_slots, fold.shares)
    set_errors(clusters, frame.n_held, n_batches, fold.errors[d])
    end(rows, clusters, frame, n_slots)


@inlined
def _visit_block(arrays, clusters, fold, block):
    thread = numba.get_thread_id()
    mine, own, means = in_thread(arrays, thread), of_thread(clusters, thread), of_thread(fold.means, thread)
    frame = frame_of(mine.scratch, fold.n_held)
    mine.scratch.known[CONTEXT] = -1
    for j in range(block * DOCUMENTS, end_of_block(fold.documents, block)):
        fetch_ahead(mine, frame, fold.documents, j)
        visit(mine, own, means, frame, fold, fold.documents[j])


@spread
def fold_clusters(arrays, clusters, fold):
    """Add to each row of the shares the mean of the stream's leaf, up to a factor, and set the errors of shares."""
    for block in prange(n_blocks(fold.documents)):
        _visit_block(arrays, clusters, fold, block)
