"""A document in a split or merge: some of its tokens leave, or are seated again, one after the other.

Slots 0 and 1 of the scratch hold the document's counts of the two topics; those of all others lie together in the
common slot, because nothing depends on which topic they belong to.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pitmanyor.kernels.documents.general.document import clear_dish, find_run, set_word_cells, word_leaf, word_part
from pitmanyor.kernels.documents.general.local_nodes import walk_local
from pitmanyor.kernels.documents.general.node_values import places
from pitmanyor.kernels.documents.general.scratch import N_CUSTOMERS, N_TABLES, N_TO, TO, DocumentScratch
from pitmanyor.kernels.numbers.stirling import StirlingTables
from pitmanyor.kernels.restaurant.arrays import (
    AT,
    CELL,
    CONCENTRATION,
    FIRST,
    LEAF,
    LOCAL_INDEX,
    MASK,
    N_PARENTS,
    N_WORDS,
    NODE,
    OWN,
    PARENTS,
    REST,
    SHARED,
    SHIFT,
    TABLES,
    WIDE,
    WORD_LIST,
    Net,
    Side,
    Text,
)
from pitmanyor.kernels.restaurant.packed_rows import unpack_cells
from pitmanyor.kernels.restaurant.small_terms import Terms
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined, inner

NOWHERE = -1  # the topic of a token that has been taken out


@bundle
class Arrays(NamedTuple):
    """All that a move reads and writes of a state."""

    net: Net
    tables: StirlingTables
    terms: Terms
    doc: DocumentScratch
    text: Text
    topics: Side
    words: Side


@inlined
def slot_of(pair, k, common):
    return 0 if k == pair[0] else 1 if k == pair[1] else common


@inlined
def list_of_topics(topics, text, d):
    """(entry, number of shared positions) of a document's list."""
    context = text.context[d]
    return topics.lists[context, FIRST], topics.lists[context, SHARED], False


