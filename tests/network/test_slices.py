"""Slice sampling of laws that are known."""

import numpy as np
import pytest

from pitmanyor.network.slices import elliptical_slice, slice_sample


def z_of(draws, exact):
    batches = np.array([batch.mean(axis=0) for batch in np.array_split(draws, 50)])
    return (batches.mean(axis=0) - exact) / (batches.std(axis=0, ddof=1) / np.sqrt(50))


def run_ellipse(level_shift=0.0):
    """A prior N(0, I) and a Gaussian likelihood: the posterior is known. Returns z of means and second moments."""
    rng = np.random.default_rng(5)
    rows, y, noise = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, -1.0]]), np.array([2.0, -1.0]), 0.7
    cov = np.linalg.inv(np.eye(3) + rows.T @ rows / noise**2)
    mean = cov @ rows.T @ y / noise**2

    def log_likelihood(w):
        return float(-0.5 * ((y - rows @ w) ** 2).sum() / noise**2)

    w, draws = np.zeros(3), []
    for _ in range(20_000):
        current = log_likelihood(w) + level_shift
        w = elliptical_slice(w, current, log_likelihood, rng).point
        draws.append([*w, *np.outer(w, w)[np.triu_indices(3)]])
    exact = np.concatenate([mean, (cov + np.outer(mean, mean))[np.triu_indices(3)]])
    return np.abs(z_of(np.array(draws), exact)).max()


def test_ellipse_recovers_a_gaussian_posterior():
    assert run_ellipse() < 4


def test_a_wrong_level_is_caught():
    assert run_ellipse(level_shift=-1.0) > 6


@pytest.mark.parametrize("width", [0.3, 5.0])
def test_interval_recovers_a_log_gamma(width):
    rng, x, draws = np.random.default_rng(6), 0.0, []
    for _ in range(20_000):
        x = slice_sample(x, lambda v: 3.0 * v - np.exp(v), rng, width)
        draws.append([np.exp(x), np.exp(2 * x)])
    assert np.abs(z_of(np.array(draws), [3.0, 12.0])).max() < 4
