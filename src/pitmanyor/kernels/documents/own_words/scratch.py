"""Word nodes per document and topic over one shared node per topic, slot by slot (maths 4).

Each topic of a document is a restaurant. Tokens are sorted by word, so only the current word matters among its dishes:
the topics that have it are a short list. With E = b + a T, the weight of the word under a topic of the document that
does not have it yet is E phi_kw / (b + C), a multiple of phi_kw; under a topic that is not in the document it is
phi_kw.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pitmanyor.kernels.monitor.log_joint import JOINT, OPENED, SEATED
from pitmanyor.kernels.restaurant.arrays import (
    AS_IS,
    CELL,
    CONCENTRATION,
    DISCOUNT,
    FIRST,
    KIND,
    LOCAL_INDEX,
    MODE,
    NODE,
    REST,
    RULE,
    SHIFT,
    TABLE,
    Floats,
    Ints32,
    Reals,
)
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined, inner


@bundle
class OwnWords(NamedTuple):
    """Scratch of one thread, with a leading thread axis until `of_thread` picks one; empty between documents.

    Without words of the document's own it is an empty tuple; Numba removes the branches that test its `len`.
    """

    customers: Ints32  # (slot): of the topic's restaurant
    tables: Ints32
    factor: Floats  # (slot): E / (b + C)
    place: Ints32  # (slot): 1 + place of the slot in the list of topics that have the word, or 0
    slot: Ints32  # (place), and its counts of the word
    seated: Ints32
    opened: Ints32
    weights: Reals  # (place)


class WordNode(NamedTuple):
    """What the own node of a stream is; without one, `node` is -1."""

    node: int
    kind: int
    rule: int
    index: int
    discount: float
    concentration: float
    bit: int  # of a token's walk: it opened a table


@inner
def word_node_of(net, terms, words, which):
    """The own node at the bottom of a word list."""
    bottom = words.lists[which + 1, FIRST] - 1
    if words.entries[bottom, MODE] != AS_IS:
        return WordNode(-1, 0, 0, 0, 0.0, 1.0, 0)
    node = net.cells[words.entries[bottom, CELL], NODE]
    return WordNode(
        node,
        net.nodes[node, KIND],
        net.status[RULE],
        net.nodes[node, TABLE],
        net.reals[node, DISCOUNT],
        net.rests[CONCENTRATION, terms.cells[net.nodes[node, LOCAL_INDEX], REST]],
        np.int64(1) << net.nodes[node, SHIFT],
    )


@inlined
def gain_of(own, word_node, h):
    """E = b + a T of the restaurant of slot h."""
    return word_node.concentration + word_node.discount * own.tables[h]


@inlined
def scale_of(own, word_node, h):
    return 1.0 / (word_node.concentration + own.customers[h])


@inlined
def factor_of(own, word_node, h):
    """E / (b + C) of the restaurant of slot h; exactly 1 if it is empty."""
    return gain_of(own, word_node, h) / (word_node.concentration + own.customers[h])


@inlined
def count_restaurant(own, word_node, h, customers, tables):
    """Add customers and tables to the restaurant of slot h."""
    own.customers[h] += customers
    own.tables[h] += tables
    own.factor[h] = factor_of(own, word_node, h)


@inner
def open_stream(text, seats, own, word_node, tokens, first, n_slots):
    """The restaurants of the document's topics from the walks of a stream's tokens, whose slots are `seats`."""
    bit = np.uint32(word_node.bit)
    for i in range(tokens[0], tokens[1]):
        token = np.uint64(i)
        if text.topic[token] >= 0:
            h = np.uint64(seats[np.uint64(i - first)])
            own.customers[h] += 1
            own.tables[h] += np.int32((text.code[token] & bit) != 0)
    for h in range(n_slots):
        own.factor[h] = factor_of(own, word_node, h)


@inner
def close_stream(net, text, own, word_node, d, n_slots, joint):
    """Measure the restaurants (their own part is made for all documents at once) and empty them."""
    out = text.measures[d, net.nodes[word_node.node, LOCAL_INDEX]]
    out[JOINT], out[SEATED], out[OPENED] = joint, 0.0, 0.0
    for h in range(n_slots):
        out[SEATED] += own.customers[h]
        out[OPENED] += own.tables[h]
        own.customers[h], own.tables[h], own.factor[h] = 0, 0, 1.0
