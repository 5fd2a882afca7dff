"""Vectors drawn given a seating: parents first, then each from its customers and its base (maths 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError
from pitmanyor.network.root import draw_log_gamma
from pitmanyor.simulation.restaurant import Restaurant

Floats = NDArray[np.float64]
UNBROKEN = 1e-3  # remainder of a gem that is left as one topic
MOST_STICKS = 1_000
MOST_PIECES = 10_000_000
TINY = 1e-300  # a shape whose Gamma draws still have a finite log


class Vectors:
    """Draw the vector of any restaurant over topics, once each, so that all vectors of a graph are consistent.

    They are exact below a finite root. Below a `gem`, unused topics are broken off one by one until a thousandth is
    left, or there are a thousand of them; the last entry is the remainder.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._known: dict[int, tuple[Restaurant, Floats]] = {}

    def of(self, house: Restaurant) -> Floats:
        """Shares ~ Dirichlet(c - a t, b + a T) of the dishes served and, last, of what new tables would serve."""
        if id(house) not in self._known:
            a = house.discount
            b = house.concentration + a * sum(house.tables.values())
            dishes = np.array(list(house.customers), np.int64)
            seated = [n - a * house.tables.get(k, 0) for k, n in house.customers.items()]
            shares = dirichlet(np.array([*seated, b]), self._rng)
            out = shares[-1] * self._anew(house, b)
            out[dishes] += shares[:-1]
            self._known[id(house)] = house, out
        return self._known[id(house)][1]

    def _anew(self, house: Restaurant, b: float) -> Floats:
        """What new tables serve: PYP(a, b, base), or new topics of a `gem`."""
        a = house.discount
        if house.node.kind == "gem":
            return np.append(np.zeros(len(house.customers)), break_sticks(a, b, self._rng))
        return pitman_yor(self._base(house), a, b, self._rng)

    def _base(self, house: Restaurant) -> Floats:
        if not house.parents:
            n_topics = int(house.node.over)  # type: ignore[arg-type]  # a root over topics has their number
            return np.full(n_topics, 1.0 / n_topics)
        bases = np.array([self.of(parent) for parent in house.parents])
        weights = np.array(house.mix_weights() if len(bases) > 1 else [1.0])
        if house.node.mix_weights is None:
            weights = dirichlet(weights, self._rng)
        return np.asarray((bases * (weights / weights.sum())[:, None]).sum(axis=0))


def dirichlet(alpha: Floats, rng: np.random.Generator) -> Floats:
    """One draw; shapes may be tiny, and those of 0 give 0."""
    out, held = np.zeros(len(alpha)), alpha > 0
    log_x = draw_log_gamma(np.maximum(alpha[held], TINY), rng)
    out[held] = np.exp(log_x - np.logaddexp.reduce(log_x))
    return out


def break_sticks(a: float, b: float, rng: np.random.Generator) -> Floats:
    """The weights of PYP(a, b) in stick-breaking order, then the remainder."""
    sticks = rng.beta(1.0 - a, b + a * np.arange(1, MOST_STICKS + 1))
    left = np.cumprod(1.0 - sticks)
    n = int(np.argmax(left < UNBROKEN)) + 1 if left[-1] < UNBROKEN else MOST_STICKS
    return np.append(sticks[:n] * np.append(1.0, left[: n - 1]), left[n - 1])


def pitman_yor(base: Floats, a: float, b: float, rng: np.random.Generator) -> Floats:
    """One draw of PYP(a, b, base), exactly: U0 ~ Gamma(b/a), masses J_k ~ TS_a(U0 base_k), the vector J / sum J.

    Without discount that is Dirichlet(b base).

    >>> pitman_yor(np.array([0.5, 0.0, 0.5]), 0.3, 2.0, np.random.default_rng(1)).round(3).tolist()
    [0.569, 0.0, 0.431]
    """
    if a == 0.0:
        return dirichlet(b * base, rng)
    if b / a > MOST_PIECES:
        raise PlanError(
            f"vectors with a discount of {a} cannot be drawn at a concentration of {b:.3g}; take a concentration below "
            f"{a * MOST_PIECES:.3g}, or discount=0"
        )
    out, held = np.zeros(len(base)), base > 0
    log_u0 = draw_log_gamma(np.array([b / a]), rng)[0]
    log_mass = log_tilted_stable(log_u0 + np.log(base[held]), a, rng)
    out[held] = np.exp(log_mass - np.logaddexp.reduce(log_mass))
    return out


def log_tilted_stable(log_m: Floats, a: float, rng: np.random.Generator) -> Floats:
    """Logs of draws from TS_a(m), whose transform is E[e^(-sJ)] = exp(m - m (1 + s)^a).

    A stable variable x = m^(1/a) z is kept with probability e^-x, which is e^-m on average. So m is cut into pieces of
    at most 1, whose draws add up.
    """
    n_pieces = np.maximum(np.ceil(np.exp(log_m)), 1.0).astype(np.int64)
    log_piece = np.repeat(log_m - np.log(n_pieces), n_pieces)
    out, open_ = np.empty(len(log_piece)), np.arange(len(log_piece))
    while open_.size:
        out[open_] = log_piece[open_] / a + log_stable(a, open_.size, rng)
        open_ = open_[np.exp(np.minimum(out[open_], 600.0)) > rng.standard_exponential(open_.size)]
    return np.asarray(np.logaddexp.reduceat(out, np.append(0, np.cumsum(n_pieces)[:-1])))


def log_stable(a: float, n: int, rng: np.random.Generator) -> Floats:
    """Logs of positive stable variables, E[e^(-sz)] = exp(-s^a), by Kanter's formula (1975)."""
    u = np.pi * (1.0 - rng.random(n))
    log_a = np.log(np.sin((1 - a) * u)) + (a * np.log(np.sin(a * u)) - np.log(np.sin(u))) / (1 - a)
    return np.asarray((1 - a) / a * (log_a - np.log(rng.standard_exponential(n))))
