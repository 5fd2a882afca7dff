"""What the links of a block model say of one vector, given the events behind them (block_events.py, maths 6).

Its exposure is what it would bring in events with all others: their totals less the few pairs that are hidden. The
likelihood falls like exp(-exposure v), and a vector is proposed from gamma variables that have nearly that law.
"""

from __future__ import annotations

import math

import numpy as np

from pitmanyor import purposes
from pitmanyor.kernels.network.block_events import HALF_GONE, dot_all
from pitmanyor.kernels.network.masses import draw_mass, widen
from pitmanyor.kernels.runtime.jit import inlined, inner, kernel
from pitmanyor.kernels.runtime.random import stream_key, uniform

NEWTON_STEPS, NEAR = 60, 1e-3
LEAST_TILT = 1e-3


@inlined
def _missing(kind, q):
    """How much of a pair's exposure is missing because it is hidden."""
    return 0.0 if kind == 0 else 1.0 - q if kind == HALF_GONE else 1.0


@inner
def _others(blocks, hidden, i, out, back):
    """Into `out` the sum of r v over all whose links from i count, into `back` that of s v of those to i."""
    v, q = blocks.vectors, blocks.answer[0]
    for k in range(v.shape[1]):
        out[k] = blocks.totals[0, k] - blocks.received[i] * v[i, k]
        back[k] = blocks.totals[1, k] - blocks.sent[i] * v[i, k]
    for e in range(hidden.start[i], hidden.start[i + 1]):
        j = hidden.other[e]
        x, y = _missing(hidden.out[e], q) * blocks.received[j], _missing(hidden.back[e], q) * blocks.sent[j]
        for k in range(v.shape[1]):
            out[k] -= x * v[j, k]
            back[k] -= y * v[j, k]
    for k in range(v.shape[1]):  # differences of equal numbers
        out[k], back[k] = max(out[k], 0.0), max(back[k], 0.0)


@kernel
def all_others(blocks, hidden, out, back):
    """`_others` of every instance."""
    for i in range(len(out)):
        _others(blocks, hidden, i, out[i], back[i])


@kernel
def add_tilt(blocks, hidden, i, work, tilt):
    """Add to `tilt` the exposure of instance i by topic: the likelihood given the events falls like exp(-tilt v_i)."""
    out, back = work[0], work[1]
    _others(blocks, hidden, i, out, back)
    s, r, rates = blocks.sent[i], blocks.received[i], blocks.rates
    for k in range(len(tilt)):
        here = s * dot_all(rates[k], out)
        tilt[k] += here
    if blocks.directed:
        for m in range(len(tilt)):
            here = r * back[m]
            for k in range(len(tilt)):
                tilt[k] += here * rates[m, k]


@inner
def _level(shape, tilt):
    """c with sum shape / (tilt + c) = 1, about: Newton's steps from the left, where the sum is above 1."""
    c = -math.inf
    for k in range(len(shape)):
        c = max(c, shape[k] - tilt[k])
    for _ in range(NEWTON_STEPS):
        total, slope = 0.0, 0.0
        for k in range(len(shape)):
            part = shape[k] / (tilt[k] + c)
            total += part
            slope += part / (tilt[k] + c)
        if total - 1.0 < NEAR:
            break
        c += (total - 1.0) * total / slope
    return c


@inner
def _log_weight(log_mass, tilt, excess):
    """log of what a proposal under other tilts leaves out: -tilt v + sum excess J."""
    top = log_mass[0]
    for k in range(len(log_mass)):
        top = max(top, log_mass[k])
    total, mean, rest = 0.0, 0.0, 0.0
    for k in range(len(log_mass)):
        x = math.exp(log_mass[k] - top)
        total += x
        mean += tilt[k] * x
        rest += excess[k] * x
    return rest * math.exp(top) - mean / total


@kernel
def propose_tilted(masses, law, i, whole, seed, tilt, work, tried):
    """Into `tried` the log masses of instance i, drawn as if exp(-tilt v) were a tilt of each mass by itself.

    On the simplex it nearly is: gamma variables with rates tilt + c, of which c makes the sum 1 on average. Returns the
    log ratio that is left to judge.
    """
    key, a, b = stream_key(seed[0], seed[1], seed[2], i, purposes.TILTED + whole), law.discount, masses.concentration[i]
    share, n = 1.0 if whole else float(len(tried)) ** -uniform(key, 0), np.int64(1)
    log_q, n = widen(masses, a, i, key, n)
    base, shape, excess, total = masses.log_base[masses.above[i]], work[0], work[1], 0.0
    for k in range(len(tried)):
        shape[k] = masses.customers[i, k] + b * math.exp(base[k])
        total += shape[k]
    c = _level(shape, tilt)
    for k in range(len(tried)):
        log_ratio = math.log(max((tilt[k] + c) / total, LEAST_TILT))
        excess[k] = math.exp(log_q) * math.expm1(log_ratio)
        tried[k] = masses.log_mass[i, k]
        if share < 1.0:
            n += 1
            if uniform(key, n - 1) >= share:
                continue
        log_rate = log_q + log_ratio
        x, n = draw_mass(law, b, masses.log_u0[i] + a * log_rate, base[k], masses.customers[i, k], key, n)
        tried[k] = x - log_rate
    return _log_weight(tried, tilt, excess) - _log_weight(masses.log_mass[i], tilt, excess)
