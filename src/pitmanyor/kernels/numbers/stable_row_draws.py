"""Tilted stable draws for many masses at once, in float32 lanes that the compiler vectorises (maths 4).

Kanter's draw (numbers/stable_draws.py) with U uniform, E = -log U, and V uniform: pi V is the angle, measured from the
heavy end. Let W = 1 - V, b = 1/a - 1, and sin(pi x) = pi z q(z) with z = x (1 - x), where q is entire. Then

    S = m^(1/a) a (1-a)^b  y1 q(x1 y1) D  [y2 q(x2 y2) D / E]^b,   D = 1 / (V q(V W)),
    x1 = a W, x2 = (1 - a) W, y = 1 - x,

and no factor loses its relative precision anywhere. One 64-bit hash makes a lane: 23 bits for V and 23 for U, each
taken at the middle of its interval, and 18 for u, which accepts S if u < exp(-S).

Rejected lanes are drawn again together. A lane is left to the scalar draw `settle` where the available bits of u do not
decide, where 23 bits are too coarse (V or E below 2^-10: the heavy tail, which makes the moments), and where the mass
is large. `settle` goes on from the same bits with fresh ones below them, so nothing is cut off and no draw is chosen
for its value. The only remaining error is the rounding of float32. Powers of two are kept as a whole number and a
fraction, so that a tiny mass does not add to it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.numbers.float32_maths import (
    BITS_9,
    BITS_23,
    LOG2_E,
    LOG_2,
    NAN_32,
    ONE_32,
    SHIFT_9,
    STEP_18,
    ZERO_32,
    as_int,
    exp2,
    log_parts,
    middle,
    sine_part,
)
from pitmanyor.kernels.numbers.stable_draws import is_accepted, kanter, tilted_stable
from pitmanyor.kernels.runtime.jit import allocating, inlined, inner
from pitmanyor.kernels.runtime.random import fill_bits, uniform

LEAST_DISCOUNT = 0.1  # below it 1/a multiplies the rounding of float32 too much: draw one by one
LANES = 512  # drawn together: their scratch stays in the first cache
PAD = 16  # lanes come in whole vectors: the compiler's loop for the last few is slow
FEW_LANES = 4  # rejected lanes are drawn again one by one
LANE_MASS, SETTLED_MASS = 2.5, 2.6  # lanes above the first are left to `settle`, which draws masses above the second
UNSETTLED, REJECTED = np.float32(-1.0), np.float32(-2.0)  # in place of a draw
FINE = np.float32(2.0**-10)  # below it V and E are not taken from 23 bits
FARTHEST = 4096.0  # powers of two beyond it are as good as zero or infinity

_BELOW_ONE, _ABOVE_ONE = np.float32(1.0 - 2.0**-16), np.float32(1.0 + 2.0**-16)  # room for rounding
_CERTAIN, _NO_POWER = np.float32(80.0), np.int32(0)  # a larger S is as surely rejected


class Lanes(NamedTuple):
    """Scratch of one thread: the powers of all columns, and a block of lanes."""

    power: NDArray[np.int32]  # by column: log2 of m^(1/a) a (1-a)^b, or the part of it that depends on the column
    fraction: NDArray[np.float32]
    value: NDArray[np.float32]  # the draws of the block's columns
    column: NDArray[np.int32]  # which of them a lane is for
    found: NDArray[np.int32]  # lanes or columns that need a scalar draw
    whole: NDArray[np.int32]  # by lane: its power
    part: NDArray[np.float32]
    high: NDArray[np.int32]  # 23 bits of V and 9 of u
    low: NDArray[np.int32]  # 23 bits of U and 9 of u
    e: NDArray[np.float32]
    factor: NDArray[np.float32]
    base: NDArray[np.float32]
    draw: NDArray[np.float32]


@allocating
def new_lanes(n_columns):
    width = -(-n_columns // PAD) * PAD
    i, x = np.zeros((5, LANES), np.int32), np.zeros((6, LANES), np.float32)
    power, fraction = np.zeros(width, np.int32), np.zeros(width, np.float32)
    return Lanes(power, fraction, x[0], i[0], i[4], i[1], x[1], i[2], i[3], x[2], x[3], x[4], x[5])


@inlined
def split_power(x):
    """A power of two as a whole number and a fraction."""
    x = min(max(x, -FARTHEST), FARTHEST)
    whole = math.floor(x)
    return np.int32(whole), np.float32(x - whole)


@inlined
def log2_constant(a):
    """log2 of a (1-a)^b."""
    return math.log2(a) + (1.0 - a) / a * math.log2(1.0 - a)


@inner
def split_powers(log_g, a, power, fraction):
    """The columns' part of masses g H, as powers of two."""
    per_nat, constant = 1.0 / (a * math.log(2.0)), log2_constant(a)
    for k in range(len(log_g)):
        power[k], fraction[k] = split_power(log_g[k] * per_nat + constant)


@inner
def _fill_exponentials(low, e):
    for j in range(len(low)):
        power, log_u = log_parts(middle(low[j]))
        e[j] = -(power * LOG_2 + log_u)


