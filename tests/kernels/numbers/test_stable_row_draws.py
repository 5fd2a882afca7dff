"""Rows of tilted stable draws: each lane against the formula in float64, and their law against closed forms.

Statistical bounds are |z| < 5 or p > 1e-6, as in test_draws; the seeds are fixed.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray
from scipy import stats

from outside import outside
from pitmanyor.kernels.numbers import draws, stable_draws, stable_row_draws
from pitmanyor.kernels.runtime import random
from pitmanyor.kernels.runtime.random import uniform

stream_key, new_lanes = outside(random.stream_key), outside(stable_row_draws.new_lanes)
DISCOUNTS = (0.1, 0.3, 0.5, 0.7, 0.9)
MASSES = (1e-12, 1e-6, 1e-3, 0.05, 0.4, 1.0, 2.0, 3.0)
SIZE = 250  # columns: no whole number of vectors
Floats = NDArray[np.float64]


@njit
def fill_rows(a: float, mass: float, key: np.uint64, out: Floats) -> None:
    """Row after row; half of log2 of the power is the columns', half the row's."""
    lanes = stable_row_draws.new_lanes(out.shape[1])
    power = 0.5 * (math.log2(mass) / a + stable_row_draws.log2_constant(a))
    for k in range(out.shape[1]):
        lanes.power[k], lanes.fraction[k] = stable_row_draws.split_power(power)
    n = 0
    for r in range(out.shape[0]):
        more = stable_row_draws.split_power(power)
        stable_row_draws.set_powers(lanes.power[: out.shape[1]], lanes.fraction, more, lanes.whole, lanes.part)
        n = stable_row_draws.draw_stable(lanes, out.shape[1], a, key, n)
        for k in range(out.shape[1]):
            out[r, k] = lanes.value[k]


def rows(a: float, mass: float, n_rows: int = 1600) -> Floats:
    out = np.empty((n_rows, SIZE))
    fill_rows(a, mass, np.uint64(stream_key(7, int(1e3 * a), n_rows, 0, 0)), out)
    return out


@njit
def fill_scalars(a: float, mass: float, key: np.uint64, out: Floats) -> None:
    n = 0
    for i in range(out.size):
        out[i], n = draws.log_tilted_stable(a, mass, key, n)


@njit
def fill_untilted(a: float, mass: float, key: np.uint64, out: Floats) -> None:
    for i in range(out.size):
        angle = math.pi * uniform(key, 2 * i)
        out[i], _, _ = stable_draws.kanter(a, mass, angle, -math.log(uniform(key, 2 * i + 1)))


def z_of_transform(x: Floats, a: float, mass: float, s: float) -> float:
    """E[exp(-s S)] = exp(-m ((1 + s)^a - 1))."""
    weights = np.exp(-s * x)
    target = math.exp(-mass * math.expm1(a * math.log1p(s)))
    return float((weights.mean() - target) / (weights.std() / math.sqrt(x.size)))


def scales(a: float, mass: float) -> list[float]:
    """Where the transform tells something: about the typical S (float32 holds none below 1e-37), and about one."""
    typical = min(mass ** (-1.0 / a), 1e30)
    found = (0.1 * typical, typical, 10.0 * typical, 1.0)
    return [s for s in found if mass * math.expm1(a * math.log1p(s)) > 1e-4]


@pytest.mark.parametrize("mass", MASSES)
@pytest.mark.parametrize("a", DISCOUNTS)
def test_rows_have_the_transform_and_the_mean(a: float, mass: float) -> None:
    x = rows(a, mass)
    assert (x >= 0.0).all()
    for s in scales(a, mass):
        assert abs(z_of_transform(x, a, mass, s)) < 5.0, s
    if not scales(a, mass):  # one draw in 10^8 is above 1e-30
        assert x.max() < 1e-30
    if mass > 1e-3:
        assert abs((x.mean() - mass * a) / math.sqrt(mass * a * (1.0 - a) / x.size)) < 5.0


@pytest.mark.parametrize("mass", [1e-3, 0.3, 2.4, 2.55])
@pytest.mark.parametrize("a", DISCOUNTS)
def test_rows_have_the_law_of_the_scalar_draw(a: float, mass: float) -> None:
    x, y = rows(a, mass, 800), np.empty(210_000)
    fill_scalars(a, mass, np.uint64(stream_key(8, 0, 0, 0, 0)), y)
    kept = x > 1e-30  # float32 has no smaller ones
    assert stats.ks_2samp(np.log(x[kept]), y[y > math.log(1e-30)]).pvalue > 1e-6
    shares = kept.mean(), np.mean(y > math.log(1e-30))
    assert shares[0] == pytest.approx(shares[1], abs=5.0 * 0.5 / math.sqrt(y.size))


def test_the_transform_tells_when_nothing_is_rejected() -> None:
    x = np.empty(400_000)
    fill_untilted(0.7, 0.4, np.uint64(stream_key(9, 0, 0, 0, 0)), x)
    assert abs(z_of_transform(x, 0.7, 0.4, 1.0)) > 20.0


@pytest.mark.parametrize("mass", [1e-4, 0.01])
def test_the_tail_has_its_probabilities(mass: float) -> None:
    # at one half the law is inverse Gaussian; these tails are where 23 bits would be too coarse
    x = rows(0.5, mass, 16_000).ravel()
    law = stats.invgauss(1.0 / mass, scale=0.5 * mass**2)
    for share in (1e-2, 1e-3, 1e-4, 1e-5):
        expected = x.size * share
        assert abs(np.count_nonzero(x > law.isf(share)) - expected) < 5.0 * math.sqrt(expected), share


# Lanes


@njit
def fill_lane(lanes: stable_row_draws.Lanes, a: float, power: int) -> None:
    """One try from the bits that are there."""
    stable_row_draws._fill_exponentials(lanes.low, lanes.e)
    stable_row_draws._fill_angles(lanes.high, lanes.e, a, lanes.factor, lanes.base)
    stable_row_draws._take_logs(lanes.base, a)
    lanes.whole[:] = power
    lanes.part[:] = 0.25
    stable_row_draws._fill_draws(lanes, np.float32(1e6), lanes.draw)


def lane_errors(a: float) -> Floats:
    """log of lane over formula in float64, from the same 46 bits."""
    rng = np.random.Generator(np.random.Philox(3))
    found, b = [], (1.0 - a) / a
    power = -100 if a < 0.2 else -60
    for _ in range(400):
        lanes = new_lanes(stable_row_draws.LANES)
        lanes.high[:] = (
            rng.integers(-(2**31), 2**31, stable_row_draws.LANES) & ~0x1FF
        )  # u is next to nothing: accept all
        lanes.low[:] = rng.integers(-(2**31), 2**31, stable_row_draws.LANES) & ~0x1FF
        fill_lane(lanes, a, power)
        v = ((lanes.high.view(np.uint32) >> 9) + 0.5) * 2.0**-23
        e = -np.log1p(-(2.0**23 - (lanes.low.view(np.uint32) >> 9) - 0.5) * 2.0**-23)
        kept = lanes.draw > 1e-36
        assert (kept | (np.minimum(v, e) < 1.01 * stable_row_draws.FINE) | (a < 0.2)).all()
        sine = np.sin(np.pi * v)
        angular = np.sin(a * np.pi * (1.0 - v)) / (a * sine)
        log_s = np.log(angular) + b * np.log(np.sin((1.0 - a) * np.pi * (1.0 - v)) / ((1.0 - a) * sine * e))
        found.append(np.log(lanes.draw[kept].astype(float)) - log_s[kept] - (power + 0.25) * math.log(2.0))
    return np.concatenate(found)


@pytest.mark.parametrize(("a", "worst"), [(0.1, 1.2e-5), (0.3, 4e-6), (0.5, 1.5e-6), (0.7, 1e-6), (0.9, 1e-6)])
def test_a_lane_is_the_formula_to_the_rounding_of_float32(a: float, worst: float) -> None:
    # the mean is what moments see, and m is off by a of it
    errors = lane_errors(a)
    assert errors.size > 50_000
    assert np.abs(errors).max() < worst
    assert abs(errors.mean()) < 5e-7


@njit
def fill_settled(a: float, mass: float, high: int, low: int, key: np.uint64, out: Floats) -> None:
    n = 0
    for i in range(out.size):
        out[i], n = stable_row_draws.settle(a, mass, np.int32(high), np.int32(low), key, n)


@pytest.mark.parametrize("a", DISCOUNTS)
def test_a_lane_is_settled_with_bits_below_its_own(a: float) -> None:
    # all 23 bits of V are zero, so V is uniform below 2^-23, where S = (m / (pi V))^(1/a) sin(a pi)^(1/a) E^-b;
    # U is one half, and u next to nothing
    x, mass = np.empty(50_000), 1e-12
    fill_settled(a, mass, 0, -(2**31), np.uint64(stream_key(11, 0, 0, 0, 0)), x)
    assert (x > 0.0).all()
    v = mass * math.sin(a * math.pi) / (math.pi * x**a * math.log(2.0) ** (1.0 - a))
    assert stats.kstest(v * 2.0**23, "uniform").pvalue > 1e-6


def test_a_settled_lane_is_accepted_with_the_bits_it_has() -> None:
    # u lies in the last of 2^18 intervals, so S above 2^-18 cannot be accepted
    x = np.empty(1000)
    fill_settled(0.5, 0.1, -(2**31) | 0x1FF, -(2**31) | 0x1FF, np.uint64(stream_key(12, 0, 0, 0, 0)), x)
    assert (x == -1.0).all()


@njit
def draw_once(lanes: stable_row_draws.Lanes, size: int, a: float, key: np.uint64) -> None:
    more = stable_row_draws.split_power(0.0)
    stable_row_draws.set_powers(lanes.power[:size], lanes.fraction, more, lanes.whole, lanes.part)
    stable_row_draws.draw_stable(lanes, size, a, key, 0)


@pytest.mark.nojit
def test_rows_at_their_edges() -> None:
    for a in DISCOUNTS:
        lanes = new_lanes(4)
        lanes.power[:4] = (-4096, -127, 0, 60)  # no mass at all, next to none, about one, very much
        draw_once(lanes, 4, a, np.uint64(stream_key(13, 0, 0, 0, 0)))
        assert np.isfinite(lanes.value[:4]).all()
        assert lanes.value[0] == 0.0
        assert lanes.value[2] > 0.0
        mass = 2.0 ** (a * (60.0 - math.log2(a) - (1.0 - a) / a * math.log2(1.0 - a)))
        assert lanes.value[3] == pytest.approx(a * mass, rel=10.0 / math.sqrt(mass))
