"""The words of topics that are shown as one: probabilities, and those that occur."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor.results.posterior import Posterior
from pitmanyor.topics.counts import word_counts

Floats = NDArray[np.float64]


def pooled(fit: Posterior, stream: str, members: list[tuple[int, ...]]) -> tuple[Floats, Floats]:
    """The words of a stream in every group of topics (a row each, by their tokens), and in all of them."""
    phi = fit.topic_words(stream)
    weight = word_counts(fit, stream).sum(axis=1)
    rows = [
        np.average(phi[list(g)], axis=0, weights=weight[list(g)] if weight[list(g)].any() else None) for g in members
    ]
    return np.stack(rows), weight @ phi / max(weight.sum(), 1)


def group_words(fit: Posterior, stream: str, members: list[tuple[int, ...]], n: int) -> list[list[tuple[str, float]]]:
    """The n likeliest words of every group of topics, with their probabilities; of those that occur in the group."""
    words, (grouped, _) = fit.words_of(stream), pooled(fit, stream, members)
    best = [
        occurring[np.argsort(-p[occurring], kind="stable")[:n]]
        for p, occurring in zip(grouped, occurring_words(fit, stream, members), strict=True)
    ]
    return [[(words[w], float(p[w])) for w in some] for p, some in zip(grouped, best, strict=True)]


def occurring_words(fit: Posterior, stream: str, members: list[tuple[int, ...]]) -> list[NDArray[np.int64]]:
    """The words of a stream that have a token in every group of topics, as columns of `topic_words`.

    Every word has some probability in every topic. One that never occurs in it says nothing about it.
    """
    counts = word_counts(fit, stream)
    return [np.flatnonzero(counts[list(group)].sum(axis=0)) for group in members]
