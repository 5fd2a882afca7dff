"""Tokens in the order the kernels visit them: by document, stream and word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph


@dataclass(frozen=True, eq=False)
class TokenOrder:
    """Every token's document, stream and word (in its stream's vocabulary), and where each (document, stream) starts.

    `source` gives the token's place in its stream of the corpus.
    """

    document: NDArray[np.int32]
    stream: NDArray[np.int16]
    word: NDArray[np.int32]
    source: NDArray[np.int64]
    first: NDArray[np.int64]


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
    documents, streams, ids, sources = [], [], [], []
    for s, stream in enumerate(graph.streams):
        if stream.name not in corpus.streams:
            have = ", ".join(map(repr, corpus.streams))
            raise PlanError(
                f"the graph has tokens {stream.name!r}, and this corpus has no such stream (it has: {have})"
            )
        data = corpus.streams[stream.name]
        documents.append(np.repeat(np.arange(corpus.n_documents, dtype=np.int32), np.diff(data.offsets)))
        streams.append(np.full(len(data.words), s, np.int16))
        ids.append(_localise(stream.name, stream.emit, data.words, words[stream.emit], corpus))
        sources.append(np.arange(len(data.words)))
    document, stream_id = np.concatenate(documents), np.concatenate(streams)
    word, source = np.concatenate(ids), np.concatenate(sources)
    order = np.lexsort((word, stream_id, document))
    n_streams = len(graph.streams)
    place = document[order].astype(np.int64) * n_streams + stream_id[order]
    first = np.searchsorted(place, np.arange(corpus.n_documents * n_streams + 1))
    return TokenOrder(document[order], stream_id[order], word[order], source[order], first.astype(np.int64))


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
