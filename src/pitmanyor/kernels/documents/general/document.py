"""A document's local nodes, filled from the tokens' stored walks, and written back."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.general.local_nodes import walk_back, walk_local
from pitmanyor.kernels.documents.general.node_values import places
from pitmanyor.kernels.documents.general.scratch import (
    OF_TOPIC,
    TO,
    TOKENS,
    close_slot,
    empty_slot,
    open_slot,
    refresh_local,
    refresh_slot,
)
from pitmanyor.kernels.monitor.log_joint import measure_dishes, measure_local
from pitmanyor.kernels.restaurant.arrays import (
    AS_IS,
    AT,
    AT_TOKEN,
    AT_WORD,
    CELL,
    CONCENTRATION,
    CUSTOMERS,
    FIRST,
    LEAF,
    LIVE,
    MODE,
    N_COLUMNS,
    N_WORDS,
    NODE,
    OWN,
    REST,
    REST_WIDE,
    ROW,
    SHARED,
    TABLES,
    WORD_LIST,
)
from pitmanyor.kernels.restaurant.small_terms import OPEN, STAY
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.simd import LINE, prefetch

SOON = 2  # tokens ahead whose counts are prefetched


@inlined
def set_word_cells(words, text, which, token):
    """The word side's cells for one token."""
    entry = words.lists[which, FIRST]
    for pos in range(words.lists[which + 1, FIRST] - entry):
        cell, mode = words.entries[entry + pos, CELL], words.entries[entry + pos, MODE]
        if mode == AT_WORD:
            cell += text.word[token]
        elif mode != AS_IS:
            cell = listed_cell(text, cell, mode, token)
        words.scratch[AT, pos] = cell


@inlined
def listed_cell(text, slot, mode, token):
    """The cell of a token's word in a node that does not have one for every word."""
    at = np.uint64(token)
    return np.int64(text.cells[slot, at if mode == AT_TOKEN else np.uint64(text.word[at])])


@inlined
def word_part(words, which, dense):
    return (words.lists[which, FIRST], words.lists[which, SHARED], dense)


@inlined
def word_leaf(words, which):
    return words.lists[which + 1, FIRST] - words.lists[which, FIRST] - 1


@inlined
def lowest_shared(words, which):
    """The entry of a list's last shared position: all others of them are above it."""
    return words.lists[which, FIRST] + words.lists[which, SHARED] - 1


@inlined
def row_of_words(net, text, words, d, s):
    """Where the rows of a document's words start, by its stream, and whether they lie in the order of the words."""
    bottom = lowest_shared(words, text.leaf[text.context[d], s, WORD_LIST])
    in_order = words.entries[bottom, MODE] == AT_WORD and len(net.packed_first) == 0
    return np.uint64(net.cells[words.entries[bottom, CELL] if in_order else 0, ROW]), in_order


@inlined
def fetch_counts(net, text, words, which, top, token):
    """Prefetch the word's row (all topics) and its count under the token's current topic.

    `top` is where the rows of its stream's words start, in their order.
    """
    word, entry = np.uint64(text.word[np.uint64(token)]), words.lists[which, FIRST]
    for pos in range(words.lists[which, SHARED]):
        cell = np.uint64(words.entries[np.uint64(entry + pos), CELL]) + word
        prefetch(net.cells, cell * np.uint64(net.cells.shape[1]))
    row = top + word * np.uint64(len(net.status) - LIVE)
    for k in range(0, net.status[N_COLUMNS], LINE):
        prefetch(net.stay, row + np.uint64(k))
        prefetch(net.open, row + np.uint64(k))
    prefetch(net.counts, (row + np.uint64(max(text.topic[np.uint64(token)], 0))) * np.uint64(2))


@inner
def load_document(franchise, doc, text, topics, words, d):
    """Load document d: topic-side nodes whole, word-side ones their restaurants' totals alone."""
    (net, tables, terms), n_streams = franchise, text.leaf.shape[1]
    context, common = text.context[d], len(doc.slots) - 1
    text.measures[d] = 0.0
    entry = topics.lists[context, FIRST]
    part = (entry, topics.lists[context, SHARED], False)
    for pos in range(topics.lists[context + 1, FIRST] - entry):
        topics.scratch[AT, pos] = topics.entries[entry + pos, CELL]
    for j in range(len(terms.cells)):
        node = terms.cells[j, NODE]
        own = net.nodes[node, OWN]
        doc.concentration[j] = (
            text.concentration[own, d] if own >= 0 else net.rests[CONCENTRATION, terms.cells[j, REST]]
        )
        empty_slot(net, terms, doc, common, j)
    for s in range(n_streams):
        which, leaf = text.leaf[context, s, WORD_LIST], text.leaf[context, s, LEAF]
        for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            k, code = np.int64(text.topic[token]), text.code[token]
            if k < 0:
                continue
            h = open_slot(net, terms, doc, k)
            doc.slots[h, TOKENS] += 1
            walk_local(net, doc, topics, part, leaf, h, code, False)
            walk_local(net, doc, topics, part, leaf, h, code, True)
            if text.partner[s, s]:
                set_word_cells(words, text, which, token)
                walk_local(net, doc, words, word_part(words, which, False), word_leaf(words, which), h, code, True)
    for j in range(len(terms.cells)):
        node = terms.cells[j, NODE]
        refresh_local(net, doc, common, node, j)
        for h in range(doc.slots[-1, OF_TOPIC]):
            refresh_slot(net, tables, terms, doc, h, node, j)
            if net.nodes[node, REST_WIDE]:
                refresh_local(net, doc, h, node, j)


