"""Families of topics, and where topics lie on a map: both from how alike their words are.

Fifty topics cannot have fifty colours that people tell apart. At most eight families can.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
MOST_FAMILIES = 8


def hellinger(rows: Floats) -> Floats:
    """Distances between distributions, from 0 (the same) to 1 (nothing in common)."""
    roots = np.sqrt(rows)
    return np.asarray(np.sqrt(np.clip(1.0 - roots @ roots.T, 0.0, 1.0)))


def families(distance: Floats, shares: Floats, smallest: float) -> Ints:
    """The family of every topic, numbered by size: average linkage of the topics that are not small.

    A small topic goes with the nearest of the others: what few tokens say must not take a colour of its own.
    """
    large = np.flatnonzero(shares >= smallest)
    if not len(large):
        large = np.arange(min(len(shares), MOST_FAMILIES))
    group = np.empty(len(shares), np.int64)
    group[large] = average_linkage(distance[np.ix_(large, large)], MOST_FAMILIES)
    small = np.setdiff1d(np.arange(len(shares)), large)
    group[small] = group[large[distance[np.ix_(small, large)].argmin(axis=1)]]
    size = np.bincount(group, weights=shares)
    rank = np.empty(len(size), np.int64)
    rank[np.argsort(-size, kind="stable")] = np.arange(len(size))
    return rank[group]


def average_linkage(distance: Floats, n_groups: int) -> Ints:
    """Join the two nearest groups, by the mean distance of their members, until so many are left."""
    n = len(distance)
    between = distance.astype(np.float64).copy()
    np.fill_diagonal(between, np.inf)
    group, size = np.arange(n), np.ones(n)
    for _ in range(n - n_groups):
        i, j = sorted(np.unravel_index(int(between.argmin()), between.shape))
        with np.errstate(invalid="ignore"):
            joined = (size[i] * between[i] + size[j] * between[j]) / (size[i] + size[j])
        between[i], between[:, i] = joined, joined
        between[i, i] = between[j] = between[:, j] = np.inf
        size[i] += size[j]
        group[group == j] = i
    return np.asarray(np.unique(group, return_inverse=True)[1], np.int64)


def plane(distance: Floats, steps: int = 300) -> Floats:
    """Places in the plane whose distances are near the given ones: least squares by majorisation (SMACOF).

    Topics hardly share words, so nearly all distances are near 1; squares of what differs would set the largest apart
    and heap up the rest. Least squares on the distances themselves spreads them.
    """
    n = len(distance)
    turn = np.arange(n) * 2.399963229728653  # a sunflower: even, and the same every time
    places = np.sqrt(np.arange(n) + 0.5)[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1) / np.sqrt(n)
    for _ in range(steps if n > 2 else 0):
        apart = np.linalg.norm(places[:, None] - places, axis=2)
        ratio = -distance / np.maximum(apart, 1e-9)
        np.fill_diagonal(ratio, 0.0)
        np.fill_diagonal(ratio, -ratio.sum(axis=1))
        places = ratio @ places / n
    return np.asarray(places)
