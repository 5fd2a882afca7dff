"""Scores of hidden links without a topic model: popularity, neighbours, embeddings, logistic factorisation, text.

Every function takes the pairs that are known, and perhaps a table of text similarities, and returns a score for every
ordered pair. All of them are dense: for networks of up to a few thousand authors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit
from threadpoolctl import threadpool_limits

from pitmanyor.evaluate import auc

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
N_FEATURES = 8
RIDGE = 0.01  # of the weights of covariates, which are standardised
EFFECTS = (1.0, 3.0)  # penalties of sender and receiver effects: the best by pairs that are set aside is taken
LATENT = (1.0, 2.0, 4.0, 8.0)  # and those of latent features
FOLDS = 2  # times that pairs are set aside
NEAREST = 15  # authors that count as similar
LATENT_AND_TEXT = "popularity + latent features + reciprocity + text"
TEXTUAL = (LATENT_AND_TEXT, "whom similar authors follow", "text: cosine of hashtags")  # baselines that read posts


@dataclass(frozen=True)
class Seen:
    """What is known of a network: which ordered pairs, and which of these are linked. The diagonal is not known."""

    known: Bools
    linked: Bools

    def without(self, hidden: Bools) -> Seen:
        return Seen(self.known & ~hidden, self.linked & ~hidden)

    @property
    def rate(self) -> float:
        return float(self.linked.sum() / self.known.sum())

    @property
    def filled(self) -> Floats:
        """Links as 0 and 1; pairs that are not known have what the two authors' numbers of links make likely."""
        rates = [(self.linked.sum(axis=a) + self.rate) / (self.known.sum(axis=a) + 1) for a in (1, 0)]
        likely = np.minimum(np.outer(*rates) / self.rate, 1.0)
        return np.where(self.known, self.linked, likely)


Hide = Callable[[Seen, int], Bools]  # pairs to set aside of those that are known, by the number of the fold


# Neighbours


def common_neighbours(seen: Seen) -> Floats:
    """How many authors have a link, either way, with both.

    >>> common_neighbours(path())[0].tolist()
    [1.0, 0.0, 1.0, 0.0]
    """
    joined = (seen.linked | seen.linked.T).astype(float)
    return np.asarray(joined @ joined)


def adamic_adar(seen: Seen) -> Floats:
    """The same, where those with few links count for more: one over the log of their number (Adamic and Adar 2003).

    >>> adamic_adar(path())[0].round(3).tolist()
    [1.443, 0.0, 1.443, 0.0]
    """
    joined = (seen.linked | seen.linked.T).astype(float)
    return np.asarray((joined / np.log(np.maximum(joined.sum(axis=1), 2.0))) @ joined)


def spectral(seen: Seen, n_features: int = N_FEATURES) -> Floats:
    """Directed spectral embedding: the first singular vectors of links over the roots of degrees, scaled back.

    >>> np.allclose(spectral(path(), 4), path().filled)  # as many as there are authors: nothing is lost
    True
    """
    table = seen.filled
    out, into = (np.sqrt(table.sum(axis=a) + table.sum() / len(table)) for a in (1, 0))
    u, s, v = np.linalg.svd(table / out[:, None] / into, full_matrices=False)
    return np.asarray((u[:, :n_features] * s[:n_features]) @ v[:n_features] * out[:, None] * into)


def similar_authors(seen: Seen, similarity: Floats) -> Floats:
    """Whom authors similar to the source follow, by whom authors similar to the target are followed: a weighted share.

    Every author counts as one similar to himself, so that his own links weigh most where they are known.

    >>> alike = np.array([[1, 0, 0.9, 0], [0, 1, 0, 0], [0.9, 0, 1, 0], [0, 0, 0, 1]])
    >>> round(float(similar_authors(path(hidden=[(0, 1)]), alike)[0, 1]), 2)  # for 2 follows 1
    0.95
    """
    weight = np.maximum(similarity, 0.0).copy()
    np.fill_diagonal(weight, 0.0)
    least = np.sort(weight, axis=1)[:, -min(NEAREST, len(weight))]
    weight[weight < least[:, None]] = 0.0
    np.fill_diagonal(weight, 1.0)
    links, pairs = (weight @ table.astype(float) @ weight.T for table in (seen.linked, seen.known))
    return np.asarray((links + 0.1 * seen.rate) / (pairs + 0.1))


# Logistic models


class Logistic(NamedTuple):
    """logit p(i -> j) = mean + a_i + b_j + u_i . v_j + sum_c w_c x_cij, at its penalised maximum."""

    mean: float
    sender: Floats
    receiver: Floats
    left: Floats
    right: Floats
    weights: Floats

    def logits(self, covariates: Floats) -> Floats:
        effects = self.mean + self.sender[:, None] + self.receiver + self.left @ self.right.T
        return np.asarray(effects + np.tensordot(self.weights, covariates, 1))


def _parts(flat: Floats, n: int, n_features: int) -> Logistic:
    cuts = np.cumsum([1, n, n, n * n_features, n * n_features])
    mean, sender, receiver, left, right, weights = np.split(flat, cuts)
    return Logistic(float(mean[0]), sender, receiver, left.reshape(n, -1), right.reshape(n, -1), weights)


