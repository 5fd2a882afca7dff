"""The topics of two fits, paired so that their words agree as far as they can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError
from pitmanyor.evaluate.topic_words import topic_shares
from pitmanyor.results.posterior import Posterior

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Matching:
    """Pairs (topic of the first, topic of the second, similarity), and one number for all of them.

    A similarity is the probability that two topics have in common, the sum over words of the smaller one: 0 to 1.
    score: the similarity that a token meets on average, in either fit; a topic without a partner counts 0.
    """

    pairs: list[tuple[int, int, float]]
    score: float


def match_topics(one: Posterior, other: Posterior, stream: str | None = None) -> Matching:
    """Pair the topics of two fits of one corpus by the Hungarian method: the sum of all similarities is the largest."""
    if one.state.plan.corpus.vocabulary != other.state.plan.corpus.vocabulary:
        raise PlanError("topics are matched by their words, and these fits are of corpora with different vocabularies")
    overlap = similarities(one.topic_words(stream), other.topic_words(stream))
    rows, columns = _assign(overlap)
    values = overlap[rows, columns]
    score = float((topic_shares(one)[rows] @ values + topic_shares(other)[columns] @ values) / 2)
    return Matching([(int(i), int(j), float(v)) for i, j, v in zip(rows, columns, values, strict=True)], score)


def stability(fits: Sequence[Posterior], stream: str | None = None) -> float:
    """The mean score of matching each two of several fits: 1 if all have found the same topics."""
    if len(fits) < 2:
        raise PlanError("stability compares fits with each other: give two or more, of different seeds")
    return float(np.mean([match_topics(one, other, stream).score for one, other in combinations(fits, 2)]))


def similarities(one: Floats, other: Floats) -> Floats:
    """What each two rows have in common: the sum of the smaller entries.

    >>> similarities(np.array([[0.5, 0.5, 0.0]]), np.array([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]]))
    array([[1.  , 0.25]])
    """
    return np.array([np.minimum(row, other).sum(axis=1) for row in one]).reshape(len(one), len(other))


def _assign(overlap: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    try:
        from scipy.optimize import linear_sum_assignment
    except ImportError:
        raise PlanError("matching topics needs scipy: pip install 'pitmanyor[diagnose]'") from None
    rows, columns = linear_sum_assignment(overlap, maximize=True)
    return rows, columns
