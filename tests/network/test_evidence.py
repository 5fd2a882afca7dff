"""log p(X | nu) by importance sampling against quadrature over the one weight that matters."""

import numpy as np
import pytest

from pitmanyor.network.evidence import log_evidence
from pitmanyor.network.features import Kernel
from pitmanyor.network.mode import find_mode
from pitmanyor.network.noise import log_link
from pitmanyor.network.observed import LINKED, UNSEEN, Ends, observe
from pitmanyor.network.similar_links import SimilarLinks

KERNEL = Kernel(signal=1.5, length=50.0, noise=0.4)


def test_against_quadrature():
    rng = np.random.default_rng(3)
    unit = rng.dirichlet(np.ones(3), 12)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    cosine = np.minimum(unit @ unit.T, 1.0)
    ends = Ends(*np.nonzero(rng.random((12, 12)) < 0.2), np.zeros((0, 2), int))
    observed = observe(12, ends, directed=True, self_links=False)
    links = SimilarLinks(KERNEL)
    links.lay(cosine, *observed.both_ways())
    links.weights = rng.standard_normal(len(links.weights))
    before = links.weights.copy()
    found = log_evidence(links, rng, 800)
    assert np.array_equal(links.weights, before)

    known = observed.pairs != UNSEEN
    sign = np.where(observed.pairs[known] == LINKED, 1.0, -1.0)
    w = np.arange(-9.0, 9.0, 0.05)
    terms = [log_link(sign * (cosine[known] + KERNEL.signal / np.sqrt(2) * value), KERNEL.noise).sum() for value in w]
    log_p = np.array(terms) - w**2 / 2 - np.log(2 * np.pi) / 2
    exact = log_p.max() + np.log(np.exp(log_p - log_p.max()).sum() * 0.05)
    assert found.error < 0.1
    assert found.log_likelihood == pytest.approx(exact, abs=4 * found.error + 1e-3)


def test_the_mode_is_found_from_far_away():
    """Many pairs put the mode many standard deviations of the prior away, where draws from w = 0 took too long to come.

    At the mode all small steps go down, and the importance weights are even.
    """
    rng = np.random.default_rng(4)
    unit = rng.dirichlet(np.full(4, 0.5), 150)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    cosine = np.minimum(unit @ unit.T, 1.0)
    ends = Ends(*np.nonzero(rng.random((150, 150)) < 1 / (1 + np.exp(9 - 12 * cosine))), np.zeros((0, 2), int))
    links = SimilarLinks(Kernel())
    links.lay(cosine, *observe(150, ends, directed=True, self_links=False).both_ways())
    mode, spread = find_mode(links)
    assert np.abs(mode).max() > 4

    def log_posterior(w):
        return links.log_likelihood(w) - (w**2).sum() / 2

    for _ in range(20):
        step = 0.1 * np.linalg.cholesky(spread) @ rng.standard_normal(len(mode))
        lost = log_posterior(mode) - log_posterior(mode + step)
        assert lost == pytest.approx(0.5 * step @ np.linalg.solve(spread, step), rel=0.2, abs=1e-6)
    one, other = (log_evidence(links, np.random.default_rng(seed), 400) for seed in (1, 2))
    assert max(one.error, other.error) < 0.1
    assert one.log_likelihood == pytest.approx(other.log_likelihood, abs=0.4)
