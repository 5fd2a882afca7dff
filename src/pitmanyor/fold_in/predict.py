"""Probabilities of tokens given other tokens of their documents, with everything learned held fixed (maths 7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.fold_in.adapt import adapt, codes_of
from pitmanyor.fold_in.document_means import document_means, prior_means
from pitmanyor.fold_in.fixed_vectors import Vectors, fixed_state, mean_vectors
from pitmanyor.fold_in.shares import Way, check, kept_sweeps, leaf_means, threads_of
from pitmanyor.fold_in.word_means import OwnWords
from pitmanyor.graph import Tokens
from pitmanyor.plan import Plan
from pitmanyor.results.posterior import Posterior
from pitmanyor.state import State
from pitmanyor.state.means import counts_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
AT_ONCE = 1 << 22  # entries of a table of tokens by topics


class Asked(NamedTuple):
    """Tokens to predict: their documents, and their words as numbers of the stream's emit node."""

    document: Ints
    word: Ints

    def pieces(self, n_topics: int) -> Iterator[slice]:
        """Blocks of tokens whose tables fit into memory."""
        step = max(1, AT_ONCE // max(n_topics, 1))
        return (slice(start, start + step) for start in range(0, len(self.word), step))


def predict(fit: Posterior, given: Corpus, asked: Corpus, stream: str, way: Way) -> Floats:
    """Probability of every token in a stream of `asked`, given all tokens of `given`; both have the same documents.

    Words that the fit does not know have the value nan.
    """
    check(way)
    plan = adapt(fit.state.plan, given).plan
    tokens = next(one for one in plan.graph.streams if one.name == stream)
    known = fit.state.plan.words[tokens.emit]
    words = codes_of(fit.state.plan.corpus, asked, known)[asked.streams[stream].words]
    out = np.full(len(words), np.nan)
    at = np.flatnonzero(words >= 0)
    if len(at):
        place = np.searchsorted(known, words[at])
        out[at] = _probabilities(fit.state, plan, tokens, Asked(asked.streams[stream].documents[at], place), way)
    return out


def _probabilities(fitted: State, plan: Plan, stream: Tokens, asked: Asked, way: Way) -> Floats:
    vectors = mean_vectors(fitted, plan)
    if not plan.graph[stream.emit].local:
        theta = leaf_means(fitted, plan, vectors, stream.topic, way).shares
        return _mixed(theta, asked, OwnWords(plan, stream, vectors))
    if way.completion == "paper":
        raise PlanError(
            f"{stream.emit!r} gives every document its own words, which the paper's pass does not support; "
            'use completion="gibbs"'
        )
    if not plan.n_tokens:
        theta = prior_means(plan, vectors, stream.topic, fitted.n_topics)
        theta /= theta.sum(axis=1, keepdims=True)
        return _mixed(theta, asked, OwnWords(plan, stream, vectors))
    way = way._replace(threads=threads_of(way, plan))
    return _sampled(fixed_state(fitted, plan, vectors), vectors, stream, asked, way)


def _sampled(state: State, vectors: Vectors, stream: Tokens, asked: Asked, way: Way) -> Floats:
    """Average the product of topic proportions and a document's own words over sweeps, because they are correlated."""
    total, mass = np.zeros(len(asked.word)), np.zeros(state.plan.n_documents)
    for _ in kept_sweeps(state, vectors, way):
        theta = document_means(state.plan, vectors, stream.topic, lambda node: counts_of(state, node.name))
        total += _mixed(theta, asked, OwnWords(state.plan, stream, vectors, state))
        mass += theta.sum(axis=1)  # the mass of unseen topics is removed
    return np.asarray(total / mass[asked.document])


def _mixed(theta: Floats, asked: Asked, words: OwnWords) -> Floats:
    """The sum over topics of their share in the document times the probability of the word."""
    out = np.empty(len(asked.word))
    for piece in asked.pieces(theta.shape[1]):
        document, word = asked.document[piece], asked.word[piece]
        out[piece] = (theta[document] * words.chances(document, word)).sum(axis=1)
    return out
