"""The data of an experiment: one split for all rows and repeats, and pools for rows that need them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from pitmanyor.corpus import Corpus, Stream
from pitmanyor.corpus.hold import HeldOut
from pitmanyor.corpus.parts import frozen
from pitmanyor.errors import CorpusError
from pitmanyor.experiments.settings import Settings


@dataclass(frozen=True, eq=False)
class Data:
    """Posts to fit, posts to predict, and pairs of authors to predict (either may be none)."""

    train: Corpus
    test: Corpus | None = None
    held: HeldOut | None = None


def split(corpus: Corpus, settings: Settings) -> Data:
    """Hold out posts, the same share of every author; clusters and labels use all posts."""
    if settings.kind in ("clustering", "labels"):
        return Data(corpus)
    by = "author" if "author" in corpus.groups else None
    train, test = corpus.split(settings.test, by=by, seed=settings.seed)
    if "follows" not in corpus.links or by is None or not settings.held_links:
        return Data(train, test)
    train, held = train.hide_links("follows", by="author", share=settings.held_links, seed=settings.seed)
    return Data(train, test, held)


def without_words(corpus: Corpus, words: Iterable[str]) -> Corpus:
    """The corpus without these words in any stream and in the vocabulary; documents stay, even if empty.

    Its report lists them.

    >>> without_words(Corpus.from_tokens([["a", "b"], ["a"]]), ["a"])
    Corpus(2 documents, 1 tokens, 1 words, streams: word)
    """
    gone = set(words)
    if unknown := sorted(gone - set(corpus.vocabulary)):
        raise CorpusError(
            f"{', '.join(map(repr, unknown))}: not in the vocabulary of this corpus, so not to be dropped"
        )
    stay = np.array([word not in gone for word in corpus.vocabulary])
    number = np.cumsum(stay) - 1
    streams = {}
    for name, stream in corpus.streams.items():
        kept = stay[stream.words]
        offsets = np.append(0, np.cumsum(kept))[stream.offsets]
        streams[name] = Stream(frozen(number[stream.words[kept]], np.int32), frozen(offsets, np.int64))
    vocabulary = tuple(word for word in corpus.vocabulary if word not in gone)
    report = corpus.report and replace(
        corpus.report, notes=(*corpus.report.notes, f"words left out: {', '.join(sorted(gone))}")
    )
    return replace(corpus, vocabulary=vocabulary, streams=streams, report=report)


def in_one_stream(corpus: Corpus) -> Corpus:
    """All tokens of every document as words, for co-occurrence of words and hashtags."""
    streams = list(corpus.streams.values())
    documents = np.concatenate([stream.documents for stream in streams])
    order = np.argsort(documents, kind="stable")
    words = np.concatenate([stream.words for stream in streams])[order]
    offsets = np.searchsorted(documents[order], np.arange(corpus.n_documents + 1))
    return replace(corpus, streams={"word": Stream(frozen(words, np.int32), frozen(offsets, np.int64))})
