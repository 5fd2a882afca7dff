"""Chunks of a table become arrays: tokens of every stream, codes of every label, and marks on posts to be left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus.flat_strings import Strings
from pitmanyor.errors import CorpusError
from pitmanyor.escape import whole_text
from pitmanyor.reading.badlines import BadLines
from pitmanyor.reading.chunks import Chunk
from pitmanyor.reading.columns import Wanted
from pitmanyor.reading.label_codes import Labels, SeveralLabelsError
from pitmanyor.reading.lexicon import KINDS, SEPARATOR, STOP, STREAMS, WORD, Lexicon, Words
from pitmanyor.reading.marks import Marks
from pitmanyor.reading.options import FileOptions, FilterOptions, TextOptions
from pitmanyor.reading.plain_values import tag_list, texts, token_list
from pitmanyor.reading.posts import Posts, Ragged
from pitmanyor.reading.query import Matcher
from pitmanyor.reading.text_sample import LOOKED_AT, not_english, unsegmented
from pitmanyor.reading.time_column import TimeColumn
from pitmanyor.reading.tokenise import Tokenise

LISTS = {list, tuple, np.ndarray}
MANY_DUPLICATES = 0.01  # share of posts that repeat an earlier one, above which a warning says so


@dataclass
class Gather:
    """Everything that grows while a table is read."""

    wanted: Wanted
    file: FileOptions
    text: TextOptions
    keep: FilterOptions
    bad: BadLines
    home: Path | None = None  # where tokens are put, if not in memory
    lines: list[NDArray[np.int64]] = field(default_factory=list)
    hits: list[NDArray[np.int16]] = field(default_factory=list)
    ids: list[Strings] = field(default_factory=list)
    n_urls: int = 0
    first_texts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        tagged = "tags" in self.wanted.roles
        self.words = Words()
        self.lexicon = Lexicon(self.words, self.text, inline_tags=not tagged)
        self.tokenise = Tokenise(self.lexicon, self.text)
        self.matcher = Matcher(self.keep.query, self.lexicon) if self.keep.query is not None else None
        self.marks = Marks(self.wanted, self.keep, frozenset(self.file.missing_values))
        time = self.wanted.roles.get("time")
        self.times = None if time is None else TimeColumn(time, self.bad, self.file.day_first)
        self.places = places(self.text, tagged)
        if clash := set(self.wanted.streams) & set(self.places.values()):
            raise CorpusError(f"streams= and the text both make a stream {min(clash)!r}; rename the one of the column")
        names = dict.fromkeys(["word", *self.places.values(), *(["hashtag"] if tagged else []), *self.wanted.streams])
        self.streams = {name: Ragged(self.home) for name in names}
        self.labels = {name: Labels(self.file.missing_values) for name in self.label_columns()}
        self.codes: dict[str, list[NDArray[np.int32]]] = {name: [] for name in self.labels}
        self.dropped: Counter[int] = Counter()

    def label_columns(self) -> dict[str, str]:
        roles = {role: self.wanted.roles[role].name for role in ("author", "label") if role in self.wanted.roles}
        return roles | self.wanted.groups

    def add(self, chunk: Chunk) -> None:
        values = chunk.columns[self.wanted.roles["text"].name]
        self.lines.append(chunk.lines)
        if LISTS & set(map(type, values)):
            plain = [" ".join(token_list(value)) for value in values]
            codes = self._token_lists(values)
        else:
            plain = texts(values)
            self.first_texts += [text for text in plain if text.strip()][: LOOKED_AT - len(self.first_texts)]
            tokens = self.tokenise(["" if text.strip() in self.marks.placeholders else text for text in plain])
            codes = tokens.codes
            self.n_urls += tokens.n_urls
        self._split(codes, len(plain))
        self.marks.add(plain, chunk)
        tags = self._column_streams(chunk)
        if self.matcher is not None:
            self.hits.append(self.matcher.hits(codes, tags, len(values)))
        for name, column in self.label_columns().items():
            self.codes[name].append(self._encode(name, column, chunk))
        if self.times is not None:
            self.times.add(chunk)
        ids = self._column("id", chunk)
        if ids is not None:
            self.ids.append(Strings.of(map(whole_text, texts(ids))))

    def _encode(self, name: str, column: str, chunk: Chunk) -> NDArray[np.int32]:
        try:
            return self.labels[name].encode(chunk.columns[column])
        except SeveralLabelsError as error:
            line = int(chunk.lines[error.place])
            without = "; or read without authors: author=False" if name == "author" else ""
            raise CorpusError(f"{self.bad.place(line)}, column {column!r} for {name}: {error}{without}") from None

    def _column(self, role: str, chunk: Chunk) -> Sequence[Any] | None:
        return chunk.columns[self.wanted.roles[role].name] if role in self.wanted.roles else None

    def _token_lists(self, values: Sequence[Any]) -> NDArray[np.int32]:
        """A column of token lists: taken as they are. Separators are put in, as between texts."""
        codes: list[int] = []
        for value in values:
            codes.append(SEPARATOR)
            codes += [self.words[token] * KINDS + WORD for token in token_list(value)]
        return np.array(codes, np.int32)

    def _split(self, codes: NDArray[np.int32], n_posts: int) -> None:
        """Tokens to their streams, and those that are none to their reasons."""
        post = np.cumsum(codes == SEPARATOR, dtype=np.int32) - 1
        reasons = np.bincount(-codes[codes < 0])
        self.dropped.update({-int(i): int(reasons[i]) for i in np.flatnonzero(reasons)})
        names = list(dict.fromkeys(self.places.values()))
        place_of = np.full(KINDS, -1, np.int8)
        for kind, name in self.places.items():
            place_of[kind] = names.index(name)
        place = np.where(codes < 0, np.int8(-1), place_of[codes % KINDS])
        for i, name in enumerate(names):
            here = np.flatnonzero(place == i)
            self.streams[name].add(codes[here] // KINDS, np.bincount(post[here], minlength=n_posts).astype(np.int32))

    def _column_streams(self, chunk: Chunk) -> NDArray[np.int64] | None:
        """Streams that have a column of their own; hashtags come back as pairs (post, word)."""
        for name, column in self.wanted.streams.items():
            self._add_lists(name, [token_list(value) for value in chunk.columns[column]], self.words.__getitem__)
        values = self._column("tags", chunk)
        if values is None:
            return None
        words, lengths = self._add_lists("hashtag", [tag_list(value) for value in values], self.lexicon.tag)
        return np.stack([np.repeat(np.arange(len(values)), lengths), words], 1)

    def _add_lists(
        self, name: str, lists: Sequence[Sequence[str]], number: Callable[[str], int]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        numbered = [[word for token in tokens if (word := number(token)) >= 0] for tokens in lists]
        words = np.array([word for some in numbered for word in some], np.int32)
        lengths = np.array([len(some) for some in numbered], np.int32)
        self.streams[name].add(words, lengths)
        return words, lengths

    def surprises(self, posts: Posts) -> list[str]:
        """What the owner of the source should know: sentences that become warnings."""
        said = [] if self.times is None else self.times.surprises()
        return said + self._language(posts) + self._repeated(posts, many=True)

    def _language(self, posts: Posts) -> list[str]:
        """A sentence if the texts are not in the language that they are taken for."""
        if self.tokenise.own is not None or not self.first_texts:
            return []
        said = unsegmented(self.first_texts)
        if said is None and self.text.stop_words == "english":
            n_stop = self.dropped[STOP]
            said = not_english(self.first_texts, len(posts.streams["word"].words) + n_stop, n_stop)
        return [] if said is None else [f"{self.bad.source}: {said}"]

    def notes(self, posts: Posts) -> list[str]:
        """What the report says in addition to what was removed."""
        said = [
            f"{name}: {n:,} {'value' if n == 1 else 'values'} {spelled!r} taken for a missing label "
            "(missing_values= changes that)"
            for name, labels in self.labels.items()
            for spelled, n in labels.placeholders.items()
        ]
        return said + self._repeated(posts, many=False)

    def _repeated(self, posts: Posts, many: bool) -> list[str]:
        """A sentence about posts that repeat an earlier one, if they are many (or few) and not kept knowingly."""
        again = int(posts.marks["duplicates"].sum()) if self.keep.duplicates == "error" else 0
        if not again or (again > MANY_DUPLICATES * posts.n_posts) != many:
            return []
        by = "author and text" if "author" in self.wanted.roles else "text"
        return [
            f"{self.bad.source}: {again:,} of {posts.n_posts:,} posts have the {by} of an earlier post; remove them "
            "with duplicates='drop', or keep them knowingly with duplicates='keep'"
        ]

    def _occurring(self) -> list[str]:
        """Streams that posts can have: where there was no text, only those of columns."""
        from_text = set(self.places.values()) - {"word"} if not self.first_texts else set()
        return [name for name in self.streams if name not in from_text]

    def posts(self) -> Posts:
        """Everything so far, as whole arrays."""
        if not self.lines:
            raise CorpusError(f"{self.bad.source}: contains no posts; give at least one")
        hits, hit_codes, hit_labels = None, {}, {}
        if self.matcher is not None:
            hits = np.concatenate(self.hits)
            name = "query" if "label" in self.labels else "label"
            hit_codes, hit_labels = {name: hits.astype(np.int32)}, {name: self.matcher.labels}
        return Posts(
            lines=np.concatenate(self.lines),
            words=list(self.words),
            streams={name: self.streams[name].joined() for name in self._occurring()},
            labels={name: tuple(labels.codes) for name, labels in self.labels.items()} | hit_labels,
            codes={name: np.concatenate(parts) for name, parts in self.codes.items()} | hit_codes,
            times=None if self.times is None else self.times.joined(),
            marks=self.marks.joined(),
            hits=hits,
            dropped=dict(self.dropped),
            n_urls=self.n_urls,
            ids=Strings.joined(self.ids) if self.ids else None,
        )


def places(text: TextOptions, tagged: bool) -> dict[int, str]:
    """The stream that tokens of each kind go to. Hashtags that have a column are not taken from the text as well."""
    asked = {"hashtag": text.hashtags, "mention": text.mentions, "url": text.urls, "emoji": text.emoji}
    out = {WORD: "word"}
    for kind, name in STREAMS.items():
        if name in asked and asked[name] != "drop" and not (tagged and name == "hashtag"):
            out[kind] = "word" if asked[name] == "words" else name
    return out
