"""Links whose probability is a function of a cosine: likelihoods by curves, instances moved one by one (maths 6)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.kernels.network.masses import propose
from pitmanyor.kernels.numbers.curves import lay, place, read_line, weights
from pitmanyor.kernels.restaurant.arrays import Floats
from pitmanyor.kernels.runtime.jit import inlined, inner, kernel, loose
from pitmanyor.kernels.runtime.random import stream_key, uniform


class Likeness(NamedTuple):
    """Who is how like whom, and the links. Counts are of both directions of a pair and therefore symmetric."""

    unit: Floats  # (instance, topic): nu / |nu|
    cosine: Floats  # (instance, instance)
    ones: NDArray[np.uint8]  # (link set, instance, instance): observed links of a pair
    zeros: NDArray[np.uint8]  # and observed non-links
    curves: Floats  # (link set, 1 - x, knot): log p(x | cosine) at the knots of the cosine
    work: Floats  # (4, at least instances and topics) scratch


@inner
def unit_row(log_mass, out):
    """nu / |nu| from log masses."""
    top = log_mass[0]
    for k in range(len(log_mass)):
        top = max(top, log_mass[k])
    square = 0.0
    for k in range(len(log_mass)):
        out[k] = math.exp(log_mass[k] - top)
        square += out[k] * out[k]
    scale = 1.0 / math.sqrt(square)
    for k in range(len(log_mass)):
        out[k] *= scale


@loose
def _dot(x, y):
    total = 0.0
    for k in range(len(x)):
        total += x[k] * y[k]
    return total


@kernel
def unit_rows(log_mass, out):
    for i in range(len(log_mass)):
        unit_row(log_mass[i], out[i])


@kernel
def cosines(unit, out):
    """All cosines; summed here and not by a library, whose order of summing may depend on its threads."""
    for i in range(len(unit)):
        for j in range(i):
            out[i, j] = _dot(unit[i], unit[j])
            out[j, i] = out[i, j]
        out[i, i] = 1.0


@kernel
def link_curves(score, start, step, noisy, out):
    """log p(x = 1) and log p(x = 0) at the knots from the score there, the noise integrated out."""
    for j in range(len(score)):
        out[0, j] = read_line(noisy, start, step, score[j], 1.0, 0.0)
        out[1, j] = read_line(noisy, start, step, -score[j], 1.0, 0.0)


@kernel
def lay_pairs(cosine, ones, zeros, out):
    """Lay all pairs on the knots: sum(out * curves) is then the log likelihood for any curves."""
    last = out.shape[1] - 1
    for i in range(len(cosine)):
        for j in range(i + 1):
            x = cosine[i, j] * last
            if ones[i, j] > 0:
                lay(out[0], x, float(ones[i, j]))
            if zeros[i, j] > 0:
                lay(out[1], x, float(zeros[i, j]))


@inlined
def pair_value(curves, ones, zeros, cosine):
    """log likelihood of one pair."""
    first, x = place(cosine * (curves.shape[1] - 1), curves.shape[1] - 1)
    w0, w1, w2, w3, w4, w5 = weights(x)
    total = 0.0
    for side in range(2):
        count = ones if side == 0 else zeros
        if count > 0:
            total += count * (
                w0 * curves[side, first]
                + w1 * curves[side, first + 1]
                + w2 * curves[side, first + 2]
                + w3 * curves[side, first + 3]
                + w4 * curves[side, first + 4]
                + w5 * curves[side, first + 5]
            )
    return total


@inner
def row_change(likeness, i, row):
    """log p(X) with the cosines `row` of instance i, less what it is now. Pairs of i with itself have cosine 1."""
    total = 0.0
    for s in range(len(likeness.ones)):
        curves, ones, zeros = likeness.curves[s], likeness.ones[s, i], likeness.zeros[s, i]
        for j in range(len(row)):
            if j != i and (ones[j] > 0 or zeros[j] > 0):
                total += pair_value(curves, ones[j], zeros[j], row[j])
                total -= pair_value(curves, ones[j], zeros[j], likeness.cosine[i, j])
    return total


@kernel
def row_ratio(likeness, i, row):
    """`row_change`, for those who propose elsewhere."""
    return row_change(likeness, i, row)


@inner
def _keep(masses, likeness, i, tried, unit, row):
    """Let instance i have what was proposed."""
    for k in range(len(tried)):
        masses.log_mass[i, k] = tried[k]
        likeness.unit[i, k] = unit[k]
    for j in range(len(row)):
        likeness.cosine[i, j] = row[j]
        likeness.cosine[j, i] = row[j]


@kernel
def move_instances(masses, likeness, law, whole, seed):
    """Propose every instance once from what text alone says of it; accept by the ratio of p(X). Returns how many.

    All its topics are drawn anew (`whole`), or a random share of them, from one to all on a log scale.
    """
    n_topics, n_instances = masses.log_mass.shape[1], len(masses.log_mass)
    tried, unit = likeness.work[0, :n_topics], likeness.work[1, :n_topics]
    row = likeness.work[2, :n_instances]
    accepted = 0
    for i in range(n_instances):
        key, n = stream_key(seed[0], seed[1], seed[2], i, purposes.INSTANCES + whole), np.int64(0)
        share = 1.0 if whole else float(n_topics) ** -uniform(key, 0)
        luck = math.log(uniform(key, 1))
        propose(masses, law, i, share, key, n + 2, tried)
        unit_row(tried, unit)
        for j in range(n_instances):
            row[j] = _dot(likeness.unit[j], unit)
        row[i] = 1.0
        if luck < row_change(likeness, i, row):
            _keep(masses, likeness, i, tried, unit, row)
            accepted += 1
    return accepted
