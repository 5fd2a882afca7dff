"""Families of topics, and a map of topics, both from the similarity of their words.

Fifty colours cannot be told apart, but those of at most eight families can.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor.topics.network_layout import sunflower

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
MOST_FAMILIES = 8


def apart(rows: Floats, shares: Floats) -> Floats:
    """Distances between topics, from 0 to 1: one minus the cosine of p log(p/q) over words with p > q.

    q is the distribution of words over all topics. With plain distributions, small topics, which have learned little
    beyond q, would be similar for that reason alone.
    """
    everywhere = np.maximum(shares @ rows / shares.sum(), 1e-300)
    own = rows * np.log(np.maximum(rows / everywhere, 1.0))
    unit = own / np.maximum(np.linalg.norm(own, axis=1, keepdims=True), 1e-300)
    distance = np.clip(1.0 - unit @ unit.T, 0.0, 1.0)
    np.fill_diagonal(distance, 0.0)
    return np.asarray(distance)


def families(distance: Floats, shares: Floats, most: int = MOST_FAMILIES) -> Ints:
    """The family of every topic, numbered by size: each topic belongs to the closest of at most eight leading topics.

    Leaders are weighted medoids, found greedily and improved by swaps. `most` limits their number, for instance to the
    number of large topics, so that small ones have no colour of their own.
    """
    leaders = medoids(distance, shares, min(most, len(shares), MOST_FAMILIES))
    group = distance[:, leaders].argmin(axis=1)
    group[leaders] = np.arange(len(leaders))  # a topic equal to a leader may be a leader too
    size = np.bincount(group, weights=shares)
    rank = np.empty(len(size), np.int64)
    rank[np.argsort(-size, kind="stable")] = np.arange(len(size))
    return np.asarray(rank[group])


def medoids(distance: Floats, weights: Floats, n: int) -> list[int]:
    """k points with the smallest weighted sum of distances to the closest of them, up to swaps of one.

    >>> medoids(np.abs(np.subtract.outer([0, 1, 2, 10, 11], [0, 1, 2, 10, 11])), np.ones(5), 2)
    [1, 3]
    """

    def best(others: list[int]) -> tuple[int, float]:
        """The point that serves best beside the others, and the remaining sum."""
        nearest = distance[:, others].min(axis=1) if others else np.full(len(distance), np.inf)
        sums = weights @ np.minimum(nearest[:, None], distance)
        sums[others] = np.inf
        return int(sums.argmin()), float(sums.min())

    chosen: list[int] = []
    for _ in range(n):
        chosen.append(best(chosen)[0])
    total, before = float(weights @ distance[:, chosen].min(axis=1)), np.inf
    while total < before - 1e-12:
        before = total
        for i in range(n):
            point, left = best([*chosen[:i], *chosen[i + 1 :]])
            if left < total - 1e-12:
                chosen[i], total = point, left
    return chosen


def plane(distance: Floats, steps: int = 300) -> Floats:
    """Places in the plane that approximate the given distances, by stress majorisation (SMACOF).

    Topics hardly share words, so nearly all distances are close to 1. Classical scaling would separate only the largest
    topics and pile up the rest.
    """
    n = len(distance)
    places = sunflower(n)
    for _ in range(steps if n > 2 else 0):
        between = np.linalg.norm(places[:, None] - places, axis=2)
        ratio = -distance / np.maximum(between, 1e-9)
        np.fill_diagonal(ratio, 0.0)
        np.fill_diagonal(ratio, -ratio.sum(axis=1))
        places = ratio @ places / n
    return np.asarray(places)
