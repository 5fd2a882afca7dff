"""A link set whose scores are a random function of the pair of vectors, and its likelihood (maths 6)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.network.pairs import pair_sum
from pitmanyor.network.features import Kernel
from pitmanyor.network.inducing import PairFunction
from pitmanyor.network.noise import noisy_link
from pitmanyor.network.observed import UNSEEN, Observed

Floats = NDArray[np.float64]


class PairLinks(PairFunction):
    """Weights W (and an intercept), and the scores of the observed pairs."""

    def __init__(self, kernel: Kernel, n_topics: int, observed: Observed) -> None:
        super().__init__(kernel, n_topics, observed.directed)
        self.observed = observed
        self.noisy = noisy_link(kernel.noise)
        self.weights = np.zeros(self.n_weights)
        self.rows = np.zeros((0, len(self.inducing)))  # g of every instance

    def place(self, nu: Floats) -> None:
        """Set the vectors of all instances."""
        self.rows = self.features(nu)

    def place_one(self, i: int, nu: Floats) -> None:
        self.rows[i] = self.features(nu[None])[0]

    def log_likelihood(self, weights: Floats) -> float:
        """log p(X | nu, W) at these vectors."""
        return float(pair_sum(self.scores(self.rows, self.rows, weights), self.observed.pairs, self.noisy))

    def change(self, i: int, nu: Floats) -> float:
        """The change of log p(X) if instance i had the vector nu."""
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
        back = self.observed.pairs[:, i : i + 1].copy()
        back[i] = UNSEEN
        return np.ascontiguousarray(self.observed.pairs[i : i + 1]), back
