"""The posterior mode of a link set's weights given the present similarities, and its curvature (maths 6)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.network.similarity import link_curves
from pitmanyor.network.cholesky import inverse_of_lower, pivoted_cholesky, product
from pitmanyor.network.features import N_KNOTS
from pitmanyor.network.similar_links import SimilarLinks

Floats = NDArray[np.float64]
STEP = 1e-3  # of the score, for derivatives of a curve that is good to 1e-12
MOST_STEPS, CLOSE = 100, 1e-9


def find_mode(links: SimilarLinks) -> tuple[Floats, Floats]:
    """The mode of p(w | X, nu) and the inverse of its curvature, by Newton steps that are halved if they overshoot.

    The log of a sigmoid under noise is concave and scores are linear in w, so there is one mode.
    """
    weights = np.zeros(len(links.weights))
    value = _log_posterior(links, weights)
    for _ in range(MOST_STEPS):
        slope, spread = _slope_and_spread(links, weights)
        step = product(spread, slope[:, None])[:, 0]
        while (tried := _log_posterior(links, weights + step)) < value and np.abs(step).max() > CLOSE:
            step /= 2.0
        if np.abs(step).max() <= CLOSE:
            break
        weights, value = weights + step, tried
    return weights, _slope_and_spread(links, weights)[1]


def _log_posterior(links: SimilarLinks, weights: Floats) -> float:
    return links.log_likelihood(weights) - 0.5 * float((weights**2).sum())


def _slope_and_spread(links: SimilarLinks, weights: Floats) -> tuple[Floats, Floats]:
    """The gradient of the log posterior, and the inverse of its negative second derivatives."""
    score = links.score(weights)
    low, here, high = np.empty((3, 2, N_KNOTS))
    for out, at in ((low, score - STEP), (here, score), (high, score + STEP)):
        link_curves(at, *links.noisy, out)
    first = (links.laid * (high - low)).sum(axis=0) / (2.0 * STEP)
    second = (links.laid * (high - 2.0 * here + low)).sum(axis=0) / STEP**2
    slope = (links.phi.T * first).sum(axis=1) - weights
    curvature = np.eye(len(weights)) - product(links.phi.T * second, links.phi)
    pivots, root = pivoted_cholesky(curvature, 0.0)
    back = np.zeros_like(root)
    back[:, pivots] = inverse_of_lower(root[pivots])
    return slope, product(back.T, back)
