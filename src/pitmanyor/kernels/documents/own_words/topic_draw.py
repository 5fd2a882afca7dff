"""A topic for a token whose words have crossed nodes, given the shared vectors (maths 4).

With E = b + a T of the document's node, one of its topics weighs [stay + E open p_k] A(crossed node, w), where the last
is a factor of phi_kw but for the few topics that have the word. The others weigh E p_k phi_kw. A topic is proposed from
all of these and from E p_k phi_kw of all topics, which is cached; what this proposes of the document's own topics is
rejected, and drawn again.
"""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.one_node.explicit import fresh_topic, heaviest, slot_below, sum_of
from pitmanyor.kernels.documents.one_node.scratch import NONE, base_of, new_terms, open_slot, write_terms
from pitmanyor.kernels.documents.own_words.word_repeats import listed_at, repeat_weight
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import uniform_in

TRIES = 16  # proposals of a topic before one is drawn by a full scan


@inlined
def scaled_terms(tables, terms, slots, crossed, shape, h):
    """Slot h with stay and open p_k after a change of its counts, times its factor of phi_kw; not yet written."""
    _, stay, opening = new_terms(tables, terms, slots, shape, h)
    factor = slots.stay.dtype.type(crossed.factor[h])
    return h, stay * factor, (opening + slots.base[h]) * factor


@inlined
def scale_slots(tables, terms, slots, crossed, shape, n_slots):
    """Let the weights of all slots be those of a stream whose restaurants are open."""
    for h in range(n_slots):
        if slots.topic[h] < shape.n_held:
            write_terms(slots, scaled_terms(tables, terms, slots, crossed, shape, np.uint64(h)))


@inner
def weigh_dishes(net, tables, terms, slots, crossed, shape, crossing, gain, row, n_listed):
    """Weights of those who have the word, beyond what their slots give them; returns their total."""
    total = 0.0
    for p in range(n_listed):
        h = np.uint64(crossed.slot[p])
        k = np.uint64(slots.topic[h])
        crossed.weights[p] = 0.0
        if crossed.seated[p] > 0 and k < np.uint64(shape.n_held):
            _, stays, opening = new_terms(tables, terms, slots, shape, h)
            value = stays + gain * (opening + slots.base[h])
            weight = value * repeat_weight(tables, terms, crossed, crossing, h, net.stay[row + k])
            crossed.weights[p] = weight
            total += weight
    return total


@inlined
def slot_at(net, slots, crossed, gain, row, n_slots, n_listed, held, x):
    """The slot into which x falls, uniform on (0, weights of slots and of those who have the word)."""
    if x < held or n_listed == 0:
        h = slot_below(slots, x, n_slots)
        return h if h < np.uint64(n_slots) else heaviest(net, slots, gain, row, n_slots)
    return listed_at(crossed, n_listed, x - held)


@inlined
def open_fresh(net, slots, shape, k, n_slots):
    """A slot for topic k, which has none, with its weight."""
    h, n_slots = open_slot(net, slots, shape, k, n_slots)
    slots.opening[h] = slots.base[h]
    return h, n_slots


@inner
def fresh_by_scan(net, slots, shape, row, x):
    """The sum of p_k phi_kw over the topics that have no slot; or, for x >= 0, the topic into which x of it falls."""
    total, chosen = 0.0, np.int64(-1)
    for k in range(shape.n_held):
        weight = float(base_of(net, shape, np.uint64(k)) * net.stay[row + np.uint64(k)])
        if slots.slot_of[k] == NONE and weight > 0.0:
            total, chosen = total + weight, np.int64(k)
            if x >= 0.0 and x < total:
                break
    return total, chosen


@inner
def draw_by_scan(net, slots, crossed, shape, gain, row, n_slots, n_listed, held, extra, key, n):
    """As `draw`, without rejections."""
    real = net.stay.dtype.type
    fresh = gain * real(fresh_by_scan(net, slots, shape, row, real(-1.0))[0])
    x = uniform_in(real, key, n) * (held + extra + fresh)
    if x >= held + extra and fresh > real(0.0):
        _, k = fresh_by_scan(net, slots, shape, row, (x - (held + extra)) / gain)
        return open_fresh(net, slots, shape, np.uint64(k), n_slots)
    return slot_at(net, slots, crossed, gain, row, n_slots, n_listed, held, x), n_slots


@inlined
def draw(net, sums, slots, crossed, shape, gain, place, word, row, n_slots, n_listed, held, extra, key, n):
    """A slot in proportion to its weight, among the document's or afresh; the number of slots, and the counter."""
    s, pair = place
    real = net.stay.dtype.type
    scale = shape.constant if shape.row < 0 else 1.0
    fresh = gain * real(scale * sum_of(net, sums, slots, shape, s, pair, word, row))
    for _ in range(TRIES):
        x = uniform_in(real, key, n) * (held + extra + fresh)
        n += 1
        if x < held + extra:
            return slot_at(net, slots, crossed, gain, row, n_slots, n_listed, held, x), n_slots, n
        if fresh > real(0.0):
            k = np.uint64(fresh_topic(net, sums, slots, shape, pair, word, row, (x - (held + extra)) / fresh))
            if slots.slot_of[k] == NONE:
                h, n_slots = open_fresh(net, slots, shape, k, n_slots)
                return h, n_slots, n
    h, n_slots = draw_by_scan(net, slots, crossed, shape, gain, row, n_slots, n_listed, held, extra, key, n)
    return h, n_slots, n + 1
