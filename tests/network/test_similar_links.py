"""The likelihood of links by knots and curves against the sum over pairs."""

import numpy as np
import pytest

from pitmanyor.network.features import Kernel, features, features_at, knots
from pitmanyor.network.noise import log_link
from pitmanyor.network.observed import LINKED, UNSEEN, Ends, observe
from pitmanyor.network.similar_links import SimilarLinks, log_density


def network(n, directed=True, self_links=False, hidden=()):
    rng = np.random.default_rng(n)
    unit = rng.dirichlet(np.full(5, 0.4), n)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    cosine = unit @ unit.T
    np.fill_diagonal(cosine, 1.0)
    sources, targets = np.nonzero(rng.random((n, n)) < 0.3)
    ends = Ends(sources, targets, np.array(hidden, int).reshape(-1, 2))
    return cosine, observe(n, ends, directed=directed, self_links=self_links)


def series(similarity, length, n=60):
    """phi_n(u) = exp(-u^2/2) u^n / sqrt(n!), u = (Sim - 1/2)/l, whose products are exp(-(u - v)^2/2)."""
    u = (similarity - 0.5) / length
    columns = [np.exp(-0.5 * u**2)]
    for i in range(1, n):
        columns.append(columns[-1] * u / np.sqrt(i))
    return np.stack(columns, axis=1)


def pair_by_pair(links, cosine, observed):
    """The same weights, through the series at every pair."""
    kernel = links.kernel
    axes = np.linalg.lstsq(series(knots(), kernel.length), features(kernel._replace(intercept=False)), rcond=None)[0]
    i, j = np.nonzero(observed.pairs != UNSEEN)
    weights = links.weights[: axes.shape[1]]
    m = cosine[i, j] + series(cosine[i, j], kernel.length) @ axes @ weights
    m += 5.0 * links.weights[-1] if kernel.intercept else 0.0
    return log_link(np.where(observed.pairs[i, j] == LINKED, m, -m), kernel.noise).sum()


@pytest.mark.parametrize("length", [0.2, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("noise", [0.0, 0.1, 1.0, 3.0])
def test_curves_are_the_sum_over_pairs(length, noise):
    links = SimilarLinks(Kernel(length=length, noise=noise))
    links.weights = np.random.default_rng(2).standard_normal(len(links.weights))
    cosine, observed = network(20)
    assert log_density(links, cosine, observed) == pytest.approx(pair_by_pair(links, cosine, observed), abs=1e-8)


def test_the_shortest_length_is_read_between_the_knots():
    links = SimilarLinks(Kernel(length=0.01))
    rng = np.random.default_rng(2)
    for _ in range(20):
        links.weights = rng.standard_normal(len(links.weights))
        some = rng.random(1000)
        m = some + features_at(links.kernel, some) @ links.weights
        assert np.abs(links.log_probability(some) - log_link(m, 1.0)).max() < 1e-5


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("self_links", [True, False])
def test_directions_self_links_hidden_pairs_and_intercept(directed, self_links):
    links = SimilarLinks(Kernel(signal=2.0, intercept=True))
    links.weights = np.random.default_rng(2).standard_normal(len(links.weights))
    cosine, observed = network(9, directed, self_links, hidden=[(1, 2), (4, 3), (2, 1)])
    n_pairs = (72 - 3 if directed else 36 - 2) + 9 * self_links
    assert observed.n_pairs == n_pairs
    assert log_density(links, cosine, observed) == pytest.approx(pair_by_pair(links, cosine, observed), abs=1e-8)
