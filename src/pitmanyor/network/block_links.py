"""A link set whose links are events between topics, with popularity and answers, and its updates (maths 6)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.network.block_events import HALF_GONE, Blocks, Events, draw_events, log_linked
from pitmanyor.kernels.network.block_exposure import add_tilt, all_others
from pitmanyor.network.block_prior import EFFECTS, LEAST, LEVEL, SHAPE, Effects, Unknowns, first_unknowns
from pitmanyor.network.cholesky import product
from pitmanyor.network.dyads import Sparse, dyads_of, hidden_of
from pitmanyor.network.slices import slice_sample

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Seed = tuple[int, int, int]
FURTHEST = 40.0  # of a logarithm under a slice
SET = 1 << 44  # first random stream of a node's second set, after any number of dyads


class BlockLinks:
    """Unknowns, links and the last events of one set."""

    def __init__(self, effects: Effects, n_topics: int, links: Sparse, place: int = 0) -> None:
        self.effects, self.links, self.first = effects, links, place * SET
        self.dyads, self.hidden = dyads_of(links), hidden_of(links)
        self.vectors, self.totals = np.zeros((links.n, n_topics)), np.zeros((2, n_topics))
        self.others = np.zeros((2, links.n, n_topics))
        self.work = np.zeros((2, n_topics))
        self.weights = first_unknowns(links.n, n_topics, effects)
        self.events = self._no_events()

    @property
    def weights(self) -> Floats:
        """All unknowns as one array."""
        return self._weights

    @weights.setter
    def weights(self, weights: Floats) -> None:
        if weights.shape != (Unknowns.size(*self.vectors.shape),):
            raise ValueError("unknowns of another network")
        self._weights, self.unknowns = weights, Unknowns.among(weights, *self.vectors.shape)
        answer = self.unknowns.scalars[0]
        if not (np.isfinite(weights).all() and (weights >= 0.0).all() and answer < 1.0):
            raise ValueError("rates and effects of links that are below zero, or an answer that is sure")

    @property
    def blocks(self) -> Blocks:
        """As kernels take it."""
        sent, received = self.unknowns.sent, self.unknowns.received
        answer = self.unknowns.scalars[:1]
        return Blocks(
            self.vectors, self.unknowns.rates, sent, received, answer, self.totals, int(self.effects.directed)
        )

    def _no_events(self) -> Events:
        n, k = self.vectors.shape
        sums = [np.zeros(shape, np.int64) for shape in ((n, k), (k, k), n, n, 2)]
        return Events(*sums)

    def place(self, nu: Floats) -> None:
        """Set the vectors of all instances."""
        self.vectors[:] = nu
        self._sum()

    def place_one(self, i: int, nu: Floats) -> None:
        change = nu - self.vectors[i]
        self.totals[0] += self.unknowns.received[i] * change
        self.totals[1] += self.unknowns.sent[i] * change
        self.vectors[i] = nu

    def _sum(self) -> None:
        self.totals[0] = (self.unknowns.received[:, None] * self.vectors).sum(axis=0)
        self.totals[1] = (self.unknowns.sent[:, None] * self.vectors).sum(axis=0)

    def add_tilt(self, i: int, tilt: Floats) -> None:
        add_tilt(self.blocks, self.hidden, i, self.work, tilt)

    def draw_events(self, seed: Seed) -> Ints:
        """Draw the events behind all links; returns the customers that they are for every instance."""
        self.events = self._no_events()
        draw_events(self.blocks, self._seen_from(), self.dyads, self.first, seed, self.events)
        return self.events.customers

    def _seen_from(self) -> Floats:
        """L v of every instance."""
        return product(self.vectors, self.unknowns.rates.T)

    def exposure(self) -> float:
        """The sum of the rates of all pairs, as far as they are seen."""
        out, _ = self._all_others()
        sent = self.unknowns.sent[:, None] * self.vectors
        total = float((product(sent, self.unknowns.rates) * out).sum())
        return total if self.effects.directed else total / 2.0

    def exposure_at(self, nu: Floats) -> float:
        """`exposure` if the vectors were others."""
        kept = self.vectors.copy()
        self.place(nu)
        out = self.exposure()
        self.place(kept)
        return out

    def _all_others(self) -> tuple[Floats, Floats]:
        all_others(self.blocks, self.hidden, self.others[0], self.others[1])
        return self.others[0], self.others[1]

    def log_likelihood(self, weights: Floats | None = None) -> float:
        """log p(X | nu, all unknowns)."""
        return float(log_linked(self.blocks, self._seen_from(), self.dyads)) - self.exposure()

    def move(self, rng: np.random.Generator) -> None:
        """Draw all unknowns given vectors and events, one group after the other."""
        self._sum()
        if self.effects.popularity:
            self._move_effects(rng)
        self._move_rates(rng)
        if self.effects.reciprocity:
            self._move_answer(rng)

    def _move_effects(self, rng: np.random.Generator) -> None:
        effect, scalars = self.unknowns, self.unknowns.scalars
        if not self.effects.directed:
            self._move_symmetric(rng)
            scalars[3:] = move_shape(effect.sent, scalars[3], rng)
            return
        out, _ = self._all_others()
        exposed = (product(self.vectors, effect.rates) * out).sum(axis=1)
        effect.sent[:] = draw_effects(self.events.sent, exposed, scalars[3], rng)
        scalars[3] = move_shape(effect.sent, scalars[3], rng)
        self._sum()
        _, back = self._all_others()
        exposed = (self._seen_from() * back).sum(axis=1)
        effect.received[:] = draw_effects(self.events.received, exposed, scalars[4], rng)
        scalars[4] = move_shape(effect.received, scalars[4], rng)
        self._sum()

    def _move_symmetric(self, rng: np.random.Generator) -> None:
        """One after the other: the rate of a pair is a product of two of the effects."""
        effect, counts, tilt = self.unknowns, self.events.sent + self.events.received, np.empty(self.vectors.shape[1])
        for i, nu in enumerate(self.vectors):
            tilt[:], old = 0.0, effect.sent[i]
            self.add_tilt(i, tilt)
            exposed = np.array([float((tilt * nu).sum()) / old])
            new = draw_effects(counts[i : i + 1], exposed, effect.scalars[3], rng)[0]
            effect.sent[i] = effect.received[i] = new
            self.totals += (new - old) * nu

    def _move_rates(self, rng: np.random.Generator) -> None:
        """Rates given their means, then these; an undirected set has those on and below the diagonal."""
        out, _ = self._all_others()
        exposed, counts = product((self.unknowns.sent[:, None] * self.vectors).T, out), self.events.between
        levels, rates, within = self.unknowns.scalars[1:3], self.unknowns.rates, np.eye(len(out[0]), dtype=bool)
        own = np.ones_like(within)
        if not self.effects.directed:
            counts = np.where(within, counts, counts + counts.T)
            exposed = np.where(within, exposed / 2.0, exposed)  # off it the sum over ordered pairs has both of a block
            own = np.tri(len(rates), dtype=bool)
        prior = SHAPE / np.where(within, levels[1], levels[0])
        rates[:] = np.maximum(rng.standard_gamma(SHAPE + counts) / (prior + exposed), LEAST)
        if not self.effects.directed:
            rates[:] = np.tril(rates) + np.tril(rates, -1).T
        levels[0] = move_level(rates[own & ~within], levels[0], rng)
        levels[1] = move_level(rates[within], levels[1], rng)

    def _move_answer(self, rng: np.random.Generator) -> None:
        """q given answers; of a pair whose other direction alone is seen, answers are seen there, the rest is not."""
        (silent, answered), exposed = self.events.answered.tolist(), self._half_hidden()

        def log_density(x: float) -> float:
            if abs(x) > FURTHEST:
                return -math.inf
            yes, no = -math.log1p(math.exp(-x)), -math.log1p(math.exp(x))
            return float((answered + 1) * yes + (silent + 1) * no - math.exp(yes) * exposed)

        q = self.unknowns.scalars[0]
        x = slice_sample(math.log(q) - math.log1p(-q), log_density, rng)
        self.unknowns.scalars[0] = min(max(1.0 / (1.0 + math.exp(-x)), 1e-15), 1.0 - 1e-15)

    def _half_hidden(self) -> float:
        """The sum of the rates of hidden pairs whose other direction is seen."""
        half = self.hidden.out == HALF_GONE
        i = np.repeat(np.arange(self.links.n), np.diff(self.hidden.start))[half]
        return float(self.pair_rates(i, self.hidden.other[half]).sum())

    def pair_rates(self, i: Ints, j: Ints) -> Floats:
        """The rates of events from i to j, of many pairs."""
        between = (self.vectors[i] * self._seen_from()[j]).sum(axis=1)
        return np.asarray(self.unknowns.sent[i] * self.unknowns.received[j] * between)

    def probability(self, i: Ints, j: Ints) -> Floats:
        """p(link from i to j), given whether j is linked to i where that is seen."""
        a, b, q = self.pair_rates(i, j), self.pair_rates(j, i), self.unknowns.scalars[0]
        alone = np.asarray(-np.expm1(-(a + q * b)))
        if not self.effects.directed:
            return alone
        back = self.links.status(j, i)
        linked_back = -np.expm1(-(b + q * a))
        only_back = -np.expm1(-(1.0 - q) * b) * np.exp(-q * b - a)
        if_linked = 1.0 - only_back / np.maximum(linked_back, LEAST)
        if_not = -np.expm1(-(1.0 - q) * a)
        return np.asarray(np.where(back == 1, if_linked, np.where(back == 0, if_not, alone)))


def draw_effects(counts: Ints, exposed: Floats, shape: float, rng: np.random.Generator) -> Floats:
    """Effects with prior Gamma(shape, shape) given events and exposures."""
    return np.asarray(np.maximum(rng.standard_gamma(shape + counts) / (shape + exposed), LEAST))


def move_shape(effects: Floats, shape: float, rng: np.random.Generator) -> float:
    """1/variance of effects given them."""
    n, total = len(effects), float((np.log(effects) - effects).sum())

    def log_density(x: float) -> float:
        if abs(x) > FURTHEST:
            return -math.inf
        a = math.exp(x)
        return EFFECTS[0] * x - EFFECTS[1] * a + n * (a * x - math.lgamma(a)) + a * total

    return math.exp(slice_sample(math.log(shape), log_density, rng))


def move_level(rates: Floats, level: float, rng: np.random.Generator) -> float:
    """The mean of the rates between topics given them."""
    n, total = len(rates), float(rates.sum())

    def log_density(x: float) -> float:
        if abs(x) > FURTHEST:
            return -math.inf
        away = (x - LEVEL[0]) / LEVEL[1]
        return -0.5 * away * away - n * SHAPE * x - SHAPE * math.exp(-x) * total

    return math.exp(slice_sample(math.log(level), log_density, rng))
