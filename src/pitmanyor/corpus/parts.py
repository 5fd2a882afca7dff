"""The parts of a corpus: token streams, groupings and links, as frozen arrays."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Integer = TypeVar("Integer", np.int32, np.int64)
UNKNOWN = "(unknown)"  # the label of documents that have none


def frozen(values: Sequence[int] | NDArray[Any], dtype: type[Integer]) -> NDArray[Integer]:
    array = np.ascontiguousarray(values, dtype=dtype)
    if array.flags.writeable:
        array = array.view()  # the caller's own array stays as it is
        array.flags.writeable = False
    return array


class _Parts(dict[str, T]):
    """Parts of a corpus by name; a name that is missing is told which there are."""

    def __init__(self, what: str, parts: Mapping[str, T]) -> None:
        super().__init__(parts)
        self.what = what

    def __missing__(self, name: object) -> T:
        raise KeyError(f"this corpus has no {name!r} among its {self.what}; it has {', '.join(self) or 'none'}")


def by_name(what: str, parts: Mapping[str, T]) -> Mapping[str, T]:
    """The streams, groups or links of a corpus, which do not change.

    >>> by_name("groups", {"author": 1})["party"]
    Traceback (most recent call last):
    KeyError: "this corpus has no 'party' among its groups; it has author"
    """
    return MappingProxyType(_Parts(what, parts))


def main_of(streams: Iterable[str]) -> str:
    """The main stream: "word" if there is one, otherwise the first.

    >>> main_of(["hashtag", "word"]), main_of(["citation", "hashtag"])
    ('word', 'citation')
    """
    names = list(streams)
    return "word" if "word" in names else names[0]


@dataclass(frozen=True, eq=False)
class Stream:
    """Ragged tokens: document d holds `words[offsets[d]:offsets[d + 1]]`, indices into the corpus vocabulary."""

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    @property
    def documents(self) -> NDArray[np.int64]:
        """The document of every token."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths)

    def take(self, documents: NDArray[np.int64]) -> Stream:
        """The tokens of these documents, in this order."""
        lengths = self.lengths[documents]
        offsets = np.zeros(len(documents) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1][documents] - offsets[:-1], lengths)
        return Stream(frozen(self.words[places], np.int32), frozen(offsets, np.int64))


@dataclass(frozen=True, eq=False)
class Grouping:
    """One label per document: document d has `labels[codes[d]]`."""

    labels: tuple[Hashable, ...]
    codes: NDArray[np.int32]

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether each document has a label; documents without one share a code that is not a class."""
        return np.array([label != UNKNOWN for label in self.labels], bool)[self.codes]


def _no_pairs() -> NDArray[np.int32]:
    return frozen(np.zeros((0, 2), np.int32), np.int32)


@dataclass(frozen=True, eq=False)
class LinkSet:
    """Directed links: link i goes from `labels[sources[i]]` to `labels[targets[i]]`.

    Pairs in `hidden` (source, target) are held out, so whether they are linked is unknown.
    """

    labels: tuple[Hashable, ...]
    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    hidden: NDArray[np.int32] = field(default_factory=_no_pairs)

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[Hashable, Hashable]]) -> LinkSet:
        index: dict[Hashable, int] = {}
        codes = [(index.setdefault(a, len(index)), index.setdefault(b, len(index))) for a, b in pairs]
        both = np.array(codes, np.int32).reshape(-1, 2)
        return cls(tuple(index), frozen(both[:, 0], np.int32), frozen(both[:, 1], np.int32))

    @property
    def pairs(self) -> tuple[tuple[Hashable, Hashable], ...]:
        """The links as pairs of labels, (source, target)."""
        labels = self.labels
        return tuple((labels[a], labels[b]) for a, b in zip(self.sources.tolist(), self.targets.tolist(), strict=True))

    def __len__(self) -> int:
        return len(self.sources)
