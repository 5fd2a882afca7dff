"""Two authors over two topics with mu0 free, against quadrature over mu0, both vectors and the one weight that matters.

The joint move of mu0 and all vectors is there for speed: without it the chain has the same means, but where nobody has
customers its autocorrelation time is some hundred steps instead of one. Errors from batches of a few hundred steps are
then too small, and the means look wrong when they are not.
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

ROOT, B = 1.0, 0.7  # concentrations
KERNEL = Kernel(signal=0.3, length=50.0, noise=0.4)
NOBODY = np.zeros((0, 2), int)
APART = observe(2, Ends(NOBODY[:, 0], NOBODY[:, 1], NOBODY), directed=True, self_links=False)
TEXT = (((2, 1), (0, 3)), (1, 0))  # customers of the authors, and of mu0 from others
SILENCE = (((0, 0), (0, 0)), (0, 0))


@cache
def exact(discount, text):
    """Posterior means of m = mu0[0] and its square, nu[0, 0] and its square, nu[1, 0], the cosine, w and its square."""
    x = np.arange(-40.0, 40.01, 0.4)  # logits
    p, q = 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(x))
    log_p, log_q = np.log(p), np.log(q)
    customers, others = text
    of_links, of_w = _links_by_cosine()

    def author(c):
        """log p(vector, its customers | m), a row per m."""
        m, n = p[:, None], q[:, None]
        if discount == 0:
            return (B * m + c[0]) * log_p + (B * n + c[1]) * log_q - log_gammas(B * m) - log_gammas(B * n)
        away = -(B + 1) * np.log(m**2 / p + n**2 / q)  # one half: masses are inverse Gaussian
        return np.log(m * n) + (c[0] - 0.5) * log_p + (c[1] - 0.5) * log_q + away

    first, second = author(customers[0]), author(customers[1])
    root = (ROOT / 2 + others[0]) * log_p + (ROOT / 2 + others[1]) * log_q
    size = np.sqrt(p * p + q * q)
    cosine = (np.outer(p, p) + np.outer(q, q)) / np.outer(size, size)
    links, w, square = (np.interp(cosine, np.linspace(0, 1, len(v)), v) for v in (of_links, *of_w))
    top = (root + first.max(axis=1) + second.max(axis=1)).max() + links.max()
    total, out = 0.0, np.zeros(8)
    for i in range(len(x)):
        weight = np.exp(root[i] + first[i][:, None] + second[i] + links - top)
        one, other, mass = weight.sum(axis=1), weight.sum(axis=0), weight.sum()
        total += mass
        of_pairs = [(weight * value).sum() for value in (cosine, w, square)]
        out += [p[i] * mass, p[i] ** 2 * mass, one @ p, one @ p**2, other @ p, *of_pairs]
    return out / total


def _links_by_cosine():
    """log p(X | cosine) at 2,001 cosines, and the means of w and its square there: the weight is integrated out."""
    w, cosine = np.arange(-8.0, 8.0, 0.1), np.linspace(0, 1, 2001)
    score = cosine[:, None] + KERNEL.signal / np.sqrt(2) * w
    joint = np.exp(2 * log_link(-score.ravel(), KERNEL.noise).reshape(score.shape) - w**2 / 2)
    return np.log(joint.sum(axis=1)), [(joint * power).sum(axis=1) / joint.sum(axis=1) for power in (w, w**2)]


def run(discount, text, n_steps, joint=True, seed=2):
    customers, others = np.array(text[0], np.int64), np.array(text[1], np.int64)
    log_mu = np.log(np.full(2, 0.5))
    masses = Masses(np.zeros((2, 2)), np.zeros(2), np.full(2, B), customers, log_mu[None], np.zeros(2, np.int64))
    node = LinkedNode(discount, masses, {"f": SimilarLinks(KERNEL)}, {"f": APART})
    seats = Seats(build_tables([discount], 64, 64, 1 << 20), 0)
    node.start(seats, (customers > 0).sum(axis=1), (seed, 0, 0))
    network = Network(Root(log_mu, ROOT, None, others), {"nu": node}, {"nu": Shared(None, True)})
    rng, rows, links = np.random.default_rng(seed), [], node.sets["f"]
    with patch.object(Network, "move_columns", Network.move_columns if joint else lambda *given: False):
        for i in range(n_steps):
            network.step({"nu": seats}, (seed, 0, i), rng)
            m, nu, w = float(np.exp(log_mu[0])), node.nu, np.sign(links.phi[0, 0]) * links.weights[0]
            rows.append([m, m * m, nu[0, 0], nu[0, 0] ** 2, nu[1, 0], node.likeness.cosine[0, 1], w, w * w])
    return np.array(rows)


def worst(rows, means):
    return float(np.abs(z_scores(rows, means)).max())


@pytest.mark.parametrize(("discount", "text"), [(0.0, TEXT), (0.5, TEXT), (0.5, SILENCE)])
def test_against_quadrature(discount, text):
    assert worst(run(discount, text, 1_500), exact(discount, text)) < 4


@pytest.mark.long
def test_without_the_joint_move_the_chain_is_slow_but_right():
    """So many steps that a batch is several autocorrelation times long."""
    assert worst(run(0.5, SILENCE, 25_000, joint=False), exact(0.5, SILENCE)) < 4


def test_a_joint_move_that_no_link_judges_is_caught():
    right = LinkedNode.try_columns
    with patch.object(LinkedNode, "try_columns", lambda *given: right(*given)._replace(change=0.0)):
        assert worst(run(0.5, SILENCE, 1_500), exact(0.5, SILENCE)) > 6
