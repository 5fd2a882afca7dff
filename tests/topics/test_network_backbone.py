"""Which links of a network are drawn."""

import numpy as np
import pytest

from pitmanyor.topics.network_backbone import backbone
from tests.topics.test_network_layout import communities

pytestmark = pytest.mark.nojit


def parts(n: int, pairs: np.ndarray) -> int:
    """Number of connected components, by spreading the least number."""
    label = np.arange(n)
    for _ in range(n):
        for a, b in pairs.tolist():
            label[a] = label[b] = min(label[a], label[b])
    return len(np.unique(label))


def test_what_is_connected_stays_so_and_little_is_drawn():
    links, group = communities(120, 4, 20.0)
    drawn = backbone(120, links)
    both = {(min(a, b), max(a, b)) for a, b in links.tolist()}
    assert {tuple(pair) for pair in drawn.pairs.tolist()} <= both
    assert len(drawn.pairs) < 4 * 120 < len(both) / 2
    assert parts(120, drawn.pairs) == parts(120, links)
    assert drawn.strength.max() <= 1.0 and (np.diff(drawn.strength) <= 0).all()
    same = [(group[pairs[:, 0]] == group[pairs[:, 1]]).mean() for pairs in (drawn.pairs, links)]
    assert same[0] > same[1]


def test_links_to_somebody_whom_all_follow_are_not_drawn():
    """Two circles of friends, and one whom everybody follows: he hangs on a few lines, not on all."""
    friends = [(a, b) for half in (range(10), range(10, 20)) for a in half for b in half if a != b]
    links = np.array([*friends, *((a, 20) for a in range(20))])
    drawn = backbone(21, links)
    assert 1 <= (drawn.pairs == 20).any(axis=1).sum() <= 4
    assert parts(21, drawn.pairs) == 1


def test_links_both_ways_are_stronger():
    links = np.array([(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)])
    drawn = dict(zip(map(tuple, backbone(4, links).pairs.tolist()), backbone(4, links).strength, strict=True))
    assert drawn[0, 1] == drawn[2, 3] == 1.0 > drawn[1, 2]


@pytest.mark.parametrize("links", [[(0, 0)], [(0, 1)], [(0, 1), (1, 0)]])
def test_loops_and_single_links(links):
    drawn = backbone(2, np.array(links))
    assert drawn.pairs.tolist() == ([[0, 1]] if (0, 1) in links else [])
