"""A random function of a pair of vectors, as in Lloyd et al. 2012, projected on fixed inducing vectors (maths 6).

The kernel is a product over the two vectors, exp(-|x - x'|^2 / 2 l^2) for each. The process is projected on pairs of
fixed inducing vectors (the corners and the centre of the simplex): Q_ij = s/sqrt 2 g_i' W g_j with standard normal W,
where g g' is the projected kernel of one vector. That projection is the model, not an approximation of a step.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pitmanyor.network.cholesky import inverse_of_lower, pivoted_cholesky, product
from pitmanyor.network.features import INTERCEPT, Kernel

Floats = NDArray[np.float64]
LEAST = 1e-10  # what is left of the inducing vectors' kernel once it is too small to tell them apart


class PairFunction:
    """What weights W (and an intercept) make of vectors over so many topics."""

    def __init__(self, kernel: Kernel, n_topics: int, directed: bool) -> None:
        self.kernel, self.directed = kernel, directed
        self.inducing = np.vstack([np.eye(n_topics), np.full(n_topics, 1.0 / n_topics)])
        pivots, factor = pivoted_cholesky(self._kernel(self.inducing), LEAST)
        self.inducing = self.inducing[pivots]
        self.root = inverse_of_lower(factor[pivots]).T

    @property
    def n_weights(self) -> int:
        return len(self.inducing) ** 2 + self.kernel.intercept

    def _kernel(self, nu: Floats) -> Floats:
        gap = ((nu[:, None, :] - self.inducing) ** 2).sum(axis=2)
        return np.asarray(np.exp(-gap / (2.0 * self.kernel.length**2)))

    def features(self, nu: Floats) -> Floats:
        """g of vectors, a row each."""
        return product(self._kernel(nu), self.root)

    def scores(self, left: Floats, right: Floats, weights: Floats) -> Floats:
        """Mean scores of all pairs of rows."""
        m = len(self.inducing)
        matrix = weights[: m * m].reshape(m, m)
        if not self.directed:
            matrix = (matrix + matrix.T) / math.sqrt(2.0)
        shift = INTERCEPT * weights[-1] if self.kernel.intercept else 0.0
        return product(product(left, matrix), right.T) * (self.kernel.signal / math.sqrt(2.0)) + shift
