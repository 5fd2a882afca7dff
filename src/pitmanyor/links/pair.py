"""A link set whose scores are a random function of the pair of vectors, as in Lloyd et al. 2012 (maths 6).

The kernel is a product over the two vectors, exp(-|x - x'|^2 / 2 l^2) for each. The process is projected on pairs of
fixed inducing vectors (the corners and the centre of the simplex): Q_ij = s/sqrt 2 g_i' W g_j with standard normal W,
where g g' is the projected kernel of one vector. That projection is the model, not an approximation of a step.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.pairs import pair_sum
from pitmanyor.links.cholesky import inverse_of_lower, pivoted_cholesky, product
from pitmanyor.links.features import INTERCEPT, Kernel
from pitmanyor.links.noise import noisy_link
from pitmanyor.links.observed import Observed

Floats = NDArray[np.float64]
LEAST = 1e-10  # what is left of the inducing vectors' kernel once it is too small to tell them apart


class PairLinks:
    """Weights W (and an intercept), and what they make of vectors."""

    def __init__(self, kernel: Kernel, n_topics: int, observed: Observed | None = None) -> None:
        self.kernel, self.observed = kernel, observed
        self.noisy = noisy_link(kernel.noise)
        self.inducing = np.vstack([np.eye(n_topics), np.full(n_topics, 1.0 / n_topics)])
        pivots, factor = pivoted_cholesky(self._kernel(self.inducing), LEAST)
        self.inducing = self.inducing[pivots]
        self.root = inverse_of_lower(factor[pivots]).T
        self.weights = np.zeros(len(pivots) ** 2 + kernel.intercept)
        self.rows = np.zeros((0, len(pivots)))  # g of every instance

    def _kernel(self, nu: Floats) -> Floats:
        gap = ((nu[:, None, :] - self.inducing) ** 2).sum(axis=2)
        return np.asarray(np.exp(-gap / (2.0 * self.kernel.length**2)))

    def features(self, nu: Floats) -> Floats:
        """g of vectors, a row each."""
        return product(self._kernel(nu), self.root)

    def place(self, nu: Floats) -> None:
        """Take the vectors of all instances as they are now."""
        self.rows = self.features(nu)

    def scores(self, left: Floats, right: Floats, weights: Floats) -> Floats:
        """Mean scores of all pairs of rows."""
        m = self.rows.shape[1]
        matrix = weights[: m * m].reshape(m, m)
        if self.observed is not None and not self.observed.directed:
            matrix = (matrix + matrix.T) / math.sqrt(2.0)
        shift = INTERCEPT * weights[-1] if self.kernel.intercept else 0.0
        return product(product(left, matrix), right.T) * (self.kernel.signal / math.sqrt(2.0)) + shift

    def log_likelihood(self, weights: Floats) -> float:
        """log p(X | nu, W) for the vectors that were placed."""
        assert self.observed is not None
        return float(pair_sum(self.scores(self.rows, self.rows, weights), self.observed.pairs, self.noisy))

    def change(self, i: int, nu: Floats) -> float:
        """log p(X) if instance i had the vector nu, less what it is now."""
        pairs, old, new = self._pairs(i), self.rows[i : i + 1], self.features(nu[None])
        total = 0.0
        for row, sign in ((new, 1.0), (old, -1.0)):
            others = self.rows.copy()
            others[i] = row
            forward, back = self.scores(row, others, self.weights), self.scores(others, row, self.weights)
            total += sign * float(pair_sum(forward, pairs[0], self.noisy) + pair_sum(back, pairs[1], self.noisy))
        return total

    def _pairs(self, i: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Pairs from i, and pairs to i without (i, i)."""
        assert self.observed is not None
        back = self.observed.pairs[:, i : i + 1].copy()
        back[i] = 2
        return np.ascontiguousarray(self.observed.pairs[i : i + 1]), back