@inner
def _fill_angles(high, e, a, factor, base):
    """The factor of S, and the base of its power b; no factor where the bits are too coarse."""
    rest, a = np.float32(1.0 - a), np.float32(a)
    for j in range(len(high)):
        v = middle(high[j])
        w = ONE_32 - v
        x1, x2 = a * w, rest * w
        y1, y2 = ONE_32 - x1, ONE_32 - x2
        inverse = ONE_32 / (v * sine_part(v * w) * e[j])
        found = y1 * sine_part(x1 * y1) * (inverse * e[j])
        factor[j] = found if min(v, e[j]) > FINE else NAN_32
        base[j] = y2 * sine_part(x2 * y2) * inverse


@inner
def _take_logs(base, a):
    """log2 of base^b, in place."""
    b = np.float32((1.0 - a) / a)
    for j in range(len(base)):
        e, log_r = log_parts(base[j])
        base[j] = b * (e + LOG2_E * log_r)


@inner
def _fill_draws(lanes, top, draw):
    """S where it is surely accepted, else REJECTED or UNSETTLED; powers from `top` on are of large masses."""
    high, low, factor, base, whole, part = lanes.high, lanes.low, lanes.factor, lanes.base, lanes.whole, lanes.part
    for j in range(len(draw)):
        s = factor[j] * exp2(base[j] + part[j], whole[j])
        s = s if np.float32(whole[j]) + part[j] < top else NAN_32
        u = np.int32(np.int32(np.int32(high[j] & BITS_9) << SHIFT_9) | np.int32(low[j] & BITS_9))
        least = np.float32(u) * STEP_18
        chance = exp2(-LOG2_E * (_CERTAIN if s > _CERTAIN else s), _NO_POWER)
        other = REJECTED if least > chance * _ABOVE_ONE else UNSETTLED
        draw[j] = s if least + STEP_18 < chance * _BELOW_ONE else other


@inner
def set_powers(power, fraction, more, whole, part):
    """Powers of lanes: those of columns, and more that all have in common."""
    for j in range(len(power)):
        whole[j] = power[j] + more[0]
        part[j] = fraction[j] + more[1]


@inner
def _draw(lanes, draw, size, a, key, n):
    """One try for the first lanes; the bits it uses start with the n-th."""
    size = (size + PAD - 1) // PAD * PAD
    high, low, e, base = lanes.high[:size], lanes.low[:size], lanes.e[:size], lanes.base[:size]
    fill_bits(high, low, key, n)
    _fill_exponentials(low, e)
    _fill_angles(high, e, a, lanes.factor[:size], base)
    _take_logs(base, a)
    _fill_draws(lanes, np.float32(log2_constant(a) + math.log2(LANE_MASS) / a), draw[:size])
    return n + size


@inner
def _settle_lanes(lanes, draw, size, again, a, key, n):
    """See to what a try left; its rejected lanes become the first ones. Returns their number, and n."""
    n_found = 0
    for start in range(0, size, PAD):
        block = draw[start : min(start + PAD, size)]
        some = _NO_POWER
        for j in range(len(block)):
            some |= as_int(block[j])
        if some < _NO_POWER:  # the sign bit: a lane is negative
            for j in range(len(block)):  # no branch: which lane is next cannot be guessed
                lanes.found[n_found] = start + j
                n_found += block[j] < ZERO_32
    if again:
        for j in range(size):
            lanes.value[lanes.column[j]] = draw[j]
    left = 0
    for i in range(n_found):
        j = lanes.found[i]
        column = lanes.column[j] if again else j
        x = draw[j]
        if x == UNSETTLED:
            value, n = settle(a, _mass(lanes, j, a), lanes.high[j], lanes.low[j], key, n)
            x = np.float32(value)
        lanes.value[column] = x
        if x < ZERO_32:
            lanes.column[left], lanes.whole[left], lanes.part[left] = column, lanes.whole[j], lanes.part[j]
            left += 1
    return left, n


@inlined
def _mass(lanes, j, a):
    return 2.0 ** (a * (float(lanes.whole[j]) + float(lanes.part[j]) - log2_constant(a)))


@inner
def draw_stable(lanes, size, a, key, n):
    """Draws for the first lanes, whose powers are set, into `lanes.value`."""
    n = _draw(lanes, lanes.value, size, a, key, n)
    left, n = _settle_lanes(lanes, lanes.value, size, False, a, key, n)
    while left > FEW_LANES:
        n = _draw(lanes, lanes.draw, left, a, key, n)
        left, n = _settle_lanes(lanes, lanes.draw, left, True, a, key, n)
    for j in range(left):
        value, n = tilted_stable(a, _mass(lanes, j, a), key, n)
        lanes.value[lanes.column[j]] = value
    return n


@inner
def settle(a, mass, high, low, key, n):
    """The draw of a lane with bits `high` and `low`, exactly: with fresh bits below them; negative if it is rejected.

    It is valid for any lane. For a large mass, all of whose lanes are drawn here, there is an algorithm of its own.
    """
    if mass > SETTLED_MASS:
        return tilted_stable(a, mass, key, n)
    v = (float((high >> SHIFT_9) & BITS_23) + uniform(key, n)) * 2.0**-23
    x = (float(BITS_23 - ((low >> SHIFT_9) & BITS_23)) + uniform(key, n + 1)) * 2.0**-23
    u = (float(((high & BITS_9) << SHIFT_9) | (low & BITS_9)) + uniform(key, n + 2)) * 2.0**-18
    largest = 1.0 - 2.0**-53
    value, _, _ = kanter(a, mass, math.pi * min(v, largest), -math.log1p(-min(x, largest)))
    return value if is_accepted(value, u) else -1.0, n + 3
