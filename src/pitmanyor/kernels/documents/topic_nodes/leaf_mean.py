"""The mean of a leaf of a new document, and what its tokens contribute in expectation (maths 7)."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.topic_nodes.node_seating import base_parts, bases_of, stay_of, value_at
from pitmanyor.kernels.documents.topic_nodes.scratch import (
    CONC,
    FACTS,
    FIRST_ROW,
    NODE_CUSTOMERS,
    NODE_GAIN,
    ONE,
    OPENED_HERE,
    SCALARS,
    SITTING,
    STEP,
    TWO,
    VALUED,
    count_at,
)
from pitmanyor.kernels.runtime.jit import inlined


@inlined
def weights_at(rows, frame, leaf, gain, slot):
    """What the topic of a slot weighs, how much of it at old tables, and what it would weigh without customers."""
    real, form = rows.reals.dtype.type, rows.reals.dtype.type(0.0)
    for i in range(frame.n_bases):
        r = np.uint64(i)
        form += rows.form[r] * rows.reals[r * frame.width + slot]
    (up, shares), stay = bases_of(rows, leaf), stay_of(rows, frame, leaf) + slot
    base = shares[0] * rows.reals[up[0] + slot] + shares[1] * rows.reals[up[1] + slot]
    sits = rows.reals[stay]
    return sits + real(gain) * rows.reals[stay + frame.width] * base, sits, real(gain) * form


@inlined
def all_weights(net, rows, own, frame, gain, token, n_slots, weights):
    """What all topics weigh. A slot of own words may weigh less than by the form, which `weights` do not tell."""
    if len(own) == 0:
        return np.float64(weights[0]) + weights[1]
    beyond, real = rows.reals.dtype.type(0.0), rows.reals.dtype.type
    for h in range(frame.n_bases, n_slots):
        slot = np.uint64(h)
        weight, _, form = weights_at(rows, frame, token.leaf, gain, slot)
        beyond += (weight * real(own.factor[slot]) - form) * net.stay[token.row + np.uint64(rows.topic[slot])]
    return np.float64(beyond) + weights[1]


@inlined
def set_parts(rows, mean, frame, h):
    """What a token that joins slot h adds in expectation, per unit of its weight and of its weight at old tables."""
    if len(mean) == 0:
        return
    at = count_at(frame, mean.leaf, h)
    c, t = np.float64(rows.counts[at + SITTING]), np.float64(rows.counts[at + OPENED_HERE])
    part = rows.scalars[np.uint64(mean.leaf) * SCALARS + STEP] / (c + 1.0)
    mean.sums.of_weight[np.uint64(h)], mean.sums.of_stay[np.uint64(h)] = 1.0 - part * (t + 1.0), part


@inlined
def move_parts(mean, h, last):
    """Slot `last` takes the place of h."""
    if len(mean) == 0:
        return
    here, there = np.uint64(h), np.uint64(last)
    mean.sums.of_weight[here], mean.sums.of_stay[here] = mean.sums.of_weight[there], mean.sums.of_stay[there]


@inlined
def factor_at(own, real, slot):
    if len(own) == 0:
        return real(1.0)
    return real(own.factor[slot])


@inlined
def count_by_chance(arrays, mean, frame, gain, token, sizes, weights):
    """Add to every topic the probability of a token to be of it, less a t/c with the new c and t.

    `weights` are those of slots beyond the form, and of the form and repeated words.
    """
    if len(mean) == 0:
        return
    leaf = token.leaf
    if not mean.by_chance or leaf != mean.leaf:
        return
    net, rows, own, (n_slots, n_listed) = arrays.franchise.net, arrays.scratch, arrays.own, sizes
    scalar, real, sums = np.uint64(leaf) * SCALARS, rows.reals.dtype.type, mean.sums
    n_customers = np.float64(rows.facts[np.uint64(leaf) * FACTS + NODE_CUSTOMERS]) + 1.0
    total = max(all_weights(net, rows, own, frame, gain, token, n_slots, weights), 1e-300)
    by = 1.0 / ((rows.scalars[scalar + CONC] + n_customers) * total)
    left = 1.0 - rows.scalars[scalar + STEP]
    for h in range(frame.n_bases, n_slots):
        slot = np.uint64(h)
        weight, sits, form = weights_at(rows, frame, leaf, gain, slot)
        weight = (sums.of_weight[slot] * weight + sums.of_stay[slot] * sits) * factor_at(own, real, slot)
        k = np.uint64(rows.topic[slot])
        mean.shares[k] += (weight - real(left) * form) * net.stay[token.row + k] * real(by)
    count_repeats(rows, own, mean, frame, leaf, gain, n_listed, by)
    first = np.uint64(token.place * frame.n_bases)
    for r in range(frame.n_bases):
        sums.of_tokens[first + np.uint64(r)] += left * by * gain * np.float64(rows.form[np.uint64(r)])


@inlined
def count_repeats(rows, own, mean, frame, leaf, gain, n_listed, by):
    """Add to the topics that have the word what they weigh beyond their slots."""
    if len(own) == 0:
        return
    stay = stay_of(rows, frame, leaf)
    for p in range(n_listed):
        if own.weights[p] > 0.0:
            slot = np.uint64(own.slot[p])
            sits = np.float64(rows.reals[stay + slot]) / value_at(rows, frame, leaf, gain, slot)
            part = np.float64(mean.sums.of_weight[slot]) + np.float64(mean.sums.of_stay[slot]) * sits
            mean.shares[np.uint64(rows.topic[slot])] += np.float64(own.weights[p]) * part * by


@inlined
def set_means(rows, mean, frame, n_slots):
    """Means of the leaf and the nodes above it given the seats (appendix B), in their rows of A; where the leaf's is.

    If tokens are counted by probability, the leaf's customers have been added already.
    """
    rows.known[VALUED] = 0  # the rows of A have means for a while
    for j in range(mean.leaf + 1):
        fact, scalar = np.uint64(j) * FACTS, np.uint64(j) * SCALARS
        a, gain = rows.scalars[scalar + STEP], rows.scalars[scalar + NODE_GAIN]
        scale = 1.0 / (rows.scalars[scalar + CONC] + np.float64(rows.facts[fact + NODE_CUSTOMERS]))
        first, counted = np.uint64(rows.facts[fact + FIRST_ROW]), not mean.by_chance or j < mean.leaf
        for h in range(n_slots):
            at, parts = count_at(frame, j, h), base_parts(rows, j, h)
            here = 0.0
            if counted and h >= frame.n_bases:
                here = np.float64(rows.counts[at + SITTING]) - a * np.float64(rows.counts[at + OPENED_HERE])
            rows.reals[first + np.uint64(h)] = (here + gain * (parts[0] + parts[1])) * scale
    return np.uint64(rows.facts[np.uint64(mean.leaf) * FACTS + FIRST_ROW])


@inlined
def keep(rows, mean, frame, n_slots):
    """Add the mean of the leaf given the seats: at every slot what it has beyond its form, and its form."""
    first = set_means(rows, mean, frame, n_slots)
    for h in range(frame.n_bases, n_slots):
        slot, form = np.uint64(h), 0.0
        for i in range(frame.n_bases):
            r = np.uint64(i)
            form += np.float64(rows.reals[first + r]) * np.float64(rows.reals[r * frame.width + slot])
        mean.shares[np.uint64(rows.topic[slot])] += max(np.float64(rows.reals[first + slot]) - form, 0.0)
    for i in range(frame.n_bases):
        mean.sums.of_bases[i] += np.float64(rows.reals[first + np.uint64(i)])


@inlined
def base_row(rows, r):
    """Where p of base r lies, or a row below 0: one for every topic."""
    return rows.bases[np.uint64(r) * TWO + ONE]
