"""Geweke's joint test of the network by itself: four authors whose customers are seen, and links of either kernel."""

from functools import cache
from unittest.mock import patch

import numpy as np
import pytest

from outside import outside
from pitmanyor.kernels.network.masses import Masses
from pitmanyor.kernels.network.similarity import move_instances
from pitmanyor.kernels.numbers import draws
from pitmanyor.kernels.numbers.stirling import build_tables
from pitmanyor.network import linked as linked_nodes
from pitmanyor.network.features import Kernel
from pitmanyor.network.linked import LinkedNode, Seats
from pitmanyor.network.network import Network, Shared
from pitmanyor.network.noise import log_link
from pitmanyor.network.observed import Ends, observe
from pitmanyor.network.pair_links import PairLinks
from pitmanyor.network.root import Prior, Root, draw_log_gamma
from pitmanyor.network.similar_links import SimilarLinks

log_tilted_stable = outside(draws.log_tilted_stable)

N, K, SEEN, N_STEPS = 4, 3, 2, 3_000
PRIOR = Prior(2.0, 1.0)
KERNEL = Kernel(signal=2.0, length=0.5, noise=0.5, intercept=True)
NOBODY = np.zeros((0, 2), np.int64)


def from_prior(a, kind, rng, n=N, kernel=KERNEL):
    """A network with everything but the links drawn from the prior."""
    b0, b = rng.gamma(2.0), rng.gamma(2.0)
    log_mu = draw_log_gamma(np.full(K, b0 / K), rng)
    log_mu -= np.logaddexp.reduce(log_mu)
    masses = Masses(
        np.zeros((n, K)), np.zeros(n), np.full(n, b), np.zeros((n, K), np.int64), log_mu[None], np.zeros(n, np.int64)
    )
    for i in range(n):
        if a == 0:
            masses.log_mass[i] = draw_log_gamma(np.maximum(b * np.exp(log_mu), 1e-300), rng)
            continue
        masses.log_u0[i] = draw_log_gamma(np.array([b / a]), rng)[0]
        for k in range(K):
            log_m, key = masses.log_u0[i] + log_mu[k], np.uint64(rng.integers(2**63))
            small = min(log_m + 460.0, 0.0)  # below, only the scale changes
            masses.log_mass[i, k] = log_tilted_stable(a, np.exp(log_m - small), key, 0)[0] + small / a
    seen = {"f": observe(n, Ends(NOBODY[:, 0], NOBODY[:, 1], NOBODY), directed=True, self_links=False)}
    similar = {"f": SimilarLinks(kernel)} if kind == "similarity" else {}
    pairs = {"f": PairLinks(kernel, K, seen["f"])} if kind == "pair" else {}
    node = LinkedNode(a, masses, similar, seen, pairs)
    links = node.all_sets["f"]
    links.weights = rng.standard_normal(len(links.weights))
    node.refresh()
    return Network(Root(log_mu, b0, PRIOR, np.zeros(K, np.int64)), {"nu": node}, {"nu": Shared(PRIOR, True)})


def chances(node):
    """Probabilities of all links given vectors and weights, and their logits."""
    links = node.all_sets["f"]
    if isinstance(links, PairLinks):
        links.place(node.nu)
        log_p = log_link(links.scores(links.rows, links.rows, links.weights).ravel(), links.kernel.noise)
    else:
        log_p = links.log_probability(np.minimum(node.likeness.cosine.ravel(), 1.0))
    log_p = np.minimum(log_p.reshape(len(node.nu), -1), -1e-12)
    return np.exp(log_p), log_p - np.log(-np.expm1(log_p))


def see(network, rng):
    """Customers and links drawn given the vectors and laid into the network."""
    node = network.nodes["nu"]
    links = node.all_sets["f"]
    linked = np.nonzero(rng.random(node.likeness.cosine.shape) < chances(node)[0])
    observed = observe(len(node.nu), Ends(*linked, NOBODY), directed=True, self_links=False)
    node.seen["f"] = observed
    if isinstance(links, PairLinks):
        links.observed = observed
    else:
        node.likeness.ones[0], node.likeness.zeros[0] = observed.both_ways()
    node.masses.customers[:] = [rng.multinomial(SEEN, v) for v in node.nu]
    node.lay()


def news(node):
    """What the vectors do not say of the links, against what they say: on average nothing, by whatever prior."""
    p, logit = chances(node)
    left = (node.seen["f"].pairs == 1) - p
    np.fill_diagonal(left, 0.0)
    return [float((left * logit).sum()), float((left * node.likeness.cosine).sum())]


def statistics(network):
    """Functions of vectors, weights, links and customers; they are as the step left or the prior drew them."""
    root, node = network.root, network.nodes["nu"]
    mu, nu, c, b = np.exp(root.log_mu), node.nu, node.masses.customers, node.masses.concentration[0]
    links, linked = node.all_sets["f"], node.seen["f"].pairs == 1
    cosine, w = node.likeness.cosine, links.weights
    out = [mu[0], (mu**2).sum(), nu[0, 0], (nu**2).sum(), (nu @ mu).sum(), cosine.sum(), (cosine * linked).sum()]
    out += [linked.sum(), linked.sum() ** 2, links.log_likelihood(w), *w[:2], *(w[:2] ** 2), w[-1] ** 2]
    out += news(node)
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
    ("a", "kind"),  # of text and similarities together see sampling/test_text_and_network.py
    [pytest.param(*case, marks=pytest.mark.long) for case in ((0.0, "similarity"), (0.3, "similarity"), (0.5, "pair"))],
)
def test_prior_and_chain_have_the_same_means(a, kind):
    assert worst(a, kind) < 4


def careless(masses, likeness, *rest):
    """Every author as text alone would have it."""
    nobody = np.zeros_like(likeness.ones)
    return move_instances(masses, likeness._replace(ones=nobody, zeros=nobody), *rest)


@pytest.mark.parametrize("move", [careless, pytest.param(move_instances, marks=pytest.mark.long)])
def test_authors_hear_the_links(move):
    """By themselves: mu0 does not move with them, and one weight, of no weight, cannot make up for what they miss.

    Links whose random function is free are fitted to any vectors, and the joint move draws all of these again: that is
    why no other statistic here sees authors that no link judges.
    """
    rng, seats = np.random.default_rng(3), {"nu": Seats(build_tables([0.3], 64, 64, 1 << 20), 0)}
    network = from_prior(0.3, "similarity", rng, n=12, kernel=Kernel(signal=0.3, length=50.0, noise=0.1))
    rows = []
    with (
        patch.object(linked_nodes, "move_instances", move),
        patch.object(Network, "move_columns", lambda *given: False),
    ):
        for i in range(1_500):
            see(network, rng)
            network.step(seats, (3, 0, i), rng)
            rows.append(news(network.nodes["nu"]))
    mean, error = errors(np.array(rows))
    assert (np.abs(mean / error).max() < 4) == (move is move_instances)
    assert move is move_instances or (mean / error).min() < -6
