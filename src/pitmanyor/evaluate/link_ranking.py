"""How well a fit ranks held-out pairs that are linked above those that are not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.corpus.hold import HeldOut
from pitmanyor.errors import PlanError
from pitmanyor.network.evidence import Evidence
from pitmanyor.results.posterior import Posterior


@dataclass(frozen=True)
class LinkScores:
    """Scores of predicted links.

    `auc` is the probability that a linked pair is ranked above an unlinked one; guessing has 0.5. `average_precision`
    is the mean precision over the linked pairs, from the most likely down; guessing has `base_rate`.
    """

    auc: float
    average_precision: float
    base_rate: float
    n_pairs: int


@checked_call()
def link_scores(fit: Posterior, held: HeldOut, links: str | None = None) -> LinkScores:
    """AUC and average precision of `Fit.link_probability` on held-out pairs.

    Parameters
    ----------
    fit
        A fit of the corpus that `Corpus.hide_links` returned.
    held
        The held-out pairs, as `Corpus.hide_links` or `Corpus.reveal_links` returned them.
    links
        Link set, if the model has several.
    """
    sources, targets = ([pair[side] for pair in held.pairs] for side in (0, 1))
    chances = fit.link_probability(sources, targets, links)
    rate = float(np.mean(held.linked))
    return LinkScores(auc(held.linked, chances), average_precision(held.linked, chances), rate, len(chances))


@checked_call()
def network_log_likelihood(fit: Posterior, links: str | None = None, *, seed: int = 0, n_draws: int = 400) -> Evidence:
    """log p(links | vectors) of the pairs that were shown, with the random function integrated out (maths 6).

    Parameters
    ----------
    fit
        A fit of a model with links.
    links
        Link set, if the model has several.
    seed
        Random seed.
    n_draws
        Number of importance samples.
    """
    return fit.network_log_likelihood(links, seed=seed, n_draws=n_draws)


@checked_call()
def auc(linked: ArrayLike, scores: ArrayLike) -> float:
    """Area under the ROC curve; ties count one half.

    Parameters
    ----------
    linked
        Whether each pair is linked.
    scores
        Score of each pair; higher means more likely to be linked.

    >>> auc([True, False, True], [0.9, 0.5, 0.5])
    0.75
    """
    hits, misses = _by_score(linked, scores)
    below = np.append(0, np.cumsum(misses[::-1])[:-1])[::-1]
    return float((hits * (below + misses / 2)).sum() / (hits.sum() * misses.sum()))


@checked_call()
def average_precision(linked: ArrayLike, scores: ArrayLike) -> float:
    """Sum over scores, from the highest down, of precision times the gain in recall.

    Parameters
    ----------
    linked
        Whether each pair is linked.
    scores
        Score of each pair; higher means more likely to be linked.

    >>> average_precision([True, False, True, False], [0.9, 0.8, 0.7, 0.6])
    0.8333333333333333
    """
    hits, misses = _by_score(linked, scores)
    found = np.cumsum(hits)
    return float((hits * found / (found + np.cumsum(misses))).sum() / hits.sum())


def _by_score(linked: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Numbers of linked and unlinked pairs at each distinct score, from the highest down."""
    truth = np.asarray(linked, bool)
    try:
        values = np.asarray(scores, np.float64)
    except (TypeError, ValueError):
        raise PlanError("scores are numbers, one for each pair") from None
    if truth.shape != values.shape or truth.ndim != 1:
        raise PlanError(f"every pair has a truth and a score, not {truth.shape} and {values.shape}")
    if not np.isfinite(values).all():
        raise PlanError(
            f"scores are finite numbers, but {np.count_nonzero(~np.isfinite(values))} of {len(values)} are not"
        )
    if truth.all() or not truth.any():
        raise PlanError(
            f"all {len(truth)} pairs are {'' if truth.any() else 'not '}linked, so there is nothing to tell apart; "
            "hold out more pairs"
        )
    _, place = np.unique(-values, return_inverse=True)
    return np.bincount(place, truth).astype(np.float64), np.bincount(place, ~truth).astype(np.float64)
