"""Corpus: tokens with the context they came in, as frozen arrays."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_methods
from pitmanyor.corpus.describe import Description, describe
from pitmanyor.corpus.flat_strings import Strings
from pitmanyor.corpus.hold import HeldOut, hide, reveal
from pitmanyor.corpus.parts import Grouping, LinkSet, Stream, by_name, frozen
from pitmanyor.corpus.pick import indices, split
from pitmanyor.corpus.read_report import ReadReport
from pitmanyor.corpus.storage import content_hash, load, save
from pitmanyor.corpus.token_lists import check_streams, grouping_of, link_set_of, stream_of, vocabulary_of
from pitmanyor.errors import CorpusError
from pitmanyor.files import release


@checked_methods(CorpusError)
@dataclass(frozen=True, eq=False)
class Corpus:
    """Token streams over one vocabulary, groupings (author, day...) and links, as frozen arrays.

    `pitmanyor.read` and `Corpus.from_tokens` make one. A corpus that was read also has `rows`: the line of each
    document in a file of text or its row in a Parquet file, counted from 1, or its position in a data frame or list,
    counted from 0. It has `times` and `ids` if the source has them, and `report`, which says what was read and what
    was removed.

    >>> corpus = Corpus.from_tokens([["cat", "sat"], ["dog"]], groups={"author": ["ann", "bob"]})
    >>> corpus
    Corpus(2 documents, 3 tokens, 3 words, streams: word, groups: author)
    """

    vocabulary: tuple[str, ...]
    streams: Mapping[str, Stream]
    groups: Mapping[str, Grouping] = field(default_factory=dict)
    links: Mapping[str, LinkSet] = field(default_factory=dict)
    times: NDArray[np.datetime64] | None = None
    rows: NDArray[np.int64] | None = None
    report: ReadReport | None = None
    ids: Strings | None = None

    def __post_init__(self) -> None:
        for what in ("streams", "groups", "links"):
            object.__setattr__(self, what, by_name(what, getattr(self, what)))

    @property
    def n_documents(self) -> int:
        return len(next(iter(self.streams.values())).offsets) - 1

    @property
    def n_tokens(self) -> int:
        return sum(len(stream.words) for stream in self.streams.values())

    def has(self, stream: str) -> bool:
        """Whether the stream exists and has a token (posts without any hashtag still have a hashtag stream)."""
        return stream in self.streams and len(self.streams[stream].words) > 0

    def __repr__(self) -> str:
        parts = [
            f"{self.n_documents:,} documents",
            f"{self.n_tokens:,} tokens",
            f"{len(self.vocabulary):,} words",
            f"streams: {', '.join(self.streams)}",
        ]
        if self.groups:
            parts.append(f"groups: {', '.join(self.groups)}")
        if self.links:
            parts.append(f"links: {', '.join(self.links)}")
        return f"Corpus({', '.join(parts)})"

    def _repr_html_(self) -> str:
        return self.describe().to_html()

    def describe(self) -> Description:
        """Summarise sizes, in the paper's format, and what reading did; `print` the result."""
        return describe(self)

    def subset(self, documents: Sequence[int] | Sequence[bool] | NDArray[Any]) -> Corpus:
        """Select documents; vocabulary, labels and links stay the same, so that codes agree.

        Parameters
        ----------
        documents
            A boolean mask, or indices.
        """
        chosen = indices(documents, self.n_documents)
        return Corpus(
            vocabulary=self.vocabulary,
            streams={name: stream.take(chosen) for name, stream in self.streams.items()},
            groups={name: Grouping(g.labels, frozen(g.codes[chosen], np.int32)) for name, g in self.groups.items()},
            links=self.links,
            times=None if self.times is None else _still(self.times[chosen]),
            rows=None if self.rows is None else frozen(self.rows[chosen], np.int64),
            report=self.report,
            ids=None if self.ids is None else self.ids.take(chosen),
        )

    def split(self, test: float | int = 0.1, by: str | None = None, seed: int = 0) -> tuple[Corpus, Corpus]:
        """Split the documents into a training and a test corpus.

        Parameters
        ----------
        test
            Share (a float) or number (an int) of test documents.
        by
            Stratify by this grouping: with `by="author"` every author has the same share of documents in both parts, to
            within one document.
        seed
            Random seed.
        """
        groups = None
        if by is not None and by != "document":
            if by not in self.groups:
                known = ", ".join(map(repr, self.groups)) or "none"
                raise CorpusError(f"cannot split by {by!r}: the groups of this corpus are {known}")
            groups = self.groups[by].codes
        train, held = split(self.n_documents, test, groups, seed)
        return self.subset(train), self.subset(held)

    def hide_links(
        self, name: str, by: str, share: float = 0.1, seed: int = 0, directed: bool = True
    ) -> tuple[Corpus, HeldOut]:
        """Hold out a share of the pairs of a link set; returns the remaining corpus, and the pairs with their truth.

        A fit counts held-out pairs neither as linked nor as unlinked; `Fit.link_probability` predicts them.

        Parameters
        ----------
        name
            Link set, such as "follows".
        by
            Grouping whose labels are linked, such as "author". All ordered pairs of two different labels are
            candidates.
        share
            Share of the pairs to hold out.
        seed
            Random seed.
        directed
            False holds out both directions of a pair together.
        """
        for what, where in ((name, self.links), (by, self.groups)):
            if what not in where:
                raise CorpusError(f"no {what!r} among {', '.join(map(repr, where)) or 'none'} of this corpus")
        labels = tuple(self.groups[by].labels[code] for code in np.unique(self.groups[by].codes))
        left, held = hide(self.links[name], labels, share, seed, directed)
        return replace(self, links={**self.links, name: left}), held

    def reveal_links(self, name: str, truth: Iterable[tuple[Hashable, Hashable]], directed: bool = True) -> HeldOut:
        """Return the held-out pairs of a link set, with the truth from a complete list of links.

        Parameters
        ----------
        name
            Link set, such as "follows".
        truth
            All links, including those that were not held out.
        directed
            As in `hide_links`.

        >>> pairs = [("ann", "bob")]
        >>> corpus = Corpus.from_tokens([["a"], ["b"]], groups={"author": ["ann", "bob"]}, links={"follows": pairs})
        >>> left, held = corpus.hide_links("follows", by="author", share=0.5)
        >>> left.reveal_links("follows", pairs).linked == held.linked
        array([ True])
        """
        if name not in self.links:
            raise CorpusError(f"no {name!r} among {', '.join(map(repr, self.links)) or 'none'} of this corpus")
        return reveal(self.links[name], truth, directed)

    @cached_property
    def content_hash(self) -> str:
        """Checksum of words, tokens, labels, links and times. Equal content has an equal hash on any machine."""
        return content_hash(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the corpus to one file, atomically and with a checksum."""
        save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, mapped: bool = False) -> Corpus:
        """Read a file that `save` wrote. Raises a FileError if it is truncated, changed, or not a corpus.

        Parameters
        ----------
        path
            The file.
        mapped
            Whether tokens stay in the file, which must not change meanwhile, and are read as they are used.
        """
        corpus = cls(**load(path, mapped))
        corpus.release()
        return corpus

    def release(self) -> None:
        """Free the memory of tokens that have been read, if the corpus is mapped."""
        for stream in self.streams.values():
            release(stream.words)
            release(stream.offsets)
        for grouping in self.groups.values():
            release(grouping.codes)

    @classmethod
    def from_tokens(
        cls,
        documents: Sequence[Sequence[str]] | Mapping[str, Sequence[Sequence[str]]],
        groups: Mapping[str, Sequence[Hashable]] | None = None,
        links: Mapping[str, Iterable[tuple[Hashable, Hashable]]] | None = None,
        vocabulary: Sequence[str] | None = None,
    ) -> Corpus:
        """Make a corpus from lists of tokens.

        Parameters
        ----------
        documents
            One list of tokens per document, or a dict of such lists by stream.
        groups
            One label per document for each grouping, such as `{"author": [...]}`.
        links
            Pairs of labels (source, target) for each link set, such as `{"follows": [...]}`.
        vocabulary
            Words and their order; a token outside it is an error. By default all tokens, sorted.
        """
        by_stream = dict(documents) if isinstance(documents, Mapping) else {"word": documents}
        for name in (*by_stream, *(groups or {}), *(links or {})):
            if not isinstance(name, str):
                raise CorpusError(f"streams, groups and links have names, which are texts, not {name!r}")
        n_documents = check_streams(by_stream)
        words = vocabulary_of(by_stream, vocabulary)
        index = {word: i for i, word in enumerate(words)}
        return cls(
            vocabulary=words,
            streams={name: stream_of(name, docs, index) for name, docs in by_stream.items()},
            groups={k: grouping_of(k, v, n_documents) for k, v in (groups or {}).items()},
            links={k: link_set_of(k, v) for k, v in (links or {}).items()},
        )


def _still(times: NDArray[np.datetime64]) -> NDArray[np.datetime64]:
    times.flags.writeable = False
    return times
