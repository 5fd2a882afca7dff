"""Slice sampling, elliptical for Gaussian unknowns and by stepping out for single ones; both are exact."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MOST_STEPS = 100
NARROW = 1e-12  # the interval has shrunk to nothing: keep the point


class Ellipse(NamedTuple):
    """The result of elliptical slice sampling: the new point, its log likelihood, and the number of evaluations."""

    point: Floats
    log_likelihood: float
    n_steps: int


def elliptical_slice(
    point: Floats,
    current: float,
    log_likelihood: Callable[[Floats], float],
    rng: np.random.Generator,
    other: Floats | None = None,
) -> Ellipse:
    """One update of a point with a Gaussian prior of mean 0 (Murray, Adams and MacKay 2010).

    `current` is its log likelihood. `other` is a draw from the prior; by default that is N(0, I).
    """
    other = rng.standard_normal(len(point)) if other is None else other
    level = current - rng.standard_exponential()
    angle = rng.uniform(0.0, 2.0 * math.pi)
    low, high = angle - 2.0 * math.pi, angle
    n_steps = 0
    while high - low > NARROW:
        n_steps += 1
        tried = point * math.cos(angle) + other * math.sin(angle)
        value = log_likelihood(tried)
        if value > level:
            return Ellipse(tried, value, n_steps)
        if angle < 0.0:
            low = angle
        else:
            high = angle
        angle = rng.uniform(low, high)
    return Ellipse(point, current, n_steps)


class Weighted(Protocol):
    """Links with standard normal weights, and their likelihood."""

    weights: Floats

    def log_likelihood(self, weights: Floats) -> float: ...


def move_weights(links: Weighted, rng: np.random.Generator, times: int) -> int:
    """Update the weights of a link set several times; returns the number of evaluations."""
    value, steps = links.log_likelihood(links.weights), 0
    for _ in range(times):
        links.weights, value, n = elliptical_slice(links.weights, value, links.log_likelihood, rng)
        steps += n
    return steps


def slice_sample(
    x: float, log_density: Callable[[float], float], rng: np.random.Generator, width: float = 1.0
) -> float:
    """One update of a real number by stepping out and shrinking (Neal 2003)."""
    level = log_density(x) - rng.standard_exponential()
    left = x - width * rng.random()
    right = left + width
    steps_left = int(rng.integers(MOST_STEPS))
    steps_right = MOST_STEPS - 1 - steps_left
    while steps_left > 0 and log_density(left) > level:
        left, steps_left = left - width, steps_left - 1
    while steps_right > 0 and log_density(right) > level:
        right, steps_right = right + width, steps_right - 1
    while right - left > NARROW * (1.0 + abs(x)):
        tried = rng.uniform(left, right)
        if log_density(tried) > level:
            return float(tried)
        if tried < x:
            left = tried
        else:
            right = tried
    return x
