"""A document on the desk: its local nodes filled from the tokens' stored walks, and written back."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.arrays import AT_TOKEN, AT_WORD
from pitmanyor.kernels.desk import close_slot, empty_slot, open_slot, refresh_local, refresh_slot
from pitmanyor.kernels.jit import inner
from pitmanyor.kernels.local import places, walk_back, walk_local


@inner
def set_word_cells(words, text, which, token):
    """The word side's cells for one token."""
    entry = words.first[which]
    for pos in range(words.first[which + 1] - entry):
        cell, mode = words.cell[entry + pos], words.mode[entry + pos]
        if mode == AT_WORD:
            cell += text.word[token]
        elif mode == AT_TOKEN:
            cell = text.cells[cell, token]
        words.cells[pos] = cell


@inner
def word_part(words, which, dense):
    return (words.first[which], words.n_shared[which], dense)


@inner
def word_leaf(words, which):
    return words.first[which + 1] - words.first[which] - 1


@inner
def load_document(net, tables, terms, desk, text, topics, words, d):
    """Lay document d on the desk: topic-side nodes whole, word-side ones their restaurants' totals alone."""
    n_streams = text.leaf.shape[1]
    context, common = text.context[d], len(desk.topic) - 1
    entry = topics.first[context]
    part = (entry, topics.n_shared[context], False)
    for pos in range(topics.first[context + 1] - entry):
        topics.cells[pos] = topics.cell[entry + pos]
    for j in range(len(terms.node)):
        node = terms.node[j]
        own = text.own_concentration[node]
        desk.concentration[j] = text.local_concentration[own, d] if own >= 0 else net.concentration[terms.rest[j]]
        empty_slot(net, terms, desk, common, j)
    for s in range(n_streams):
        which, leaf = text.word_list[context, s], text.leaf[context, s]
        for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            k, code = text.topic[token], text.code[token]
            if k < 0:
                continue
            h = open_slot(net, terms, desk, k)
            desk.n_tokens[h] += 1
            walk_local(net, desk, topics, part, leaf, h, code, False)
            walk_local(net, desk, topics, part, leaf, h, code, True)
            if text.has_local[s]:
                set_word_cells(words, text, which, token)
                walk_local(net, desk, words, word_part(words, which, False), word_leaf(words, which), h, code, True)
    for j in range(len(terms.node)):
        node = terms.node[j]
        refresh_local(net, desk, common, node, j)
        for h in range(desk.scalars[0]):
            refresh_slot(net, tables, terms, desk, h, node, j)
            if net.rest_wide[node]:
                refresh_local(net, desk, h, node, j)


@inner
def save_document(net, terms, desk, text, topics, d):
    """Write the topic-side walks of document d's tokens back and clear the desk: indicators are exchangeable."""
    n_streams = text.leaf.shape[1]
    context = text.context[d]
    part = (topics.first[context], topics.n_shared[context], False)
    for s in range(n_streams):
        leaf = text.leaf[context, s]
        if leaf < part[1]:
            continue
        for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            h = desk.slot[text.topic[token]]
            text.code[token] = walk_back(net, desk, topics, part, leaf, h, np.int64(text.code[token]))
    while desk.scalars[0] > 0:
        close_slot(terms, desk, desk.scalars[0] - 1)


@inner
def find_run(text, d, s, word):
    """The tokens of one word in stream s of document d (sorted by word)."""
    n_streams = text.leaf.shape[1]
    lo, stop = text.first[d * n_streams + s], text.first[d * n_streams + s + 1]
    hi = stop
    while lo < hi:
        middle = (lo + hi) // 2
        if text.word[middle] < word:
            lo = middle + 1
        else:
            hi = middle
    end = lo
    while end < stop and text.word[end] == word:
        end += 1
    return lo, end


@inner
def load_run(net, tables, terms, desk, text, words, d, s, word):
    """Lay one word's counts of word-side local nodes on the desk, from every stream that shares them with s."""
    context, common = text.context[d], len(desk.topic) - 1
    for other in range(text.leaf.shape[1]):
        if text.partner[s, other]:
            which = text.word_list[context, other]
            start, stop = find_run(text, d, other, word)
            for token in range(start, stop):
                if text.topic[token] >= 0:
                    set_word_cells(words, text, which, token)
                    part, leaf = word_part(words, which, False), word_leaf(words, which)
                    h = desk.slot[text.topic[token]]
                    walk_local(net, desk, words, part, leaf, h, text.code[token], False)
    for j in range(len(terms.node)):
        if net.n_words[terms.node[j]] > 0:
            refresh_slot(net, tables, terms, desk, common, terms.node[j], j)
            for h in range(desk.scalars[0]):
                refresh_slot(net, tables, terms, desk, h, terms.node[j], j)


@inner
def save_run(net, terms, desk, text, words, d, s, word):
    """Write the word-side walks of one word's tokens back and clear its counts."""
    context, common = text.context[d], len(desk.topic) - 1
    for other in range(text.leaf.shape[1]):
        if text.partner[s, other]:
            which = text.word_list[context, other]
            start, stop = find_run(text, d, other, word)
            for token in range(start, stop):
                if text.topic[token] >= 0:
                    set_word_cells(words, text, which, token)
                    part, leaf = word_part(words, which, False), word_leaf(words, which)
                    h = desk.slot[text.topic[token]]
                    text.code[token] = walk_back(net, desk, words, part, leaf, h, np.int64(text.code[token]))
    for j in range(len(terms.node)):
        if net.n_words[terms.node[j]] > 0:
            for h in range(desk.scalars[0] + 1):
                at, _ = places(net, desk, terms.node[j], h if h < desk.scalars[0] else common)
                desk.customers[at, j], desk.tables[at, j], desk.stay[at, j], desk.open[at, j] = 0, 0, 0.0, 1.0
                for p in range(desk.to.shape[2]):
                    desk.to[at, j, p] = 0
