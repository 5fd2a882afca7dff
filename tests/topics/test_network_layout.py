"""Places of those who are linked."""

import numpy as np
import pytest

from pitmanyor.topics.network_layout import spread, sunflower


@pytest.mark.parametrize("first", [sunflower(40), np.random.default_rng(0).normal(0, 0.5, (40, 2))])
def test_linked_nodes_are_near(first):
    rng = np.random.default_rng(1)
    team = np.arange(40) % 2
    links = np.argwhere((team[:, None] == team) & (rng.random((40, 40)) < 0.3))
    before = first.copy()
    at = spread(first, links[links[:, 0] != links[:, 1]])
    apart = np.linalg.norm(at[:, None] - at, axis=2)
    assert np.abs(at).max() <= 1.0 and (first == before).all()
    assert apart[team[:, None] == team].mean() < 0.7 * apart[team[:, None] != team].mean()


def test_two_groups_with_one_link_between_them():
    group = [(i, j) for i in range(10) for j in range(i)]
    pairs = np.array([*group, *((i + 10, j + 10) for i, j in group), (0, 10)])
    at = spread(sunflower(20), pairs)
    apart = np.linalg.norm(at[:, None] - at, axis=2)
    assert apart[:10, :10].mean() < 0.7 * apart[:10, 10:].mean()


def test_a_sunflower_is_even():
    at = sunflower(100)
    apart = np.linalg.norm(at[:, None] - at, axis=2) + 9 * np.eye(100)
    assert np.linalg.norm(at, axis=1).max() < 1 and apart.min() > 0.09
