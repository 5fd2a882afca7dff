"""A layout of linked nodes in the plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
STEPS = 200
GOLDEN = 2.399963229728653  # the golden angle


def sunflower(n: int) -> Floats:
    """n points spread evenly in the unit disc, always the same."""
    turn = np.arange(n) * GOLDEN
    return np.asarray(np.sqrt((np.arange(n) + 0.5) / n)[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1))


def spread(first: Floats, links: Ints, steps: int = STEPS) -> Floats:
    """Places from -1 to 1 by the Fruchterman-Reingold method: links attract, nodes repel, gravity centres.

    `first` has the initial places, one row per node; `links` are pairs of node numbers, without direction.
    """
    n, at = len(first), first.copy()
    weight = _pull(n, links)
    unit = np.sqrt(1.0 / n)
    for step in range(steps):
        apart = at[:, None] - at
        distance = np.maximum(np.sqrt((apart**2).sum(axis=2)), 1e-3)
        force = unit**2 / distance**2 - weight * distance / unit
        move = (force[:, :, None] * apart).sum(axis=1) - 0.4 * at
        length = np.maximum(np.sqrt((move**2).sum(axis=1, keepdims=True)), 1e-9)
        at += move / length * np.minimum(length, 0.1 * (1 - step / steps))
    at -= np.median(at, axis=0)
    wide = at / np.maximum(np.quantile(np.abs(at), 0.98, axis=0), 1e-9)
    return np.asarray(np.clip(wide, -1.0, 1.0))  # a few outliers do not squeeze the rest


def _pull(n: int, links: Ints) -> Floats:
    """Strength of each link; those of nodes with many links are weaker."""
    linked = np.zeros((n, n))
    linked[links[:, 0], links[:, 1]] = linked[links[:, 1], links[:, 0]] = 1.0
    half = linked / np.sqrt(np.maximum(linked.sum(axis=1), 1.0))[:, None]
    return np.asarray((half + half.T) / 2)
