"""A Gaussian with covariance Phi Phi' + sigma^2 I over all pairs, in time linear in its few features (maths 6)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError
from pitmanyor.network.cholesky import product

Floats = NDArray[np.float64]


def log_normal(residual: Floats, phi: Floats, sigma: float) -> float:
    """log N(residual; 0, Phi Phi' + sigma^2 I), by the matrix determinant lemma and Woodbury's identity."""
    if sigma <= 0.0:
        raise PlanError("without noise the scores of pairs have no joint density; give links a noise above 0")
    n, r = phi.shape
    small = np.eye(r) + product(phi.T, phi) / sigma**2
    root = np.linalg.cholesky(small)
    inner = np.linalg.solve(root, (phi.T * residual).sum(axis=1) / sigma**2)
    log_det = 2.0 * np.log(np.diag(root)).sum() + 2.0 * n * math.log(sigma)
    square = (residual**2).sum() / sigma**2 - (inner**2).sum()
    return float(-0.5 * (square + log_det + n * math.log(2.0 * math.pi)))


def draw(phi: Floats, sigma: float, rng: np.random.Generator) -> Floats:
    """One draw from N(0, Phi Phi' + sigma^2 I)."""
    return np.asarray((phi * rng.standard_normal(phi.shape[1])).sum(axis=1) + sigma * rng.standard_normal(len(phi)))
