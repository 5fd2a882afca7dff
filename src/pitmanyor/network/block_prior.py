"""What a set of links between topics has to learn, and its prior (maths 6)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.graph import Links

Floats = NDArray[np.float64]
SHAPE = 0.5  # of the gamma prior of a rate between two topics: some blocks are busy, most are not
LEVEL = (-2.0, 2.0)  # mean and standard deviation of the log of the rates' mean, in place of an intercept
EFFECTS = (2.0, 1.0)  # shape and rate of the gamma prior of 1/variance of senders' and receivers' effects
LEAST = 1e-300  # of a rate


class Effects(NamedTuple):
    """Which parts a link set has."""

    popularity: bool
    reciprocity: bool
    directed: bool


def effects_of(links: Links) -> Effects:
    return Effects(links.popularity, links.reciprocity, links.directed)


class Unknowns(NamedTuple):
    """What a link set has to learn beside the vectors.

    `scalars`: the chance of an answer, the mean rate between two topics and within one, and 1/variance of both effects.
    """

    rates: Floats
    sent: Floats
    received: Floats
    scalars: Floats

    @classmethod
    def among(cls, weights: Floats, n: int, n_topics: int) -> Unknowns:
        """Views of an array that holds all of them."""
        square = n_topics**2
        rates, sent, received, scalars = np.split(weights, [square, square + n, square + 2 * n])
        return cls(rates.reshape(n_topics, n_topics), sent, received, scalars)

    @staticmethod
    def size(n: int, n_topics: int) -> int:
        return n_topics**2 + 2 * n + 5


def first_unknowns(n: int, n_topics: int, effects: Effects) -> Floats:
    """Everybody alike, and every block at the mean."""
    weights = np.ones(Unknowns.size(n, n_topics))
    unknowns = Unknowns.among(weights, n, n_topics)
    unknowns.rates[:] = math.exp(LEVEL[0])
    unknowns.scalars[:3] = 0.25 if effects.reciprocity else 0.0, math.exp(LEVEL[0]), math.exp(LEVEL[0])
    return weights


def draw_unknowns(n: int, n_topics: int, effects: Effects, rng: np.random.Generator) -> Floats:
    """From the prior."""
    weights = first_unknowns(n, n_topics, effects)
    unknowns = Unknowns.among(weights, n, n_topics)
    between, within = np.exp(LEVEL[0] + LEVEL[1] * rng.standard_normal(2))
    means = np.where(np.eye(n_topics, dtype=bool), within, between)
    rates = np.maximum(rng.standard_gamma(SHAPE, (n_topics, n_topics)) * (means / SHAPE), LEAST)
    unknowns.rates[:] = rates if effects.directed else np.tril(rates) + np.tril(rates, -1).T
    shapes = rng.gamma(EFFECTS[0], 1.0 / EFFECTS[1], 2)
    answer = rng.random()
    if effects.popularity:
        for effect, shape in zip((unknowns.sent, unknowns.received), shapes, strict=True):
            effect[:] = np.maximum(rng.standard_gamma(shape, n) / shape, LEAST)
        unknowns.scalars[3:] = shapes
    if not effects.directed:
        unknowns.received[:], unknowns.scalars[4] = unknowns.sent, unknowns.scalars[3]
    unknowns.scalars[:3] = answer if effects.reciprocity else 0.0, between, within
    return weights


def all_rates(vectors: Floats, unknowns: Unknowns) -> Floats:
    """The rate of events from every instance to every other; an undirected pair has it twice."""
    between = np.einsum("ik,jk->ij", vectors, np.einsum("jl,kl->jk", vectors, unknowns.rates))
    out = np.asarray(unknowns.sent[:, None] * unknowns.received * between)
    np.fill_diagonal(out, 0.0)
    return out
