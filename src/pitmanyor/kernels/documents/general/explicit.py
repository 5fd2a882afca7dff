"""The explicit sweep: shared nodes are vectors, so documents are independent and run on all cores (maths 4).

A token costs the topics of its document. For a topic that the document does not hold, A(leaf, k) A(word leaf, w) is a
sum of products over pairs of shared positions of the two sides; a pair's sum over all topics is cached per word where
neither side depends on the document, else summed on the spot.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba import prange

from pitmanyor import purposes
from pitmanyor.kernels.documents.general.document import (
    load_document,
    load_run,
    save_document,
    save_run,
    set_word_cells,
    word_leaf,
    word_part,
)
from pitmanyor.kernels.documents.general.local_nodes import leave_local, plan_leaving, seat_local
from pitmanyor.kernels.documents.general.node_values import join_slot, linearise
from pitmanyor.kernels.documents.general.scratch import TOKENS, TOPIC, WORD, close_slot
from pitmanyor.kernels.documents.general.topic_draw import draw_topic
from pitmanyor.kernels.documents.sweep_arrays import DOCUMENTS, SweepArrays, end_of_block, n_blocks
from pitmanyor.kernels.restaurant.arrays import (
    FIRST,
    LEAF,
    SHARED,
    WORD_LIST,
    Floats,
    Ints,
)
from pitmanyor.kernels.restaurant.seating import STUCK
from pitmanyor.kernels.restaurant.shared import with_scratch
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined, inner, spread
from pitmanyor.kernels.runtime.per_thread import of_thread
from pitmanyor.kernels.runtime.random import stream_key


@bundle
class ListScratch(NamedTuple):
    """Thread-private scratch, with a leading thread axis: the two sides' lists, and the components of a weight."""

    topics: Ints
    words: Ints
    components: Floats


@inlined
def update_token(arrays, place, s, token, n_held, parts, key, n):
    """One Gibbs update of a token given the shared vectors; one whose topic is not held stays."""
    franchise, text, topics, words, doc = arrays.franchise, arrays.text, arrays.topics, arrays.words, arrays.scratch
    net, terms = franchise.net, franchise.terms
    part, leaf, word_side, bottom = place
    k = np.int64(text.topic[token])
    if k >= n_held:
        return n
    h = doc.slot_of[k]
    length, _, n = plan_leaving(franchise, doc, topics, part, leaf, h, key, n)
    word_length, _, n = plan_leaving(franchise, doc, words, word_side, bottom, h, key, n)
    if length == STUCK or word_length == STUCK:
        return n
    leave_local(franchise, doc, topics, length, h)
    leave_local(franchise, doc, words, word_length, h)
    doc.slots[h, TOKENS] -= 1
    if doc.slots[h, TOKENS] == 0:
        close_slot(terms, doc, h)
    linearise(net, doc, topics, part, leaf, TOPIC)
    linearise(net, doc, words, word_side, bottom, WORD)
    k, n = draw_topic(arrays, place, s, text.word[token], n_held, parts, key, n)
    h = join_slot(net, terms, doc, topics, words, place, k)
    _, n = seat_local(franchise, doc, topics, part, leaf, h, key, n)
    _, n = seat_local(franchise, doc, words, word_side, bottom, h, key, n)
    text.topic[token] = k
    return n


@inlined
def update_stream(arrays, part, d, s, n_held, parts, key, n):
    """One Gibbs update of every token of one stream of a document, run by run of one word."""
    franchise, text, words, doc = arrays.franchise, arrays.text, arrays.words, arrays.scratch
    n_streams, context = text.leaf.shape[1], text.context[d]
    which = text.leaf[context, s, WORD_LIST]
    place = (part, text.leaf[context, s, LEAF], word_part(words, which, False), word_leaf(words, which))
    start, stop = text.first[d * n_streams + s], text.first[d * n_streams + s + 1]
    while start < stop:
        end = start + 1
        while end < stop and text.word[end] == text.word[start]:
            end += 1
        if text.partner[s, s]:
            load_run(franchise, doc, text, words, d, s, text.word[start])
        set_word_cells(words, text, which, start)
        for token in range(start, end):
            n = update_token(arrays, place, s, token, n_held, parts, key, n)
        if text.partner[s, s]:
            save_run(franchise, doc, text, words, d, s, text.word[start])
        start = end
    return n


@inner
def visit_explicit(arrays, d, n_held, parts, key, passes):
    """Update every token of document d `passes` times given the shared vectors."""
    franchise, text, topics, doc = arrays.franchise, arrays.text, arrays.topics, arrays.scratch
    n = np.int64(0)
    context = text.context[d]
    load_document(franchise, doc, text, topics, arrays.words, d)
    part = (topics.lists[context, FIRST], topics.lists[context, SHARED], False)
    for _ in range(passes):
        for s in range(text.leaf.shape[1]):
            n = update_stream(arrays, part, d, s, n_held, parts, key, n)
    save_document(franchise, doc, text, topics, d, key, n)


@inner
def _visit_block(arrays, lists, documents, n_held, seed, passes, block):
    """The documents of one block, in the scratch of the thread that runs it."""
    thread = numba.get_thread_id()
    topics, words = with_scratch(arrays.topics, lists.topics[thread]), with_scratch(arrays.words, lists.words[thread])
    text, doc, parts = arrays.text, of_thread(arrays.scratch, thread), lists.components[thread]
    here = SweepArrays(arrays.franchise, text, topics, words, doc, (), arrays.sums, (), arrays.redrawn)
    for j in range(block * DOCUMENTS, end_of_block(documents, block)):
        d = documents[j]
        key = stream_key(seed[0], seed[1], seed[2], text.number[d], purposes.EXPLICIT)
        visit_explicit(here, d, n_held, parts, key, passes)


@spread
def explicit_sweep(arrays, lists, documents, n_held, seed, passes):
    """Visit the documents in any order, on any number of threads: each has its own random stream.

    Every token is updated `passes` times.
    """
    for block in prange(n_blocks(documents)):
        _visit_block(arrays, lists, documents, n_held, seed, passes, block)
