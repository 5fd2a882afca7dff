"""Counts of local nodes, read back from the tokens' walks."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.general.document import set_word_cells, word_leaf
from pitmanyor.kernels.restaurant.arrays import (
    AT,
    CELL,
    FIRST,
    LEAF,
    LOCAL,
    MASK,
    N_PARENTS,
    NODE,
    PARENTS,
    SHIFT,
    WORD_LIST,
)
from pitmanyor.kernels.runtime.jit import inner, kernel


@inner
def _gather_walk(net, side, entry, leaf, code, node, place, counts):
    """Add one token's visit to `node`, if its walk reaches it, to the row and column of `place`."""
    pos = leaf
    (i, dish), (customers, tables, to) = place, counts
    while True:
        here = net.cells[side.scratch[AT, pos], NODE]
        if not net.nodes[here, LOCAL]:
            return
        choice = np.int64((code >> net.nodes[here, SHIFT]) & net.nodes[here, MASK]) - 1
        if here == node:
            customers[i, dish] += 1
            if choice >= 0:
                tables[i, dish] += 1
                to[i, dish, choice] += 1
        if choice < 0 or net.nodes[here, N_PARENTS] == 0:
            return
        pos = side.par[side.entries[entry + pos, PARENTS] + choice]


@kernel
def gather(net, text, topics, words, node, per_topic, word_side, counts):
    """Counts of one local node: rows are documents (times topics), columns its dishes.

    `counts` are customers, tables, and tables by parent.
    """
    n_streams, n_topics = text.leaf.shape[1], len(counts[0]) // len(text.context)
    for d in range(len(text.context)):
        context = text.context[d]
        entry = topics.lists[context, FIRST]
        for pos in range(topics.lists[context + 1, FIRST] - entry):
            topics.scratch[AT, pos] = topics.entries[entry + pos, CELL]
        for s in range(n_streams):
            which = text.leaf[context, s, WORD_LIST]
            for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
                k, code = np.int64(text.topic[token]), text.code[token]
                i = d * n_topics + k if per_topic else np.int64(d)
                if word_side:
                    set_word_cells(words, text, which, token)
                    leaf, word = word_leaf(words, which), np.int64(text.word[token])
                    _gather_walk(net, words, words.lists[which, FIRST], leaf, code, node, (i, word), counts)
                else:
                    leaf = text.leaf[context, s, LEAF]
                    _gather_walk(net, topics, entry, leaf, code, node, (i, k), counts)
