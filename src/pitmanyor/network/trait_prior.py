"""What a set of links between traits has to learn, and its prior (maths 6)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.graph import Links

Floats = NDArray[np.float64]
N_LATENT = 8  # traits of everybody as a sender, and as many as a receiver
LEVEL = 3.0  # standard deviation of the mean score
VARIANCE = (2.0, 0.5)  # shape and rate of the inverse gamma prior of every variance: its mean is 1/2
SHARED = (1e-4, 1.0 - 1e-4)  # least and largest share of the noise that both directions of a pair have in common
SENDER, RECEIVER, LATENT = 0, 1, 2  # columns of the effects, and the first of the others; and their groups
N_GROUPS = 3
N_SCALARS = 2 + 2 * N_GROUPS


class Parts(NamedTuple):
    """Which parts a link set has, and how many latent traits."""

    popularity: bool
    reciprocity: bool
    n_latent: int = N_LATENT

    @property
    def n_columns(self) -> int:
        return LATENT + 2 * self.n_latent

    @property
    def columns(self) -> range:
        """The traits that there are."""
        return range(SENDER if self.popularity else LATENT, self.n_columns)

    @property
    def groups(self) -> range:
        """Their groups, which have variances."""
        return range(SENDER if self.popularity else LATENT, N_GROUPS)

    @property
    def senders(self) -> range:
        """The columns of latent traits of senders; those of receivers come `n_latent` later."""
        return range(LATENT, LATENT + self.n_latent)


def parts_of(links: Links) -> Parts:
    return Parts(links.popularity, links.reciprocity)


class TraitUnknowns(NamedTuple):
    """What a link set has to learn beside the vectors: a trait is roots of the vectors times a direction, and a rest.

    `traits` (column, instance) and `directions` (column, topic) have the effects of senders and of receivers, then the
    latent traits of senders, then those of receivers. `shared` (1) is the share of the noise that both directions of a
    pair have in common. `variances` (group, 2) are those of directions and of rests, for both effects and for all
    latent traits.
    """

    level: Floats
    shared: Floats
    variances: Floats
    directions: Floats
    traits: Floats

    @classmethod
    def among(cls, weights: Floats, n: int, n_topics: int) -> TraitUnknowns:
        """Views of an array that holds all of them."""
        scalars, rest = weights[:N_SCALARS], weights[N_SCALARS:]
        n_columns = len(rest) // (n + n_topics)
        directions, traits = np.split(rest, [n_columns * n_topics])
        return cls(
            scalars[:1],
            scalars[1:2],
            scalars[2:].reshape(N_GROUPS, 2),
            directions.reshape(n_columns, n_topics),
            traits.reshape(n_columns, n),
        )

    @staticmethod
    def size(n: int, n_topics: int, parts: Parts) -> int:
        return N_SCALARS + parts.n_columns * (n_topics + n)


def group_of(column: int) -> int:
    return min(column, LATENT)


def first_unknowns(n: int, n_topics: int, parts: Parts) -> Floats:
    """Everybody alike."""
    weights = np.zeros(TraitUnknowns.size(n, n_topics, parts))
    unknowns = TraitUnknowns.among(weights, n, n_topics)
    unknowns.variances[:] = VARIANCE[1]
    unknowns.shared[:] = 0.5 if parts.reciprocity else 0.0
    return weights


def draw_unknowns(roots: Floats, parts: Parts, rng: np.random.Generator) -> Floats:
    """From the prior, given the roots of all vectors."""
    n, n_topics = roots.shape
    weights = first_unknowns(n, n_topics, parts)
    unknowns = TraitUnknowns.among(weights, n, n_topics)
    unknowns.level[:] = LEVEL * rng.standard_normal()
    if parts.reciprocity:
        unknowns.shared[:] = rng.uniform(*SHARED)
    for group in parts.groups:
        unknowns.variances[group] = draw_variance(0.0, 0, rng), draw_variance(0.0, 0, rng)
    for c in parts.columns:
        of_text, own = unknowns.variances[group_of(c)]
        unknowns.directions[c] = math.sqrt(of_text) * rng.standard_normal(n_topics)
        along = (roots * unknowns.directions[c]).sum(axis=1)
        unknowns.traits[c] = along + math.sqrt(own) * rng.standard_normal(n)
    return weights


def draw_variance(squares: float, number: int, rng: np.random.Generator) -> float:
    """A variance given so many draws of mean 0 with this sum of squares."""
    shape, rate = VARIANCE
    return float((rate + 0.5 * squares) / rng.standard_gamma(shape + 0.5 * number))


def mean_scores(unknowns: TraitUnknowns) -> Floats:
    """m + a_i + b_j + u_i' v_j of all pairs."""
    left, right = np.split(unknowns.traits[LATENT:], 2)
    effects = unknowns.traits[SENDER][:, None] + unknowns.traits[RECEIVER]
    return np.asarray(unknowns.level[0] + effects + np.einsum("ci,cj->ij", left, right))


def normal_below(x: Floats) -> Floats:
    """P(standard normal < x).

    >>> normal_below(np.array([[0.0, 1.0]])).round(4).tolist()
    [[0.5, 0.8413]]
    """
    return np.array([0.5 * math.erfc(-value * math.sqrt(0.5)) for value in x.ravel()]).reshape(x.shape)
