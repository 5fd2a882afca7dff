"""Down, word side: from J of every word to vectors that sum to one, restaurant by restaurant (maths 4)."""

from __future__ import annotations

import math

import numpy as np

from pitmanyor import purposes
from pitmanyor.kernels.numbers.draws import gamma, tilted_stable
from pitmanyor.kernels.restaurant.arrays import (
    CONCENTRATION,
    CUSTOMERS,
    DISCOUNT,
    GAIN,
    N_PARENTS,
    N_WORDS,
    NODE,
    REST,
    ROW,
    SCALE,
    TO_REST,
)
from pitmanyor.kernels.restaurant.packed_rows import is_packed
from pitmanyor.kernels.runtime.jit import allocating, inner
from pitmanyor.kernels.runtime.random import stream_key
from pitmanyor.kernels.switching.redrawn_rows import empty_jump
from pitmanyor.kernels.switching.topic_vectors import base_mass, log_jump


@allocating
def _empty_word_restaurant(net, vectors, family, cells, k, rest_base, seed):
    """A per-topic word restaurant without customers, drawn in logs over its cells and its rest slot."""
    start, stop = cells
    node = net.cells[start, NODE]
    q = net.cells[start, REST] + k
    n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
    work = np.empty(stop - start + 1)
    for j in range(stop - start):
        cell = start + j
        base = base_mass(net, family, cell, node, net.cells[cell, TO_REST] + k * n_parents, k)
        work[j] = empty_jump(net, vectors, node, q, cell, k, base, seed)
    work[-1] = -np.inf
    if rest_base > 0.0:
        key = stream_key(seed[0], seed[1], seed[2], start * 65536 + k, purposes.DOWN_EMPTY)
        work[-1], _ = log_jump(net, vectors, node, q, rest_base, key, np.int64(1) << 40)  # beyond those of the cell
    shift = work.max()
    total = 0.0
    for j in range(len(work)):
        work[j] = math.exp(work[j] - shift)
        total += work[j]
    for j in range(stop - start):
        if not is_packed(net, start + j):
            net.stay[net.cells[start + j, ROW] + k] = work[j] / total
    vectors.log_total[q] = math.log(total) + shift
    vectors.scale[q], vectors.shift[q] = total, shift


@allocating
def total_words(net, vectors, family, chunks, runs, sums, bases, seed):
    """Sum J over an instance's chunks, in order, and add the rest slot of the words that have no cell."""
    first, last = runs
    cells = (chunks[first], chunks[last])
    node = net.cells[cells[0], NODE]
    complete = cells[1] - cells[0] == net.nodes[node, N_WORDS]
    for k in range(sums.shape[1]):
        q = net.cells[cells[0], REST] + k
        total, mass = 0.0, 0.0
        for c in range(first, last):
            total += sums[c, k]
            mass += bases[c, k]
        rest_base = 0.0 if complete else max(1.0 - mass, 0.0)
        if net.totals[q, CUSTOMERS] == 0:
            _empty_word_restaurant(net, vectors, family, cells, k, rest_base, seed)
            net.rests[SCALE, q] = 1.0
            continue
        if rest_base > 0.0:
            key = stream_key(seed[0], seed[1], seed[2], cells[0] * 65536 + k, purposes.DOWN_EMPTY)
            a = net.reals[node, DISCOUNT]
            if a == 0.0:
                x, _ = gamma(net.rests[CONCENTRATION, q] * rest_base, key, 0)
            else:
                x, _ = tilted_stable(a, net.rests[GAIN, q] * rest_base, key, 0)
            total += x
        vectors.log_total[q] = math.log(total)
        net.rests[SCALE, q] = 1.0 / total
        vectors.scale[q] = net.rests[SCALE, q]


@inner
def normalise_words(net, start, stop, n_columns):
    scale = net.rests[SCALE, net.cells[start, REST] : net.cells[start, REST] + n_columns]
    for cell in range(start, stop):
        if is_packed(net, cell):
            continue
        stay = net.stay[net.cells[cell, ROW] : net.cells[cell, ROW] + n_columns]
        for k in range(n_columns):
            stay[k] *= scale[k]
