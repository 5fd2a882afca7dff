"""Tokens in the order the kernels visit them: by document, stream and word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus, Stream
from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph


@dataclass(frozen=True, eq=False)
class TokenOrder:
    """Every token's word (in its stream's vocabulary), and where each (document, stream) starts.

    What is seldom asked is not kept but made when asked: a token's document, its stream, and its place in its stream
    of the corpus (`source`). `streams` are the corpus's own arrays.
    """

    word: NDArray[np.int32]
    first: NDArray[np.int64]
    streams: tuple[Stream, ...]

    @property
    def document(self) -> NDArray[np.int32]:
        n_streams = len(self.streams)
        sizes = np.diff(self.first[::n_streams])
        return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    @property
    def stream(self) -> NDArray[np.int16]:
        sizes = np.diff(self.first)
        return np.repeat(np.resize(np.arange(len(self.streams), dtype=np.int16), len(sizes)), sizes)

    @property
    def source(self) -> NDArray[np.int64]:
        order = _order([stream.words for stream in self.streams], self.streams)
        return np.concatenate([np.arange(len(stream.words)) for stream in self.streams])[order]


def vocabularies(graph: Graph, corpus: Corpus) -> dict[str, NDArray[np.int64]]:
    """The corpus words of every word-side node: all of them, or those that occur in the stream its root is over."""
    found: dict[str, NDArray[np.int64]] = {}
    for node in graph.nodes:
        if node.side != "word":
            continue
        if node.parents:
            found[node.name] = found[node.parents[0]]
        elif node.over == "vocabulary":
            found[node.name] = np.arange(len(corpus.vocabulary))
        elif node.over in corpus.streams:
            found[node.name] = np.unique(corpus.streams[str(node.over)].words).astype(np.int64)
            if not len(found[node.name]):
                raise PlanError(
                    f"{node.name!r} is over the words of stream {node.over!r}, and that stream holds no token in this "
                    f'corpus; use "vocabulary", or fit graph.without({node.over!r})'
                )
        else:
            have = ", ".join(map(repr, corpus.streams))
            raise PlanError(
                f"{node.name!r} is over the words of stream {node.over!r}, and this corpus has no such stream "
                f'(it has: {have}); use "vocabulary" for all words of the corpus'
            )
    return found


def order_tokens(graph: Graph, corpus: Corpus, words: dict[str, NDArray[np.int64]]) -> TokenOrder:
    ids, streams = [], []
    for stream in graph.streams:
        if stream.name not in corpus.streams:
            have = ", ".join(map(repr, corpus.streams))
            raise PlanError(
                f"the graph has tokens {stream.name!r}, and this corpus has no such stream (it has: {have})"
            )
        data = corpus.streams[stream.name]
        streams.append(data)
        ids.append(_localise(stream.name, stream.emit, data.words, words[stream.emit], corpus))
    sizes = np.stack([np.diff(data.offsets) for data in streams], axis=1)
    first = np.append(0, np.cumsum(sizes)).astype(np.int64)
    return TokenOrder(np.concatenate(ids)[_order(ids, streams)], first, tuple(streams))


def _order(ids: Sequence[NDArray[np.int32]], streams: Sequence[Stream]) -> NDArray[np.int64]:
    """The tokens of all streams, one after the other, sorted by document, stream and word."""
    n_documents = len(streams[0].offsets) - 1
    place = np.concatenate(
        [
            np.repeat(np.arange(n_documents, dtype=np.int64) * len(streams) + s, np.diff(data.offsets))
            for s, data in enumerate(streams)
        ]
    )
    words = np.concatenate(ids)
    key = place * (int(words.max(initial=0)) + 1) + words
    return np.argsort(key, kind="stable")  # documents come in order already, which two sorts would not see


def _localise(
    stream: str, emit: str, data: NDArray[np.int32], words: NDArray[np.int64], corpus: Corpus
) -> NDArray[np.int32]:
    """Corpus word ids as positions in the vocabulary of the stream's emit node."""
    if len(words) == len(corpus.vocabulary):
        return data
    place = np.searchsorted(words, data)
    outside = (place >= len(words)) | (words[np.minimum(place, len(words) - 1)] != data)
    if outside.any():
        odd = corpus.vocabulary[int(data[np.flatnonzero(outside)[0]])]
        raise PlanError(
            f"stream {stream!r} emits from {emit!r}, whose vocabulary lacks {odd!r}; base it on uniform('vocabulary')"
        )
    return place.astype(np.int32)