@inner
def save_document(franchise, doc, text, topics, d, key, n):
    """Write the topic-side walks of document d's tokens back and clear the scratch: indicators are exchangeable.

    What concentrations and the log joint need of the document is measured while it lies there.
    """
    net, tables, terms = franchise
    measure_local(net, terms, doc, key, n, text.measures[d])
    measure_dishes(net, tables, terms, doc, False, text.measures[d])
    n_streams = text.leaf.shape[1]
    context = text.context[d]
    part = (topics.lists[context, FIRST], topics.lists[context, SHARED], False)
    for s in range(n_streams):
        leaf = text.leaf[context, s, LEAF]
        if leaf < part[1]:
            continue
        for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            h = doc.slot_of[text.topic[token]]
            text.code[token] = walk_back(net, doc, topics, part, leaf, h, np.int64(text.code[token]))
    while doc.slots[-1, OF_TOPIC] > 0:
        close_slot(terms, doc, doc.slots[-1, OF_TOPIC] - 1)


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
def load_run(franchise, doc, text, words, d, s, word):
    """Load one word's counts of word-side local nodes, from every stream that shares them with s."""
    net, tables, terms = franchise
    context, common = text.context[d], len(doc.slots) - 1
    for other in range(text.leaf.shape[1]):
        if text.partner[s, other]:
            which = text.leaf[context, other, WORD_LIST]
            start, stop = find_run(text, d, other, word)
            for token in range(start, stop):
                if text.topic[token] >= 0:
                    set_word_cells(words, text, which, token)
                    part, leaf = word_part(words, which, False), word_leaf(words, which)
                    h = doc.slot_of[text.topic[token]]
                    walk_local(net, doc, words, part, leaf, h, text.code[token], False)
    for j in range(len(terms.cells)):
        if net.nodes[terms.cells[j, NODE], N_WORDS] > 0:
            refresh_slot(net, tables, terms, doc, common, terms.cells[j, NODE], j)
            for h in range(doc.slots[-1, OF_TOPIC]):
                refresh_slot(net, tables, terms, doc, h, terms.cells[j, NODE], j)


@inlined
def clear_dish(doc, h, j):
    """Empty slot h of local node j."""
    doc.ints[h, j, CUSTOMERS], doc.ints[h, j, TABLES] = 0, 0
    for p in range((doc.ints.shape[2] - TO) // 2):
        doc.ints[h, j, TO + 2 * p] = 0


@inner
def save_run(franchise, doc, text, words, d, s, word):
    """Write the word-side walks of one word's tokens back and clear its counts."""
    net, tables, terms = franchise
    last = True  # a word that several streams share is measured with the last of them
    for other in range(s + 1, text.leaf.shape[1]):
        if text.partner[s, other]:
            start, stop = find_run(text, d, other, word)
            last = last and start == stop
    if last:
        measure_dishes(net, tables, terms, doc, True, text.measures[d])
    context, common = text.context[d], len(doc.slots) - 1
    for other in range(text.leaf.shape[1]):
        if text.partner[s, other]:
            which = text.leaf[context, other, WORD_LIST]
            start, stop = find_run(text, d, other, word)
            for token in range(start, stop):
                if text.topic[token] >= 0:
                    set_word_cells(words, text, which, token)
                    part, leaf = word_part(words, which, False), word_leaf(words, which)
                    h = doc.slot_of[text.topic[token]]
                    text.code[token] = walk_back(net, doc, words, part, leaf, h, np.int64(text.code[token]))
    for j in range(len(terms.cells)):
        if net.nodes[terms.cells[j, NODE], N_WORDS] > 0:
            for h in range(doc.slots[-1, OF_TOPIC] + 1):
                at, _ = places(net, doc, terms.cells[j, NODE], h if h < doc.slots[-1, OF_TOPIC] else common)
                clear_dish(doc, at, j)
                doc.reals[at, j, STAY], doc.reals[at, j, OPEN] = 0.0, 1.0
