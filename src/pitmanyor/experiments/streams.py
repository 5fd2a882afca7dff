"""Perplexity of tokens together with their streams, which is fair to models that merge streams.

A model with separate words for each stream is told the stream of a token, so that p(stream) has to be added. A merged
model spreads its mass over all streams and is not told, so that p(stream | word) has to be added. Both sum to one over
all pairs (token, stream).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.errors import StateError
from pitmanyor.evaluate import Perplexity
from pitmanyor.evaluate.token_parts import pick
from pitmanyor.graph import Graph

STREAMS = ("word", "hashtag")
Floats = NDArray[np.float64]


def joint_perplexity(
    found: Perplexity, graph: Graph, train: Corpus, test: Corpus, *, observed: float, seed: int
) -> float:
    """The perplexity of (token, stream) from that of tokens, `found` with the same `observed` and `seed`."""
    words = test.streams["word"]
    scored = {"word": words.words[~pick(words, observed, seed)], "hashtag": test.streams["hashtag"].words}
    if {name: len(tokens) for name, tokens in scored.items()} != found.n_scored:
        raise StateError(f"other tokens were scored than {found.n_scored}")
    chances = stream_chances(graph, train)
    more = sum(float(np.log(chances[name][tokens]).sum()) for name, tokens in scored.items())
    return float(np.exp(-(sum(found.log_likelihood.values()) + more) / found.n_tokens))


def stream_chances(graph: Graph, train: Corpus) -> dict[str, Floats]:
    """Factors that turn a word's probability into that of the word in a stream, an array over words for each stream.

    They are shares of the training tokens, of all or of the word's own, with half a token added to each stream so that
    unseen pairs are not impossible.
    """
    n_words = len(train.vocabulary)
    counts = np.array([np.bincount(train.streams[name].words, minlength=n_words) for name in STREAMS], np.float64)
    if len({stream.emit for stream in graph.streams}) > 1:
        counts = np.repeat(counts.sum(axis=1, keepdims=True), n_words, axis=1)
    return dict(zip(STREAMS, (counts + 0.5) / (counts.sum(axis=0) + 1.0), strict=True))
