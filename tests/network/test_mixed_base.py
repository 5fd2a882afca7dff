"""Two authors whose links are between vectors over a mixture of the author's vector and mu0, against quadrature.

Over two topics each of the five vectors is one number: chi_i stands on rho_1 nu_i + rho_2 mu0, nu_i on mu0. Weights are
fixed or learned. The text has customers for all of them, so that every kind of table occurs.
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
from pitmanyor.network.mixtures import Base, Parent, fixed_or_learned
from pitmanyor.network.network import Network, Shared
from pitmanyor.network.noise import log_link
from pitmanyor.network.observed import Ends, observe
from pitmanyor.network.root import Root, log_gammas
from pitmanyor.network.similar_links import SimilarLinks

ROOT, B_NU, B_CHI = 1.5, 1.2, 20.0  # concentrations
FIXED, PRIOR = (0.6, 0.4), (2.0, 1.5)
KERNEL = Kernel(signal=2.0, length=50.0, noise=0.4)
LINKED = observe(2, Ends(np.array([0, 1]), np.array([1, 0]), np.zeros((0, 2), int)), directed=True, self_links=False)
OTHERS, OF_NU, OF_CHI = (1, 0), ((5, 1), (0, 3)), ((1, 6), (0, 1))  # customers
N_STEPS = 1_500
TIGHT = 150.0  # a concentration of chi at which it feels any change of its base
STEP = 0.4  # between logits of the grid
X = np.arange(-34.0, 34.01, STEP)
P, Q = 1 / (1 + np.exp(-X)), 1 / (1 + np.exp(X))


def density(discount, b, base, c):
    """p(vector, its customers | base) of the logit of the vector, which is the last axis; discounts 0 and one half."""
    m, n = (part[..., None] for part in base)
    if discount == 0:
        one, other = b * m + c[0], b * n + c[1]
        out = one * np.log(P) + other * np.log(Q) - log_gammas(b * m) - log_gammas(b * n)
        out[..., 0] += np.log(0.5 + 1 / (one[..., 0] * STEP))  # beyond the grid the density falls like e^(shape x)
        out[..., -1] += np.log(0.5 + 1 / (other[..., 0] * STEP))
        return np.exp(out)
    away = -(b + 1) * np.log(m**2 / P + n**2 / Q)
    return np.exp(np.log(m * n) + (c[0] - 0.5) * np.log(P) + (c[1] - 0.5) * np.log(Q) + away)


def weights_of(learned):
    """Values of rho_1 and what each counts for: its prior at the points of a Gauss-Legendre rule."""
    if not learned:
        return [(FIXED[0], 1.0)]
    points, weights = np.polynomial.legendre.leggauss(12)
    rho = (points + 1) / 2
    return list(zip(rho, weights * rho ** (PRIOR[0] - 1) * (1 - rho) ** (PRIOR[1] - 1), strict=True))


def author(discount, of_nu, of_chi, learned):
    """p(m, chi), summed over nu and rho, and the same times nu, nu^2 and rho."""
    above, out = density(discount, B_NU, (P, Q), of_nu), np.zeros((4, len(X), len(X)))
    for rho, weight in weights_of(learned):
        mixed = (rho * one[None, :] + (1 - rho) * one[:, None] for one in (P, Q))  # (m, nu)
        below = weight * density(discount, B_CHI, tuple(mixed), of_chi)
        for row, factor in zip(out, (above, above * P, above * P**2, above * rho), strict=True):
            row += np.matmul(factor[:, None, :], below)[:, 0]
    return out


@cache
def exact(discount, learned=False):
    """Posterior means of m = mu0[0], n = nu[0, 0], c = chi[0, 0], their squares, m c, n c, the cosine and rho_1."""
    size = np.sqrt(P**2 + Q**2)
    cosine = (np.outer(P, P) + np.outer(Q, Q)) / np.outer(size, size)
    w = np.arange(-8.0, 8.0, 0.2)
    score = np.linspace(0, 1, 2001)[:, None] + KERNEL.signal / np.sqrt(2) * w
    joint = np.exp(2 * log_link(score.ravel(), KERNEL.noise).reshape(score.shape) - w**2 / 2)
    links = np.interp(cosine, np.linspace(0, 1, 2001), joint.sum(axis=1))
    (first, *moments), (second, *_) = (author(discount, *given, learned) for given in zip(OF_NU, OF_CHI, strict=True))
    root = P ** (ROOT / 2 + OTHERS[0]) * Q ** (ROOT / 2 + OTHERS[1])
    heard = second @ links.T  # (m, chi of the first)
    of_m, of_chi = root * (first * heard).sum(axis=1), root @ (first * heard)
    of_nu = [root @ (moment * heard).sum(axis=1) for moment in moments]
    alike = root @ (first * (second @ (links * cosine).T)).sum(axis=1)
    both = [(root * P) @ (first * heard) @ P, root @ (moments[0] * heard) @ P]
    return np.array([of_m @ P, of_m @ P**2, *of_nu[:2], of_chi @ P, of_chi @ P**2, *both, alike, of_nu[2]]) / of_m.sum()


def network_of(discount, customers, others, seed, learned=False):
    """Vectors over so many topics as there are customers for, and their restaurants."""
    k = len(others)
    log_mu, own, zeros = np.log(np.full(k, 1 / k)), np.arange(2), np.zeros(2, np.int64)
    above = Masses(np.zeros((2, k)), np.zeros(2), np.full(2, B_NU), customers[0], log_mu[None], zeros)
    nu = LinkedNode(discount, above, {}, {})
    weights = fixed_or_learned(2, *((None, PRIOR) if learned else (FIXED, None)))
    base = Base([Parent(nu, nu.log_nu, own), Parent(None, log_mu[None], zeros)], *weights)
    below = Masses(np.zeros((2, k)), np.zeros(2), np.full(2, B_CHI), customers[1], *base.room())
    chi = LinkedNode(discount, below, {"f": SimilarLinks(KERNEL)}, {"f": LINKED}, over=base)
    seats = dict.fromkeys(("nu", "chi"), Seats(build_tables([discount], 64, 64, 1 << 20), 0))
    for node, c in zip((nu, chi), customers, strict=True):
        node.start(seats["nu"], (c > 0).sum(axis=1), (seed, 0, 0))
    root = Root(log_mu, ROOT, None, np.array(others, np.int64))
    return Network(root, {"nu": nu, "chi": chi}, dict.fromkeys(("nu", "chi"), Shared(None, True))), seats


def run(discount, learned=False, n_steps=N_STEPS, seed=2):
    network, seats = network_of(discount, np.array([OF_NU, OF_CHI], np.int64), OTHERS, seed, learned)
    nu, chi = network.nodes.values()
    rng, rows = np.random.default_rng(seed), []
    for i in range(n_steps):
        network.step(seats, (seed, 0, i), rng)
        m, p, q = float(np.exp(network.root.log_mu[0])), nu.nu[0, 0], chi.nu[0, 0]
        rho = np.exp(chi.base.log_weights[0, 0])
        rows.append([m, m * m, p, p * p, q, q * q, m * q, p * q, chi.likeness.cosine[0, 1], rho])
    return np.array(rows)


def worst(discount, learned=False, n_steps=N_STEPS):
    n = 10 if learned else 9
    z = z_scores(run(discount, learned, n_steps)[:, :n], exact(discount, learned)[:n])
    return float(np.abs(z).max())


@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("discount", [0.0, 0.5])
def test_against_quadrature(discount, learned):
    assert worst(discount, learned) < 4


def test_a_vector_that_does_not_hear_the_mixture_is_caught():
    """By themselves: the joint move of all vectors draws both topics of these again."""
    with (
        patch.object(LinkedNode, "_change_below", lambda *given: 0.0),
        patch.object(Network, "move_columns", lambda *given: False),
    ):
        assert worst(0.0) > 6


def test_a_root_that_does_not_hear_the_mixture_is_caught():
    heard = LinkedNode.column_density
    with (
        patch.object(LinkedNode, "column_density", lambda self, *at: 0.0 if self.base.mixed else heard(self, *at)),
        patch.object(Network, "move_columns", lambda *given: False),
    ):
        assert worst(0.5) > 6


def mixture_of(network):
    """H by its definition."""
    nu, chi = network.nodes.values()
    rho = np.exp(chi.base.log_weights)
    return rho[:, :1] * nu.nu + rho[:, 1:] * np.exp(network.root.log_mu)


@pytest.mark.parametrize("learned", [False, True])
def test_the_base_follows_its_parents(learned):
    network, seats = network_of(0.5, np.array([OF_NU, OF_CHI], np.int64), OTHERS, 1, learned)
    nu, chi = network.nodes.values()
    rng = np.random.default_rng(1)
    for i in range(20):
        moved = nu.move_instances(seats["nu"], True, (1, 0, i))
        assert np.allclose(np.exp(chi.masses.log_base), mixture_of(network), atol=1e-14), moved
        network.move_vectors(seats, (1, 0, i), rng)
        assert np.allclose(np.exp(chi.masses.log_base), mixture_of(network), atol=1e-14)


def test_weights_that_do_not_hear_the_masses_are_caught():
    move = Base.move_weights
    with patch.object(Base, "move_weights", lambda self, density, rng: move(self, lambda *given: 0.0, rng)):
        assert worst(0.0, learned=True) > 6


def prior_of_squares(discount):
    """Means of the sums of squares of mu0, nu and chi, and of products of nu and chi.

    Each is the chance that two customers have one topic, from the root on.
    """
    of_mu = (ROOT / 3 + 1) / (ROOT + 1)
    of_nu = (1 - discount + (B_NU + discount) * of_mu) / (1 + B_NU)
    one, other = FIXED
    base = one**2 * of_nu + (1 - one**2) * of_mu
    of_chi = (1 - discount + (TIGHT + discount) * base) / (1 + TIGHT)
    return np.array([of_mu, of_nu, of_chi, one * of_nu + other * of_mu, of_mu, 0.0])


def joint_move_alone(discount, n_steps=6_000, seed=3):
    """Sums of squares over three topics, some of which are chosen; customers drawn anew in every step, no links."""
    network, seats = network_of(discount, np.zeros((2, 2, 3), np.int64), (0, 0, 0), seed)
    network.nodes["chi"].masses.concentration[:] = TIGHT
    nodes, rng, rows = list(network.nodes.values()), np.random.default_rng(seed), []
    for i in range(n_steps):
        for node in nodes:
            n = 20 if node.base.mixed else 3
            node.masses.customers[:] = [rng.multinomial(n, row / row.sum()) for row in node.nu]
        with patch.object(SimilarLinks, "log_likelihood", lambda self, weights: 0.0):
            network.move_columns(seats, (seed, 0, i), rng)
        for node in nodes:
            node.move_scalars((seed, 1, i))
        mu, (nu, chi) = np.exp(network.root.log_mu), (node.nu for node in nodes)
        base = np.exp(nodes[1].masses.log_base)
        news = float(((chi - base) * np.log(np.maximum(base, 1e-3))).sum())  # on average chi is its base
        products = [(mu @ mu), nu[0] @ nu[0], chi[0] @ chi[0], nu[0] @ chi[0], mu @ chi[0], news]
        rows.append([float(value) for value in products])
    return float(np.abs(z_scores(np.array(rows), prior_of_squares(discount))).max())


@pytest.mark.parametrize("discount", [0.0, 0.5])
def test_the_joint_move_leaves_the_prior_as_it_is(discount):
    assert joint_move_alone(discount) < 4


@pytest.mark.parametrize("discount", [0.0, 0.5])
def test_a_joint_move_that_forgets_the_other_topics_of_a_base_is_caught(discount):
    with patch("pitmanyor.network.linked.change_of_bases", lambda *given: 0.0):
        assert joint_move_alone(discount) > 6


@pytest.mark.parametrize("parent", [0, 1])
def test_tables_that_all_go_to_one_parent_are_caught(parent):
    def send(self, tables, chosen, rng):
        return [tables * (p == parent or not self.mixed) for p in range(len(self.parents))]

    with patch.object(Base, "send", send):
        assert joint_move_alone(0.5) > 6


THREE = (2.0, 1.5, 1.0)  # prior of the weights of three parents
FEW = 4.0  # a concentration of chi at which it still differs from its base


def three_parents(discount, seed):
    """chi of two instances over nu (one each), a node that both share, and the root; no links."""
    k, own, zeros = 3, np.arange(2), np.zeros(2, np.int64)
    log_mu = np.log(np.full(k, 1 / k))
    on_root = [
        LinkedNode(
            discount,
            Masses(
                *(np.zeros(s) for s in ((n, k), n)), np.full(n, B_NU), np.zeros((n, k), int), log_mu[None], zeros[:n]
            ),
            {},
            {},
        )
        for n in (2, 1)
    ]
    parents = [Parent(on_root[0], on_root[0].log_nu, own), Parent(on_root[1], on_root[1].log_nu, zeros)]
    base = Base([*parents, Parent(None, log_mu[None], zeros)], *fixed_or_learned(2, None, THREE))
    below = Masses(np.zeros((2, k)), np.zeros(2), np.full(2, FEW), np.zeros((2, k), int), *base.room())
    nodes = {"nu": on_root[0], "shared": on_root[1], "chi": LinkedNode(discount, below, {}, {}, over=base)}
    seats = dict.fromkeys(nodes, Seats(build_tables([discount], 64, 64, 1 << 20), 0))
    for node in nodes.values():
        node.start(seats["nu"], np.zeros(len(node.masses.log_u0), int), (seed, 0, 0))
    root = Root(log_mu, ROOT, None, np.zeros(k, np.int64))
    return Network(root, nodes, dict.fromkeys(nodes, Shared(None, True))), seats


def of_three(discount):
    """Prior means: squares of mu0, nu and chi, chi with each parent times its weight, weights and their squares."""
    of_mu = (ROOT / 3 + 1) / (ROOT + 1)
    of_nu = (1 - discount + (B_NU + discount) * of_mu) / (1 + B_NU)
    prior, total = np.array(THREE), sum(THREE)
    rho = prior / total
    second = (np.outer(prior, prior) + np.diag(prior)) / (total * (total + 1))  # E[rho_p rho_q]
    products = np.full((3, 3), of_mu) + np.diag([of_nu - of_mu] * 2 + [0.0])
    base = (second * products).sum()
    of_chi = (1 - discount + (FEW + discount) * base) / (1 + FEW)
    return np.array([of_mu, of_nu, of_chi, *(second * products).sum(axis=1), *rho, *np.diag(second)])


def whole_steps(discount, n_steps=4_000, seed=4):
    """Every move of a step; customers are drawn anew after each."""
    network, seats = three_parents(discount, seed)
    nodes, rng, rows = list(network.nodes.values()), np.random.default_rng(seed), []
    for i in range(n_steps):
        for node in nodes:
            n = 4 if node.base.mixed else 2
            node.masses.customers[:] = [rng.multinomial(n, row / row.sum()) for row in node.nu]
        network.step(seats, (seed, 0, i), rng)
        mu, (nu, shared, chi) = np.exp(network.root.log_mu), (node.nu for node in nodes)
        rho = np.exp(nodes[2].base.log_weights[0])
        along = [rho[p] * float(over @ chi[0]) for p, over in enumerate((nu[0], shared[0], mu))]
        rows.append([float(mu @ mu), float(nu[0] @ nu[0]), float(chi[0] @ chi[0]), *along, *rho, *rho**2])
    return float(np.abs(z_scores(np.array(rows), of_three(discount))).max())


@pytest.mark.parametrize("discount", [0.0, 0.5])
def test_three_parents_with_learned_weights_keep_their_prior(discount):
    assert whole_steps(discount) < 4


def test_weights_without_the_factor_of_their_logits_are_caught():
    move = Base.move_weights

    def moved(self, density, rng):
        if self.prior is not None:
            self.prior = np.array(THREE) - 0.9
        move(self, density, rng)

    with patch.object(Base, "move_weights", moved):
        assert whole_steps(0.0) > 6
