"""The topics of a fit as a set: their words, sizes and diversity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.evaluate.topic_count import which_are_large
from pitmanyor.results.posterior import Posterior


@checked_call()
def top_words(fit: Posterior, n_words: int = 10, stream: str | None = None, *, large: bool = False) -> list[list[str]]:
    """The most likely words of every topic.

    Parameters
    ----------
    fit
        A `Fit`, or one state of it.
    n_words
        Number of words.
    stream
        Stream; by default the words.
    large
        Only the large topics, those that `topic_count` counts.
    """
    shown = which_are_large(fit) if large else np.ones(fit.n_topics, bool)
    found = fit.topics(n_words, stream)
    return [[word for word, _ in topic] for topic, show in zip(found, shown.tolist(), strict=True) if show]


@checked_call()
def topic_shares(fit: Posterior) -> NDArray[np.float64]:
    """Share of each topic in the tokens of all streams; of a `Fit`, the mean over its kept states."""
    return fit.topic_shares()


@checked_call()
def diversity(topics: Sequence[Sequence[str]]) -> float:
    """Share of distinct words among all word lists: 1 if no two topics have a word in common.

    >>> diversity([["a", "b"], ["a", "c"]])
    0.75
    """
    words = [word for topic in topics for word in topic]
    if not words or any(isinstance(topic, str) for topic in topics):
        raise PlanError("topics are lists of words, such as evaluate.top_words(fit)")
    return len(set(words)) / len(words)
