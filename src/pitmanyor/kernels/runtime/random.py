"""Counter-based random numbers: a stream is a key, a draw is a function of the key and a counter.

There is no generator object. A stream is two scalars, `key` (uint64) and `n` (int64, the number of uniforms used so
far), because passing an array to an inlined helper costs atomic reference counts. Any thread can compute any number of
any stream, so results do not depend on threads or machines.

Keys come from Philox4x32-10 (Salmon et al. 2011), called once for each block of work. The numbers of one stream come
from a cheaper hash of (key, n), called once for each uniform.

From Python pass words as `np.uint64(...)`: Numba reads a plain int as int64 and refuses one of 2^63 or more, and it
hands a uint64 back as a plain int. Inside compiled code there is nothing to do.

All code here gives the same bytes with NUMBA_DISABLE_JIT=1. Compiled uint64 arithmetic wraps silently. NumPy scalars
warn when they wrap, so without the compiler the three helpers `_word`, `_add` and `_mul` mask Python integers instead.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import config
from numpy.typing import NDArray

from pitmanyor.kernels.runtime.jit import inlined, inner

Word: TypeAlias = int | np.uint64

_MASK64 = (1 << 64) - 1
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ONE = np.uint64(1)

_PHILOX_M0, _PHILOX_M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_PHILOX_W0, _PHILOX_W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)

_MIX_1, _MIX_2 = np.uint64(0x3C79AC492BA7B653), np.uint64(0x1C69B3F74AC4AE35)
_SHIFT_27, _SHIFT_33, _SHIFT_11 = np.uint64(27), np.uint64(33), np.uint64(11)

if vars(config)["DISABLE_JIT"]:

    def _word(x: Word) -> np.uint64:
        return np.uint64(int(x) & _MASK64)

    def _add(x: np.uint64, y: np.uint64) -> np.uint64:
        return np.uint64((int(x) + int(y)) & _MASK64)

    def _mul(x: np.uint64, y: np.uint64) -> np.uint64:
        return np.uint64((int(x) * int(y)) & _MASK64)

else:

    @inlined
    def _word(x: Word) -> np.uint64:
        return np.uint64(x)

    @inlined
    def _add(x: np.uint64, y: np.uint64) -> np.uint64:
        return x + y

    @inlined
    def _mul(x: np.uint64, y: np.uint64) -> np.uint64:
        return x * y


@inner
def philox(
    c0: Word, c1: Word, c2: Word, c3: Word, k0: Word, k1: Word
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Philox4x32-10: the counter (c0..c3) enciphered under the key (k0, k1); all are 32-bit words held in 64 bits.

    A product of two 32-bit words fits in 64 bits, so nothing here can wrap.
    """
    x0, x1, x2, x3 = _word(c0) & _LOW, _word(c1) & _LOW, _word(c2) & _LOW, _word(c3) & _LOW
    y0, y1 = _word(k0) & _LOW, _word(k1) & _LOW
    for _ in range(10):
        p0 = _PHILOX_M0 * x0
        p1 = _PHILOX_M1 * x2
        x0, x1, x2, x3 = (p1 >> _HALF) ^ x1 ^ y0, p1 & _LOW, (p0 >> _HALF) ^ x3 ^ y1, p0 & _LOW
        y0 = (y0 + _PHILOX_W0) & _LOW
        y1 = (y1 + _PHILOX_W1) & _LOW
    return x0, x1, x2, x3


@inner
def stream_key(seed: Word, chain: Word, sweep: Word, block: Word, purpose: Word) -> np.uint64:
    """The key of the stream for one purpose in one block of one sweep; every argument may use all 64 bits.

    Two Philox calls, since 320 bits do not fit one: (seed, chain) enciphered under `purpose` gives the key under
    which (sweep, block) is enciphered. Two different tuples agree with probability 2^-64.
    """
    s, c, w, b, p = _word(seed), _word(chain), _word(sweep), _word(block), _word(purpose)
    k0, k1, _, _ = philox(s & _LOW, s >> _HALF, c & _LOW, c >> _HALF, p & _LOW, p >> _HALF)
    low, high, _, _ = philox(w & _LOW, w >> _HALF, b & _LOW, b >> _HALF, k0, k1)
    return (high << _HALF) | low


@inlined
def bits(key: np.uint64, n: int) -> np.uint64:
    """The n-th 64 random bits of a stream.

    A Weyl sequence through Evensen's "moremur" finaliser. The step of the sequence is the key with its halves
    swapped, made odd: two keys walk with different steps, so their sequences cross at single points but never overlap.
    """
    return mix(_add(_word(key), _mul(_word(n), step_of(key))))


@inlined
def step_of(key: np.uint64) -> np.uint64:
    """The step of a stream's Weyl sequence."""
    k = _word(key)
    return (k << _HALF) | (k >> _HALF) | _ONE


@inlined
def mix(z: np.uint64) -> np.uint64:
    """Random bits from a place of the sequence."""
    z = _mul(z ^ (z >> _SHIFT_27), _MIX_1)
    z = _mul(z ^ (z >> _SHIFT_33), _MIX_2)
    return z ^ (z >> _SHIFT_27)


@inner
def fill_bits(high: NDArray[np.int32], low: NDArray[np.int32], key: np.uint64, start: int) -> None:
    """Halves of the bits of a stream from the `start`-th on.

    The sequence is walked by adding its step: in lanes a product of 64-bit words is several instructions.
    """
    z, step = _add(_word(key), _mul(_word(start), step_of(key))), step_of(key)
    for j in range(len(high)):
        word = np.int64(mix(z))
        high[j], low[j] = np.int32(word >> 32), np.int32(word & 0xFFFFFFFF)
        z = _add(z, step)


@inlined
def uniform(key: np.uint64, n: int) -> float:
    """The n-th uniform of a stream, strictly inside (0, 1), on a grid of 2^-53; the caller adds one to n.

    The offset keeps 0 out and is too small to round the largest value up to 1.
    """
    return float(np.int64(bits(key, n) >> _SHIFT_11)) * 2.0**-53 + 2.0**-55


@inlined
def uniform_in(real: Any, key: np.uint64, n: int) -> Any:
    """The n-th uniform in a kernel's own precision: in single precision it may be 1."""
    return real(uniform(key, n))


@inlined
def unit(real: Any, word: Any) -> Any:
    """32 bits as a number inside (0, 1). In single precision the largest would round up to 1, and be below nothing."""
    return min((real(np.int64(word)) + real(0.5)) * real(2.0**-32), real(1.0 - 2.0**-24))


@inlined
def uniform_pair(real: Any, key: np.uint64, n: int) -> tuple[Any, Any]:
    """Two uniforms on a grid of 2^-32 from the n-th 64 bits, in a kernel's own precision: for choices between two."""
    both = bits(key, n)
    return unit(real, both & _LOW), unit(real, both >> _HALF)
