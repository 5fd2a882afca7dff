"""Draws against closed forms: distribution functions, probability mass functions, Laplace transforms, moments.

Statistical bounds are |z| < 5 (one false alarm in 1.7 million for a fresh seed) or p > 1e-6; the seeds are fixed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray
from scipy import special, stats

from outside import outside
from pitmanyor.kernels.numbers import count_draws, draws, gamma_draws, stable_draws
from pitmanyor.kernels.runtime import random

stream_key = outside(random.stream_key)
DISCOUNTS = (0.001, 0.01, 0.2, 0.3, 0.5, 0.7, 0.99, 0.999)


@njit
def fill(function: Callable[..., tuple[float, int]], arguments: Any, key: np.uint64, out: NDArray[np.float64]) -> None:
    n = 0
    for i in range(out.size):
        out[i], n = function(*arguments, key, n)


def sample(function: Callable[..., tuple[float, int]], *arguments: float, size: int = 200_000) -> NDArray[np.float64]:
    """`size` draws one after the other from one stream."""
    out = np.empty(size)
    fill(function, arguments, np.uint64(stream_key(5, size, 0, 0, 0)), out)
    return out


def z_of_mean(x: NDArray[np.float64], mean: float) -> float:
    return float((x.mean() - mean) / (x.std() / math.sqrt(x.size)))


def assert_pmf(x: NDArray[np.float64], pmf: NDArray[np.float64]) -> None:
    """Chi-square of counts against a pmf on 0, 1, ...; neighbours are pooled until 10 are expected."""
    observed = np.bincount(x.astype(int), minlength=pmf.size)
    assert observed.size == pmf.size
    cells = np.minimum(np.cumsum(pmf) * x.size / 10.0, x.size / 10.0 - 1.0).astype(int)
    expected = np.bincount(cells, pmf * x.size)
    seen = np.bincount(cells, observed)
    keep = expected > 0.0
    assert seen[~keep].sum() == 0
    if keep.sum() > 1:
        assert stats.chisquare(seen[keep], expected[keep] * x.size / expected.sum()).pvalue > 1e-6


# Normal, exponential, gamma


@pytest.mark.parametrize(("x", "y"), [("_NORMAL_X", "_NORMAL_Y"), ("_EXPONENTIAL_X", "_EXPONENTIAL_Y")])
def test_ziggurat_layers_close_at_the_top(x: str, y: str) -> None:
    edges, heights = getattr(gamma_draws, x), getattr(gamma_draws, y)
    areas = edges[1:-1] * np.diff(heights[1:])
    assert areas == pytest.approx(np.full(255, edges[0] * heights[1]), rel=1e-9)


@pytest.mark.parametrize(
    ("function", "cdf"), [(draws.normal, special.ndtr), (draws.exponential, lambda x: -np.expm1(-x))]
)
def test_normal_and_exponential_have_their_distributions(
    function: Callable[..., tuple[float, int]], cdf: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> None:
    x = sample(function, size=4_000_000)
    cells = (cdf(x) * 4096.0).astype(int)
    assert stats.chisquare(np.bincount(cells, minlength=4096)).pvalue > 1e-6
    assert np.count_nonzero(x) == x.size


def test_the_tails_beyond_the_ziggurat_have_their_distributions() -> None:
    key = np.uint64(stream_key(6, 0, 0, 0, 0))
    normal_edge, exponential_edge = outside(gamma_draws._normal_edge), outside(gamma_draws._exponential_edge)
    x = np.array([normal_edge(0, -0.5, key, 100 * i)[0] for i in range(20_000)])
    cut = gamma_draws._NORMAL_TAIL
    assert stats.kstest(stats.norm.sf(-x) / stats.norm.sf(cut), "uniform").pvalue > 1e-6
    e = np.array([exponential_edge(0, 0.5, key, 100 * i)[0] for i in range(20_000)])
    assert stats.kstest(e - gamma_draws._EXPONENTIAL_TAIL, "expon").pvalue > 1e-6


@pytest.mark.parametrize("shape", [0.05, 0.5, 0.999, 1.0, 1.3, 8.0, 1e4, 1e12])
def test_gamma_and_its_log_have_their_distribution(shape: float) -> None:
    x = sample(draws.gamma, shape, size=100_000)
    assert stats.kstest(special.gammainc(shape, x), "uniform").pvalue > 1e-6
    log_x = sample(draws.log_gamma, shape, size=100_000)
    assert np.allclose(log_x, np.log(x), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("shape", [1e-6, 1e-12, 1e-300])
def test_log_gamma_survives_tiny_shapes(shape: float) -> None:
    # X^shape is uniform up to O(shape): the cdf of X is x^shape / Gamma(1 + shape) as far as it matters
    log_x = sample(draws.log_gamma, shape)
    assert np.isfinite(log_x).all()
    assert stats.kstest(np.exp(log_x * shape), "uniform").pvalue > 1e-6


@pytest.mark.nojit
def test_gamma_of_shape_zero_is_zero_and_the_smallest_float_is_finite() -> None:
    assert sample(draws.gamma, 0.0, size=3).tolist() == [0.0] * 3
    assert sample(draws.log_gamma, 0.0, size=3).tolist() == [-math.inf] * 3
    assert np.isfinite(sample(draws.log_gamma, 5e-324, size=100)).all()


@pytest.mark.parametrize(("customers", "concentration"), [(1.0, 1.0), (5.0, 0.3), (1000.0, 20.0), (0.5, 1e-3)])
def test_log_one_minus_beta_has_its_distribution(customers: float, concentration: float) -> None:
    x = np.exp(sample(draws.log_one_minus_beta, customers, concentration))
    assert stats.kstest(x[x > 1e-250], conditional_cdf(concentration, customers)).pvalue > 1e-6


def conditional_cdf(a: float, b: float) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Beta(a, b) given that it is above 1e-250: below, its exponential is no longer a normal float."""
    low = stats.beta(a, b).cdf(1e-250)
    return lambda x: (stats.beta(a, b).cdf(x) - low) / (1.0 - low)


