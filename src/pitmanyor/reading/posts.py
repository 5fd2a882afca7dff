"""All posts as arrays, before any is left out. Texts are gone; what filters need to know is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus.flat_strings import Strings
from pitmanyor.files import release
from pitmanyor.reading.spool import Spool

PIECE = 2_000_000  # tokens that are looked at together, which bounds the memory of filters


class Run(NamedTuple):
    """The words of all posts, one after the other, and how many each post has."""

    words: NDArray[np.int32]
    lengths: NDArray[np.int32]
    home: Path | None = None  # the directory of their file, if they are in one

    def ranges(self) -> Iterator[tuple[slice, NDArray[np.int32]]]:
        """Ranges of posts with the words of each, in blocks, so that memory is bounded."""
        ends = np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)])
        start = 0
        while start < len(self.lengths):
            stop = max(start + 1, int(np.searchsorted(ends, ends[start] + PIECE, side="right")) - 1)
            yield slice(start, stop), self.words[ends[start] : ends[stop]]
            release(self.words)
            start = stop

    def of_posts(self, stay: NDArray[np.bool_]) -> Iterator[NDArray[np.int32]]:
        """The words of these posts, some posts at a time."""
        for posts, words in self.ranges():
            yield words[np.repeat(stay[posts], self.lengths[posts])]

    def only(self, words_stay: NDArray[np.bool_]) -> Run:
        """The run without the words that do not stay."""
        spool, lengths = Spool(self.home), np.zeros_like(self.lengths)
        for posts, words in self.ranges():
            here = words_stay[words]
            ends = np.concatenate([[0], np.cumsum(here, dtype=np.int64)])
            offsets = np.concatenate([[0], np.cumsum(self.lengths[posts], dtype=np.int64)])
            lengths[posts] = np.diff(ends[offsets])
            spool.add(words[here])
        return Run(spool.array(), lengths, self.home)


class Ragged:
    """A stream that grows: words of all posts, and how many each has; in memory, or in a directory."""

    def __init__(self, home: Path | None = None) -> None:
        self.words, self.lengths, self.home = Spool(home), list[NDArray[np.int32]](), home

    def add(self, words: NDArray[np.int32], lengths: NDArray[np.int32]) -> None:
        self.words.add(words)
        self.lengths.append(lengths)

    def joined(self) -> Run:
        """The whole; the pieces are let go."""
        lengths = np.concatenate(self.lengths) if self.lengths else np.empty(0, np.int32)
        self.lengths.clear()
        return Run(self.words.array(), lengths, self.home)


@dataclass
class Posts:
    """What was read. `streams` has words and lengths by stream; codes of -1 are missing labels."""

    lines: NDArray[np.int64]
    words: Sequence[str]
    streams: dict[str, Run]
    labels: dict[str, tuple[str, ...]]
    codes: dict[str, NDArray[np.int32]]
    times: NDArray[np.int64] | None
    marks: dict[str, NDArray[np.bool_]]
    hits: NDArray[np.int16] | None
    dropped: dict[int, int]
    n_urls: int
    ids: Strings | None = None

    @property
    def n_posts(self) -> int:
        return len(self.lines)

    def tokens_of(self, posts: NDArray[np.bool_]) -> int:
        return sum(int(run.lengths[posts].sum()) for run in self.streams.values())

    def n_authors(self, posts: NDArray[np.bool_]) -> int:
        if "author" not in self.codes:
            return 0
        codes = self.codes["author"][posts]
        return len(np.unique(codes[codes >= 0]))
