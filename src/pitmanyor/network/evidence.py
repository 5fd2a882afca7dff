"""log p(X | nu) with the weights integrated out, by importance sampling from a Student t (maths 6)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.network.cholesky import pivoted_cholesky, product
from pitmanyor.network.mode import find_mode
from pitmanyor.network.pair_links import PairLinks
from pitmanyor.network.similar_links import SimilarLinks
from pitmanyor.network.slices import move_weights

Floats = NDArray[np.float64]
FREEDOM = 5.0  # degrees of freedom of the Student t, whose tails must be heavier than the posterior's
WIDER = 1.2  # scale relative to the estimated posterior
WARM_UP = 50


class Evidence(NamedTuple):
    """log p(X | nu), and its standard error."""

    log_likelihood: float
    error: float


def log_evidence(links: SimilarLinks | PairLinks, rng: np.random.Generator, n_draws: int = 400) -> Evidence:
    """The log likelihood of links at the present similarities; the weights are restored afterwards.

    The Student t is centred at the posterior mode of w. Weights of pairs of vectors are too many for that; there it is
    fitted to draws of elliptical slice sampling, which must have converged, and the error is larger.
    """
    near = find_mode(links) if isinstance(links, SimilarLinks) else _from_draws(links, rng, n_draws)
    centre, dim = near[0], len(near[0])
    pivots, root = pivoted_cholesky(WIDER**2 * near[1], 0.0)
    normal, scale = rng.standard_normal((n_draws, dim)), rng.chisquare(FREEDOM, n_draws) / FREEDOM
    points = centre + product(normal / np.sqrt(scale)[:, None], root.T)
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


def _from_draws(links: PairLinks, rng: np.random.Generator, n_draws: int) -> tuple[Floats, Floats]:
    """Mean and covariance of the weights' posterior, from draws that start at the present weights."""
    kept = links.weights.copy()
    move_weights(links, rng, WARM_UP)
    draws = np.empty((n_draws, len(kept)))
    for row in draws:
        move_weights(links, rng, 1)
        row[:] = links.weights
    links.weights = kept
    mean, dim = draws.mean(axis=0), len(kept)
    away = draws - mean
    # shrunk towards the prior's N(0, I), so that few draws of many weights still have a spread in every direction
    return mean, (product(away.T, away) + dim * np.eye(dim)) / (n_draws + dim)