@pytest.mark.parametrize(("customers", "concentration"), [(1e12, 1e-12), (1.0, 1e-12), (1e6, 1e-6), (3.0, 1e-300)])
def test_log_one_minus_beta_is_never_infinite(customers: float, concentration: float) -> None:
    # again (1 - omega)^b is uniform up to O(b log C)
    x = sample(draws.log_one_minus_beta, customers, concentration)
    assert np.isfinite(x).all()
    assert (x <= 0.0).all()
    assert stats.kstest(np.exp(x * concentration), "uniform").pvalue > 1e-6


@pytest.mark.nojit
def test_without_customers_omega_is_zero() -> None:
    assert sample(draws.log_one_minus_beta, 0.0, 0.1, size=50).tolist() == [0.0] * 50


# Counts


@pytest.mark.parametrize(
    ("count", "p"),
    [(1, 0.3), (20, 0.1), (20, 0.97), (50, 0.5), (21, 0.49), (200, 0.9), (1000, 0.3), (10**6, 3e-6), (10**9, 2e-8)],
)
def test_binomial_has_its_pmf(count: int, p: float) -> None:
    pmf = stats.binom(count, p).pmf(np.arange(min(count, 1500) + 1))
    assert_pmf(sample(draws.binomial, count, p, size=1_000_000), pmf)


@pytest.mark.parametrize(("count", "p"), [(10**6, 0.1), (10**9, 0.37), (10**9, 0.93)])
def test_binomial_of_a_large_count(count: int, p: float) -> None:
    x = sample(draws.binomial, count, p, size=100_000)
    assert stats.kstest(stats.binom(count, p).cdf(x), "uniform").pvalue > 1e-6
    variance = count * p * (1.0 - p)
    assert abs(z_of_mean((x - count * p) ** 2, variance)) < 5.0


@pytest.mark.nojit
def test_binomial_at_its_edges() -> None:
    for count, p, value in ((0, 0.5, 0), (7, 0.0, 0), (7, 1.0, 7), (10**9, 1e-300, 0)):
        assert sample(draws.binomial, count, p, size=20).tolist() == [value] * 20


def test_the_error_of_stirlings_formula() -> None:
    stirling_error = outside(count_draws._stirling_error)
    for k in (0, 1, 2, 5, 8, 9, 10, 50, 10**6):
        with mpmath.workdps(40):
            formula = mpmath.log(2 * mpmath.pi) / 2 + (k + mpmath.mpf(0.5)) * mpmath.log(k + 1) - (k + 1)
            expected = float(mpmath.loggamma(k + 1) - formula)
        assert stirling_error(float(k)) == pytest.approx(expected, rel=1e-9)


