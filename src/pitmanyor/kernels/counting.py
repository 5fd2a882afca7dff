"""Customers that documents send to shared nodes, read off the tokens' stored walks (maths 4)."""

from __future__ import annotations

import numpy as np
from numba import prange

from pitmanyor.kernels.arrays import (
    AT,
    AT_TOKEN,
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
    REST,
    ROW,
    SHIFT,
    TABLES,
    TO_ROW,
    WIDE,
    WORD_LIST,
)
from pitmanyor.kernels.document import lowest_shared, set_word_cells
from pitmanyor.kernels.jit import inlined, inner, kernel, spread


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


@inlined
def exit_cell(net, side, entry, leaf, code):
    """The shared cell that a token's stored walk reaches, or -1 if it stays among local nodes."""
    pos = leaf
    while True:
        cell = side.scratch[AT, pos]
        node = net.cells[cell, NODE]
        if not net.nodes[node, LOCAL]:
            return cell
        choice = np.int64((code >> net.nodes[node, SHIFT]) & net.nodes[node, MASK]) - 1
        if choice < 0 or net.nodes[node, N_PARENTS] == 0:
            return -1
        pos = side.par[side.entries[entry + pos, PARENTS] + choice]


@inlined
def leaf_cell(words, text, which, token):
    """The cell of the lowest shared node of its list for one token."""
    entry = lowest_shared(words, which)
    cell = words.entries[entry, CELL]
    if words.entries[entry, MODE] == AT_TOKEN:
        return np.int64(text.cells[cell, token])
    return cell + text.word[token]


@inlined
def _count_topics(net, text, topics, entry, leaf, tokens):
    """Customers that tokens send to shared topic-side cells; the walks that most graphs have are read off at once."""
    cell = topics.scratch[AT, leaf]
    node = net.cells[cell, NODE]
    bits = np.int64(0)  # of the code: does a token go on from its leaf? 0 where it need not be asked
    if net.nodes[node, LOCAL] and net.nodes[node, N_PARENTS] == 0:
        return
    if net.nodes[node, LOCAL] and net.nodes[node, N_PARENTS] == 1:
        cell = topics.scratch[AT, topics.par[topics.entries[entry + leaf, PARENTS]]]
        bits = net.nodes[node, MASK] << net.nodes[node, SHIFT]
    if net.nodes[net.cells[cell, NODE], LOCAL]:
        for token in range(tokens[0], tokens[1]):
            cell = exit_cell(net, topics, entry, leaf, text.code[token])
            if cell >= 0:
                net.counts[net.cells[cell, ROW] + text.topic[token], CUSTOMERS] += 1
        return
    row, mask, always = np.uint64(net.cells[cell, ROW]), np.uint32(bits), bits == 0
    for i in range(tokens[0], tokens[1]):  # no branch: who opened a table cannot be guessed
        token = np.uint64(i)
        k = np.uint64(text.topic[token])
        net.counts[row + k, CUSTOMERS] += np.int32(always | (text.code[token] & mask != 0))


@inlined
def _count_words(net, text, words, which, tokens):
    """Customers that tokens send to shared word-side cells, by their walks."""
    entry, last = words.lists[which, FIRST], words.lists[which + 1, FIRST] - words.lists[which, FIRST] - 1
    for token in range(tokens[0], tokens[1]):
        set_word_cells(words, text, which, token)
        cell = exit_cell(net, words, entry, last, text.code[token])
        if cell >= 0:
            column = np.int64(text.topic[token]) * net.nodes[net.cells[cell, NODE], WIDE]
            net.counts[net.cells[cell, ROW] + column, CUSTOMERS] += 1


@kernel
def count_shared(net, text, topics, words, by_leaf, bits):
    """Customers that documents send to shared cells (which must be empty before).

    Of the streams in `by_leaf` only their leaf's restaurants are told how many they have: its cells are counted by
    kernels/leaves.py. A document's tokens of one stream are all in the same restaurants, one for each topic; `bits` has
    those of their walks that lead there, or 0 where all do.
    """
    n_streams = text.leaf.shape[1]
    for d in range(len(text.context)):
        context = text.context[d]
        entry = topics.lists[context, FIRST]
        for pos in range(topics.lists[context + 1, FIRST] - entry):
            topics.scratch[AT, pos] = topics.entries[entry + pos, CELL]
        for s in range(n_streams):
            which, leaf = text.leaf[context, s, WORD_LIST], text.leaf[context, s, LEAF]
            tokens = (text.first[d * n_streams + s], text.first[d * n_streams + s + 1])
            if tokens[0] == tokens[1]:
                continue
            _count_topics(net, text, topics, entry, leaf, tokens)
            if by_leaf[s]:
                rest = np.uint64(net.cells[leaf_cell(words, text, which, tokens[0]), REST])
                always = bits[s] == 0
                for i in range(tokens[0], tokens[1]):
                    token = np.uint64(i)
                    opened = always | ((text.code[token] & bits[s]) != 0)
                    net.totals[rest + np.uint64(text.topic[token]), CUSTOMERS] += np.int64(opened)
            else:
                _count_words(net, text, words, which, tokens)
