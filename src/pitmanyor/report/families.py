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


def families(distance: Floats, shares: Floats) -> Ints:
    """The family of every topic, numbered by size: Ward's linkage of topics that weigh as much as their shares.

    By weight, small topics join the large one they are near to, and no colour is spent on what few tokens say.
    """
    group = ward(distance, np.maximum(shares, 1e-12), MOST_FAMILIES)
    size = np.bincount(group, weights=shares)
    rank = np.empty(len(size), np.int64)
    rank[np.argsort(-size, kind="stable")] = np.arange(len(size))
    return rank[group]


def ward(distance: Floats, weights: Floats, n_groups: int) -> Ints:
    """Join the two groups whose union adds least to the weighted sum of squares within, until so many are left."""
    weight, n = weights.astype(np.float64).copy(), len(weights)
    cost = distance**2 * weight[:, None] * weight / (weight[:, None] + weight)
    np.fill_diagonal(cost, np.inf)
    group = np.arange(n)
    for _ in range(n - n_groups):
        i, j = sorted(map(int, np.unravel_index(int(cost.argmin()), cost.shape)))
        both = weight[i] + weight[j]
        with np.errstate(invalid="ignore"):  # of groups that are gone
            apart = (weight[i] + weight) * cost[i] + (weight[j] + weight) * cost[j] - weight * cost[i, j]
        joined = np.where(np.isnan(apart), np.inf, apart / (both + weight))
        cost[i], cost[:, i] = joined, joined
        cost[i, i] = cost[j] = cost[:, j] = np.inf
        weight[i] = both
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
