"""The paper's Metropolis-Hastings scheme for the network, as printed: NOT posterior-correct, for replication only.

Algorithm 3 of the paper proposes mu0 and every nu_i at once, draws all scores Q by elliptical slice sampling, and then
accepts or rejects with the full ratio. The draw of Q has already used the links, so the ratio counts them twice; priors
of mu0 and nu are missing; and with many instances nothing is accepted (maths 6). `method="exact"` is the default.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.network.features import Kernel, features_at
from pitmanyor.network.gaussian import draw, log_normal
from pitmanyor.network.observed import LINKED, UNSEEN, Observed
from pitmanyor.network.slices import elliptical_slice

Floats = NDArray[np.float64]
LEAST = 1e-300  # proposals underflow where a topic is rare, and a ratio needs their logs


class PaperState(NamedTuple):
    """mu0, the vectors, and the scores of all observed pairs."""

    mu: Floats
    nu: Floats
    scores: Floats


class PaperGiven(NamedTuple):
    """What a step takes as given: counts (f*), concentrations as precisions of proposals, links."""

    customers: Floats  # (instance, topic)
    others: Floats  # (topic): tables that other nodes sent to mu0
    concentration: Floats  # (instance)
    root: float
    kernel: Kernel
    observed: Observed


def similarities(nu: Floats, observed: Observed) -> Floats:
    """Cosines of the observed pairs."""
    unit = nu / np.linalg.norm(nu, axis=1, keepdims=True)
    i, j = np.nonzero(observed.pairs != UNSEEN)
    return np.asarray(np.minimum((unit[i] * unit[j]).sum(axis=1), 1.0))


def paper_step(
    state: PaperState, given: PaperGiven, rng: np.random.Generator, free: tuple[bool, slice] = (True, slice(None))
) -> tuple[PaperState, bool]:
    """One iteration of Algorithm 3; `free` says whether mu0 moves, and which instances do."""
    x = given.observed.pairs[given.observed.pairs != UNSEEN] == LINKED
    mu, nu = state.mu, state.nu.copy()
    log_q = 0.0
    if free[0]:
        mu, change = _propose(state.mu, given.root, rng)
        log_q += change
    for i in np.arange(len(nu))[free[1]]:
        nu[i], change = _propose(state.nu[i], given.concentration[i], rng)
        log_q += change
    mean, phi = _prior(nu, given)
    start = state.scores - mean

    def log_likelihood(away: Floats) -> float:
        return float(-np.logaddexp(0.0, np.where(x, -1.0, 1.0) * (away + mean)).sum())

    other = draw(phi, given.kernel.noise, rng)
    scores = mean + elliptical_slice(start, log_likelihood(start), log_likelihood, rng, other).point
    tried = PaperState(mu, nu, scores)
    log_ratio = _log_posterior(tried, given, x) - _log_posterior(state, given, x) + log_q
    accepted = bool(math.log(1.0 - rng.random()) < log_ratio)
    return (tried if accepted else state), accepted


def _propose(vector: Floats, precision: float, rng: np.random.Generator) -> tuple[Floats, float]:
    """A Dirichlet around the old vector, and log q(old | new)/q(new | old)."""
    new = np.maximum(rng.dirichlet(np.maximum(precision * vector, LEAST)), LEAST)
    new /= new.sum()
    return new, _log_dirichlet(vector, precision * new) - _log_dirichlet(new, precision * vector)


def _log_dirichlet(p: Floats, alpha: Floats) -> float:
    alpha = np.maximum(alpha, LEAST)
    terms = (alpha - 1.0) * np.log(np.maximum(p, LEAST)) - np.array([math.lgamma(value) for value in alpha])
    return float(terms.sum()) + math.lgamma(float(alpha.sum()))


def _prior(nu: Floats, given: PaperGiven) -> tuple[Floats, Floats]:
    mean = similarities(nu, given.observed)
    return mean, features_at(given.kernel, mean)


def _log_posterior(state: PaperState, given: PaperGiven, x: NDArray[np.bool_]) -> float:
    """log p(Q | X, nu) without its normaliser, plus log f*(mu0) and log f*(nu), as the paper has them."""
    mean, phi = _prior(state.nu, given)
    links = float(-np.logaddexp(0.0, np.where(x, -1.0, 1.0) * state.scores).sum())
    log_mu, log_nu = np.log(np.maximum(state.mu, LEAST)), np.log(np.maximum(state.nu, LEAST))
    text = ((given.others + state.nu.sum(axis=0)) * log_mu).sum() + (given.customers * log_nu).sum()
    return links + log_normal(state.scores - mean, phi, given.kernel.noise) + float(text)
