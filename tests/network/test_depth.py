"""Two authors whose links are between vectors of their own, against quadrature over mu0, nu and chi of both.

Over two topics each of the five vectors is one number. chi stands on nu, nu on mu0, and the text has customers for all.
"""

from functools import cache
from unittest.mock import patch

import numpy as np
import pytest

from oracle.runs import z_scores
from pitmanyor.kernels.network.masses import Masses
from pitmanyor.kernels.numbers.stirling import build_tables
from pitmanyor.network.features import Kernel
from pitmanyor.network.linked import LinkedNode, Seats
from pitmanyor.network.network import Network, Shared
from pitmanyor.network.noise import log_link
from pitmanyor.network.observed import Ends, observe
from pitmanyor.network.root import Root, log_gammas
from pitmanyor.network.similar_links import SimilarLinks

ROOT, B_NU, B_CHI = 1.5, 1.2, 0.9  # concentrations
KERNEL = Kernel(signal=2.0, length=50.0, noise=0.4)
LINKED = observe(2, Ends(np.array([0, 1]), np.array([1, 0]), np.zeros((0, 2), int)), directed=True, self_links=False)
OTHERS, OF_NU, OF_CHI = (1, 0), ((2, 1), (0, 3)), ((0, 1), (0, 0))  # customers
N_STEPS = 1_500
TIGHT = 30.0  # a concentration of chi at which it feels any change of its base
STEP = 0.4  # between logits of the grid


def log_vector(discount, b, m, p, c):
    """log p(vector, its customers | base) of the logit of p, where discount is 0 or one half (inverse Gaussian)."""
    q, n = 1 / (1 + np.exp(logit(p))), 1 / (1 + np.exp(logit(m)))
    if discount == 0:
        one, other = b * m + c[0], b * n + c[1]
        out = one * np.log(p) + other * np.log(q) - log_gammas(b * m) - log_gammas(b * n)
        out[:, 0] += np.log(0.5 + 1 / (one[:, 0] * STEP))  # beyond the grid the density falls like e^(shape x)
        out[:, -1] += np.log(0.5 + 1 / (other[:, 0] * STEP))
        return out
    away = -(b + 1) * np.log(m**2 / p + n**2 / q)
    return np.log(m * n) + (c[0] - 0.5) * np.log(p) + (c[1] - 0.5) * np.log(q) + away


def logit(p):
    return np.log(p) - np.log1p(-p)


@cache
def exact(discount):
    """Posterior means of m = mu0[0], its square, nu[0, 0], its square, chi[0, 0], its square, and the cosine."""
    x = np.arange(-34.0, 34.01, STEP)
    p = 1 / (1 + np.exp(-x))
    size = np.sqrt(p**2 + (1 - p) ** 2)
    cosine = (np.outer(p, p) + np.outer(1 - p, 1 - p)) / np.outer(size, size)
    w = np.arange(-8.0, 8.0, 0.2)
    score = np.linspace(0, 1, 2001)[:, None] + KERNEL.signal / np.sqrt(2) * w
    joint = np.exp(2 * log_link(score.ravel(), KERNEL.noise).reshape(score.shape) - w**2 / 2)
    links = np.interp(cosine, np.linspace(0, 1, 2001), joint.sum(axis=1))
    authors, moments = [], []
    for of_nu, of_chi in zip(OF_NU, OF_CHI, strict=True):
        above = np.exp(log_vector(discount, B_NU, p[:, None], p[None, :], of_nu))  # (m, nu)
        below = np.exp(log_vector(discount, B_CHI, p[:, None], p[None, :], of_chi))  # (nu, chi)
        authors.append(above @ below)
        moments.append([(above * p**power) @ below for power in (1, 2)])
    root = p ** (ROOT / 2 + OTHERS[0]) * (1 - p) ** (ROOT / 2 + OTHERS[1])
    heard = authors[1] @ links.T  # (m, chi of the first)
    of_m, of_chi = root * (authors[0] * heard).sum(axis=1), root @ (authors[0] * heard)
    of_nu = [root @ (moment * heard).sum(axis=1) for moment in moments[0]]
    alike = root @ (authors[0] * (authors[1] @ (links * cosine).T)).sum(axis=1)
    return np.array([of_m @ p, of_m @ p**2, *of_nu, of_chi @ p, of_chi @ p**2, alike]) / of_m.sum()


