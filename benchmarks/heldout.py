"""Held-out perplexity, the same for every contestant: topics and a document prior in, one number out.

Every contestant hands over phi (topics x words) and the Dirichlet pseudo-counts of a document's topics. Theta is
estimated on the even tokens of a test document (a deterministic fold-in, CVB0), the odd tokens are scored. So what is
compared is the topics a sampler found, not how well each package folds documents in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus, Grouping, Stream

FOLD_IN = 20  # rounds of the fold-in: the perplexity moves by less than 0.1 % after ten


@dataclass(frozen=True)
class Split:
    """Training documents, and test documents cut in two: tokens to estimate theta on, tokens to score."""

    train: Corpus
    estimate: list[NDArray[np.int32]]
    score: list[NDArray[np.int32]]


def split(corpus: Corpus, share: float = 0.1, most: int = 1_000, seed: int = 0) -> Split:
    """Set `share` of the documents (at most `most`) aside; words that training never shows are left out of the test.

    Test documents keep their words in random order, for a bag of words may be stored sorted.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(corpus.n_documents)
    n_test = min(most, max(1, round(share * corpus.n_documents)))
    train = take(corpus, np.sort(order[n_test:]))
    known = np.zeros(len(corpus.vocabulary), bool)
    known[train.streams["word"].words] = True
    stream = corpus.streams["word"]
    estimate, score = [], []
    for d in order[:n_test]:
        words = stream.words[stream.offsets[d] : stream.offsets[d + 1]]
        words = rng.permutation(words[known[words]])
        if len(words) >= 2:
            estimate.append(words[0::2])
            score.append(words[1::2])
    return Split(train, estimate, score)


def take(corpus: Corpus, documents: NDArray[np.int64]) -> Corpus:
    """The corpus with these documents only; vocabulary and labels stay as they are."""
    streams = {}
    for name, stream in corpus.streams.items():
        lengths = np.diff(stream.offsets)[documents]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        position = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        streams[name] = Stream(stream.words[np.repeat(stream.offsets[:-1][documents], lengths) + position], offsets)
    groups = {name: Grouping(g.labels, g.codes[documents]) for name, g in corpus.groups.items()}
    return Corpus(corpus.vocabulary, streams, groups, corpus.links)


def words_as_corpus(documents: list[NDArray[np.int32]], like: Corpus) -> Corpus:
    """Documents as lists of words, as a corpus with the vocabulary of another."""
    offsets = np.append(0, np.cumsum([len(document) for document in documents])).astype(np.int64)
    return Corpus(like.vocabulary, {"word": Stream(np.concatenate(documents), offsets)})


def perplexity(phi: NDArray[np.float64], prior: NDArray[np.float64], test: Split) -> float:
    """exp of minus the mean log probability of the scored tokens."""
    by_word = np.ascontiguousarray(phi.T)
    total, n_tokens = 0.0, 0
    for estimate, score in zip(test.estimate, test.score, strict=True):
        theta = _fold_in(by_word[estimate], prior)
        total += float(np.log(by_word[score] @ theta).sum())
        n_tokens += len(score)
    return float(np.exp(-total / n_tokens))


def _fold_in(likelihood: NDArray[np.float64], prior: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean topic proportions of one document: CVB0 over its tokens (rows of `likelihood`)."""
    shares = likelihood * prior
    shares /= shares.sum(axis=1, keepdims=True)
    for _ in range(FOLD_IN):
        shares = likelihood * (prior + shares.sum(axis=0) - shares)
        shares /= shares.sum(axis=1, keepdims=True)
    theta = prior + shares.sum(axis=0)
    return np.asarray(theta / theta.sum())
