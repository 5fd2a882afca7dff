"""What the topics of a fit are like as a set: their words, how different they are, how many they amount to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError
from pitmanyor.results.posterior import Posterior


def top_words(fit: Posterior, n_words: int = 10, stream: str | None = None, *, least: float = 0.0) -> list[list[str]]:
    """The likeliest words of every topic that holds at least so large a share of the tokens."""
    shares = topic_shares(fit)
    found = fit.topics(n_words, stream)
    return [[word for word, _ in topic] for topic, share in zip(found, shares, strict=True) if share >= least]


def topic_shares(fit: Posterior) -> NDArray[np.float64]:
    """Each topic's share of the tokens of all streams."""
    topic = fit.state.text.topic
    if not len(topic):
        raise PlanError("this model has links alone: no token has a topic")
    return np.asarray(np.bincount(topic, minlength=fit.n_topics) / len(topic))


def diversity(topics: Sequence[Sequence[str]]) -> float:
    """The share of different words among all topics' likeliest words: 1 if no two topics have one in common.

    >>> diversity([["a", "b"], ["a", "c"]])
    0.75
    """
    words = [word for topic in topics for word in topic]
    if not words or any(isinstance(topic, str) for topic in topics):
        raise PlanError("topics are lists of words, such as evaluate.top_words(fit)")
    return len(set(words)) / len(words)
