"""Counts of topics in the last state of a fit, by word and by document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.plan import Plan
from pitmanyor.results.posterior import Posterior

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def streams_of(fit: Posterior) -> list[str]:
    """The token streams of a fit; none for a model of links alone."""
    corpus = fit.state.plan.corpus
    return [stream.name for stream in fit.state.plan.graph.streams if len(corpus.streams[stream.name].words)]


class Seated(NamedTuple):
    """The tokens of a stream, in the order of the plan: document, column in `topic_words`, topic."""

    document: Ints
    word: Ints
    topic: Ints


def seated(fit: Posterior, stream: str) -> Seated:
    plan, text = fit.state.plan, fit.state.text
    at = np.flatnonzero(plan.order.stream == [tokens.name for tokens in plan.graph.streams].index(stream))
    return Seated(*(values[at].astype(np.int64) for values in (plan.order.document, text.word, text.topic)))


def word_counts(fit: Posterior, stream: str) -> Ints:
    """Tokens of a stream by topic and word; the columns are those of `topic_words`."""
    tokens, n = seated(fit, stream), len(fit.state.plan.words[fit.stream(stream).emit])
    return np.bincount(tokens.topic * n + tokens.word, minlength=fit.n_topics * n).reshape(fit.n_topics, n)


class WordTable(NamedTuple):
    """Words of topics in a stream, one row per topic: mean probabilities, and numbers of tokens."""

    mean: Floats
    tokens: Ints

    def pooled(self, members: Sequence[Sequence[int]]) -> tuple[Floats, Floats]:
        """Word distributions of groups of topics (one row each, weighted by tokens), and of all topics together."""
        weight = self.tokens.sum(axis=1)
        rows = [
            np.average(self.mean[list(g)], axis=0, weights=weight[list(g)] if weight[list(g)].any() else None)
            for g in members
        ]
        return np.stack(rows), weight @ self.mean / max(weight.sum(), 1)

    def occurring(self, members: Sequence[Sequence[int]]) -> list[Ints]:
        """Columns of the words that have a token in each group of topics.

        Every word has some probability in every topic, but one that never occurs in it says nothing about it.
        """
        return [np.flatnonzero(self.tokens[list(group)].sum(axis=0)) for group in members]


def word_table(fit: Posterior, stream: str) -> WordTable:
    return WordTable(fit.topic_words(stream), word_counts(fit, stream))


class WordTables:
    """The word tables of a fit by stream, computed on first use and then kept."""

    def __init__(self, fit: Posterior) -> None:
        self._fit = fit
        self._made: dict[str, WordTable] = {}

    def __getitem__(self, stream: str) -> WordTable:
        if stream not in self._made:
            self._made[stream] = word_table(self._fit, stream)
        return self._made[stream]


class Pairs(NamedTuple):
    """Pairs of document and topic that occur, over all streams, with their numbers of tokens."""

    document: Ints
    topic: Ints
    tokens: Ints


def document_counts(plan: Plan, topics: Ints, n_topics: int) -> Pairs:
    """Count pairs of document and topic; `topics` are those of all tokens, in the order of the plan."""
    place, tokens = np.unique(plan.order.document * np.int64(n_topics) + topics, return_counts=True)
    return Pairs(place // n_topics, place % n_topics, tokens)
