"""A topic for a token of a document with words of its own, given the shared vectors (maths 4).

With E = b + a T of the document's node, one of its topics weighs [stay + E open p_k] A(own node, w), where the last is
a multiple of phi_kw except for the few topics that have the word. Other topics have the weight E p_k phi_kw. A topic is
proposed from all of these and from E p_k phi_kw of all topics, which is cached; a proposal of the latter kind that is a
topic of the document is rejected, and drawn again.
"""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.one_node import topic_draw
from pitmanyor.kernels.documents.one_node.leaf_mean import count_by_chance
from pitmanyor.kernels.documents.one_node.scratch import NO_SLOT, base_of, new_terms, open_slot, write_terms
from pitmanyor.kernels.documents.one_node.topic_draw import fresh_topic, weigh_fresh
from pitmanyor.kernels.documents.own_words.word_repeats import TRIES, listed_at, repeat_weight
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import uniform_in


@inlined
def scaled_terms(tables, terms, active, own, shape, h):
    """Slot h with stay and open p_k after a change of its counts, times its factor of phi_kw; not yet written."""
    _, stay, opening = new_terms(tables, terms, active, shape, h)
    factor = active.stay.dtype.type(own.factor[h])
    return h, stay * factor, (opening + active.base[h]) * factor


@inlined
def scale_slots(tables, terms, active, own, shape, n_slots, late):
    """Let the weights of all slots be those of a stream whose restaurants are open; nothing is `late` then."""
    if len(own) == 0:
        return late
    for h in range(n_slots):
        if active.topic[h] < shape.n_held:
            write_terms(active, scaled_terms(tables, terms, active, own, shape, np.uint64(h)))
    return np.uint64(0), active.stay[0], active.opening[0]


@inner
def weigh_dishes(franchise, active, own, shape, gain, token, n_listed):
    """Weights of the topics that have the word, beyond those of their slots; returns their total."""
    net, tables, terms = franchise
    total = 0.0
    for p in range(n_listed):
        h = np.uint64(own.slot[p])
        k = np.uint64(active.topic[h])
        own.weights[p] = 0.0
        if own.seated[p] > 0 and k < np.uint64(shape.n_held):
            _, stays, opening = new_terms(tables, terms, active, shape, h)
            value = stays + gain * (opening + active.base[h])
            weight = value * repeat_weight(tables, terms, own, token.word_node, h, net.stay[token.row + k])
            own.weights[p] = weight
            total += weight
    return total


@inlined
def slot_at(arrays, gain, row, sizes, held, x):
    """The slot into which x falls, uniform on (0, weights of slots and of topics that have the word)."""
    n_slots, _, n_listed = sizes
    if x < held or n_listed <= 0:
        return topic_draw.slot_at(arrays.franchise.net, arrays.scratch, gain, row, n_slots, x)
    return listed_at(arrays.own, n_listed, x - held)


@inlined
def open_fresh(net, active, shape, k, n_slots):
    """A slot for topic k, which has none, with its weight."""
    h, n_slots = open_slot(net, active, shape, k, n_slots)
    active.opening[h] = active.base[h]
    return h, n_slots


@inner
def fresh_by_scan(net, active, shape, row, x):
    """The sum of p_k phi_kw over the topics that have no slot; or, for x >= 0, the topic into which x of it falls."""
    total, chosen = 0.0, np.int64(-1)
    for k in range(shape.n_held):
        weight = float(base_of(net, shape, np.uint64(k)) * net.stay[row + np.uint64(k)])
        if active.slot_of[k] == NO_SLOT and weight > 0.0:
            total, chosen = total + weight, np.int64(k)
            if x >= 0.0 and x < total:
                break
    return total, chosen


@inner
def draw_by_scan(arrays, document, gain, row, sizes, held, extra, n):
    """As `draw`, without rejections."""
    net, active, shape = arrays.franchise.net, arrays.scratch, document.shape
    real = net.stay.dtype.type
    fresh = gain * real(fresh_by_scan(net, active, shape, row, real(-1.0))[0])
    x = uniform_in(real, document.key, n) * (held + extra + fresh)
    if x >= held + extra and fresh > real(0.0):
        _, k = fresh_by_scan(net, active, shape, row, (x - (held + extra)) / gain)
        return open_fresh(net, active, shape, np.uint64(k), sizes[0])
    return slot_at(arrays, gain, row, sizes, held, x), sizes[0]


@inlined
def draw_own(arrays, document, mean, token, sizes, weights, n):
    """A slot in proportion to its weight, among the document's or afresh; the number of slots, and the counter."""
    net, sums, active, shape, n_slots = arrays.franchise.net, arrays.sums, arrays.scratch, document.shape, sizes[0]
    gain, held = weights
    real, row = net.stay.dtype.type, token.row
    extra = real(0.0)
    if sizes[2] > 0:
        extra = real(weigh_dishes(arrays.franchise, active, arrays.own, shape, gain, token, sizes[2]))
    fresh = weigh_fresh(net, sums, active, shape, gain, token)
    rest = np.float64(extra) + np.float64(fresh)
    count_by_chance(arrays, mean, shape, gain, token, sizes, (held, rest))
    for _ in range(TRIES):
        x = uniform_in(real, document.key, n) * (held + extra + fresh)
        n += 1
        if x < held + extra:
            return slot_at(arrays, gain, row, sizes, held, x), n_slots, n
        if fresh > real(0.0):
            k = np.uint64(fresh_topic(net, sums, active, shape, token, (x - (held + extra)) / fresh))
            if active.slot_of[k] == NO_SLOT:
                h, n_slots = open_fresh(net, active, shape, k, n_slots)
                return h, n_slots, n
    h, n_slots = draw_by_scan(arrays, document, gain, row, sizes, held, extra, n)
    return h, n_slots, n + 1
