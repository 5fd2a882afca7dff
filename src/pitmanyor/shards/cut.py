"""Where a corpus is cut into shards: by its tokens alone, never by who will hold them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus, Stream
from pitmanyor.errors import PlanError

Ints = NDArray[np.int64]
SHARD_TOKENS = 2_000_000


def cut(lengths: Ints, size: int = SHARD_TOKENS) -> Ints:
    """Bounds of shards of about `size` tokens: shard i has the documents bounds[i]..bounds[i + 1] - 1.

    >>> cut(np.array([3, 3, 3, 0, 9, 1]), size=6)
    array([0, 2, 4, 5, 6])
    """
    if size < 1:
        raise PlanError(f"a shard has 1 token or more, not {size}")
    ends = np.cumsum(lengths)
    number = (ends - 1) // size  # of the shard in which a document ends; the one that it fills is still its own
    starts = np.flatnonzero(np.diff(np.maximum(number, 0), prepend=-1))
    return np.append(starts, len(lengths)).astype(np.int64)


def document_lengths(corpus: Corpus, streams: list[str]) -> Ints:
    """Tokens of every document in the streams that a graph has."""
    total = np.zeros(corpus.n_documents, np.int64)
    for name in streams:
        total += np.diff(corpus.streams[name].offsets)
    return total


def part_of(stream: Stream, start: int, stop: int) -> Stream:
    """The documents start..stop - 1 of a stream; words are not copied."""
    offsets = stream.offsets[start : stop + 1]
    return Stream(stream.words[offsets[0] : offsets[-1]], offsets - offsets[0])