def bernoulli_sum_pmf(p: NDArray[np.float64]) -> NDArray[np.float64]:
    pmf = np.zeros(p.size + 1)
    pmf[0] = 1.0
    for chance in p:
        pmf[1:] = pmf[1:] * (1.0 - chance) + pmf[:-1] * chance
        pmf[0] *= 1.0 - chance
    return pmf


@pytest.mark.parametrize("customers", [1, 2, 7, 1500])
@pytest.mark.parametrize("mass", [1e-3, 0.05, 0.7, 6.0, 90.0])
def test_table_sum_has_its_pmf(customers: int, mass: float) -> None:
    pmf = bernoulli_sum_pmf(mass / (mass + np.arange(customers)))
    assert_pmf(sample(draws.bernoulli_sum_tables, customers, mass), pmf)


@pytest.mark.parametrize(("tables", "discount", "concentration"), [(40, 0.7, 2.0), (400, 0.5, 0.01), (60, 0.01, 5.0)])
def test_concentration_sum_has_its_pmf(tables: int, discount: float, concentration: float) -> None:
    pmf = bernoulli_sum_pmf(concentration / (concentration + discount * np.arange(tables)))
    assert_pmf(sample(draws.bernoulli_sum_concentration, tables, discount, concentration), pmf)


@pytest.mark.parametrize("mass", [1e-6, 0.2, 3.0, 25.0])
def test_table_sum_of_a_hundred_million_customers(mass: float) -> None:
    c = 10**8
    mean = 1.0 + mass * (special.digamma(mass + c) - special.digamma(mass + 1.0))
    variance = mean - 1.0 - mass**2 * (special.polygamma(1, mass + 1.0) - special.polygamma(1, mass + c))
    x = sample(draws.bernoulli_sum_tables, c, mass, size=20_000)
    assert abs((x.mean() - mean) / math.sqrt(variance / x.size)) < 5.0
    if mass > 0.1:
        assert abs(z_of_mean((x - mean) ** 2, variance)) < 5.0


@pytest.mark.nojit
def test_sums_at_their_edges() -> None:
    cases = ((0, 1.0, 0), (0, 0.0, 0), (9, 0.0, 1), (1, 1e-300, 1), (10**8, 1e-300, 1), (9, 1e300, 9))
    for customers, mass, value in cases:
        assert sample(draws.bernoulli_sum_tables, customers, mass, size=20).tolist() == [value] * 20
    for tables, discount, concentration, value in ((0, 0.5, 1.0, 0), (9, 0.0, 1e-300, 9), (10**7, 0.7, 1e-300, 1)):
        x = sample(draws.bernoulli_sum_concentration, tables, discount, concentration, size=20)
        assert x.tolist() == [value] * 20


# Tilted stable


@njit
def small_mass(discount: float, mass: float, key: np.uint64, n: int) -> tuple[float, int]:
    _, factor, exponent, n = stable_draws._kanter(discount, mass, key, n)
    return math.log(factor) + exponent, n


@njit
def large_mass(discount: float, mass: float, key: np.uint64, n: int) -> tuple[float, int]:
    _, factor, exponent, n = stable_draws._large_mass(discount, mass, key, n)
    return math.log(factor) + exponent, n


def log_transform(discount: float, mass: float, s: float) -> float:
    """log E[exp(-s (S - E S))] for a tilted stable S, without cancellation for small s."""
    return -mass * math.expm1(discount * math.log1p(s)) + s * mass * discount


@pytest.mark.parametrize("discount", DISCOUNTS)
@pytest.mark.parametrize("mass", [1e-3, 0.1, 1.0, 1.6, 4.0, 30.0, 1e3, 1e4])
def test_tilted_stable_has_its_transform_and_moments(discount: float, mass: float) -> None:
    x = sample(draws.tilted_stable, discount, mass)
    mean, variance = mass * discount, mass * discount * (1.0 - discount)
    assert abs((x.mean() - mean) / math.sqrt(variance / x.size)) < 5.0
    for s in (0.3 / math.sqrt(variance), 1.0 / math.sqrt(variance), 3.0 / math.sqrt(variance)):
        weights = np.exp(-s * (x - mean) - log_transform(discount, mass, s))
        assert abs(z_of_mean(weights, 1.0)) < 5.0, s


@pytest.mark.parametrize("discount", [0.3, 0.5, 0.7, 0.99])
def test_tilted_stable_of_a_tiny_mass_is_nearly_stable(discount: float) -> None:
    mass = 1e-12
    s = mass ** (-1.0 / discount)
    x = sample(draws.tilted_stable, discount, mass)
    for factor in (0.1, 1.0, 10.0):
        target = math.exp(-mass * math.expm1(discount * math.log1p(factor * s)))
        assert abs(z_of_mean(np.exp(-factor * s * x), target)) < 5.0, factor


