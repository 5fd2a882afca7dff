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


def plane(distance: Floats, weights: Floats) -> Floats:
    """Places in the plane whose distances are near the given ones: classical scaling, weighted by size of topic."""
    n = len(distance)
    if n < 3:
        return np.stack([np.arange(n, dtype=np.float64), np.zeros(n)], axis=1)
    w = weights / weights.sum()
    squared = distance**2
    centred = squared - w @ squared
    centred = -0.5 * (centred - (centred @ w)[:, None])
    roots = np.sqrt(w)
    values, vectors = np.linalg.eigh(roots[:, None] * centred * roots)
    best = vectors[:, -1:-3:-1] * np.sqrt(np.clip(values[-1:-3:-1], 0.0, None))
    best *= np.sign(best[np.abs(best).argmax(axis=0), [0, 1]])  # the same picture on every machine
    return np.asarray(best / np.maximum(roots, 1e-6)[:, None])
