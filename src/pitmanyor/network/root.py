"""The base of all linked nodes, over a fixed number of topics: mu0 ~ Dirichlet(b/K, ..., b/K) (maths 6)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.network.slices import slice_sample

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
WIDTH = 2.0  # of a first slice, in logs
log_gamma_function = np.frompyfunc(math.lgamma, 1, 1)


def log_gammas(values: Floats | float) -> Any:
    """log Gamma(x), elementwise."""
    return np.asarray(log_gamma_function(values), np.float64)


@dataclass(frozen=True)
class Prior:
    """Gamma(shape, rate) of a concentration."""

    shape: float
    rate: float

    def log_density(self, log_b: float) -> float:
        """Of log b, up to a constant."""
        return self.shape * log_b - self.rate * math.exp(log_b)


@dataclass(eq=False)
class Root:
    """The vector in logs, its concentration, and the customers from nodes without links."""

    log_mu: Floats
    concentration: float
    prior: Prior | None
    others: Ints

    @property
    def alpha(self) -> Floats:
        """Shapes of the Dirichlet given the known customers."""
        return np.asarray(self.others + self.concentration / len(self.log_mu))

    def log_split(self, chosen: Ints, more: Ints, rng: np.random.Generator) -> Floats:
        """Redraw the shares of the chosen topics of mu0 given `more` customers of each; the new vector, in logs."""
        log_x = draw_log_gamma(self.alpha[chosen] + more, rng)
        share = np.logaddexp.reduce(self.log_mu[chosen]) - np.logaddexp.reduce(log_x)
        out = self.log_mu.copy()
        out[chosen] = log_x + share
        return out

    def move_pairs(self, column_density: Callable[[int, float], float], rng: np.random.Generator) -> None:
        """Redraw the split of random pairs of topics given all masses, by slice sampling.

        `column_density` is the log density of all masses of a topic given its base. Links do not enter, because nu is
        fixed.
        """
        alpha = self.alpha
        order = rng.permutation(len(self.log_mu))
        for k, other in zip(order[0::2].tolist(), order[1::2].tolist(), strict=False):
            both = float(np.logaddexp(self.log_mu[k], self.log_mu[other]))

            def parts(x: float, both: float = both) -> tuple[float, float]:
                return both - float(np.logaddexp(0.0, -x)), both - float(np.logaddexp(0.0, x))

            def log_target(x: float, k: int = k, other: int = other, parts: Any = parts) -> float:
                one, two = parts(x)
                density = column_density(k, one) + column_density(other, two)
                return float(alpha[k] * one + alpha[other] * two + density)

            x = slice_sample(float(self.log_mu[k] - self.log_mu[other]), log_target, rng, WIDTH)
            self.log_mu[k], self.log_mu[other] = parts(x)

    def move_concentration(self, rng: np.random.Generator) -> None:
        """b given mu0, if it has a prior."""
        if self.prior is None:
            return
        n, total, prior = len(self.log_mu), float(self.log_mu.sum()), self.prior

        def log_target(log_b: float) -> float:
            b = math.exp(log_b)
            return prior.log_density(log_b) + math.lgamma(b) - n * math.lgamma(b / n) + b / n * total

        self.concentration = move_log(self.concentration, log_target, rng)


LEAST, MOST = math.log(1e-30), math.log(1e12)


def move_log(value: float, log_target: Callable[[float], float], rng: np.random.Generator) -> float:
    """One slice update of a positive number, in logs, within numerically safe bounds."""

    def bounded(log_value: float) -> float:
        return log_target(log_value) if LEAST < log_value < MOST else -math.inf

    return math.exp(slice_sample(math.log(value), bounded, rng, WIDTH))


def draw_log_gamma(shape: Floats, rng: np.random.Generator) -> Floats:
    """Logs of Gamma draws: Gamma(s) = Gamma(s + 1) U^(1/s), for small shapes underflow."""
    return np.asarray(np.log(rng.standard_gamma(shape + 1.0)) - rng.standard_exponential(len(shape)) / shape)
