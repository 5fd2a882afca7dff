"""A cluster for a token, in proportion to its weight, and its expected contribution to every topic (maths 7)."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.clusters.cluster_seats import (
    enter,
    exit_from,
    found_cluster,
    free_slot,
    place,
    settle,
)
from pitmanyor.kernels.documents.clusters.label_rows import add_labels_with, mass_with, mass_without
from pitmanyor.kernels.documents.one_node.scratch import NO_SLOT
from pitmanyor.kernels.documents.topic_nodes.node_seating import leave, seat, stay_of, value_at
from pitmanyor.kernels.documents.topic_nodes.scratch import (
    CONC,
    FACTS,
    NODE_CUSTOMERS,
    NODE_GAIN,
    OPENED_HERE,
    SCALARS,
    SITTING,
    STEP,
    count_at,
)
from pitmanyor.kernels.documents.topic_nodes.topic_draw import evaluate, sum_of, weigh_form
from pitmanyor.kernels.runtime.jit import inlined
from pitmanyor.kernels.runtime.random import uniform

NO_CLUSTER = np.int64(-1)  # in place of the slot of one
SLIGHT = 1e-5  # probabilities below this are not counted, which biases a share by at most as much


@inlined
def weigh(arrays, clusters, frame, token, n_slots, left):
    """What a token weighs in every cluster, and in all of them; `left` has the slot it left and the mass there now."""
    net, rows = arrays.franchise.net, arrays.scratch
    gain, total = rows.scalars[np.uint64(token.leaf) * SCALARS + NODE_GAIN], 0.0
    for h in range(frame.n_bases, n_slots):
        slot, weight = np.uint64(h), 0.0
        if rows.tokens[slot] > 0:
            mass = clusters.mass[slot]
            if h == left[0]:
                clusters.joined[slot], mass = mass, left[1]
            else:
                at = place(clusters, slot)
                clusters.joined[slot] = mass_with(clusters.labels, at, net.stay, token.row, frame.n_held)
            weight = value_at(rows, frame, token.leaf, gain, slot) * clusters.joined[slot] / mass
        clusters.weight[slot] = weight
        total += weight
    return total


@inlined
def part_of(rows, frame, leaf, gain, slot):
    """The part of a new customer of the leaf that counts, 1 - a t/c, in expectation over whether it opens a table."""
    at = count_at(frame, leaf, slot)
    c, t = np.float64(rows.counts[at + SITTING]) + 1.0, np.float64(rows.counts[at + OPENED_HERE])
    a = rows.scalars[np.uint64(leaf) * SCALARS + STEP]
    if a == 0.0:
        return 1.0
    sits = np.float64(rows.reals[stay_of(rows, frame, leaf) + slot]) / value_at(rows, frame, leaf, gain, slot)
    return 1.0 - a * (t + 1.0 - sits) / c


@inlined
def count_by_chance(arrays, clusters, mean, frame, token, n_slots, left, total):
    """Add to every topic the probability of a token to be of it, less a t/c with the new c and t."""
    if not mean.by_chance or token.leaf != mean.leaf:
        return
    net, rows, leaf = arrays.franchise.net, arrays.scratch, token.leaf
    scalar = np.uint64(leaf) * SCALARS
    gain, n_customers = rows.scalars[scalar + NODE_GAIN], rows.facts[np.uint64(leaf) * FACTS + NODE_CUSTOMERS] + 1.0
    by = 1.0 / ((rows.scalars[scalar + CONC] + n_customers) * total)
    for h in range(frame.n_bases, n_slots):
        slot = np.uint64(h)
        if clusters.weight[slot] > SLIGHT * total:
            part = clusters.weight[slot] * by * part_of(rows, frame, leaf, gain, slot) / clusters.joined[slot]
            if h == left[0]:
                clusters.owed[slot] += part
            else:
                at = place(clusters, slot)
                add_labels_with(clusters.batch, clusters.labels, at, net.stay, token.row, part, frame.n_held)
    first, kept = np.uint64(token.place * frame.n_bases), 1.0 - rows.scalars[scalar + STEP]
    for r in range(frame.n_bases):
        mean.sums.of_tokens[first + np.uint64(r)] += kept * by * gain * np.float64(rows.form[np.uint64(r)])


@inlined
def draw_slot(clusters, frame, n_slots, x):
    """The slot into which x falls, uniform on (0, sum of the weights), or nowhere, and what is left of x."""
    for h in range(frame.n_bases, n_slots):
        weight = clusters.weight[np.uint64(h)]
        if x < weight:
            return np.int64(h), x
        x -= weight
    return NO_CLUSTER, x


@inlined
def draw_base(arrays, frame, token, x):
    """The base of a new cluster, in proportion to what the token weighs there."""
    rows, last = arrays.scratch, np.int64(0)
    gain = rows.scalars[np.uint64(token.leaf) * SCALARS + NODE_GAIN]
    for r in range(frame.n_bases):
        if rows.form[np.uint64(r)] != 0.0:
            last = np.int64(r)
            x -= (
                gain * float(rows.form[np.uint64(r)]) * sum_of(arrays.franchise.net, arrays.sums, rows, frame, r, token)
            )
            if x < 0.0:
                break
    return last


@inlined
def take_out(arrays, clusters, document, token, n):
    """Take a token out of its slot; whether it left (rule `paper` may keep it), slot and mass there, the counter."""
    rows, frame = arrays.scratch, document.frame
    seated = rows.seat[np.uint64(token.place)]
    if seated == NO_SLOT:
        return True, (NO_CLUSTER, 0.0), n
    slot = np.uint64(seated)
    went, n = leave(arrays.franchise, rows, frame, token.leaf, np.int64(slot), document.key, n)
    mass = 0.0
    if went:
        rows.tokens[slot] -= 1
        if rows.tokens[slot] > 0:
            at = place(clusters, slot)
            mass = mass_without(clusters.labels, at, arrays.franchise.net.stay, token.row, frame.n_held)
    return went, (np.int64(slot), mass), n


@inlined
def move(arrays, clusters, frame, token, left, joined, base, n_slots):
    """Labels after a token has left one slot for another, or for a new cluster; its slot, and their number."""
    net, rows = arrays.franchise.net, arrays.scratch
    if left[0] >= 0 and joined != left[0] and rows.tokens[np.uint64(left[0])] > 0:
        exit_from(net, clusters, np.uint64(left[0]), token.row, left[1], frame.n_held)
    if joined == NO_CLUSTER:
        joined, n_slots = free_slot(rows, frame, n_slots)
        found_cluster(net, rows, clusters, frame, token.leaf, np.uint64(joined), base, token.row)
    elif joined != left[0]:
        enter(net, clusters, np.uint64(joined), token.row, frame.n_held)
    return joined, n_slots


@inlined
def update_token(arrays, clusters, document, mean, token, n_slots, n):
    """One Gibbs update of a token; the numbers of slots and of random draws used."""
    net, rows, (_, frame, _, key) = arrays.franchise.net, arrays.scratch, document
    went, left, n = take_out(arrays, clusters, document, token, n)
    if not went:
        return n_slots, n
    evaluate(rows, frame, token.leaf, n_slots)
    gain = rows.scalars[np.uint64(token.leaf) * SCALARS + NODE_GAIN]
    held = weigh(arrays, clusters, frame, token, n_slots, left)
    fresh = weigh_form(net, arrays.sums, rows, frame, gain, token)
    count_by_chance(arrays, clusters, mean, frame, token, n_slots, left, max(held + fresh, 1e-300))
    joined, x = draw_slot(clusters, frame, n_slots, uniform(key, n) * (held + fresh))
    base = draw_base(arrays, frame, token, x) if joined == NO_CLUSTER else np.int64(0)
    is_new = joined == NO_CLUSTER
    joined, n_slots = move(arrays, clusters, frame, token, left, joined, base, n_slots)
    slot = np.uint64(joined)
    rows.tokens[slot] += 1
    rows.seat[np.uint64(token.place)] = np.uint32(joined)
    n = seat(arrays.franchise, rows, frame, token.leaf, joined, key, n + 1)
    if is_new:
        settle(rows, clusters, frame, slot)
    return n_slots, n
