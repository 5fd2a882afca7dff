"""A link set whose scores are a random function of the similarity: Q = Sim + Phi w + sigma eps (maths 6)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.network.similarity import lay_pairs, link_curves
from pitmanyor.kernels.numbers.curves import read_many
from pitmanyor.network.features import N_KNOTS, Kernel, features, knots
from pitmanyor.network.noise import noisy_link
from pitmanyor.network.observed import Counts, Observed

Floats = NDArray[np.float64]


class SimilarLinks:
    """The random function of one link set: its weights, and the probabilities at a similarity.

    The log likelihood of all pairs is a dot product of weights laid on knots of the similarity (`lay`, once for given
    similarities) with curves at the knots (`curves`, for given weights w), so that the cost of elliptical slice
    sampling does not depend on the number of pairs.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.phi = features(kernel)
        self.noisy = noisy_link(kernel.noise)
        self.weights = np.zeros(self.phi.shape[1])
        self.laid = np.zeros((2, N_KNOTS))

    def score(self, weights: Floats) -> Floats:
        """The mean of Q at the knots."""
        return np.asarray(knots() + (self.phi * weights).sum(axis=1))  # bits must not depend on threads

    def curves(self, weights: Floats) -> Floats:
        """log p(x = 1) and log p(x = 0) at the knots."""
        out = np.empty((2, N_KNOTS))
        link_curves(self.score(weights), *self.noisy, out)
        return out

    def lay(self, cosine: Floats, ones: Counts, zeros: Counts) -> None:
        """Set the similarities of all pairs."""
        self.laid = np.zeros((2, N_KNOTS))
        lay_pairs(cosine, ones, zeros, self.laid)

    def log_likelihood(self, weights: Floats) -> float:
        """log p(X | nu, w) at these similarities."""
        return float((self.laid * self.curves(weights)).sum())

    def log_probability(self, cosine: Floats) -> Floats:
        """log p(x = 1) at any similarities, a flat array."""
        out = np.empty(len(cosine))
        read_many(self.curves(self.weights)[0], np.asarray(cosine, np.float64) * (N_KNOTS - 1), out)
        return out


def log_density(links: SimilarLinks, cosine: Floats, observed: Observed) -> float:
    """log p(X | nu, w) of a matrix of similarities."""
    ones, zeros = observed.both_ways()
    links.lay(cosine, ones, zeros)
    return links.log_likelihood(links.weights)
