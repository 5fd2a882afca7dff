"""Words of the document's own, over topic nodes: a node per document and topic over a shared one (maths 4).

With f = E / (b + C) of a topic's restaurant (own_words/scratch.py), a topic of the document weighs f A phi_kw, and more
if it has the current word. So slots have the weight max(f A - form, 0) phi_kw, topics that have the word their bracket,
and all topics form phi_kw, as in topic_draw.py. If f A is below the form, a topic drawn by the form is accepted with
their ratio as its probability; otherwise everything is drawn again.
"""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.one_node.scratch import NO_SLOT
from pitmanyor.kernels.documents.own_words.word_repeats import TRIES, listed_at, move_restaurant, repeat_weight
from pitmanyor.kernels.documents.product_sums import product
from pitmanyor.kernels.documents.topic_nodes.leaf_mean import count_by_chance
from pitmanyor.kernels.documents.topic_nodes.node_seating import form_at, value_at
from pitmanyor.kernels.documents.topic_nodes.scratch import ONE, TWO
from pitmanyor.kernels.documents.topic_nodes.topic_draw import draw_fresh, slot_below, weigh_form, weigh_slots
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import uniform, uniform_in


@inlined
def move_words(own, h, last, n_listed):
    """Slot `last` takes the place of h; returns how many topics have the current word."""
    if len(own) == 0:
        return n_listed
    return move_restaurant(own, np.uint64(h), np.uint64(last), n_listed)


@inner
def weigh_repeats(franchise, rows, own, frame, gain, token, n_listed):
    """Weights of the topics that have the word, beyond what their slots give them; returns their total."""
    net, tables, terms = franchise
    total = 0.0
    for p in range(n_listed):
        slot = np.uint64(own.slot[p])
        own.weights[p] = 0.0
        if own.seated[p] > 0:
            phi = float(net.stay[token.row + np.uint64(rows.topic[slot])])
            weight = value_at(rows, frame, token.leaf, gain, slot)
            weight *= repeat_weight(tables, terms, own, token.word_node, slot, phi)
            own.weights[p] = weight
            total += weight
    return total


@inlined
def chance(rows, own, frame, leaf, gain, k):
    """With which a topic drawn by the form is taken."""
    if rows.slot_of[np.uint64(k)] == NO_SLOT:
        return 1.0
    slot = np.uint64(rows.slot_of[np.uint64(k)])
    form = form_at(rows, frame, slot)
    value = value_at(rows, frame, leaf, gain, slot) * own.factor[slot]
    return value / (gain * form) if value < gain * form else 1.0


@inner
def form_by_scan(net, rows, own, frame, leaf, gain, row, x):
    """What topics weigh by the form as far as they are taken; or, for x >= 0, the topic into which x of it falls."""
    total, chosen = 0.0, np.int64(-1)
    for k in range(frame.n_held):
        weight = 0.0
        for i in range(frame.n_bases):
            r = np.uint64(i)
            weight += float(rows.form[r]) * product(net.stay, rows.bases[r * TWO + ONE], np.int64(row), k)
        weight *= gain * chance(rows, own, frame, leaf, gain, k)
        if weight > 0.0:
            total, chosen = total + weight, np.int64(k)
            if x >= 0.0 and x < total:
                break
    return total, chosen


@inlined
def topic_at(rows, own, frame, n_slots, n_listed, held, x):
    """The topic into which x falls, uniform on (0, weights of slots and of the topics that have the word)."""
    if x < held or n_listed <= 0:
        return np.int64(rows.topic[np.uint64(slot_below(rows, frame, x, n_slots))])
    return np.int64(rows.topic[listed_at(own, n_listed, x - held)])


@inner
def draw_by_scan(arrays, document, gain, token, sizes, weights, n):
    """As `draw_own`, without refusals; `weights` are those of slots and of repeated words."""
    net, rows, own, frame, (held, again) = arrays.franchise.net, arrays.scratch, arrays.own, document.frame, weights
    real, leaf, row = rows.reals.dtype.type, token.leaf, token.row
    fresh = real(form_by_scan(net, rows, own, frame, leaf, gain, row, -1.0)[0])
    x = uniform_in(real, document.key, n) * (held + again + fresh)
    if x >= held + again and fresh > real(0.0):
        return form_by_scan(net, rows, own, frame, leaf, gain, row, x - (held + again))[1]
    return topic_at(rows, own, frame, sizes[0], sizes[1], held, x)


@inlined
def draw_own(arrays, document, mean, gain, token, sizes, n):
    """A topic in proportion to its weight, among the document's slots or afresh; and the counter."""
    net, sums, rows, own, frame = arrays.franchise.net, arrays.sums, arrays.scratch, arrays.own, document.frame
    (n_slots, n_listed), key, leaf = sizes, document.key, token.leaf
    real = rows.reals.dtype.type
    held, again = weigh_slots(net, rows, own.factor, frame, leaf, gain, token.row, n_slots), real(0.0)
    if n_listed > 0:
        again = real(weigh_repeats(arrays.franchise, rows, own, frame, gain, token, n_listed))
    fresh = real(weigh_form(net, sums, rows, frame, gain, token))
    rest = np.float64(again) + np.float64(fresh)
    count_by_chance(arrays, mean, frame, gain, token, sizes, (held, rest))
    for _ in range(TRIES):
        x = uniform_in(real, key, n) * (held + again + fresh)
        n += 1
        if x < held + again or fresh <= real(0.0):
            return topic_at(rows, own, frame, n_slots, n_listed, held, x), n
        k = np.int64(draw_fresh(net, sums, rows, frame, gain, token, x - (held + again)))
        taken = chance(rows, own, frame, leaf, gain, k)
        if taken >= 1.0:
            return k, n
        n += 1
        if uniform(key, n - 1) < taken:
            return k, n
    k = draw_by_scan(arrays, document, gain, token, sizes, (held, again), n)
    return k, n + 1