@inner
def lay_out(net, terms, doc, text, topics, words, d, pair):
    """The local nodes of document d from the stored walks; returns how many tokens the two topics have there."""
    n_streams, common = text.leaf.shape[1], len(doc.slots) - 1
    context, part = text.context[d], list_of_topics(topics, text, d)
    for pos in range(topics.lists[context + 1, FIRST] - part[0]):
        topics.scratch[AT, pos] = topics.entries[part[0] + pos, CELL]
    for j in range(len(terms.cells)):
        own = net.nodes[terms.cells[j, NODE], OWN]
        shared = net.rests[CONCENTRATION, terms.cells[j, REST]]
        doc.concentration[j] = text.concentration[own, d] if own >= 0 else shared
        for h in (0, 1, common):
            clear_dish(doc, h, j)
            doc.ints[h, j, N_CUSTOMERS], doc.ints[h, j, N_TABLES] = 0, 0
            for p in range((doc.ints.shape[2] - TO) // 2):
                doc.ints[h, j, N_TO + 2 * p] = 0
    found = 0
    for s in range(n_streams):
        which, leaf = text.leaf[context, s, WORD_LIST], text.leaf[context, s, LEAF]
        for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            if text.topic[token] == NOWHERE:
                continue
            h, code = slot_of(pair, text.topic[token], common), text.code[token]
            if h != common:
                found += 1
                walk_local(net, doc, topics, part, leaf, h, code, False)
            walk_local(net, doc, topics, part, leaf, h, code, True)
            if text.partner[s, s]:
                set_word_cells(words, text, which, token)
                walk_local(net, doc, words, word_part(words, which, False), word_leaf(words, which), h, code, True)
    return found


@inner
def lay_out_word(world, d, s, word, pair):
    """The counts of one word at the local word nodes, from every stream that shares them with s."""
    net, _, terms, doc, text, _, words = world
    common = len(doc.slots) - 1
    for j in range(len(terms.cells)):
        if net.nodes[terms.cells[j, NODE], N_WORDS] > 0:
            for h in (0, 1, common):
                clear_dish(doc, h, j)
    for other in range(text.leaf.shape[1]):
        if text.partner[s, other]:
            which = text.leaf[text.context[d], other, WORD_LIST]
            start, stop = find_run(text, d, other, word)
            for token in range(start, stop):
                if text.topic[token] != NOWHERE:
                    set_word_cells(words, text, which, token)
                    h, part = slot_of(pair, text.topic[token], common), word_part(words, which, False)
                    walk_local(net, doc, words, part, word_leaf(words, which), h, text.code[token], False)


@inner
def recode_word(net, doc, text, words, d, s, word, pair):
    """Write the walks of the tokens that are left of a word back: who carries which table is arbitrary."""
    for other in range(text.leaf.shape[1]):
        if text.partner[s, other]:
            which = text.leaf[text.context[d], other, WORD_LIST]
            start, stop = find_run(text, d, other, word)
            for token in range(start, stop):
                if text.topic[token] != NOWHERE:
                    set_word_cells(words, text, which, token)
                    part = word_part(words, which, False)
                    recode(net, doc, text, words, part, word_leaf(words, which), token, pair)


@inner
def recode_topics(net, doc, text, topics, d, pair):
    """The same on the topic side, for the tokens of the two topics."""
    n_streams, context, part = text.leaf.shape[1], text.context[d], list_of_topics(topics, text, d)
    for s in range(n_streams):
        for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
            if text.topic[token] == pair[0] or text.topic[token] == pair[1]:
                recode(net, doc, text, topics, part, text.leaf[context, s, LEAF], token, pair)


@inner
def recode(net, doc, text, side, part, leaf, token, pair):
    """Give a token a walk from the tables left in the scratch. Another topic keeps what it opened of its own."""
    common = len(doc.slots) - 1
    h, pos, code = slot_of(pair, text.topic[token], common), leaf, np.int64(text.code[token])
    while pos >= part[1]:
        node = net.cells[side.scratch[AT, pos], NODE]
        j, shift, mask = net.nodes[node, LOCAL_INDEX], net.nodes[node, SHIFT], net.nodes[node, MASK]
        choice = ((code >> shift) & mask) - 1
        if h != common or net.nodes[node, WIDE] == 0:
            at, _ = places(net, doc, node, h)
            choice = -1
            if doc.ints[at, j, TABLES] > 0:
                doc.ints[at, j, TABLES] -= 1
                choice = 0
                if net.nodes[node, N_PARENTS] > 1:
                    while doc.ints[at, j, TO + 2 * choice] == 0:
                        choice += 1
                    doc.ints[at, j, TO + 2 * choice] -= 1
            code = (code & ~(mask << shift)) | ((choice + 1) << shift)
        if choice < 0 or net.nodes[node, N_PARENTS] == 0:
            break
        pos = side.par[side.entries[part[0] + pos, PARENTS] + choice]
    text.code[token] = code


@inner
def encode(net, side, part, leaf, walk, code):
    """The local part of a walk as digits of a token's code."""
    pos = leaf
    while pos >= part[1]:
        node, choice = net.cells[side.scratch[AT, pos], NODE], np.int64(walk[pos])
        code |= (choice + 1) << net.nodes[node, SHIFT]
        if choice < 0 or net.nodes[node, N_PARENTS] == 0:
            break
        pos = side.par[side.entries[part[0] + pos, PARENTS] + choice]
    return code


@inlined
def stream_of(text, d, token):
    n_streams, s = text.leaf.shape[1], 0
    while token >= text.first[d * n_streams + s + 1]:
        s += 1
    return s


@inner
def lay_out_token(world, room, d, s, token, pair):
    """Point the word list at a token; its word's counts at local nodes are laid out unless they are there."""
    text, words = world.text, world.words
    if text.partner[s, s] and (room.found[0] != s or room.found[1] != text.word[token]):
        lay_out_word(world, d, s, text.word[token], pair)
        room.found[0], room.found[1] = s, text.word[token]
    set_word_cells(words, text, text.leaf[text.context[d], s, WORD_LIST], token)
    unpack_cells(world.net, world.tables, world.terms, words, text.leaf[text.context[d], s, WORD_LIST])


@inlined
def places_of(world, d, s):
    """Lists and leaves of both sides for a stream of a document."""
    text = world.text
    which = text.leaf[text.context[d], s, WORD_LIST]
    part, word_side = list_of_topics(world.topics, text, d), word_part(world.words, which, False)
    return part, text.leaf[text.context[d], s, LEAF], word_side, word_leaf(world.words, which)
