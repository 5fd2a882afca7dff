"""Corpora restricted to some of their tokens: those that are observed, and those that are scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.corpus import Corpus, Stream
from pitmanyor.corpus.parts import frozen
from pitmanyor.seeds import generator

Mask = NDArray[np.bool_]


def with_tokens(corpus: Corpus, kept: Mapping[str, Mask]) -> Corpus:
    """The same documents with only the tokens that a mask per stream selects; a stream without a mask is empty."""
    streams = {}
    for name, stream in corpus.streams.items():
        mask = kept[name] if name in kept else np.zeros(len(stream.words), bool)
        offsets = np.append(0, np.cumsum(mask))[stream.offsets]
        streams[name] = Stream(frozen(stream.words[mask], np.int32), frozen(offsets, np.int64))
    return replace(corpus, streams=streams)


def whole(stream: Stream) -> Mask:
    return np.ones(len(stream.words), bool)


def places(stream: Stream) -> NDArray[np.int64]:
    """Position of every token in its document: 0, 1, 2..."""
    return np.arange(len(stream.words)) - np.repeat(stream.offsets[:-1], stream.lengths)


def pick(stream: Stream, share: float, seed: int) -> Mask:
    """Select this share of the tokens of each document at random, rounded down.

    >>> from pitmanyor import Corpus
    >>> stream = Corpus.from_tokens([["a", "b", "c", "d", "e"], ["f"], []]).streams["word"]
    >>> mask = pick(stream, 0.5, seed=0)
    >>> int(mask[:5].sum()), int(mask[5:].sum())
    (2, 0)
    """
    rng = generator(seed, purposes.GIVEN_TOKENS)
    order = np.lexsort((rng.random(len(stream.words)), stream.documents))
    chosen = places(stream) < np.repeat(np.floor(share * stream.lengths), stream.lengths)
    mask = np.zeros(len(stream.words), bool)
    mask[order[chosen]] = True
    return mask
