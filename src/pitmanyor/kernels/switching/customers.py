"""Customers that documents send to shared nodes, read off the tokens' stored walks (maths 4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from pitmanyor.kernels.documents.general.document import listed_cell, lowest_shared, set_word_cells
from pitmanyor.kernels.restaurant.arrays import (
    AT,
    AT_WORD,
    CELL,
    CUSTOMERS,
    FIRST,
    LEAF,
    LIVE,
    LOCAL,
    MASK,
    MODE,
    N_PARENTS,
    NODE,
    PARENTS,
    PATH,
    REST,
    ROW,
    SHARED,
    SHIFT,
    TABLES,
    TO_ROW,
    WIDE,
    WORD_LIST,
    Ints,
    Ints32,
)
from pitmanyor.kernels.restaurant.shared import with_scratch
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined, inner, kernel, spread


@bundle
class Exits(NamedTuple):
    """Where the walks of a stream's tokens lead, by the bits from `shift` on: a position of the topic side's lists."""

    shift: int
    place: Ints  # (stream, walk); the last column of `Side.scratch` where it stays among local nodes. Empty: too many


@bundle
class Parts(NamedTuple):
    """Documents in as many parts as threads count, each but the first with counts of its own, added in the end."""

    bounds: Ints  # the documents of part p are bounds[p]..bounds[p + 1] - 1
    scratch: Ints  # (part, ...): see `Side`
    found: Ints  # (part, token of a document): the counts to which its tokens go
    low: int  # where the rows of topic-side nodes begin
    counts: Ints32  # (part but the first, count from there on, CUSTOMERS or TABLES)
    totals: Ints  # (part but the first, restaurant, CUSTOMERS or TABLES)


@inner
def _forget_cell(net, cell):
    node = net.cells[cell, NODE]
    width = (len(net.status) - LIVE) if net.nodes[node, WIDE] else 1
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    row, to_row = net.cells[cell, ROW], net.cells[cell, TO_ROW]
    for k in range(width):
        net.counts[row + k, CUSTOMERS] = 0
        net.counts[row + k, TABLES] = 0
    for j in range(width * n_parents):
        net.to[to_row + j] = 0


@spread
def forget(net, start, stop):
    """Empty the counts of shared cells start..stop-1."""
    for cell in prange(start, stop):
        _forget_cell(net, cell)


@kernel
def mark_topics(text, chosen, marks):
    """Mark the topics that tokens of the chosen documents have."""
    n_streams = text.leaf.shape[1]
    for d in range(len(chosen)):
        if chosen[d]:
            for token in range(text.first[d * n_streams], text.first[(d + 1) * n_streams]):
                marks[text.topic[token]] = True


@inlined
def exit_of(net, side, entry, leaf, code):
    """The position of the shared node that a token's stored walk reaches, or -1 if it stays among local nodes."""
    pos = leaf
    while True:
        node = net.cells[side.scratch[AT, pos], NODE]
        if not net.nodes[node, LOCAL]:
            return pos
        choice = np.int64((code >> net.nodes[node, SHIFT]) & net.nodes[node, MASK]) - 1
        if choice < 0 or choice >= net.nodes[node, N_PARENTS]:
            return np.int64(-1)
        pos = side.par[side.entries[entry + pos, PARENTS] + choice]


@inlined
def leaf_cell(words, text, which, token):
    """The cell of the lowest shared node of its list for one token."""
    entry = lowest_shared(words, which)
    cell, mode = words.entries[entry, CELL], words.entries[entry, MODE]
    if mode == AT_WORD:
        return cell + text.word[token]
    return listed_cell(text, cell, mode, token)


@inlined
def _set_topic_cells(net, topics, context, low):
    """The topic side's cells in a context, and the rows of shared ones from `low` on; returns where its list begins."""
    entry = topics.lists[context, FIRST]
    for pos in range(topics.lists[context + 1, FIRST] - entry):
        topics.scratch[AT, pos] = topics.entries[entry + pos, CELL]
    for pos in range(topics.lists[context, SHARED]):
        topics.scratch[PATH, pos] = net.cells[topics.scratch[AT, pos], ROW] - low
    return entry


@kernel
def list_exits(net, text, topics, exits):
    """Where each walk leads that starts at a stream's leaf: the same in all contexts, whose lists have one shape."""
    entry = _set_topic_cells(net, topics, 0, 0)
    for s in range(exits.place.shape[0]):
        for j in range(exits.place.shape[1]):
            pos = exit_of(net, topics, entry, text.leaf[0, s, LEAF], np.int64(j) << exits.shift)
            exits.place[s, j] = pos if pos >= 0 else topics.scratch.shape[1] - 1


