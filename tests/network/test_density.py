"""The density of tilted stable masses."""

import numpy as np
import pytest

from pitmanyor.kernels.numbers.stable_density import log_tilted_many
from pitmanyor.network.density import stable_density


def log_density(a, log_m, log_x):
    out = np.empty(len(log_x))
    log_tilted_many(stable_density(a), np.broadcast_to(log_m, log_x.shape), log_x, out)
    return out


def test_one_half_is_inverse_gaussian():
    rng = np.random.default_rng(0)
    log_m, log_x = rng.uniform(-60, 5, 2_000), rng.uniform(-80, 6, 2_000)
    m, x = np.exp(log_m), np.exp(log_x)
    exact = log_m - np.log(2 * np.sqrt(np.pi)) - 1.5 * log_x - (x - m / 2) ** 2 / x
    near = exact > -1e3
    assert near.sum() > 500
    assert np.abs(log_density(0.5, log_m, log_x) - exact)[near].max() < 1e-10


@pytest.mark.parametrize("a", [0.1, 0.3, 0.7, 0.9])
@pytest.mark.parametrize("m", [1e-8, 0.5, 40.0])
def test_total_and_laplace_transform(a, m):
    log_x = np.arange(-800.0 if a < 0.2 else -200.0, 8.0, 0.02)
    terms = 0.02 * np.exp(log_density(a, np.log(m), log_x) + log_x)
    assert terms.sum() == pytest.approx(1.0, abs=1e-10)
    assert terms @ np.exp(-np.exp(log_x)) == pytest.approx(np.exp(-m * (2**a - 1)), rel=1e-10)
