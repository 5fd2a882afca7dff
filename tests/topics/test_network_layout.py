"""Places of those who are linked."""

import time

import numpy as np
import pytest

from pitmanyor.topics.network_backbone import backbone
from pitmanyor.topics.network_layout import _repulsion, arrange, sunflower

pytestmark = pytest.mark.nojit


def communities(n: int, n_groups: int, degree: float, within: float = 0.8):
    """Links of authors who are followed by few or by many, most of them within their group; and the groups."""
    rng = np.random.default_rng(1)
    group = np.arange(n) % n_groups
    popular = np.exp(rng.normal(0.0, 1.0, n))
    rate = np.where(group[:, None] == group, within * n_groups, 1 - within) * popular
    rate *= degree * n / rate.sum()
    linked = (rng.random((n, n)) < rate) & ~np.eye(n, dtype=bool)
    return np.argwhere(linked), group


def purity(at: np.ndarray, group: np.ndarray, n: int = 8) -> float:
    """How many of the nearest are of the same group."""
    apart = ((at[:, None] - at) ** 2).sum(axis=2)
    np.fill_diagonal(apart, np.inf)
    return float((group[np.argsort(apart, axis=1)[:, :n]] == group[:, None]).mean())


def test_two_groups_with_one_link_between_them():
    group = [(i, j) for i in range(10) for j in range(i)]
    pairs = np.array([*group, *((i + 10, j + 10) for i, j in group), (0, 10)])
    at = arrange(20, pairs)
    apart = np.linalg.norm(at[:, None] - at, axis=2)
    assert apart[:10, :10].mean() < 0.5 * apart[:10, 10:].mean()


@pytest.mark.parametrize(("n", "n_groups", "degree"), [(150, 4, 40.0), (600, 8, 20.0)])
def test_communities_are_apart(n, n_groups, degree):
    links, group = communities(n, n_groups, degree)
    drawn = backbone(n, links)
    at = arrange(n, drawn.pairs, drawn.strength)
    assert np.abs(at).max() <= 1.0 and np.isfinite(at).all()
    assert purity(at, group) > 0.9
    assert len(np.unique(at.round(3), axis=0)) > 0.95 * n


def test_two_thousand_take_seconds():
    links, group = communities(2_000, 12, 20.0)
    start = time.process_time()
    drawn = backbone(2_000, links)
    at = arrange(2_000, drawn.pairs, drawn.strength)
    assert time.process_time() - start < 15.0  # about 2 on a quiet machine
    assert purity(at, group) > 0.85


def test_the_same_links_the_same_places():
    links, _ = communities(100, 3, 10.0)
    drawn = backbone(100, links)
    assert (arrange(100, drawn.pairs, drawn.strength) == arrange(100, drawn.pairs, drawn.strength)).all()


def test_repulsion_is_that_of_all_pairs():
    rng = np.random.default_rng(0)
    at, mass = rng.normal(size=(300, 2)), rng.integers(1, 9, 300).astype(float)
    apart = at[:, None] - at
    force = mass / ((apart**2).sum(axis=2) + 0.01)
    slow = (force[:, :, None] * apart).sum(axis=1) * mass[:, None]
    fast = _repulsion(at, mass)
    np.testing.assert_allclose(fast / fast[0, 0], slow / slow[0, 0], rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("pairs", [[(0, 1)], [(0, 1), (2, 3)], [(0, 1), (1, 2), (0, 2)]])
def test_few_nodes_and_parts_without_a_link_between_them(pairs):
    n = int(np.max(pairs)) + 1
    at = arrange(n, np.array(pairs))
    apart = np.linalg.norm(at[:, None] - at, axis=2) + 9 * np.eye(n)
    assert np.isfinite(at).all() and apart.min() > 0.05


def test_a_sunflower_is_even():
    at = sunflower(100)
    apart = np.linalg.norm(at[:, None] - at, axis=2) + 9 * np.eye(100)
    assert np.linalg.norm(at, axis=1).max() < 1 and apart.min() > 0.09
