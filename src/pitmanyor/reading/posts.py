"""All posts as arrays, before any is left out. Texts are gone; what filters need to know is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus.flat_strings import Strings


class Run(NamedTuple):
    """The words of all posts, one after the other, and how many each post has."""

    words: NDArray[np.int32]
    lengths: NDArray[np.int32]

    def of_posts(self, stay: NDArray[np.bool_]) -> NDArray[np.int32]:
        """The words of these posts."""
        return self.words[np.repeat(stay, self.lengths)]

    def only(self, words_stay: NDArray[np.bool_]) -> Run:
        """The run without the words that do not stay."""
        here = words_stay[self.words]
        ends = np.concatenate([[0], np.cumsum(here, dtype=np.int64)])
        offsets = np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)])
        return Run(self.words[here], np.diff(ends[offsets]).astype(np.int32))


@dataclass
class Ragged:
    """A stream that grows: words of all posts, and how many each has."""

    words: list[NDArray[np.int32]] = field(default_factory=list)
    lengths: list[NDArray[np.int32]] = field(default_factory=list)

    def add(self, words: NDArray[np.int32], lengths: NDArray[np.int32]) -> None:
        self.words.append(words)
        self.lengths.append(lengths)

    def joined(self) -> Run:
        """The whole; the pieces are let go, so that it is not in memory twice for long."""
        words, lengths = _join(self.words, np.int32), _join(self.lengths, np.int32)
        self.words.clear()
        self.lengths.clear()
        return Run(words, lengths)


def _join(parts: Sequence[NDArray[np.int32]], dtype: type[np.int32]) -> NDArray[np.int32]:
    return np.concatenate(parts) if parts else np.empty(0, dtype)


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
        return sum(int(lengths[posts].sum()) for _, lengths in self.streams.values())

    def n_authors(self, posts: NDArray[np.bool_]) -> int:
        if "author" not in self.codes:
            return 0
        codes = self.codes["author"][posts]
        return len(np.unique(codes[codes >= 0]))
