"""Geweke's joint test of the network by itself: four authors whose customers are seen, and links of either kernel."""

from functools import cache

import numpy as np
import pytest

from outside import outside
from pitmanyor.kernels import draws
from pitmanyor.kernels.masses import Masses
from pitmanyor.kernels.stirling import build_tables
from pitmanyor.links.features import Kernel
from pitmanyor.links.linked import LinkedNode, Seats
from pitmanyor.links.network import Network, Shared
from pitmanyor.links.noise import log_link
from pitmanyor.links.observed import Ends, observe
from pitmanyor.links.pair import PairLinks
from pitmanyor.links.root import Prior, Root, draw_log_gamma
from pitmanyor.links.similar import SimilarLinks

log_tilted_stable = outside(draws.log_tilted_stable)

N, K, SEEN, N_STEPS = 4, 3, 2, 3_000
PRIOR = Prior(2.0, 1.0)
KERNEL = Kernel(signal=2.0, length=0.5, noise=0.5, intercept=True)
NOBODY = np.zeros((0, 2), np.int64)


def from_prior(a, kind, rng):
    """A network with everything but the links drawn from the prior."""
    b0, b = rng.gamma(2.0), rng.gamma(2.0)
    log_mu = draw_log_gamma(np.full(K, b0 / K), rng)
    log_mu -= np.logaddexp.reduce(log_mu)
    masses = Masses(np.zeros((N, K)), np.zeros(N), np.full(N, b), np.zeros((N, K), np.int64), log_mu)
    for i in range(N):
        if a == 0:
            masses.log_mass[i] = draw_log_gamma(np.maximum(b * np.exp(log_mu), 1e-300), rng)
            continue
        masses.log_u0[i] = draw_log_gamma(np.array([b / a]), rng)[0]
        for k in range(K):
            log_m, key = masses.log_u0[i] + log_mu[k], np.uint64(rng.integers(2**63))
            small = min(log_m + 460.0, 0.0)  # below, only the scale changes
            masses.log_mass[i, k] = log_tilted_stable(a, np.exp(log_m - small), key, 0)[0] + small / a
    seen = {"f": observe(N, Ends(NOBODY[:, 0], NOBODY[:, 1], NOBODY), directed=True, self_links=False)}
    similar = {"f": SimilarLinks(KERNEL)} if kind == "similarity" else {}
    pairs = {"f": PairLinks(KERNEL, K, seen["f"])} if kind == "pair" else {}
    node = LinkedNode(a, masses, similar, seen, pairs)
    links = node.all_sets["f"]
    links.weights = rng.standard_normal(len(links.weights))
    node.refresh()
    return Network(Root(log_mu, b0, PRIOR, np.zeros(K, np.int64)), {"nu": node}, {"nu": Shared(PRIOR, True)})


def see(network, rng):
    """Customers and links drawn given the vectors and laid into the network."""
    node = network.nodes["nu"]
    links = node.all_sets["f"]
    if isinstance(links, PairLinks):
        links.place(node.nu)
        p = np.exp(log_link(links.scores(links.rows, links.rows, links.weights).ravel(), KERNEL.noise))
    else:
        p = np.exp(links.log_probability(np.minimum(node.likeness.cosine.ravel(), 1.0)))
    linked = np.nonzero(rng.random((N, N)) < p.reshape(N, N))
    observed = observe(N, Ends(*linked, NOBODY), directed=True, self_links=False)
    node.seen["f"] = observed
    if isinstance(links, PairLinks):
        links.observed = observed
    else:
        node.likeness.ones[0], node.likeness.zeros[0] = observed.both_ways()
    node.masses.customers[:] = [rng.multinomial(SEEN, v) for v in node.nu]
    node.lay()


def statistics(network):
    """Functions of vectors, weights, links and customers; they are as the step left or the prior drew them."""
    root, node = network.root, network.nodes["nu"]
    mu, nu, c, b = np.exp(root.log_mu), node.nu, node.masses.customers, node.masses.concentration[0]
    links, linked = node.all_sets["f"], node.seen["f"].pairs == 1
    cosine, w = node.likeness.cosine, links.weights
    out = [mu[0], (mu**2).sum(), nu[0, 0], (nu**2).sum(), (nu @ mu).sum(), cosine.sum(), (cosine * linked).sum()]
    out += [linked.sum(), linked.sum() ** 2, links.log_likelihood(w), *w[:2], *(w[:2] ** 2), w[-1] ** 2]
    out += [(nu * c).sum(), (c**2).sum(), (c.sum(axis=0) * mu).sum(), np.tanh(node.masses.log_u0[0] / 3)]
    return [float(x) for x in [*out, b / (1 + b), root.concentration / (1 + root.concentration)]]


@cache
def prior_rows(a, kind):
    rng, rows = np.random.default_rng(1), []
    for _ in range(3_000):
        network = from_prior(a, kind, rng)
        see(network, rng)
        rows.append(statistics(network))
    return np.array(rows)


def errors(rows):
    batches = np.array([batch.mean(axis=0) for batch in np.array_split(rows, 50)])
    return batches.mean(axis=0), batches.std(axis=0, ddof=1) / np.sqrt(50)


def worst(a, kind, n_steps=N_STEPS, seed=2):
    rng = np.random.default_rng(seed)
    network = from_prior(a, kind, rng)
    seats = {"nu": Seats(build_tables([a], 64, 64, 1 << 20), 0)}
    rows = []
    for i in range(n_steps):
        see(network, rng)
        network.step(seats, (seed, 0, i), rng)
        rows.append(statistics(network))
    (prior, prior_error), (mean, error) = errors(prior_rows(a, kind)), errors(np.array(rows))
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(prior == mean, 0.0, (mean - prior) / np.hypot(prior_error, error))
    return float(np.abs(z).max())


@pytest.mark.parametrize(
    ("a", "kind"),  # of text and similarities together see infer/test_network.py
    [pytest.param(*case, marks=pytest.mark.long) for case in ((0.0, "similarity"), (0.3, "similarity"), (0.5, "pair"))],
)
def test_prior_and_chain_have_the_same_means(a, kind):
    assert worst(a, kind) < 4
