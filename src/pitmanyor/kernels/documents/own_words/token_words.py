"""Updates of a document's own words for one token, shared by all engines.

Tokens are sorted by word, and the topics that have the current word are listed (word_repeats.py) if it occurs more than
once. `n_listed` is then their number; otherwise it is -1, because a token whose word occurs once always opens a table
and closes it again. Without words of the document's own, `own` is an empty tuple, and Numba compiles none of this.
"""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.own_words.scratch import close_stream, count_restaurant, open_stream, word_node_of
from pitmanyor.kernels.documents.own_words.word_repeats import (
    close_run,
    end_of_run,
    leave_dish,
    leaves_dish,
    open_run,
    opens_dish,
    seat_dish,
)
from pitmanyor.kernels.restaurant.arrays import WORD_LIST
from pitmanyor.kernels.runtime.jit import inlined

UNLISTED = np.int64(-1)


@inlined
def find_seats(text, scratch, tokens, first):
    """Slots of some tokens of a document whose first is `first`, by their topics."""
    for i in range(tokens[0], tokens[1]):
        k = text.topic[np.uint64(i)]
        if k >= 0:
            scratch.seat[np.uint64(i - first)] = scratch.slot_of[np.uint64(k)]


@inlined
def open_words(arrays, own, d, s, tokens, n_slots, moving):
    """The word node of stream s, and its restaurants from the walks of its tokens.

    `moving`: slots change their places, so that seats are not known but by topics.
    """
    if len(own) == 0:
        return ()
    text, scratch = arrays.text, arrays.scratch
    word_node = word_node_of(
        arrays.franchise.net, arrays.franchise.terms, arrays.words, text.leaf[text.context[d], s, WORD_LIST]
    )
    if word_node.node >= 0:
        first = text.first[d * text.leaf.shape[1]]
        if moving:
            find_seats(text, scratch, tokens, first)
        open_stream(text, scratch.seat, own, word_node, tokens, first, n_slots)
    return word_node


@inlined
def close_words(net, text, own, word_node, d, n_slots, joint):
    """Measure the restaurants of a stream and empty them."""
    if len(own) == 0:
        return
    if word_node.node >= 0:
        close_stream(net, text, own, word_node, d, n_slots, joint)


@inlined
def turn_to(arrays, own, word_node, d, tokens, run, n_listed, moving):
    """Close the run of equal words that ends before the first of some tokens of a stream, and open the next.

    Returns the current run, how many topics have its word, and the part in the log joint of the run that ended.
    """
    if len(own) == 0:
        return run, n_listed, 0.0
    text, scratch, (i, stop) = arrays.text, arrays.scratch, tokens
    if i < run[1] or word_node.node < 0:
        return run, n_listed, 0.0
    joint, first = 0.0, text.first[d * text.leaf.shape[1]]
    if n_listed >= 0:
        if moving:
            find_seats(text, scratch, run, first)
        _, tables, terms = arrays.franchise
        joint = close_run(tables, terms, text, scratch.seat, own, word_node, (run[0], run[1], first), n_listed)
    run, n_listed = (i, end_of_run(text, i, stop)), UNLISTED
    if run[1] - run[0] > 1:
        if moving:
            find_seats(text, scratch, run, first)
        n_listed = open_run(text, scratch.seat, own, word_node, run, first)
    return run, n_listed, joint


@inlined
def leaves_word(tables, terms, own, word_node, h, n_listed, key, n):
    """Does a token that leaves slot h take its word's table along? -1: rule `paper` keeps it. And the counter."""
    if len(own) == 0:
        return np.int64(1), n
    if n_listed < 0:
        return np.int64(1), n
    return leaves_dish(tables, terms, own, word_node, np.uint64(h), key, n)


@inlined
def leave_word(own, word_node, h, took, n_listed):
    """Take a token out of the restaurant of slot h, with a table if it took one."""
    if len(own) == 0:
        return
    if n_listed >= 0:
        leave_dish(own, np.uint64(h), took)
    if word_node.node >= 0:
        count_restaurant(own, word_node, np.uint64(h), -1, -took)


@inlined
def seat_word(arrays, own, word_node, row, h, n_listed, key, n):
    """Seat a token in the restaurant of slot h; returns how many topics have its word, and the counter."""
    if len(own) == 0:
        return n_listed, n
    slot, opened = np.uint64(h), np.int64(1)
    if n_listed >= 0:
        phi = float(arrays.franchise.net.stay[row + np.uint64(arrays.scratch.topic[slot])])
        opened, n = opens_dish(arrays.franchise.tables, arrays.franchise.terms, own, word_node, slot, phi, key, n)
        n_listed = seat_dish(own, slot, opened, n_listed)
    if word_node.node >= 0:
        count_restaurant(own, word_node, slot, 1, opened)
    return n_listed, n