def network_of(discount, customers, others, seed):
    """Vectors over so many topics as there are customers for, without links, and their restaurants."""
    k = len(others)
    log_mu, own, zeros = np.log(np.full(k, 1 / k)), np.arange(2), np.zeros(2, np.int64)
    above = Masses(np.zeros((2, k)), np.zeros(2), np.full(2, B_NU), customers[0], log_mu[None], zeros)
    nu = LinkedNode(discount, above, {}, {})
    below = Masses(np.zeros((2, k)), np.zeros(2), np.full(2, B_CHI), customers[1], nu.log_nu, own)
    chi = LinkedNode(discount, below, {"f": SimilarLinks(KERNEL)}, {"f": LINKED}, over=nu)
    seats = dict.fromkeys(("nu", "chi"), Seats(build_tables([discount], 64, 64, 1 << 20), 0))
    for node, c in zip((nu, chi), customers, strict=True):
        node.start(seats["nu"], (c > 0).sum(axis=1), (seed, 0, 0))
    root = Root(log_mu, ROOT, None, np.array(others, np.int64))
    return Network(root, {"nu": nu, "chi": chi}, dict.fromkeys(("nu", "chi"), Shared(None, True))), seats


def run(discount, n_steps=N_STEPS, seed=2):
    network, seats = network_of(discount, np.array([OF_NU, OF_CHI], np.int64), OTHERS, seed)
    nu, chi = network.nodes.values()
    rng, rows = np.random.default_rng(seed), []
    for i in range(n_steps):
        network.step(seats, (seed, 0, i), rng)
        m, p, q = float(np.exp(network.root.log_mu[0])), nu.nu[0, 0], chi.nu[0, 0]
        rows.append([m, m * m, p, p * p, q, q * q, chi.likeness.cosine[0, 1]])
    return np.array(rows)


def worst(discount, n_steps=N_STEPS):
    return float(np.abs(z_scores(run(discount, n_steps), exact(discount))).max())


@pytest.mark.parametrize("discount", [0.0, 0.5])
def test_against_quadrature(discount):
    assert worst(discount) < 4


def test_a_vector_that_does_not_hear_the_one_below_is_caught():
    """By themselves: the joint move of all vectors draws both topics of these again."""
    with (
        patch.object(LinkedNode, "_change_below", lambda *given: 0.0),
        patch.object(Network, "move_columns", lambda *given: False),
    ):
        assert worst(0.0) > 6


def prior_of_squares(discount):
    """Means of the sums of squares of mu0, nu and chi, and of products of nu and chi.

    Each is the chance that two customers have one topic, from the root on.
    """
    out = [(ROOT / 3 + 1) / (ROOT + 1)]
    for b in (B_NU, TIGHT):
        out.append((1 - discount + (b + discount) * out[-1]) / (1 + b))
    return np.array([*out, out[1], 0.0])


def joint_move_alone(discount, n_steps=3_000, seed=3):
    """Sums of squares over three topics, some of which are chosen; customers drawn anew in every step, no links."""
    network, seats = network_of(discount, np.zeros((2, 2, 3), np.int64), (0, 0, 0), seed)
    network.nodes["chi"].masses.concentration[:] = TIGHT
    nodes, rng, rows = list(network.nodes.values()), np.random.default_rng(seed), []
    with patch.object(SimilarLinks, "log_likelihood", lambda self, weights: 0.0):
        for i in range(n_steps):
            for node in nodes:
                node.masses.customers[:] = [rng.multinomial(3, row / row.sum()) for row in node.nu]
            network.move_columns(seats, (seed, 0, i), rng)
            for node in nodes:
                node.move_scalars((seed, 1, i))
            mu, (nu, chi) = np.exp(network.root.log_mu), (node.nu for node in nodes)
            news = float(((chi - nu) * np.log(np.maximum(nu, 1e-3))).sum())  # on average chi is nu
            squares = [float((one**2).sum()) for one in (mu, nu[0], chi[0])]
            rows.append([*squares, float((nu[0] * chi[0]).sum()), news])
    return float(np.abs(z_scores(np.array(rows), prior_of_squares(discount))).max())


@pytest.mark.parametrize("discount", [0.0, 0.5])
def test_the_joint_move_leaves_the_prior_as_it_is(discount):
    assert joint_move_alone(discount) < 4


@pytest.mark.parametrize("discount", [0.0, 0.5])
def test_a_joint_move_that_forgets_the_other_topics_of_a_base_is_caught(discount):
    with patch("pitmanyor.network.linked.change_of_bases", lambda *given: 0.0):
        assert joint_move_alone(discount) > 6
