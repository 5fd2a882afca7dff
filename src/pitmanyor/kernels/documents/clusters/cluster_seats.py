"""Clusters of a new document's tokens: opened, joined and left (maths 7).

A cluster is a customer of a shared vector and all tokens below it, which have one topic. A slot of `NodeRows` stands
for a cluster instead of a topic: no other customer of a shared vector joins it, so its p is 0 in every base. Its topic
is summed out: `Clusters.labels` has p_k times phi_kw of its tokens, up to a factor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pitmanyor.kernels.documents.clusters.label_rows import add_labels, divide, mass_with, multiply, set_labels
from pitmanyor.kernels.documents.one_node.scratch import NO_SLOT
from pitmanyor.kernels.documents.topic_nodes.scratch import ONE, TWO, VALUED
from pitmanyor.kernels.documents.topic_nodes.topic_draw import evaluate_slot
from pitmanyor.kernels.restaurant.arrays import Floats, Ints, Reals
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined

LIGHT, HEAVY = 1e-6, 1e6  # labels whose mass is within these bounds cannot overflow or underflow


@bundle
class Clusters(NamedTuple):
    """Scratch of one thread, with a leading thread axis until `of_thread` picks one."""

    labels: Reals  # (slot, topic), `stride` apart
    mass: Floats  # (slot): sum of its labels
    joined: Floats  # (slot): the same with the current token
    weight: Floats  # (slot): weight of the current token there
    owed: Floats  # (slot): multiple of its labels still to be added to the batch
    base: Ints  # (slot): the base that its customer is of
    stride: Ints  # [topics that a row of labels has room for]
    batch: Reals  # (topic): shares that this batch of sweeps has got
    whole: Floats  # (topic): those of all topics alike
    firsts: Floats  # (topic): sums of the batches' shares, each batch summing to one
    squares: Floats  # (topic): sums of their squares


@inlined
def place(clusters, slot):
    """Where the labels of a slot lie."""
    return np.uint64(slot) * np.uint64(clusters.stride[0])


@inlined
def pay(clusters, slot, n_topics):
    """Add to the batch what is still due from a cluster's labels, which are about to change."""
    if clusters.owed[slot] != 0.0:
        add_labels(clusters.batch, clusters.labels, place(clusters, slot), clusters.owed[slot], n_topics)
        clusters.owed[slot] = 0.0


@inlined
def factor_for(mass):
    """The factor that keeps the mass of labels from overflow and underflow."""
    return 1.0 / mass if mass < LIGHT or mass > HEAVY else 1.0


@inlined
def enter(net, clusters, slot, row, n_topics):
    """A token joins a cluster, whose labels are multiplied by its word's row."""
    pay(clusters, slot, n_topics)
    mass = clusters.joined[slot]
    by = factor_for(mass)
    multiply(clusters.labels, place(clusters, slot), net.stay, row, by, n_topics)
    clusters.mass[slot] = mass * by


@inlined
def exit_from(net, clusters, slot, row, mass, n_topics):
    """A token leaves a cluster that others stay in, and whose labels then have a known mass."""
    pay(clusters, slot, n_topics)
    by = factor_for(mass)
    divide(clusters.labels, place(clusters, slot), net.stay, row, by, n_topics)
    clusters.mass[slot] = mass * by


@inlined
def free_slot(rows, frame, n_slots):
    """A slot that no token is in, the first there is, and the number of slots then."""
    h = np.int64(frame.n_bases)
    while h < n_slots and rows.tokens[np.uint64(h)] > 0:
        h += 1
    return h, max(n_slots, h + 1)


@inlined
def set_start(rows, frame, slot, r, p):
    """p of a cluster in base r."""
    rows.reals[np.uint64(r) * frame.width + np.uint64(slot)] = p
    rows.known[VALUED] = 0


@inlined
def found_cluster(net, rows, clusters, frame, leaf, slot, r, row):
    """An empty slot as a cluster of base r that one token will join; `settle` closes it to others from above."""
    pay(clusters, slot, frame.n_held)
    clusters.base[slot] = r
    at, base = place(clusters, slot), rows.bases[np.uint64(r) * TWO + ONE]
    set_labels(clusters.labels, at, net.stay, base, frame.n_held)
    clusters.joined[slot] = mass_with(clusters.labels, at, net.stay, row, frame.n_held)
    enter(net, clusters, slot, row, frame.n_held)
    set_start(rows, frame, slot, r, 1.0)
    evaluate_slot(rows, frame, leaf, slot)


@inlined
def settle(rows, clusters, frame, slot):
    """The first token of a cluster has taken its seats: no other customer of its base will join it."""
    set_start(rows, frame, slot, clusters.base[slot], 0.0)


@inlined
def remake(net, rows, clusters, frame, n_slots):
    """Labels as those of clusters without tokens, to be multiplied by the words of all their tokens again."""
    for h in range(frame.n_bases, n_slots):
        slot = np.uint64(h)
        pay(clusters, slot, frame.n_held)
        base = rows.bases[np.uint64(clusters.base[slot]) * TWO + ONE]
        set_labels(clusters.labels, place(clusters, slot), net.stay, base, frame.n_held)


@inlined
def rejoin(net, rows, clusters, frame, i, row):
    """Multiply the labels of token i's cluster by its word's row, after `remake`."""
    slot = np.uint64(rows.seat[np.uint64(i)])
    if rows.seat[np.uint64(i)] != NO_SLOT:
        at = place(clusters, slot)
        clusters.joined[slot] = mass_with(clusters.labels, at, net.stay, row, frame.n_held)
        enter(net, clusters, slot, row, frame.n_held)
