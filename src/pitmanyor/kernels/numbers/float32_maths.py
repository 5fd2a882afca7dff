"""Logarithms, powers of two and sines in float32, without a branch, so that the compiler vectorises them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import config, types
from numba.extending import intrinsic

from pitmanyor.kernels.runtime.jit import inlined

ZERO_32, ONE_32, NAN_32 = np.float32(0.0), np.float32(1.0), np.float32(np.nan)
STEP_24, STEP_18 = np.float32(2.0**-24), np.float32(2.0**-18)
BITS_23, BITS_24, BITS_9, ODD = np.int32(0x7FFFFF), np.int32(0xFFFFFF), np.int32(0x1FF), np.int32(1)
SHIFT_8, SHIFT_9, SHIFT_23 = np.int32(8), np.int32(9), np.int32(23)
_ROOT_HALF = np.int32(0x3F3504F3)  # the bits of sqrt(1/2)
_ROUND, _ROUND_BITS = np.float32(1.5 * 2.0**23), np.int32(0x4B400000)  # x + _ROUND rounds x to a whole number
_LEAST, _MOST, _BIAS = np.int32(-127), np.int32(127), np.int32(127)
LOG_2, LOG2_E = np.float32(math.log(2.0)), np.float32(1.0 / math.log(2.0))


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

    def as_int(x: Any) -> Any:
        return x.view(np.int32)

    def as_float(x: Any) -> Any:
        return x.view(np.float32)

else:

    @intrinsic
    def as_int(typing: Any, x: Any) -> Any:
        """The bits of a float32 as an int32."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(types.int32))

        return types.int32(types.float32), build

    @intrinsic
    def as_float(typing: Any, x: Any) -> Any:
        """The float32 with the bits of an int32."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(types.float32))

        return types.float32(types.int32), build


@inlined
def middle(word):
    """The middle of the interval that the 23 high bits of a word name: an odd multiple of 2^-24, so it is exact."""
    return np.float32(np.int32(np.int32(np.int32(word >> SHIFT_8) & BITS_24) | ODD)) * STEP_24


@inlined
def log_parts(x):
    """log x = e log 2 + log r with r within a factor sqrt 2 of one: (e, log r)."""
    i = as_int(x)
    e = np.int32(np.int32(i - _ROOT_HALF) >> SHIFT_23)
    r = as_float(np.int32(i - np.int32(e << SHIFT_23)))
    s = (r - ONE_32) / (r + ONE_32)
    z = s * s
    return np.float32(e), s * ((_L0 + z * _L1) + (z * z) * (_L2 + z * _L3))


@inlined
def sine_part(z):
    square = z * z
    return (ONE_32 + z * _Q1) + square * ((_Q2 + z * _Q3) + square * _Q4)


@inlined
def exp2(x, power):
    """2^(x + power), zero below the least normal number."""
    rounded = x + _ROUND
    f = x - (rounded - _ROUND)
    e = np.int32(np.int32(as_int(rounded) - _ROUND_BITS) + power)
    e = min(max(e, _LEAST), _MOST)
    square = f * f
    value = (ONE_32 + f * _E1) + square * ((_E2 + f * _E3) + square * ((_E4 + f * _E5) + square * _E6))
    return as_float(np.int32(np.int32(e + _BIAS) << SHIFT_23)) * value
