"""A link set whose links depend on traits of both ends, which their vectors predict, and its updates (maths 6)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.network.probit_pairs import chances, draw_noise, log_likelihood, take_common
from pitmanyor.kernels.network.trait_columns import Column, Room, add_products, draw_column, sum_columns, sum_rows
from pitmanyor.network.observed import UNSEEN, Observed
from pitmanyor.network.slices import slice_sample
from pitmanyor.network.trait_prior import (
    LATENT,
    LEVEL,
    RECEIVER,
    SENDER,
    SHARED,
    VARIANCE,
    Parts,
    TraitUnknowns,
    draw_variance,
    first_unknowns,
    group_of,
    mean_scores,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Seed = tuple[int, int, int]
TIMES, PAIRS = 4, 100_000  # that all unknowns are drawn in a step: fewer where there are more pairs than this
ROUNDS = 30  # of steps before the vectors hear the links
FURTHEST = 20.0  # of the log of a scale under a slice
FIRST = 1 << 40  # rounds have their own random streams, keyed as very late sweeps
SET = 1 << 44  # first random stream of a node's second set, after any number of pairs


class TraitLinks:
    """Unknowns and links of one set."""

    def __init__(self, parts: Parts, n_topics: int, observed: Observed, place: int = 0) -> None:
        self.parts, self.seen, self.first = parts, observed.pairs, place * SET
        n = len(self.seen)
        self.roots = np.zeros((n, n_topics))  # of the shares of every vector
        self.rest, self.column = np.zeros((n, n)), Column(np.zeros(n), np.zeros(n))
        self.room = Room(np.zeros((n_topics, n_topics)), np.zeros(n_topics))
        self.weights = first_unknowns(n, n_topics, parts)

    @property
    def weights(self) -> Floats:
        """All unknowns as one array."""
        return self._weights

    @weights.setter
    def weights(self, weights: Floats) -> None:
        if weights.shape != (TraitUnknowns.size(*self.roots.shape, self.parts),):
            raise ValueError("unknowns of another network")
        self._weights, self.unknowns = weights, TraitUnknowns.among(weights, *self.roots.shape)
        shared, variances = self.unknowns.shared, self.unknowns.variances
        if not (np.isfinite(weights).all() and 0.0 <= shared[0] < 1.0 and (variances > 0.0).all()):
            raise ValueError("traits of links that are no numbers, or variances that are not above zero")

    def place(self, nu: Floats) -> None:
        """Set the vectors of all instances."""
        self.roots[:] = np.sqrt(nu)

    def place_one(self, i: int, nu: Floats) -> None:
        self.roots[i] = np.sqrt(nu)

    def change(self, i: int, nu: Floats) -> float:
        """The change of the log density of all traits if instance i had the vector nu: links depend on traits alone."""
        columns = slice(self.parts.columns.start, None)
        directions, traits = self.unknowns.directions[columns], self.unknowns.traits[columns, i]
        old, new = (traits - (directions * row).sum(axis=1) for row in (self.roots[i], np.sqrt(nu)))
        own = self.unknowns.variances[[group_of(c) for c in self.parts.columns], 1]
        return float(((old**2 - new**2) / (2.0 * own)).sum())

    def change_of_all(self, nu: Floats) -> float:
        """The same if all instances had other vectors."""
        return sum(self.change(i, row) for i, row in enumerate(nu))

    def log_likelihood(self, weights: Floats | None = None) -> float:
        """log p(X | traits)."""
        return float(log_likelihood(self.seen, mean_scores(self.unknowns), self.unknowns.shared[0]))

    def settle(self, seed: Seed, rng: np.random.Generator) -> None:
        """Find traits for given vectors, before these hear of the links."""
        for i in range(ROUNDS):
            self.move((seed[0], seed[1], FIRST + i), rng)

    def move(self, seed: Seed, rng: np.random.Generator) -> None:
        """Draw all unknowns given the vectors, scores first."""
        for time in range(max(min(TIMES, PAIRS // len(self.seen) ** 2), 1)):
            self._draw_noise(time, seed, rng)
            self._move_level(rng)
            if self.parts.popularity:
                ones = np.ones(len(self.seen))
                self._move_column(SENDER, ones, rng)
                self._move_column(RECEIVER, ones, rng)
            for c in self.parts.senders:
                self._move_column(c, self.unknowns.traits[c + self.parts.n_latent], rng)
                self._move_column(c + self.parts.n_latent, self.unknowns.traits[c], rng)
            self._move_variances(rng)
            for group in self.parts.groups:
                self._move_scale(group, rng)

    def _draw_noise(self, time: int, seed: Seed, rng: np.random.Generator) -> None:
        """Noise given links and all unknowns; `rest` is what of it is not shared."""
        shared, squares, first = self.unknowns.shared, np.zeros(3), self.first + time * len(self.seen) ** 2
        draw_noise(self.seen, mean_scores(self.unknowns), shared[0], first, seed, self.rest, squares)
        if self.parts.reciprocity:
            shared[0] = move_shared(float(shared[0]), squares, rng)
            take_common(self.seen, shared[0], first, seed, self.rest)

    @property
    def _sure(self) -> float:
        """The precision of noise that is not shared."""
        return 1.0 / (1.0 - float(self.unknowns.shared[0]))

    def _move_level(self, rng: np.random.Generator) -> None:
        level, here, sure = self.unknowns.level, self.seen != UNSEEN, self._sure
        precision = 1.0 / LEVEL**2 + sure * here.sum()
        mean = sure * (float(self.rest.sum()) + level[0] * here.sum()) / precision
        new = mean + rng.standard_normal() / math.sqrt(precision)
        self.rest += np.where(here, level[0] - new, 0.0)
        level[0] = new

    def _move_column(self, c: int, other: Floats, rng: np.random.Generator) -> None:
        """A trait with its direction, given the trait of the other side that it is multiplied with."""
        directions, traits, variances = self.unknowns.directions, self.unknowns.traits, self.unknowns.variances
        sends = c == SENDER or c in self.parts.senders
        ends = (traits[c], other) if sends else (other, traits[c])
        add_products(self.rest, self.seen, *ends, 1.0)
        (sum_rows if sends else sum_columns)(self.rest, self.seen, other, self._sure, self.column)
        chance = rng.standard_normal(sum(self.roots.shape))
        draw_column(self.roots, self.column, variances[group_of(c)], chance, self.room, directions[c], traits[c])
        add_products(self.rest, self.seen, *ends, -1.0)

    def _move_variances(self, rng: np.random.Generator) -> None:
        for group in self.parts.groups:
            of_group = [c for c in self.parts.columns if group_of(c) == group]
            directions, traits = self.unknowns.directions[of_group], self.unknowns.traits[of_group]
            rests = traits - np.einsum("ck,ik->ci", directions, self.roots)
            for at, values in enumerate((directions, rests)):
                self.unknowns.variances[group, at] = draw_variance(float((values**2).sum()), values.size, rng)

    def _move_scale(self, group: int, rng: np.random.Generator) -> None:
        """All columns of a group, with their directions and variances, times one number: alone, these move slowly."""
        unknowns, columns = self.unknowns, [c for c in self.parts.columns if group_of(c) == group]
        part = np.where(self.seen != UNSEEN, self._scores_of(group), 0.0)
        power, squares, fit = 2.0 if group == LATENT else 1.0, float((part**2).sum()), float((part * self.rest).sum())
        (shape, rate), sure, variances = VARIANCE, self._sure, unknowns.variances[group]

        def log_density(t: float) -> float:
            if abs(t) > FURTHEST:
                return -math.inf
            more = math.expm1(power * t)
            prior = -2.0 * len(variances) * shape * t - math.exp(-2.0 * t) * float((rate / variances).sum())
            return prior - 0.5 * sure * (more * more * squares - 2.0 * more * fit)

        t = slice_sample(0.0, log_density, rng)
        unknowns.traits[columns] *= math.exp(t)
        unknowns.directions[columns] *= math.exp(t)
        variances *= math.exp(2.0 * t)
        self.rest -= math.expm1(power * t) * part

    def _scores_of(self, group: int) -> Floats:
        """What a group of columns adds to the scores of all pairs."""
        traits = self.unknowns.traits
        if group == LATENT:
            left, right = np.split(traits[LATENT:], 2)
            return np.asarray(np.einsum("ci,cj->ij", left, right))
        row = traits[group][:, None] if group == SENDER else traits[group]
        return np.broadcast_to(row, self.seen.shape)

    def probability(self, i: Ints, j: Ints) -> Floats:
        """p(link from i to j), given whether j is linked to i where that is seen."""
        out, means = np.empty(len(i)), mean_scores(self.unknowns)
        chances(means[i, j], means[j, i], self.seen[j, i], self.unknowns.shared[0], out)
        return out


def move_shared(shared: float, squares: Floats, rng: np.random.Generator) -> float:
    """The share of the noise that both directions have in common, given that of pairs seen in both, by slice sampling.

    `squares` has the sum of its squares, the sum of products, and the number of pairs; the share is uniform.
    """

    def log_density(x: float) -> float:
        share = 1.0 / (1.0 + math.exp(-x))
        if not SHARED[0] < share < SHARED[1]:
            return -math.inf
        left = 1.0 - share * share
        fit = -0.5 * squares[2] * math.log(left) - (0.5 * squares[0] - share * squares[1]) / left
        return float(fit) + math.log(share) + math.log1p(-share)

    x = slice_sample(math.log(shared) - math.log1p(-shared), log_density, rng)
    return 1.0 / (1.0 + math.exp(-x))
