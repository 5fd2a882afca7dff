"""A topic for a token of a document of any graph, given the shared vectors (maths 4).

A topic that the document does not hold weighs A(leaf, k) A(word leaf, w), a sum of products over pairs of shared
positions of the two sides."""

from __future__ import annotations

from pitmanyor.kernels.documents.general.node_values import evaluate
from pitmanyor.kernels.documents.general.scratch import OF_TOPIC, TOPIC, WORD
from pitmanyor.kernels.documents.one_node.scratch import CONSTANT
from pitmanyor.kernels.documents.product_sums import dot, pick_product, product
from pitmanyor.kernels.restaurant.arrays import (
    AT,
    ROW,
)
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import uniform

FRESH_TRIES = 32  # draws of a topic outside the document before it is found by a full scan


@inlined
def row_of(net, side, pos):
    return CONSTANT if pos < 0 else net.cells[side.scratch[AT, pos], ROW]


@inlined
def components(arrays, place, s, word, n_held, out):
    """The total weight of topics as if none were held, split over pairs of positions (into `out`)."""
    part, _, word_side, _ = place
    net, doc, sums = arrays.franchise.net, arrays.scratch, arrays.sums
    total, c = 0.0, 0
    for j in range(-1, part[1]):
        a = doc.forms[TOPIC, 0] if j < 0 else doc.forms[TOPIC, 1 + j]
        for i in range(-1, word_side[1]):
            b = doc.forms[WORD, 0] if i < 0 else doc.forms[WORD, 1 + i]
            out[c] = 0.0
            if a != 0.0 and b != 0.0:
                cached = sums.pair[j + 1, s, i + 1]
                if cached >= 0:
                    mass = sums.total[cached, word]
                else:
                    a_row, b_row = row_of(net, arrays.topics, j), row_of(net, arrays.words, i)
                    mass = dot(net.stay, a_row, b_row, n_held, doc.blocks)
                out[c] = a * b * mass
            total += out[c]
            c += 1
    return total


@inner
def pick_fresh(arrays, place, s, word, n_held, parts, x):
    """The topic into which x, uniform on (0, sum of the components), falls."""
    net, doc, sums = arrays.franchise.net, arrays.scratch, arrays.sums
    n_words = place[2][1] + 1
    c, last = 0, (place[0][1] + 1) * n_words - 1
    while c < last and x >= parts[c]:
        x -= parts[c]
        c += 1
    while parts[c] <= 0.0 and c > 0:  # reached by rounding only
        c -= 1
    j, i = c // n_words - 1, c % n_words - 1
    a, b = row_of(net, arrays.topics, j), row_of(net, arrays.words, i)
    cached = sums.pair[j + 1, s, i + 1]
    if cached >= 0:
        return pick_product(net.stay, a, b, sums.blocks[cached, word], x / parts[c] * sums.total[cached, word], n_held)
    mass = dot(net.stay, a, b, n_held, doc.blocks)
    return pick_product(net.stay, a, b, doc.blocks, x / parts[c] * mass, n_held)


@inner
def scan_fresh(net, doc, topics, words, place, n_held, x):
    """As `pick_fresh`, but among topics that no slot holds, by a full scan; -1 if there is none."""
    total, chosen = 0.0, -1
    for turn in range(2):
        reached = 0.0
        for k in range(n_held):
            if doc.slot_of[k] >= 0:
                continue
            left, right = doc.forms[TOPIC, 0], doc.forms[WORD, 0]
            for j in range(place[0][1]):
                left += doc.forms[TOPIC, 1 + j] * product(net.stay, row_of(net, topics, j), CONSTANT, k)
            for i in range(place[2][1]):
                right += doc.forms[WORD, 1 + i] * product(net.stay, row_of(net, words, i), CONSTANT, k)
            reached += left * right
            if turn == 1 and left * right > 0.0:
                chosen = k
                if reached > x * total:
                    return chosen
        total = reached
    return chosen


@inlined
def weigh_slots(net, doc, topics, words, place, local_words, n_held):
    """Weights of the document's held topics, in excess of what the components give them; or, where the word side
    has local nodes (the excess can be negative), their whole weights. Returns their sum and the components' share."""
    part, leaf, word_side, bottom = place
    total, covered = 0.0, 0.0
    for h in range(doc.slots[-1, OF_TOPIC]):
        k = doc.slots[h, OF_TOPIC]
        doc.weights[h] = 0.0
        if k >= n_held:
            continue
        value, base = evaluate(net, doc, topics, part, leaf, h), doc.forms[TOPIC, 0]
        for j in range(part[1]):
            if doc.forms[TOPIC, 1 + j] != 0.0:
                base += doc.forms[TOPIC, 1 + j] * product(net.stay, row_of(net, topics, j), CONSTANT, k)
        word_value = evaluate(net, doc, words, word_side, bottom, h)
        if local_words:
            word_base = doc.forms[WORD, 0]
            for i in range(word_side[1]):
                if doc.forms[WORD, 1 + i] != 0.0:
                    word_base += doc.forms[WORD, 1 + i] * product(net.stay, row_of(net, words, i), CONSTANT, k)
            covered += base * word_base
            doc.weights[h] = value * word_value
        else:
            doc.weights[h] = max(value - base, 0.0) * word_value
        total += doc.weights[h]
    return total, covered


@inlined
def draw_topic(arrays, place, s, word, n_held, parts, key, n):
    """A topic among the held ones for a token that was taken out."""
    net, topics, words, doc = arrays.franchise.net, arrays.topics, arrays.words, arrays.scratch
    local_words = place[3] >= place[2][1]
    whole = components(arrays, place, s, word, n_held, parts)
    held, covered = weigh_slots(net, doc, topics, words, place, local_words, n_held)
    fresh = max(whole - covered, 0.0)
    x = uniform(key, n) * (held + fresh)
    n += 1
    if x < held or fresh <= 0.0:
        h, last = 0, doc.slots[-1, OF_TOPIC] - 1
        while h < last and x >= doc.weights[h]:
            x -= doc.weights[h]
            h += 1
        while doc.weights[h] <= 0.0 and h > 0:  # reached by rounding only
            h -= 1
        return doc.slots[h, OF_TOPIC], n
    if not local_words:
        return pick_fresh(arrays, place, s, word, n_held, parts, x - held), n
    for _ in range(FRESH_TRIES):
        k = pick_fresh(arrays, place, s, word, n_held, parts, uniform(key, n) * whole)
        n += 1
        if doc.slot_of[k] < 0:
            return k, n
    k = scan_fresh(net, doc, topics, words, place, n_held, uniform(key, n))
    if k < 0:  # `fresh` was rounding: every held topic has a slot
        h = 0
        for other in range(doc.slots[-1, OF_TOPIC]):
            if doc.weights[other] > doc.weights[h]:
                h = other
        k = doc.slots[h, OF_TOPIC]
    return k, n + 1
