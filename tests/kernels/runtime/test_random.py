"""Random streams: known answers, quality, and the same bytes with the compiler off.

Statistical bounds are |z| < 5 (one false alarm in 1.7 million for a fresh seed) or p > 1e-6; the seeds are fixed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray
from scipy import stats

from outside import outside
from pitmanyor.kernels.runtime import random

bits, philox, stream_key, uniform = map(outside, (random.bits, random.philox, random.stream_key, random.uniform))
ROOT = Path(__file__).parents[3]
HELPERS = ROOT / "tests" / "helpers"
KEY = np.uint64(stream_key(2026, 0, 1, 2, 3))
MASK = 2**64 - 1


@njit
def many_bits(key: np.uint64, size: int) -> NDArray[np.uint64]:
    out = np.empty(size, np.uint64)
    for n in range(size):
        out[n] = bits(key, n)
    return out


@njit
def many_uniforms(key: np.uint64, size: int) -> NDArray[np.float64]:
    out = np.empty(size)
    for n in range(size):
        out[n] = uniform(key, n)
    return out


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([0] * 6, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([0xFFFFFFFF] * 6, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0],
            [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
        ),
    ],
)
def test_philox_gives_the_known_answers_of_random123(words: list[int], expected: list[int]) -> None:
    assert [int(word) for word in philox(*words)] == expected


@pytest.mark.nojit
def test_every_half_of_every_argument_enters_the_key() -> None:
    base = [1, 2, 3, 4, 5]
    keys = {int(stream_key(*base))}
    for i in range(5):
        for bit in (0, 31, 32, 62):
            words = list(base)
            words[i] ^= 1 << bit
            keys.add(int(stream_key(*words)))
    keys |= {int(stream_key(2, 1, 3, 4, 5)), int(stream_key(1, 2, 4, 3, 5)), int(stream_key(3, 4, 1, 2, 5))}
    assert len(keys) == 1 + 5 * 4 + 3
    assert max(keys) > 2**63


@pytest.mark.nojit
def test_a_key_is_two_philox_calls() -> None:
    seed, chain, sweep, block, purpose = 2**40 + 1, 2, 2**33 + 3, 4, 5
    k0, k1, _, _ = philox(seed % 2**32, seed >> 32, chain, 0, purpose, 0)
    low, high, _, _ = philox(sweep % 2**32, sweep >> 32, block, 0, int(k0), int(k1))
    assert int(stream_key(seed, chain, sweep, block, purpose)) == (int(high) << 32) | int(low)


def step_of(key: int) -> int:
    return (key << 32 & MASK) | key >> 32 | 1


def counter_of(word: int, key: int) -> int:
    """The counter at which the stream gives `word`: every step of the hash undone, in plain integers."""

    def unshift(z: int, shift: int) -> int:
        return z ^ (z >> shift) ^ (z >> 2 * shift)

    z = unshift(word, 27) * pow(0x1C69B3F74AC4AE35, -1, 2**64) & MASK
    z = unshift(z, 33) * pow(0x3C79AC492BA7B653, -1, 2**64) & MASK
    n = (unshift(z, 27) - key) * pow(step_of(key), -1, 2**64) & MASK
    return n - 2**64 if n >= 2**63 else n


@pytest.mark.nojit
def test_uniform_is_strictly_inside_the_unit_interval_for_every_word() -> None:
    for word in (0, 1, 2**11, MASK - 2**11, MASK):
        n = np.int64(counter_of(word, int(KEY)))
        assert int(bits(KEY, n)) == word
        assert 0.0 < uniform(KEY, n) < 1.0
        assert uniform(KEY, n) == pytest.approx((word >> 11) * 2.0**-53, abs=2.0**-55)


@pytest.mark.parametrize("key", [int(KEY), 0, 1, 2**32, MASK])
def test_uniforms_are_uniform(key: int) -> None:
    u = many_uniforms(np.uint64(key), 1_000_000)
    assert stats.kstest(u, "uniform").pvalue > 1e-6
    assert stats.chisquare(np.bincount((u * 4096).astype(int), minlength=4096)).pvalue > 1e-6
    pairs = (u[:-1] * 64).astype(int) * 64 + (u[1:] * 64).astype(int)
    assert stats.chisquare(np.bincount(pairs[::2], minlength=4096)).pvalue > 1e-6
    fine = (u * 2.0**30 % 1.0 * 4096).astype(int)
    assert stats.chisquare(np.bincount(fine, minlength=4096)).pvalue > 1e-6


def test_no_serial_correlation() -> None:
    u = many_uniforms(KEY, 1_000_000) - 0.5
    for lag in (1, 2, 3, 7, 64, 1000, 4096):
        assert abs(np.mean(u[:-lag] * u[lag:]) * 12.0 * np.sqrt(u.size - lag)) < 5.0, lag


# the last one but one would make a plain Weyl sequence with a common step overlap
@pytest.mark.parametrize("step", [1, 2, 2**32, step_of(int(KEY)), MASK])
def test_neighbouring_keys_are_uncorrelated(step: int) -> None:
    size = 200_000
    mine = many_uniforms(KEY, size) - 0.5
    other = many_uniforms(np.uint64((int(KEY) + step) & MASK), size) - 0.5
    for shift in (-1, 0, 1):
        z = np.mean(mine * np.roll(other, shift)) * 12.0 * np.sqrt(size)
        assert abs(z) < 5.0, shift


def test_consecutive_keys_at_one_counter_make_a_stream_too() -> None:
    u = np.array([uniform(np.uint64(key), 0) for key in range(100_000)])
    assert stats.kstest(u, "uniform").pvalue > 1e-6
    assert abs(np.mean((u[:-1] - 0.5) * (u[1:] - 0.5)) * 12.0 * np.sqrt(u.size)) < 5.0


def bit_table(words: NDArray[np.uint64]) -> NDArray[np.float64]:
    return ((words[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).astype(float)


def test_bits_are_fair_and_pairwise_independent() -> None:
    size = 20_000
    signs = 2.0 * bit_table(many_bits(KEY, size)) - 1.0
    assert np.abs(signs.mean(axis=0)).max() * np.sqrt(size) < 5.0
    within = signs.T @ signs / np.sqrt(size)
    between = signs[:-1].T @ signs[1:] / np.sqrt(size)
    # 2016 and 4096 pairs: |z| < 6 leaves one false alarm in 100,000
    assert np.abs(within - np.diag(np.diag(within))).max() < 6.0
    assert np.abs(between).max() < 6.0


@pytest.mark.parametrize("flip", [0, 1, 13, 31, 32, 50, 63])
def test_flipping_one_bit_of_key_or_counter_flips_every_bit_half_of_the_time(flip: int) -> None:
    size = 20_000
    mine = many_bits(KEY, size)
    other_key = many_bits(KEY ^ np.uint64(1 << flip), size)
    other_n = np.array([bits(KEY, np.uint64(n ^ (1 << flip))) for n in range(size)], dtype=np.uint64)
    for other in (other_key, other_n):
        z = (bit_table(mine ^ other).mean(axis=0) - 0.5) * 2.0 * np.sqrt(size / 2)
        assert np.abs(z).max() < 5.0


def printed_draws(jit: bool) -> str:
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": str(int(not jit)),
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT / 'tests'}",
    }
    flags = [] if jit else ["-W", "error"]
    command = [sys.executable, *flags, str(HELPERS / "print_draws.py")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_streams_and_draws_have_the_same_bytes_with_the_compiler_off_and_no_warning() -> None:
    on, off = printed_draws(jit=True).splitlines(), printed_draws(jit=False).splitlines()
    assert len(on) > 5000
    different = [pair for pair in zip(on, off, strict=True) if pair[0] != pair[1]]
    assert different == []


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_units_are_inside_0_and_1_in_either_precision(real: type) -> None:
    unit = outside(random.unit)
    assert 0.0 < unit(real, 0) < 1e-9
    assert 1.0 - 1e-7 < unit(real, 2**32 - 1) < 1.0
    assert unit(real, 2**31) == pytest.approx(0.5)
