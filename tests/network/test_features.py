"""The kernel as features against the kernel itself."""

import numpy as np
import pytest

from pitmanyor.errors import PlanError
from pitmanyor.network.features import INTERCEPT, LEFT_OUT, SHORTEST, Kernel, features, features_at, knots
from pitmanyor.network.gaussian import log_normal


def dense(similarity, kernel):
    gap = similarity[:, None] - similarity
    out = kernel.signal**2 / 2 * np.exp(-(gap**2) / (2 * kernel.length**2))
    return out + INTERCEPT**2 if kernel.intercept else out


@pytest.mark.parametrize("length", [0.05, 0.1, 0.2, 0.5, 1.0, 3.0, 50.0])
def test_features_make_the_kernel(length):
    for kernel in (Kernel(length=length), Kernel(signal=1.7, length=length, intercept=True)):
        phi = features(kernel)
        assert np.abs(phi @ phi.T - dense(knots(), kernel)).max() < 1e-10 / 100


def test_features_of_the_shortest_length_leave_out_what_they_may():
    kernel = Kernel(length=SHORTEST)
    assert np.abs(features(kernel) @ features(kernel).T - dense(knots(), kernel)).max() < LEFT_OUT


def test_few_features_are_enough():
    assert features(Kernel()).shape[1] == 8
    assert features(Kernel(length=0.2)).shape[1] < 25


@pytest.mark.parametrize("length", [0.2, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("sigma", [0.1, 1.0, 3.0])
def test_low_rank_density_is_the_dense_one(length, sigma):
    """Twenty instances: 380 pairs."""
    rng = np.random.default_rng(3)
    unit = rng.dirichlet(np.full(6, 0.4), 20)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    similarity = (unit @ unit.T)[~np.eye(20, dtype=bool)]
    kernel = Kernel(length=length, noise=sigma)
    full = dense(similarity, kernel) + sigma**2 * np.eye(380)
    residual = np.linalg.cholesky(full) @ rng.standard_normal(380)
    _, log_det = np.linalg.slogdet(full)
    exact = -0.5 * (residual @ np.linalg.solve(full, residual) + log_det + 380 * np.log(2 * np.pi))
    assert log_normal(residual, features_at(kernel, similarity), sigma) == pytest.approx(exact, abs=1e-8)


def test_a_density_without_noise_is_refused():
    with pytest.raises(PlanError, match="noise above 0"):
        log_normal(np.zeros(2), np.ones((2, 1)), 0.0)


def test_a_length_that_needs_too_many_features_is_refused():
    with pytest.raises(PlanError, match="0.01 or more"):
        features(Kernel(length=0.009))
