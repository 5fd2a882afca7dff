"""Concentrations: the update against quadrature, at extreme counts, and on simulated text."""

import math

import numpy as np
import pytest
from numba import njit

from oracle.runs import errors
from pitmanyor.graph import Gamma
from pitmanyor.kernels.monitor.concentration_likelihood import RestaurantSizes
from pitmanyor.kernels.monitor.log_joint import N_MEASURES, OMEGA, ZETA
from pitmanyor.kernels.numbers.draws import bernoulli_sum_concentration, log_one_minus_beta
from pitmanyor.kernels.runtime.random import stream_key
from pitmanyor.models import hpyp
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.chain import Chain
from pitmanyor.sampling.concentrations import COUNTED, LEAST_CONCENTRATION, _draw, _times, draw_shared
from pitmanyor.simulation import simulate
from pitmanyor.state import new_state


@njit
def auxiliaries(b, c, t, a, step, out):
    """Measures with the sum of zeta and -log(1 - omega) for each of many concentrations, of one restaurant each."""
    for i in range(len(b)):
        key = stream_key(7, 0, step, i, 8)
        x, n = log_one_minus_beta(float(c), b[i], key, 0)
        z, n = bernoulli_sum_concentration(t, a, b[i], key, n)
        out[i, ZETA], out[i, OMEGA] = z, -x


def updates(prior, counts, n_chains, n_steps):
    """Concentrations of many chains of the update, after each step."""
    rng, values = np.random.default_rng(5), np.zeros((n_chains, N_MEASURES))
    b = np.full(n_chains, 0.5)
    for step in range(n_steps):
        auxiliaries(b, *counts, step, values)
        b = _draw(rng, prior, values)
        yield b


def exact_means(a, restaurants):
    """Means of b, b^2 and b / (1 + b) by quadrature, under Gamma(2, 1), of restaurants with (customers, tables)."""
    log_b = np.linspace(-12, 6, 20_001)
    b = np.exp(log_b)
    density = 2 * log_b - b  # Gamma(2, 1), times b for the change of variable
    for c, t in restaurants:
        density += sum(np.log(b + i * a) for i in range(t)) - sum(np.log(b + i) for i in range(c))
    weight = np.exp(density - density.max())
    return [np.sum(weight * f) / weight.sum() for f in (b, b * b, b / (1 + b))]


@pytest.mark.parametrize("counts", [(12, 5, 0.4), (12, 5, 0.0), (200, 3, 0.7), (4, 4, 0.5)])
def test_the_update_has_the_posterior_found_by_quadrature(counts):
    c, t, a = counts
    rows = np.array([(x.mean(), (x * x).mean(), (x / (1 + x)).mean()) for x in updates(Gamma(2, 1), counts, 200, 700)])
    means, error = errors(rows[100:])
    assert np.abs((means - exact_means(a, [(c, t)])) / error).max() < 4.5


def shared_updates(a, restaurants, n_steps, *, forgotten=()):
    """Means of b, b^2 and b / (1 + b) over updates of a concentration that restaurants share, and their errors."""
    rng, b, rows = np.random.default_rng(6), 0.5, []
    customers, tables = np.array([pair for pair in restaurants if pair not in forgotten]).T
    sizes = RestaurantSizes(
        *(np.stack(np.unique(values, return_counts=True), axis=1) for values in (tables, customers))
    )
    for _ in range(n_steps):
        b = float(draw_shared(rng, Gamma(2, 1), a, b, sizes)[0])
        rows.append((b, b * b, b / (1 + b)))
    return errors(np.array(rows))


RESTAURANTS = [(12, 5), (12, 7), (200, 3), (40, 3), (1, 1), (0, 0)]


@pytest.mark.parametrize("a", [0.0, 0.4, 0.9])
def test_a_shared_concentration_has_the_posterior_found_by_quadrature(a):
    means, error = shared_updates(a, RESTAURANTS, 12_000)
    assert np.abs((means - exact_means(a, RESTAURANTS)) / error).max() < 4.0


def test_a_restaurant_that_is_forgotten_shows():
    means, error = shared_updates(0.4, RESTAURANTS, 12_000, forgotten=[(40, 3)])
    assert np.abs((means - exact_means(0.4, RESTAURANTS)) / error).max() > 8.0


def test_a_shared_concentration_at_a_million_customers_moves_and_stays_finite():
    sizes = RestaurantSizes(np.array([[3_000, 1]]), np.array([[1_000_000, 1]]))
    rng, drawn = np.random.default_rng(7), [1e-200]
    for _ in range(2_000):
        drawn.append(float(draw_shared(rng, Gamma(0.1, 0.1), 0.7, drawn[-1], sizes)[0]))
    assert np.isfinite(drawn).all() and len(set(drawn)) == len(drawn)
    assert np.median(drawn[500:]) > 1e-6


def test_restaurants_without_customers_say_nothing():
    sizes, rng = RestaurantSizes(np.array([[0, 3]]), np.array([[0, 3]])), np.random.default_rng(8)
    drawn = [float(draw_shared(rng, Gamma(3, 2), 0.5, 1.0, sizes)[0]) for _ in range(20_000)]
    assert abs(np.mean(drawn) - 1.5) < 5 * math.sqrt(0.75 / 20_000)


def test_a_million_updates_at_a_million_customers_are_never_absorbed():
    """omega rounds to 1 in double precision: only logs keep b from 0 for good."""
    moved, last = 0, np.zeros(1000)
    for b in updates(Gamma(0.1, 0.1), (1_000_000, 3_000, 0.7), 1000, 1000):
        assert np.isfinite(b).all() and (b > LEAST_CONCENTRATION).all()
        moved, last = moved + int((b != last).sum()), b
    assert moved == 1_000_000
    assert np.median(last) > 1e-6


def test_without_customers_the_update_is_the_prior():
    draws = _draw(np.random.default_rng(1), Gamma(3, 2), np.zeros((40_000, N_MEASURES)))
    assert abs(draws.mean() - 1.5) < 5 * math.sqrt(0.75 / 40_000)


def test_concentrations_of_simulated_text_are_covered():
    """Central 90 % intervals of two layers over eight corpora drawn from the prior: 14.4 of 16 cover on average.

    Ten or fewer would come once in some four hundred times.
    """
    graph = hpyp(topic_discount=0.2, word_discount=0.3).set("*", concentration=1.0)
    graph = graph.set("theta", concentration=Gamma(4, 2)).set("phi", concentration=Gamma(4, 0.4))
    covered = 0
    for seed in range(8):
        drawn = simulate(graph, documents=20, tokens=20, vocabulary=20, seed=seed)
        chain = Chain(new_state(compile_plan(graph, drawn.corpus)), seed=seed)
        chain.initialise()
        for _ in range(400):
            chain.step()
        for name in ("theta", "phi"):
            low, high = np.quantile(chain.trace[f"concentration/{name}"][100:], [0.05, 0.95])
            covered += int(low <= drawn.concentrations[name] <= high)
    assert covered > 10


@pytest.mark.parametrize("most", [1, 40, COUNTED, COUNTED + 1, 10**9])
def test_sizes_of_restaurants_are_counted_whether_small_or_large(most):
    """Those of fewer than COUNTED customers have bins, others are sorted."""
    sizes = np.random.default_rng(1).integers(0, most, 500)
    sizes[0] = most - 1
    assert np.array_equal(_times(sizes), np.stack(np.unique(sizes, return_counts=True), axis=1))
    assert _times(sizes[:0]).shape == (0, 2)
