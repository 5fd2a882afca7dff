"""Three authors, the vector of one unknown, against quadrature over it and the one weight that matters.

Over two topics nu is one number p. A long kernel has one feature of any size, so the posterior of (p, w) is an integral
over a plane. The paper's scheme is run on the same problem and must be found out.
"""

from functools import cache
from unittest.mock import patch

import numpy as np
import pytest

from pitmanyor.kernels.network.masses import Masses
from pitmanyor.kernels.numbers.stirling import build_tables
from pitmanyor.network import linked
from pitmanyor.network.features import Kernel
from pitmanyor.network.linked import LinkedNode, Seats
from pitmanyor.network.noise import log_link
from pitmanyor.network.observed import Ends, observe
from pitmanyor.network.paper_scheme import PaperGiven, PaperState, paper_step, similarities
from pitmanyor.network.similar_links import SimilarLinks

KNOWN = np.array([[0.95, 0.05], [0.05, 0.95]])
MU, B = np.array([0.3, 0.7]), 4.0
KERNEL = Kernel(signal=1.5, length=50.0, noise=0.4)
LINKED = observe(3, Ends(np.array([0, 1]), np.array([1, 0]), np.zeros((0, 2), int)), directed=True, self_links=False)
N_STEPS = 12_000


def cosine_of(p):
    """Cosines of (p, 1 - p) with the two known vectors."""
    vector = np.stack([p, 1 - p], axis=-1)
    unit = KNOWN / np.linalg.norm(KNOWN, axis=1, keepdims=True)
    return (vector / np.linalg.norm(vector, axis=-1, keepdims=True)) @ unit.T


@cache
def exact(discount, customers):
    """Posterior means of p, p^2, w, w^2."""
    x = np.arange(-40.0, 40.0, 0.02)  # the logit of p
    p, q = 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(x))
    c = np.array(customers)
    if discount == 0:
        log_prior = (B * MU[0] + c[0]) * np.log(p) + (B * MU[1] + c[1]) * np.log(q)
    else:  # one half: masses are inverse Gaussian, and their sum and U0 integrate out
        log_prior = (c[0] - 0.5) * np.log(p) + (c[1] - 0.5) * np.log(q)
        log_prior -= (B + 1) * np.log(MU[0] ** 2 / p + MU[1] ** 2 / q)
    w = np.arange(-8.0, 8.0, 0.1)
    scale = KERNEL.signal / np.sqrt(2)
    own = cosine_of(p)
    known = (KNOWN[0] @ KNOWN[1]) / (np.linalg.norm(KNOWN[0]) * np.linalg.norm(KNOWN[1]))
    scores = [(own[:, 0], 1), (own[:, 0], 1), (own[:, 1], -1), (own[:, 1], -1)]
    log_p = log_prior[:, None] - 0.5 * w**2
    for value, sign in scores:
        m = value[:, None] + scale * w
        log_p = log_p + log_link((sign * m).ravel(), KERNEL.noise).reshape(m.shape)
    log_p = log_p + 2 * log_link(-(known + scale * w), KERNEL.noise)
    weight = np.exp(log_p - log_p.max())
    weight /= weight.sum()
    of_p, of_w = weight.sum(axis=1), weight.sum(axis=0)
    return np.array([of_p @ p, of_p @ p**2, of_w @ w, of_w @ w**2])


def run(discount, customers, n_steps=N_STEPS, seed=2):
    c = np.zeros((3, 2), np.int64)
    c[0] = customers
    masses = Masses(np.zeros((3, 2)), np.zeros(3), np.full(3, B), c, np.log(MU)[None], np.zeros(3, np.int64))
    node = LinkedNode(discount, masses, {"f": SimilarLinks(KERNEL)}, {"f": LINKED})
    seats = Seats(build_tables([discount], 64, 64, 1 << 20), 0)
    node.start(seats, (c > 0).sum(axis=1), (seed, 0, 0))
    rng, rows = np.random.default_rng(seed), []
    links = node.sets["f"]
    sign = np.sign(links.phi[0, 0])
    for i in range(n_steps):
        masses.log_mass[1:] = np.log(KNOWN)
        node.refresh()
        node.move_instances(seats, i % 2 == 0, (seed, 0, i))
        masses.log_mass[1:] = np.log(KNOWN)
        node.refresh()
        node.move_scalars((seed, 0, i))
        masses.log_mass[1:] = np.log(KNOWN)
        node.refresh()
        node.move_weights(rng, 2)
        p, w = node.nu[0, 0], sign * links.weights[0]
        rows.append([p, p * p, w, w * w])
    return np.array(rows)


def z_of(rows, means):
    batches = np.array([batch.mean(axis=0) for batch in np.array_split(rows, 40)])
    return (batches.mean(axis=0) - means) / (batches.std(axis=0, ddof=1) / np.sqrt(40))


CASES = [(0.0, (2, 1)), (0.5, (2, 1)), (0.5, (0, 0))]


@pytest.mark.parametrize(("discount", "customers"), CASES)
def test_against_quadrature(discount, customers):
    z = z_of(run(discount, customers), exact(discount, customers))
    assert np.abs(z).max() < 3


def test_links_that_do_not_judge_are_caught():
    right = linked.move_instances

    def careless(masses, likeness, *rest):
        nobody = np.zeros_like(likeness.ones)
        return right(masses, likeness._replace(ones=nobody, zeros=nobody), *rest)

    with patch.object(linked, "move_instances", careless):
        assert np.abs(z_of(run(0.5, (2, 1), 4_000), exact(0.5, (2, 1)))).max() > 6


def test_masses_that_forget_their_customers_are_caught():
    right = linked.move_instances

    def forgetful(masses, *rest):
        return right(masses._replace(customers=np.zeros_like(masses.customers)), *rest)

    with patch.object(linked, "move_instances", forgetful):
        assert np.abs(z_of(run(0.5, (2, 1), 4_000), exact(0.5, (2, 1)))).max() > 6


def test_the_paper_s_scheme_is_found_out():
    """Algorithm 3 with only the first author's vector free. Its answer is another one."""
    rng = np.random.default_rng(4)
    customers = np.zeros((3, 2))
    customers[0] = (2, 1)
    nu = np.vstack([[0.5, 0.5], KNOWN])
    given = PaperGiven(customers, np.zeros(2), np.full(3, B), 1.0, KERNEL, LINKED)
    state, rows, n_accepted = PaperState(MU, nu, similarities(nu, LINKED)), [], 0
    for _ in range(N_STEPS):
        state, accepted = paper_step(state, given, rng, free=(False, slice(0, 1)))
        n_accepted += accepted
        rows.append([state.nu[0, 0], state.nu[0, 0] ** 2])
    assert n_accepted > N_STEPS / 20
    assert np.abs(z_of(np.array(rows), exact(0.0, (2, 1))[:2])).max() > 6
