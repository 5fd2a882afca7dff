"""log p(X | nu) with the weights integrated out, by importance sampling from a Student t (maths 6)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pitmanyor.links.cholesky import pivoted_cholesky, product
from pitmanyor.links.slices import Weighted, move_weights

FREEDOM = 5.0  # degrees of the Student t: its tails must be heavier than the posterior's
WIDER = 1.2  # than the draws, whose spread is an underestimate
WARM_UP = 50


class Evidence(NamedTuple):
    """log p(X | nu), and the standard error of it."""

    log_likelihood: float
    error: float


def log_evidence(links: Weighted, rng: np.random.Generator, n_draws: int = 400) -> Evidence:
    """The links' log likelihood at the similarities that were laid; the weights come back as they were.

    Elliptical slice sampling finds where the posterior of w is; a t fitted to its draws is what is averaged over.
    """
    kept = links.weights.copy()
    move_weights(links, rng, WARM_UP)
    draws = np.empty((n_draws, len(kept)))
    for row in draws:
        move_weights(links, rng, 1)
        row[:] = links.weights
    links.weights = kept
    mean, dim = draws.mean(axis=0), len(kept)
    # shrunk towards the prior's N(0, I), so that few draws of many weights still have a spread in every direction
    away = draws - mean
    spread = WIDER**2 * (product(away.T, away) + dim * np.eye(dim)) / (n_draws + dim)
    pivots, root = pivoted_cholesky(spread, 0.0)
    normal, scale = rng.standard_normal((n_draws, dim)), rng.chisquare(FREEDOM, n_draws) / FREEDOM
    points = mean + product(normal / np.sqrt(scale)[:, None], root.T)
    square = (normal**2).sum(axis=1) / scale
    log_t = (
        math.lgamma((FREEDOM + dim) / 2)
        - math.lgamma(FREEDOM / 2)
        - dim / 2 * math.log(FREEDOM * math.pi)
        - np.log(np.diag(root[pivots])).sum()
        - (FREEDOM + dim) / 2 * np.log1p(square / FREEDOM)
    )
    log_prior = -0.5 * (points**2).sum(axis=1) - dim / 2 * math.log(2 * math.pi)
    log_weight = np.array([links.log_likelihood(point) for point in points]) + log_prior - log_t
    top = float(log_weight.max())
    weight = np.exp(log_weight - top)
    error = float(weight.std(ddof=1) / weight.mean() / math.sqrt(n_draws))
    return Evidence(top + math.log(weight.mean()), error)
