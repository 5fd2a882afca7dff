"""The mean of a new document's node, and what its tokens contribute in expectation (maths 7)."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.runtime.jit import inlined


@inlined
def set_parts(active, mean, shape, h):
    """What a token that joins slot h adds in expectation, per unit of its weight and of its weight at old tables."""
    if len(mean) == 0:
        return
    part = shape.discount / (np.float64(active.customers[h]) + 1.0)
    mean.sums.of_weight[h], mean.sums.of_stay[h] = 1.0 - part * (np.float64(active.tables[h]) + 1.0), part


@inlined
def whole_weight(active, own, h, gain):
    """stay + E open p_k of slot h; with own words times its factor of phi_kw, as its terms are."""
    if len(own) == 0:
        return active.stay[h] + gain * (active.opening[h] + active.base[h])
    return active.stay[h] + gain * active.opening[h]


@inlined
def all_weights(net, active, own, gain, row, n_slots, weights):
    """The weight of all topics; with own words, without the document's part of the sum over all topics."""
    if len(own) == 0:
        return np.float64(weights[0]) + weights[1]
    twice = active.stay.dtype.type(0.0)
    for i in range(n_slots):
        h = np.uint64(i)
        twice += gain * active.base[h] * net.stay[row + np.uint64(active.column[h])]
    return np.float64(weights[0]) + weights[1] - np.float64(twice)


@inlined
def count_by_chance(arrays, mean, shape, gain, token, sizes, weights):
    """Add to every topic the probability of a token to be of it, less a t/c with the new c and t.

    `weights` are those of slots, and of the sum over all topics and repeated words.
    """
    if len(mean) == 0:
        return
    if not mean.by_chance:
        return
    net, active, own, (n_slots, _, n_listed) = arrays.franchise.net, arrays.scratch, arrays.own, sizes
    row, cut, real, sums = token.row, (1.0 - shape.discount) * np.float64(gain), net.stay.dtype.type, mean.sums
    by = 1.0 / max(all_weights(net, active, own, gain, row, n_slots, weights), 1e-300)
    for i in range(n_slots):
        h = np.uint64(i)
        phi = net.stay[row + np.uint64(active.column[h])] * real(by)
        weight = sums.of_weight[h] * whole_weight(active, own, h, gain) + sums.of_stay[h] * active.stay[h]
        mean.shares[np.uint64(active.topic[h])] += (weight - real(cut) * active.base[h]) * phi
    count_repeats(active, own, mean, gain, n_listed, by)
    sums.of_tokens[token.seat] += cut * by


@inlined
def count_repeats(active, own, mean, gain, n_listed, by):
    """Add to the topics that have the word what they weigh beyond their slots."""
    if len(own) == 0:
        return
    for p in range(n_listed):
        h = np.uint64(own.slot[p])
        sits = np.float64(active.stay[h]) / max(np.float64(whole_weight(active, own, h, gain)), 1e-300)
        part = np.float64(mean.sums.of_weight[h]) + np.float64(mean.sums.of_stay[h]) * sits
        mean.shares[np.uint64(active.topic[h])] += np.float64(own.weights[p]) * part * by


@inlined
def keep(active, mean, shape, n_slots, n_tables):
    """Add the mean of the node given the seats (appendix B), up to b + C.

    If tokens are counted by probability, its customers have been added already.
    """
    mean.sums.of_bases[0] += shape.concentration + shape.discount * n_tables
    if not mean.by_chance:
        for i in range(n_slots):
            h = np.uint64(i)
            here = np.float64(active.customers[h]) - shape.discount * np.float64(active.tables[h])
            mean.shares[np.uint64(active.topic[h])] += here