def objective(
    flat: Floats, seen: Seen, covariates: Floats, n_features: int, penalties: tuple[float, float]
) -> tuple[float, Floats]:
    """Minus the penalised log likelihood of the known pairs, and its gradient."""
    now = _parts(flat, len(seen.known), n_features)
    logits = now.logits(covariates)
    loss = (np.logaddexp(0.0, logits) - seen.linked * logits)[seen.known].sum()
    error = np.where(seen.known, expit(logits) - seen.linked, 0.0)
    effects, latent = penalties
    pull = [0.0, effects * now.sender, effects * now.receiver, latent * now.left, latent * now.right]
    pull.append(RIDGE * now.weights)
    sums = (error.sum(axis=1), error.sum(axis=0)) if effects else (0.0 * now.sender, 0.0 * now.receiver)
    slopes = [error.sum(), *sums, error @ now.right, error.T @ now.left, np.tensordot(covariates, error, 2)]
    squares = sum(float(np.sum(p * np.asarray(part))) for p, part in zip(pull, now, strict=True))
    return float(loss) + 0.5 * squares, np.concatenate([np.ravel(s + p) for s, p in zip(slopes, pull, strict=True)])


def fit_logistic(
    seen: Seen, covariates: Floats, n_features: int, penalties: tuple[float, float], seed: int = 0
) -> Logistic:
    """The best of its parameters by L-BFGS, from small random features.

    `penalties` are those of effects and of latent features; effects with a penalty of 0 are left out.
    """
    n = len(seen.known)
    first = np.zeros(1 + 2 * n + 2 * n * n_features + len(covariates))
    first[0] = np.log(seen.rate / (1 - seen.rate))
    first[1 + 2 * n :][: 2 * n * n_features] = np.random.default_rng(seed).normal(0.0, 0.1, 2 * n * n_features)
    given = (seen, covariates, n_features, penalties)
    with threadpool_limits(1, "blas"):  # products are small, and threads that wait for each other slow
        found = minimize(objective, first, given, "L-BFGS-B", jac=True, options={"maxiter": 500})
    return _parts(found.x, n, n_features)


def answers(seen: Seen) -> Floats:
    """Covariates of reciprocity: whether the link back is known, and whether it is there."""
    return np.stack([seen.known.T, seen.linked.T]).astype(float)


def standard(similarity: Floats) -> Floats:
    """A covariate with mean 0 and variance 1 over pairs of two authors."""
    apart = similarity[~np.eye(len(similarity), dtype=bool)]
    return np.asarray((similarity - apart.mean()) / apart.std())[None]


def logistic(
    seen: Seen, covariates: Callable[[Seen], Floats], hide: Hide, n_features: int = N_FEATURES, effects: bool = True
) -> Floats:
    """Scores by the logistic model with the penalties that are best on pairs which `hide` sets aside, fold by fold."""
    folds = [hide(seen, fold) for fold in range(FOLDS)]
    parts = [seen.without(aside) for aside in folds]

    def worth(penalties: tuple[float, float]) -> float:
        found = 0.0
        for aside, part in zip(folds, parts, strict=True):
            made = fit_logistic(part, covariates(part), n_features, penalties)
            found += auc(seen.linked[aside], made.logits(covariates(part))[aside])
        return found

    grid = product(EFFECTS if effects else (0.0,), LATENT if n_features else (1.0,))
    return fit_logistic(seen, covariates(seen), n_features, max(grid, key=worth)).logits(covariates(seen))


def no_covariates(seen: Seen) -> Floats:
    return np.zeros((0, *seen.known.shape))


def baselines(similarity: Floats, hide: Hide) -> dict[str, Callable[[Seen], Floats]]:
    """All of them by name; `similarity` is that of the authors' hashtags."""

    def answers_and_text(seen: Seen) -> Floats:
        return np.concatenate([answers(seen), standard(similarity)])

    return {
        "popularity": lambda seen: logistic(seen, no_covariates, hide, 0),
        "popularity + reciprocity": lambda seen: logistic(seen, answers, hide, 0),
        "common neighbours": common_neighbours,
        "Adamic-Adar": adamic_adar,
        "spectral embedding": spectral,
        "latent features": lambda seen: logistic(seen, no_covariates, hide, effects=False),
        "popularity + latent features": lambda seen: logistic(seen, no_covariates, hide),
        "popularity + latent features + reciprocity": lambda seen: logistic(seen, answers, hide),
        LATENT_AND_TEXT: lambda seen: logistic(seen, answers_and_text, hide),
        "whom similar authors follow": lambda seen: similar_authors(seen, similarity),
        "text: cosine of hashtags": lambda seen: similarity,
    }


def path(hidden: list[tuple[int, int]] | None = None) -> Seen:
    """Four authors in a row, each linked to the next and back, for examples."""
    linked = np.eye(4, k=1, dtype=bool) | np.eye(4, k=-1, dtype=bool)
    gone = np.zeros((4, 4), bool)
    for i, j in hidden or []:
        gone[i, j] = True
    return Seen(~np.eye(4, dtype=bool), linked).without(gone)
