"""A layout of linked nodes in the plane, in which communities are apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
STEPS = 200
BLOCK = 128  # rows of distances at a time, which stay in the cache
GRAVITY, REPULSION = 0.05, 0.05
MARGIN = 1.1  # of the frame, around all but the outermost nodes
ROUNDS = 200  # of power iteration
GOLDEN = 2.399963229728653  # the golden angle


def sunflower(n: int) -> Floats:
    """n points spread evenly in the unit disc, always the same."""
    turn = np.arange(n) * GOLDEN
    return np.asarray(np.sqrt((np.arange(n) + 0.5) / n)[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1))


def arrange(n: int, pairs: Ints, strength: Floats | None = None, steps: int = STEPS) -> Floats:
    """Places from -1 to 1 of n nodes whose linked pairs attract each other while all repel each other.

    Forces are those of the LinLog model (Noack 2007), whose clusters are apart, with repulsion in proportion to the
    numbers of links. They start from the leading eigenvectors of the links. All pairs repel each other, block by block
    of rows, which takes a second or two for 2,000 nodes.

    Parameters
    ----------
    n
        Number of nodes.
    pairs
        Linked pairs of node numbers, without direction.
    strength
        Their strengths; by default all are equal.
    steps
        Number of steps, each smaller than the one before.
    """
    weight = np.ones(len(pairs)) if strength is None else strength / max(strength.mean(), 1e-12)
    weight = np.sqrt(np.maximum(weight, 1e-3))
    mass = (1 + np.bincount(pairs.ravel(), minlength=n)).astype(np.float64)
    at = _first_places(n, pairs, weight) * np.sqrt(n)
    reach = np.sqrt(n) * 0.1
    for step in range(steps):
        move = _repulsion(at, mass) + _attraction(at, pairs, weight) - GRAVITY * mass[:, None] * at / np.sqrt(n)
        move /= mass[:, None]
        length = np.maximum(np.sqrt((move**2).sum(axis=1, keepdims=True)), 1e-12)
        at += move / length * np.minimum(length, reach * (1 - step / steps) ** 2)
    return _framed(at)


def _first_places(n: int, pairs: Ints, weight: Floats) -> Floats:
    """The second and third eigenvector of the normalised links, with a little of a sunflower to tell equals apart."""
    degree = np.bincount(pairs.ravel(), np.repeat(weight, 2), n) + 1e-3
    scaled = weight / np.sqrt(degree[pairs[:, 0]] * degree[pairs[:, 1]])
    trivial = np.sqrt(degree / degree.sum())
    turn = np.arange(1, n + 1)[:, None] * np.array([1.0, np.sqrt(2.0), np.sqrt(3.0)]) * GOLDEN
    columns = np.sin(turn)
    for _ in range(ROUNDS):
        columns = columns + _product(columns, pairs, scaled)  # the largest eigenvalues are those of clusters
        columns -= trivial[:, None] * (trivial[:, None] * columns).sum(axis=0)
        columns = np.linalg.qr(columns)[0]
    places = columns[:, :2] / np.maximum(trivial[:, None], 1e-9)
    places /= np.maximum(np.quantile(np.abs(places), 0.95, axis=0), 1e-9)
    return np.asarray(np.clip(places, -1.5, 1.5) + 0.3 * sunflower(n))


def _product(columns: Floats, pairs: Ints, weight: Floats) -> Floats:
    """The symmetric matrix with these entries, times columns."""
    out = np.zeros_like(columns)
    for c in range(columns.shape[1]):
        for a, b in ((0, 1), (1, 0)):
            out[:, c] += np.bincount(pairs[:, a], weight * columns[pairs[:, b], c], len(columns))
    return out


def _attraction(at: Floats, pairs: Ints, weight: Floats) -> Floats:
    """log(1 + distance) towards each linked node."""
    apart = at[pairs[:, 1]] - at[pairs[:, 0]]
    distance = np.maximum(np.sqrt((apart**2).sum(axis=1)), 1e-9)
    pull = (weight * np.log1p(distance) / distance)[:, None] * apart
    out = np.empty_like(at)
    for c in range(2):
        out[:, c] = np.bincount(pairs[:, 0], pull[:, c], len(at)) - np.bincount(pairs[:, 1], pull[:, c], len(at))
    return out


def _repulsion(at: Floats, mass: Floats) -> Floats:
    """mass times mass over distance away from every other node."""
    x, y, weight = (part.astype(np.float32) for part in (at[:, 0], at[:, 1], mass))
    out = np.empty_like(at)
    for start in range(0, len(at), BLOCK):
        rows = slice(start, start + BLOCK)
        dx, dy = x[rows, None] - x, y[rows, None] - y
        push = weight / (dx * dx + dy * dy + np.float32(0.01))
        out[rows, 0] = (push * dx).sum(axis=1)
        out[rows, 1] = (push * dy).sum(axis=1)
    return np.asarray(out * mass[:, None] * REPULSION)


def _framed(at: Floats) -> Floats:
    """Turned so that the longest direction lies across, and scaled to the square."""
    _, _, axes = np.linalg.svd(at - at.mean(axis=0), full_matrices=False)
    at = at @ (axes.T * np.where(axes[:, 0] < 0, -1.0, 1.0))
    low, high = np.quantile(at, [0.01, 0.99], axis=0)
    half = np.maximum((high - low) / 2, 1e-9) * MARGIN  # a few outliers do not squeeze the rest
    return np.asarray(np.clip((at - (low + high) / 2) / half, -1.0, 1.0))
