"""The noise of a link integrated out."""

import mpmath
import numpy as np
import pytest

from pitmanyor.errors import PlanError
from pitmanyor.kernels.network.similarity import link_curves
from pitmanyor.network.noise import log_link, noisy_link

SIGMAS = [0.1, 1.0, 3.0, 10.0]


@pytest.mark.parametrize("sigma", SIGMAS)
def test_against_mpmath(sigma):
    for m in (-60.0, -7.5, -0.3, 0.0, 2.0, 11.0):
        with mpmath.workdps(30):
            centre = max(0.0, min(sigma, -m / sigma)) if m < 0 else 0.0
            exact = mpmath.quad(
                lambda e, m=m: mpmath.npdf(e) / (1 + mpmath.exp(-m - sigma * e)),
                [-15, centre - 4, centre, centre + 4, 15 + sigma],
            )
        assert log_link(np.array([m]), sigma)[0] == pytest.approx(float(mpmath.log(exact)), abs=1e-10)


@pytest.mark.parametrize("sigma", [0.0, *SIGMAS])
def test_the_curve_is_the_function(sigma):
    noisy = noisy_link(sigma)
    m = np.random.default_rng(1).uniform(1.5 * noisy.start, -1.5 * noisy.start, 500)
    out = np.empty((2, 500))
    link_curves(m, *noisy, out)
    assert np.abs(out[0] - log_link(m, sigma)).max() < 1e-10
    assert np.abs(out[1] - log_link(-m, sigma)).max() < 1e-10


def test_too_much_noise_is_refused():
    with pytest.raises(PlanError, match="between 0 and 30"):
        noisy_link(31.0)
