"""The current word in the restaurants of the document's own words: a short list of the topics that have it.

Tokens are sorted by word, so the list is made once for each run of equal words.
"""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.one_node.scratch import far_terms
from pitmanyor.kernels.documents.own_words.scratch import gain_of, scale_of
from pitmanyor.kernels.numbers.stirling import log_stirling
from pitmanyor.kernels.restaurant.small_terms import LEAVE, LOG_S, OPEN, STAY, is_small, place_of
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import uniform

TRIES = 16  # proposals of a topic that may be refused before all topics are weighed one by one


@inlined
def enlist(own, h, n_listed):
    """Where slot h stands in the list, with the length of the list: at its end if it was not there."""
    if own.place[h] > 0:
        return np.uint64(own.place[h] - 1), n_listed
    p = np.uint64(n_listed)
    own.slot[p], own.seated[p], own.opened[p] = h, 0, 0
    own.place[h] = n_listed + 1
    return p, n_listed + 1


@inlined
def strike(own, h, n_listed):
    """Remove slot h, which no longer has the word, from the list; returns its length."""
    if own.place[h] == 0:
        return n_listed
    p, last = np.uint64(own.place[h] - 1), np.uint64(n_listed - 1)
    own.slot[p], own.seated[p], own.opened[p] = (
        own.slot[last],
        own.seated[last],
        own.opened[last],
    )
    own.place[np.uint64(own.slot[p])] = np.int64(p) + 1
    own.place[h] = 0
    return n_listed - 1


@inlined
def move_restaurant(own, h, last, n_listed):
    """Slot `last` takes the place of h, which has no customers; returns the length of the list."""
    n_listed = strike(own, h, n_listed)
    own.customers[h], own.tables[h] = own.customers[last], own.tables[last]
    own.factor[h], own.place[h] = own.factor[last], own.place[last]
    if own.place[h] > 0:
        own.slot[np.uint64(own.place[h] - 1)] = h
    own.customers[last], own.tables[last], own.factor[last], own.place[last] = 0, 0, 1.0, 0
    return n_listed


@inlined
def end_of_run(text, start, stop):
    """Where the run of equal words that begins at a token ends; a stream's tokens end at `stop`."""
    end = start + 1
    while end < stop and text.word[np.uint64(end)] == text.word[np.uint64(start)]:
        end += 1
    return end


@inner
def open_run(text, seats, own, word_node, run, first):
    """List the topics that have the word of a run of tokens; returns how many."""
    n_listed, bit = np.int64(0), np.uint32(word_node.bit)
    for i in range(run[0], run[1]):
        token = np.uint64(i)
        if text.topic[token] >= 0:
            p, n_listed = enlist(own, np.uint64(seats[np.uint64(i - first)]), n_listed)
            own.seated[p] += 1
            own.opened[p] += np.int32((text.code[token] & bit) != 0)
    return n_listed


@inner
def close_run(tables, terms, text, seats, own, word_node, run, n_listed):
    """Write the walks of a run's tokens back and clear the list; returns the word's part of the log joint.

    `run` has its first token, the one after its last, and the first of the document.
    """
    first, joint, bit = run[2], 0.0, np.uint32(word_node.bit)
    for p in range(n_listed):
        c, t = np.int64(own.seated[p]), np.int64(own.opened[p])
        if c > 1:
            small = is_small(c, t)
            joint += terms.small[word_node.index, t, c, LOG_S] if small else log_stirling(tables, word_node.index, c, t)
    for i in range(run[0], run[1]):
        token, h = np.uint64(i), np.uint64(seats[np.uint64(i - first)])
        p = np.uint64(own.place[h] - 1)
        opened = own.opened[p] > 0
        own.opened[p] -= np.int32(opened)
        text.code[token] = (text.code[token] & ~bit) | (bit if opened else np.uint32(0))
    for p in range(n_listed):
        own.place[own.slot[p]] = 0
    return joint


@inlined
def dish_terms(tables, terms, word_node, c, t):
    """stay, open and leave of a word's counts in one restaurant."""
    if is_small(c, t):
        at = place_of(word_node.index, c, t)
        return (
            float(terms.flat[at + np.uint64(STAY)]),
            float(terms.flat[at + np.uint64(OPEN)]),
            float(terms.flat[at + np.uint64(LEAVE)]),
        )
    return far_terms(tables, word_node, c, t)


@inlined
def dish_of(tables, terms, own, word_node, h):
    """stay and open of the current word in the restaurant of slot h."""
    if own.place[h] == 0:
        return 0.0, 1.0
    p = np.uint64(own.place[h] - 1)
    stay, opens, _ = dish_terms(tables, terms, word_node, np.int64(own.seated[p]), np.int64(own.opened[p]))
    return stay, opens


@inlined
def leaves_dish(tables, terms, own, word_node, h, key, n):
    """Whether a customer that leaves slot h closes a table of its word (-1: rule `paper` keeps it), and the counter."""
    p = np.uint64(own.place[h] - 1)
    c, t = np.int64(own.seated[p]), np.int64(own.opened[p])
    _, _, chance = dish_terms(tables, terms, word_node, c, t)
    goes = chance >= 1.0
    if 0.0 < chance < 1.0:
        goes = uniform(key, n) < chance
        n += 1
    if goes and t == 1 and c > 1:
        return np.int64(-1), n
    return np.int64(goes), n


@inlined
def leave_dish(own, h, goes):
    """Remove a customer of the current word from the list, with a table if it is closed."""
    p = np.uint64(own.place[h] - 1)
    own.seated[p] -= 1
    own.opened[p] -= goes


@inlined
def opens_dish(tables, terms, own, word_node, h, phi, key, n):
    """Whether a customer that joins slot h opens a table for its word, and the counter."""
    stay, opens = dish_of(tables, terms, own, word_node, h)
    if stay <= 0.0:
        return np.int64(1), n
    opening = gain_of(own, word_node, h) * opens * phi
    return np.int64(uniform(key, n) * (stay + opening) >= stay), n + 1


@inlined
def seat_dish(own, h, opened, n_listed):
    """Add a customer of the current word to the list; returns its length."""
    p, n_listed = enlist(own, h, n_listed)
    own.seated[p] += 1
    own.opened[p] += opened
    return n_listed


@inlined
def repeat_weight(tables, terms, own, word_node, h, phi):
    """A of the own node beyond factor * phi, for the current word and the topic of slot h, which has the word."""
    stay, opens = dish_of(tables, terms, own, word_node, h)
    return (stay + gain_of(own, word_node, h) * (opens - 1.0) * phi) * scale_of(own, word_node, h)


@inlined
def listed_at(own, n_listed, x):
    """The slot of the list into which x falls, uniform on (0, sum of the list's weights)."""
    p = 0
    while p < n_listed - 1 and x >= own.weights[p]:
        x -= own.weights[p]
        p += 1
    while p > 0 and own.weights[p] <= 0.0:  # reached by rounding only
        p -= 1
    return np.uint64(own.slot[p])


@inlined
def word_weight(tables, terms, own, word_node, h, phi):
    """A of the own node for the topic of slot h and the current word, with phi from its base (maths 2)."""
    stay, opens = dish_of(tables, terms, own, word_node, h)
    return (stay + gain_of(own, word_node, h) * opens * phi) * scale_of(own, word_node, h)