@inlined
def _count_topics(net, text, topics, exits, counts, found, place, tokens):
    """Customers that tokens send to shared topic-side cells.

    The addresses of their counts are computed first, without a branch, because which token opened a table cannot be
    predicted. Adding immediately would stall at each token, because the processor does not know whether the previous
    token changed the same count. `place`: where the topic side's list begins, the leaf in it, and the stream.
    """
    entry, leaf, s = place
    if exits.place.shape[1] == 0:
        for token in range(tokens[0], tokens[1]):
            pos = exit_of(net, topics, entry, leaf, text.code[token])
            if pos >= 0:
                counts[topics.scratch[PATH, pos] + text.topic[token], CUSTOMERS] += 1
        return
    nowhere, low, mask = (
        np.uint64(topics.scratch.shape[1] - 1),
        np.uint32(exits.shift),
        np.uint32(exits.place.shape[1] - 1),
    )
    n_found = np.uint64(0)
    for i in range(tokens[0], tokens[1]):
        token = np.uint64(i)
        pos = np.uint64(exits.place[s, (text.code[token] >> low) & mask])
        found[n_found] = topics.scratch[PATH, pos] + text.topic[token]
        n_found += np.uint64(pos != nowhere)
    for j in range(n_found):
        counts[np.uint64(found[j]), CUSTOMERS] += 1


@inlined
def _count_words(net, text, words, which, tokens):
    """Customers that tokens send to shared word-side cells, by their walks."""
    entry, last = words.lists[which, FIRST], words.lists[which + 1, FIRST] - words.lists[which, FIRST] - 1
    for token in range(tokens[0], tokens[1]):
        set_word_cells(words, text, which, token)
        pos = exit_of(net, words, entry, last, text.code[token])
        if pos >= 0:
            cell = words.scratch[AT, pos]
            column = np.int64(text.topic[token]) * net.nodes[net.cells[cell, NODE], WIDE]
            net.counts[net.cells[cell, ROW] + column, CUSTOMERS] += 1


@inlined
def _count_leaf(text, totals, rest, bits, tokens):
    """Customers of the restaurants of a leaf, one for each topic: all tokens, or those whose walks lead there."""
    if bits == 0:
        for i in range(tokens[0], tokens[1]):
            totals[rest + np.uint64(text.topic[np.uint64(i)]), CUSTOMERS] += 1
        return
    for i in range(tokens[0], tokens[1]):
        token = np.uint64(i)
        totals[rest + np.uint64(text.topic[token]), CUSTOMERS] += np.int64((text.code[token] & bits) != 0)


@inner
def _count_part(net, text, topics, words, exits, leaves, parts, p):
    counts, totals = net.counts[parts.low :], net.totals
    if p > 0:
        counts, totals = parts.counts[p - 1], parts.totals[p - 1]
        counts[:], totals[:] = 0, 0
    mine = with_scratch(topics, parts.scratch[p])
    n_streams = text.leaf.shape[1]
    mine.scratch[PATH, -1] = 0
    for d in range(parts.bounds[p], parts.bounds[p + 1]):
        context = text.context[d]
        entry = _set_topic_cells(net, mine, context, parts.low)
        for s in range(n_streams):
            which, leaf = text.leaf[context, s, WORD_LIST], text.leaf[context, s, LEAF]
            tokens = (text.first[d * n_streams + s], text.first[d * n_streams + s + 1])
            if tokens[0] == tokens[1]:
                continue
            _count_topics(net, text, mine, exits, counts, parts.found[p], (entry, leaf, s), tokens)
            if leaves.streams[s]:
                rest = np.uint64(net.cells[leaf_cell(words, text, which, tokens[0]), REST])
                _count_leaf(text, totals, rest, leaves.bits[s], tokens)
            else:
                _count_words(net, text, words, which, tokens)


@spread
def count_shared(net, text, topics, words, exits, leaves, parts):
    """Customers that documents send to shared cells (which must be empty before), those of `parts` in their own.

    Of the streams of `leaves` only the restaurants of the leaf get their totals: its cells are counted by
    leaf_tables.py. A document's tokens of one stream are all in the same restaurants, one for each topic. Other streams
    are counted in words' cells, and need a single part.
    """
    for p in prange(len(parts.bounds) - 1):
        _count_part(net, text, topics, words, exits, leaves, parts, p)
