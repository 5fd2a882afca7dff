"""Links that are there where a score is above zero: scores given links, and probabilities given means (maths 6).

The score of a pair is its mean plus noise of variance 1, of which `shared` is g, which both directions of a pair have
in common. Links back are more likely than others because of g.
"""

from __future__ import annotations

import math

import numpy as np

from pitmanyor import purposes
from pitmanyor.kernels.numbers.draws import exponential, normal
from pitmanyor.kernels.runtime.jit import inlined, inner, kernel
from pitmanyor.kernels.runtime.random import stream_key, uniform

HIDDEN = 2
NEAR_TAIL = 0.3  # below it normal draws are tried until one is large enough, above it exponential ones
DENSE_WITHIN = 9.0  # standard deviations of g beyond which its density is below 1e-17 of the largest
LEAST = 1e-300  # of a probability


@inlined
def normal_below(x):
    """P(standard normal < x)."""
    return 0.5 * math.erfc(-x * math.sqrt(0.5))


@inner
def normal_above(least, key, n):
    """A standard normal given that it is above `least` (Robert 1995)."""
    if least < NEAR_TAIL:
        x, n = normal(key, n)
        while x <= least:
            x, n = normal(key, n)
        return x, n
    rate = 0.5 * (least + math.sqrt(least * least + 4.0))
    while True:
        x, n = exponential(key, n)
        x = least + x / rate
        n += 1
        if uniform(key, n - 1) < math.exp(-0.5 * (x - rate) * (x - rate)):
            return x, n


@inner
def _both(means, signs, shared, key, n):
    """Noise of both directions: that of one, kept with the probability that the other then has its sign; the other.

    The first is the less likely one. Under the model two trials are needed on average, whatever the means.
    """
    scale = math.sqrt(1.0 - shared * shared)
    while True:
        x, n = normal_above(-signs[0] * means[0], key, n)
        x *= signs[0]
        least = -signs[1] * (means[1] + shared * x) / scale
        n += 1
        if uniform(key, n - 1) < normal_below(-least):
            break
    y, n = normal_above(least, key, n)
    return x, shared * x + scale * signs[1] * y, n


@kernel
def draw_noise(seen, means, shared, first, seed, out, squares):
    """Into `out` the noise of all seen pairs given links and means, and 0 for the others.

    `squares` has the sum of its squares, that of products, and the number of pairs that are seen in both directions.
    `first` is the place of the set's first random stream.
    """
    n_instances = len(seen)
    squares[:] = 0.0
    for i in range(n_instances):
        for j in range(i):
            out[i, j], out[j, i] = 0.0, 0.0
            there, back = seen[i, j] != HIDDEN, seen[j, i] != HIDDEN
            if not there and not back:
                continue
            key, n = (
                stream_key(seed[0], seed[1], seed[2], first + i * n_instances + j, purposes.LINK_NOISE),
                np.int64(0),
            )
            a, b = means[i, j], means[j, i]
            s, t = (1.0 if seen[i, j] == 1 else -1.0), (1.0 if seen[j, i] == 1 else -1.0)
            if there and back:
                if s * a < t * b:
                    x, y, n = _both((a, b), (s, t), shared, key, n)
                else:
                    y, x, n = _both((b, a), (t, s), shared, key, n)
                out[i, j], out[j, i] = x, y
                squares[0] += x * x + y * y
                squares[1] += x * y
                squares[2] += 1.0
            elif there:
                x, n = normal_above(-s * a, key, n)
                out[i, j] = s * x
            else:
                y, n = normal_above(-t * b, key, n)
                out[j, i] = t * y
        out[i, i] = 0.0


@kernel
def take_common(seen, shared, first, seed, noise):
    """Draw g of every pair given its noise, and take it away."""
    n_instances = len(seen)
    for i in range(n_instances):
        for j in range(i):
            there, back = seen[i, j] != HIDDEN, seen[j, i] != HIDDEN
            if not there and not back:
                continue
            key = stream_key(seed[0], seed[1], seed[2], first + i * n_instances + j, purposes.LINK_COMMON)
            x, _ = normal(key, np.int64(0))
            precision = 1.0 / shared + (2.0 if there and back else 1.0) / (1.0 - shared)
            g = (noise[i, j] + noise[j, i]) / (1.0 - shared) / precision + x / math.sqrt(precision)
            if there:
                noise[i, j] -= g
            if back:
                noise[j, i] -= g


@inner
def _chance(means, signs, shared):
    """P(a score is so, and so is that of the other direction), summed over g by the trapezoid rule, good to 1e-13.

    `signs` are 1 for above zero and -1 for below.
    """
    own = math.sqrt(1.0 - shared)
    a, b, spread, total = means[0] / own, means[1] / own, math.sqrt(shared) / own, 0.0
    step = 0.8 / math.sqrt(1.0 + 2.0 * spread * spread)
    for k in range(-int(DENSE_WITHIN / step), int(DENSE_WITHIN / step) + 1):
        x = k * step
        g = spread * x
        total += math.exp(-0.5 * x * x) * normal_below(signs[0] * (a + g)) * normal_below(signs[1] * (b + g))
    return total * step / math.sqrt(2.0 * math.pi)


@inlined
def _sign(linked):
    return 1.0 if linked == 1 else -1.0


@kernel
def log_likelihood(seen, means, shared):
    """log p(all seen pairs | means), the noise integrated out."""
    total = 0.0
    for i in range(len(seen)):
        for j in range(i):
            there, back, a, b = seen[i, j], seen[j, i], means[i, j], means[j, i]
            if there != HIDDEN and back != HIDDEN:
                total += math.log(max(_chance((a, b), (_sign(there), _sign(back)), shared), LEAST))
            elif there != HIDDEN:
                total += math.log(max(normal_below(_sign(there) * a), LEAST))
            elif back != HIDDEN:
                total += math.log(max(normal_below(_sign(back) * b), LEAST))
    return total


@kernel
def chances(means, means_back, back, shared, out):
    """P(link) of many pairs, given whether there is one back where that is seen."""
    for k in range(len(out)):
        a, b = means[k], means_back[k]
        out[k] = normal_below(a)
        if back[k] != HIDDEN:
            yes = _chance((a, b), (1.0, _sign(back[k])), shared)
            no = _chance((a, b), (-1.0, _sign(back[k])), shared)
            out[k] = yes / (yes + no) if yes + no > LEAST else out[k]