@pytest.mark.parametrize("mass", [1e-3, 0.4, 3.0, 50.0])
def test_tilted_stable_at_one_half_is_inverse_gaussian(mass: float) -> None:
    cdf = stats.invgauss(1.0 / mass, scale=0.5 * mass**2).cdf
    assert stats.kstest(sample(draws.tilted_stable, 0.5, mass), cdf).pvalue > 1e-6
    # the general algorithms hold at 1/2 as well
    algorithm = small_mass if mass < 1.0 else large_mass
    assert stats.kstest(np.exp(sample(algorithm, 0.5, mass)), cdf).pvalue > 1e-6


@pytest.mark.parametrize("discount", [0.001, 0.01, 0.1, 0.24, 0.26, 0.6, 0.9, 0.99, 0.999])
@pytest.mark.parametrize("mass", [1.2, 2.5])
def test_the_algorithms_for_small_and_large_mass_agree(discount: float, mass: float) -> None:
    x, y = sample(small_mass, discount, mass), sample(large_mass, discount, mass, size=210_000)
    assert stats.ks_2samp(x, y).pvalue > 1e-6


def test_the_cost_of_a_draw_is_bounded_in_the_mass() -> None:
    key, tilted_stable = np.uint64(stream_key(10, 0, 0, 0, 0)), outside(draws.tilted_stable)
    for discount in (0.001, 0.01, 0.1, 0.24, 0.25, 0.4, 0.7, 0.99, 0.999):
        for mass in (0.1, 1.5, 1.6, 5.0, 20.0, 100.0, 1e4, 1e8):
            n = 0
            for _ in range(500):
                _, n = tilted_stable(discount, mass, key, n)
            assert n < 16 * 500, (discount, mass)


@pytest.mark.parametrize("discount", DISCOUNTS)
@pytest.mark.parametrize("mass", [1e-12, 0.5, 1.0, 3.0, 1e4])
def test_log_tilted_stable_is_the_log_of_the_same_draw(discount: float, mass: float) -> None:
    x = sample(draws.tilted_stable, discount, mass, size=2000)
    log_x = sample(draws.log_tilted_stable, discount, mass, size=2000)
    kept = x > 1e-290
    assert np.allclose(log_x[kept], np.log(x[kept]), rtol=1e-12, atol=1e-11)
    assert (log_x[~kept] < -660.0).all()


@pytest.mark.parametrize("discount", DISCOUNTS)
def test_log_tilted_stable_survives_underflow(discount: float) -> None:
    # with next to no mass there is next to no tilt, and a stable variable of transform exp(-m s^a) has
    # E[log S] = log(m) / a + gamma (1/a - 1) and var[log S] = pi^2/6 (1/a^2 - 1)
    x = sample(draws.log_tilted_stable, discount, 1e-300)
    assert np.isfinite(x).all()
    mean = math.log(1e-300) / discount + np.euler_gamma * (1.0 / discount - 1.0)
    variance = math.pi**2 / 6.0 * (1.0 / discount**2 - 1.0)
    assert abs((x.mean() - mean) / math.sqrt(variance / x.size)) < 5.0
    assert abs(z_of_mean((x - mean) ** 2, variance)) < 5.0


@pytest.mark.nojit
def test_tilted_stable_at_its_edges() -> None:
    for discount in DISCOUNTS:
        assert sample(draws.tilted_stable, discount, 0.0, size=3).tolist() == [0.0] * 3
        assert sample(draws.log_tilted_stable, discount, 0.0, size=3).tolist() == [-math.inf] * 3
        for mass in (1e-300, 1e-12, 1e8, 1e12):
            x = sample(draws.tilted_stable, discount, mass, size=300)
            assert np.isfinite(x).all()
            assert (x >= 0.0).all()


def test_the_short_sine_is_a_sine() -> None:
    x = np.linspace(1e-6, math.pi - 1e-3, 5001)
    sine = outside(stable_draws._sin)
    y = np.array([sine(float(v)) for v in x])
    assert np.allclose(y, np.sin(x), rtol=1e-12, atol=0.0)
    near = x < math.pi / 2.0
    assert np.allclose(y[near], np.sin(x[near]), rtol=1e-15, atol=0.0)
