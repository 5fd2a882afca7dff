"""Tilted stable draws for many masses at once, in float32 lanes that the compiler vectorises (maths 4).

Kanter's draw (numbers/stable_draws.py) with U uniform, E = -log U, and V uniform: pi V is the angle, measured from the
heavy end. Let W = 1 - V, b = 1/a - 1, and sin(pi x) = pi z q(z) with z = x (1 - x), where q is entire. Then

    S = m^(1/a) a (1-a)^b  y1 q(x1 y1) D  [y2 q(x2 y2) D / E]^b,   D = 1 / (V q(V W)),
    x1 = a W, x2 = (1 - a) W, y = 1 - x,

and no factor loses its relative precision anywhere. One 64-bit hash makes a lane: 23 bits for V and 23 for U, each
taken at the middle of its interval, and 18 for u, which accepts S if u < exp(-S).

Rejected lanes are drawn again together. A lane is left to the scalar draw `settle` where the bits of u at hand do not
decide, where 23 bits are too coarse (V or E below 2^-10: the heavy tail, which makes the moments), and where the
mass is large. `settle` goes on from the same bits with fresh ones below them, so nothing is cut off and no draw is
chosen for its value. What is left is the rounding of float32. Powers of two are kept as a whole number and a fraction,
so that a tiny mass does not add to it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import config, types
from numba.extending import intrinsic
from numpy.typing import NDArray

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

_ZERO_32, _ONE_32, _NAN_32 = np.float32(0.0), np.float32(1.0), np.float32(np.nan)
_STEP_24, _STEP_18 = np.float32(2.0**-24), np.float32(2.0**-18)
_BELOW_ONE, _ABOVE_ONE = np.float32(1.0 - 2.0**-16), np.float32(1.0 + 2.0**-16)  # room for rounding
_CERTAIN, _NO_POWER = np.float32(80.0), np.int32(0)  # a larger S is as surely rejected
_BITS_23, _BITS_24, _BITS_9, _ODD = np.int32(0x7FFFFF), np.int32(0xFFFFFF), np.int32(0x1FF), np.int32(1)
_SHIFT_8, _SHIFT_9, _SHIFT_23 = np.int32(8), np.int32(9), np.int32(23)
_ROOT_HALF = np.int32(0x3F3504F3)  # the bits of sqrt(1/2)
_ROUND, _ROUND_BITS = np.float32(1.5 * 2.0**23), np.int32(0x4B400000)  # x + _ROUND rounds x to a whole number
_LEAST, _MOST, _BIAS = np.int32(-127), np.int32(127), np.int32(127)
_LOG_2, _LOG2_E = np.float32(math.log(2.0)), np.float32(1.0 / math.log(2.0))


def _float32s(*values: float) -> tuple[np.float32, ...]:
    return tuple(np.float32(value) for value in values)


# Interpolation at Chebyshev points, relative errors 3e-9, 2e-9 and 2e-8 before rounding: q(z) on [0, 1/4];
# log((1 + s) / (1 - s)) / s in s^2 for a ratio within a factor sqrt 2 of one; 2^x on [-1/2, 1/2]
_Q1, _Q2, _Q3, _Q4 = _float32s(0.9999997791, 0.3550729706, 0.06511919344, 0.007692629)
_L0, _L1, _L2, _L3 = _float32s(2.0, 0.6666681534, 0.3997485052, 0.2992439048)
_E1, _E2, _E3, _E4, _E5, _E6 = _float32s(
    0.6931472067, 0.2402265092, 0.05550327227, 0.009618056679, 0.001340042818, 0.000154614447
)

if vars(config)["DISABLE_JIT"]:

    def _as_int(x: Any) -> Any:
        return x.view(np.int32)

    def _as_float(x: Any) -> Any:
        return x.view(np.float32)

else:

    @intrinsic
    def _as_int(typing: Any, x: Any) -> Any:
        """The bits of a float32 as an int32."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(types.int32))

        return types.int32(types.float32), build

    @intrinsic
    def _as_float(typing: Any, x: Any) -> Any:
        """The float32 with the bits of an int32."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(types.float32))

        return types.float32(types.int32), build


class Lanes(NamedTuple):
    """Scratch of one thread: the powers of all columns, and a block of lanes."""

    power: NDArray[np.int32]  # by column: log2 of m^(1/a) a (1-a)^b, or the part of it that depends on the column
    fraction: NDArray[np.float32]
    value: NDArray[np.float32]  # the draws of the block's columns
    column: NDArray[np.int32]  # which of them a lane is for
    found: NDArray[np.int32]  # lanes or columns that want a closer look
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


@inlined
def _middle(word):
    """The middle of the interval that the 23 high bits of a word name: an odd multiple of 2^-24, so it is exact."""
    return np.float32(np.int32(np.int32(np.int32(word >> _SHIFT_8) & _BITS_24) | _ODD)) * _STEP_24


@inlined
def _log(x):
    """log x = e log 2 + log r with r within a factor sqrt 2 of one: (e, log r)."""
    i = _as_int(x)
    e = np.int32(np.int32(i - _ROOT_HALF) >> _SHIFT_23)
    r = _as_float(np.int32(i - np.int32(e << _SHIFT_23)))
    s = (r - _ONE_32) / (r + _ONE_32)
    z = s * s
    return np.float32(e), s * ((_L0 + z * _L1) + (z * z) * (_L2 + z * _L3))


@inlined
def _q(z):
    square = z * z
    return (_ONE_32 + z * _Q1) + square * ((_Q2 + z * _Q3) + square * _Q4)


@inlined
def _exp2(x, power):
    """2^(x + power), zero below the least normal number."""
    rounded = x + _ROUND
    f = x - (rounded - _ROUND)
    e = np.int32(np.int32(_as_int(rounded) - _ROUND_BITS) + power)
    e = min(max(e, _LEAST), _MOST)
    square = f * f
    value = (_ONE_32 + f * _E1) + square * ((_E2 + f * _E3) + square * ((_E4 + f * _E5) + square * _E6))
    return _as_float(np.int32(np.int32(e + _BIAS) << _SHIFT_23)) * value


@inner
def _fill_exponentials(low, e):
    for j in range(len(low)):
        power, log_u = _log(_middle(low[j]))
        e[j] = -(power * _LOG_2 + log_u)


@inner
def _fill_angles(high, e, a, factor, base):
    """The factor of S, and the base of its power b; no factor where the bits are too coarse."""
    rest, a = np.float32(1.0 - a), np.float32(a)
    for j in range(len(high)):
        v = _middle(high[j])
        w = _ONE_32 - v
        x1, x2 = a * w, rest * w
        y1, y2 = _ONE_32 - x1, _ONE_32 - x2
        inverse = _ONE_32 / (v * _q(v * w) * e[j])
        found = y1 * _q(x1 * y1) * (inverse * e[j])
        factor[j] = found if min(v, e[j]) > FINE else _NAN_32
        base[j] = y2 * _q(x2 * y2) * inverse


@inner
def _take_logs(base, a):
    """log2 of base^b, in place."""
    b = np.float32((1.0 - a) / a)
    for j in range(len(base)):
        e, log_r = _log(base[j])
        base[j] = b * (e + _LOG2_E * log_r)


@inner
def _fill_draws(lanes, top, draw):
    """S where it is surely accepted, else REJECTED or UNSETTLED; powers from `top` on are of large masses."""
    high, low, factor, base, whole, part = lanes.high, lanes.low, lanes.factor, lanes.base, lanes.whole, lanes.part
    for j in range(len(draw)):
        s = factor[j] * _exp2(base[j] + part[j], whole[j])
        s = s if np.float32(whole[j]) + part[j] < top else _NAN_32
        u = np.int32(np.int32(np.int32(high[j] & _BITS_9) << _SHIFT_9) | np.int32(low[j] & _BITS_9))
        least = np.float32(u) * _STEP_18
        chance = _exp2(-_LOG2_E * (_CERTAIN if s > _CERTAIN else s), _NO_POWER)
        other = REJECTED if least > chance * _ABOVE_ONE else UNSETTLED
        draw[j] = s if least + _STEP_18 < chance * _BELOW_ONE else other


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
            some |= _as_int(block[j])
        if some < _NO_POWER:  # a sign: somebody is negative
            for j in range(len(block)):  # no branch: which lane is next cannot be guessed
                lanes.found[n_found] = start + j
                n_found += block[j] < _ZERO_32
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
        if x < _ZERO_32:
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

    It may stand in for any lane. A large mass, of which every lane comes here, has its own algorithm.
    """
    if mass > SETTLED_MASS:
        return tilted_stable(a, mass, key, n)
    v = (float((high >> _SHIFT_9) & _BITS_23) + uniform(key, n)) * 2.0**-23
    x = (float(_BITS_23 - ((low >> _SHIFT_9) & _BITS_23)) + uniform(key, n + 1)) * 2.0**-23
    u = (float(((high & _BITS_9) << _SHIFT_9) | (low & _BITS_9)) + uniform(key, n + 2)) * 2.0**-18
    largest = 1.0 - 2.0**-53
    value, _, _ = kanter(a, mass, math.pi * min(v, largest), -math.log1p(-min(x, largest)))
    return value if is_accepted(value, u) else -1.0, n + 3
