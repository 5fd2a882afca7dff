"""Topics matched across chains, and how many chains found each topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.evaluate.assignment import assign
from pitmanyor.evaluate.topic_words import topic_shares
from pitmanyor.results.posterior import Posterior

Floats = NDArray[np.float64]
SAME = 0.8  # cosine similarity above which two topics are the same


@dataclass(frozen=True)
class Matching:
    """Pairs (topic of the first fit, topic of the second, similarity), and their score.

    The similarity is the cosine of the word distributions, from 0 to 1. `score` is its mean over the tokens of both
    fits; a topic without a partner counts 0.
    """

    pairs: list[tuple[int, int, float]]
    score: float


@dataclass(frozen=True)
class Stability:
    """How many chains found each topic of the chain that is shown.

    `found`: for every topic, the number of chains that have it, including the one that is shown. A chain has a topic if
    its partner has a cosine similarity of at least 0.8. `share`: share of the tokens in topics that all chains found.
    """

    n_chains: int
    found: list[int]
    share: float

    def least(self, topics: Sequence[int]) -> int:
        """Number of chains that found all of these topics."""
        return min(self.found[topic] for topic in topics)


@checked_call()
def match_topics(one: Posterior, other: Posterior, stream: str | None = None) -> Matching:
    """Pair the topics of two fits of one corpus so that the sum of their similarities is maximal.

    Parameters
    ----------
    one, other
        Two fits, or states, with the same vocabulary.
    stream
        Stream whose words are compared; by default the words.
    """
    if one.state.plan.corpus.vocabulary != other.state.plan.corpus.vocabulary:
        raise PlanError("topics are matched by their words, and these fits are of corpora with different vocabularies")
    alike = similarities(one.topic_words(stream), other.topic_words(stream))
    rows, columns = assign(alike)
    values = alike[rows, columns]
    score = float((topic_shares(one)[rows] @ values + topic_shares(other)[columns] @ values) / 2)
    return Matching([(int(i), int(j), float(v)) for i, j, v in zip(rows, columns, values, strict=True)], score)


@checked_call()
def stability(fit: Posterior, others: Sequence[Posterior], stream: str | None = None) -> Stability:
    """How many chains found each topic of the first.

    Parameters
    ----------
    fit
        The chain that is shown.
    others
        Other chains of the same model.
    stream
        Stream whose words are compared; by default the words.
    """
    if not others:
        raise PlanError(
            "stability compares chains with each other: give two or more, such as those of a fit with chains=4"
        )
    found = np.ones(fit.n_topics, np.int64)
    for other in others:
        for topic, _, similarity in match_topics(fit, other, stream).pairs:
            found[topic] += similarity >= SAME
    n_chains = len(others) + 1
    share = float(topic_shares(fit)[found == n_chains].sum())
    return Stability(n_chains, found.tolist(), share)


def central(chains: Sequence[Posterior]) -> int:
    """Index of the chain whose topics agree best with the others, which is the one to show."""
    if len(chains) < 3 or not chains[0].has_topic_words:
        return 0
    scores = np.zeros((len(chains), len(chains)))
    for i, one in enumerate(chains):
        for j, other in enumerate(chains[:i]):
            scores[i, j] = scores[j, i] = match_topics(one, other).score
    return int(scores.sum(axis=1).argmax())


def aligned(one: Posterior, other: Posterior) -> NDArray[np.int64]:
    """For every topic of the other state, the topic of the first that most of its tokens have; -1 if it is empty.

    Topic indices are not identified across states, but the tokens are the same. Several topics may map to one.
    """
    shape = other.n_topics, one.n_topics
    place = other.state.text.topic.astype(np.int64) * shape[1] + one.state.text.topic
    together = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
    return np.where(together.any(axis=1), together.argmax(axis=1), -1)


def similarities(one: Floats, other: Floats) -> Floats:
    """Cosines of all pairs of rows.

    >>> similarities(np.array([[0.6, 0.8, 0.0]]), np.array([[0.3, 0.4, 0.0], [0.0, 0.0, 1.0]])).round(6)
    array([[1., 0.]])
    """
    unit = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (one, other)]
    return np.asarray(unit[0] @ unit[1].T)
