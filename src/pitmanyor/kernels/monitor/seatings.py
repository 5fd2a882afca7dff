"""What a discount sees of the counts: how many dishes have c customers at t tables (maths 5).

Small pairs (c, t) are counted in a table, the few others are listed. Those of local nodes are read back from the walks
of the tokens, document by document, through a hash table of the document's dishes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from pitmanyor.kernels.restaurant.arrays import (
    BLOCK,
    CUSTOMERS,
    GEM,
    KIND,
    LIVE,
    MASK,
    N_WORDS,
    REST_WIDE,
    ROW,
    SHIFT,
    TABLES,
    WIDE,
    Ints,
)
from pitmanyor.kernels.restaurant.packed_rows import entries_of, is_packed
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined, inner, kernel, spread
from pitmanyor.kernels.runtime.per_thread import of_thread

COUNTED_CUSTOMERS, COUNTED_TABLES = 512, 128  # pairs of fewer customers and tables are counted, others are listed
EMPTY = -1
SPREAD, LOW = 2654435769, 0x7FFFFFFF  # 2^32 over the golden ratio: neighbouring keys fall far apart


@bundle
class Seatings(NamedTuple):
    """Dishes by their customers and tables."""

    small: Ints  # (customers, tables): how many dishes
    large: Ints  # (dish, CUSTOMERS or TABLES), the first n_large[0] rows
    n_large: Ints
    most: Ints  # customers of the dish that has most, and tables


@bundle
class Dishes(NamedTuple):
    """The dishes of one document in a hash table, as many places as a power of two."""

    key: Ints  # EMPTY where there is none
    counts: Ints  # (place, CUSTOMERS or TABLES)
    used: Ints  # places that are taken
    opened: Ints  # (topic): tables of the restaurant


class Walks(NamedTuple):
    """The ways from the leaves to one local node, over nodes that are local too."""

    node: int
    leaf: Ints  # (stream): where its tokens start on the side of the node; EMPTY if no way leads from there
    above: Ints  # (node, parent): EMPTY if that is a shared node


@inlined
def _add(seatings, c, t):
    seatings.most[CUSTOMERS], seatings.most[TABLES] = max(seatings.most[CUSTOMERS], c), max(seatings.most[TABLES], t)
    if c < COUNTED_CUSTOMERS and t < COUNTED_TABLES:
        seatings.small[c, t] += 1
    else:
        n = seatings.n_large[0]
        seatings.large[n, CUSTOMERS], seatings.large[n, TABLES] = c, t
        seatings.n_large[0] = n + 1


@kernel
def count_shared_seatings(net, node, start, stop, seatings):
    """Dishes of a shared node, cells start..stop-1; those of a gem have one table each."""
    n_columns = len(net.status) - LIVE if net.nodes[node, WIDE] else 1
    is_gem = net.nodes[node, KIND] == GEM
    for cell in range(start, stop):
        if is_packed(net, cell):
            entry, last = entries_of(net, cell)
            for e in range(entry, last):
                _add(seatings, net.packed[e, CUSTOMERS], net.packed[e, TABLES])
            continue
        counts = net.counts[net.cells[cell, ROW] : net.cells[cell, ROW] + n_columns]
        for first in range(0, n_columns, BLOCK):
            block = counts[first : min(first + BLOCK, n_columns)]
            some = np.int32(0)
            for j in range(len(block)):
                some |= block[j, CUSTOMERS]
            if some != 0:
                for j in range(len(block)):
                    if block[j, CUSTOMERS] > 0:
                        _add(seatings, block[j, CUSTOMERS], 1 if is_gem else block[j, TABLES])


@inlined
def _opens(net, walks, leaf, code):
    """Whether a token that starts at a leaf opens a table at the node; EMPTY if its walk does not reach it."""
    node = leaf
    while node != EMPTY:
        choice = np.int64((code >> net.nodes[node, SHIFT]) & net.nodes[node, MASK]) - 1
        if node == walks.node:
            return np.int64(choice >= 0)
        node = walks.above[node, choice] if choice >= 0 else EMPTY
    return np.int64(EMPTY)


@inlined
def _serve(dishes, key, opens, n_used):
    """One more customer of a dish; returns how many dishes there are."""
    last = len(dishes.key) - 1
    place = (((key & LOW) * SPREAD) >> 16) & last
    while dishes.key[place] != key and dishes.key[place] != EMPTY:
        place = (place + 1) & last
    if dishes.key[place] == EMPTY:
        dishes.key[place], dishes.used[n_used] = key, place
        dishes.counts[place, CUSTOMERS], dishes.counts[place, TABLES] = 0, 0
        n_used += 1
    dishes.counts[place, CUSTOMERS] += 1
    dishes.counts[place, TABLES] += opens
    return n_used


@inner
def _clear(dishes, n_used, n_words, per_topic, seatings, sizes):
    """Put the dishes and restaurants of a document among the others. Returns the tables of its last restaurant."""
    for i in range(n_used):
        place = dishes.used[i]
        c, t = dishes.counts[place, CUSTOMERS], dishes.counts[place, TABLES]
        _add(seatings, c, t)
        dishes.opened[dishes.key[place] // n_words if per_topic else 0] += t
    opened = np.int64(0)
    for i in range(n_used):
        place = dishes.used[i]
        k = dishes.key[place] // n_words if per_topic else 0
        if dishes.opened[k] > 0:
            opened = dishes.opened[k]
            sizes[opened] += 1
            dishes.opened[k] = 0
        dishes.key[place] = EMPTY
    return opened


@inner
def _count_part(net, text, walks, documents, dishes, seatings, sizes, opened):
    """The documents of one part, into its own counts and with its own scratch."""
    n_streams = text.leaf.shape[1]
    per_topic, n_words = net.nodes[walks.node, REST_WIDE], net.nodes[walks.node, N_WORDS]
    for d in range(documents[0], documents[1]):
        n_used = np.int64(0)
        for s in range(n_streams):
            if walks.leaf[s] == EMPTY:
                continue
            for token in range(text.first[d * n_streams + s], text.first[d * n_streams + s + 1]):
                opens = _opens(net, walks, walks.leaf[s], text.code[token])
                if opens != EMPTY:
                    key = np.int64(text.topic[token])
                    if n_words > 0:
                        key = key * n_words * per_topic + np.int64(text.word[token])
                    n_used = _serve(dishes, key, opens, n_used)
        opened[d] = _clear(dishes, n_used, n_words, per_topic, seatings, sizes)


@spread
def count_local_seatings(net, text, walks, bounds, dishes, seatings, sizes, opened):
    """Dishes of a local node, and how many of its restaurants have 0, 1, 2... tables, by parts of the documents.

    All but `opened` have a first axis for the parts. It gets the tables of each document, for a node that has one
    restaurant there.
    """
    for part in prange(len(bounds) - 1):
        mine, found = of_thread(dishes, part), of_thread(seatings, part)
        _count_part(net, text, walks, bounds[part : part + 2], mine, found, sizes[part], opened)
