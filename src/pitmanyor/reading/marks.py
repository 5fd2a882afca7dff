"""Marks on posts that filters ask for: is it empty, a retweet, in another language, the same as an earlier one?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.reading.chunks import Chunk
from pitmanyor.reading.columns import Wanted
from pitmanyor.reading.language import InLanguage
from pitmanyor.reading.options import FilterOptions
from pitmanyor.reading.plain_values import missing

RETWEET_COLUMNS = ("referenced_tweets[].type", "retweeted_status.id", "retweeted_status.id_str")


class Marks:
    """Grows with every chunk; a mark that no filter asks for is not made."""

    def __init__(self, wanted: Wanted, keep: FilterOptions, placeholders: frozenset[str]) -> None:
        self.wanted = wanted
        self.keep = keep
        self.placeholders = placeholders
        self.in_language = InLanguage(keep.language, keep.language_by) if keep.language else None
        self.marks: dict[str, list[NDArray[np.bool_]]] = {
            "empty": [],
            "placeholders": [],
            "retweets": [],
            "language": [],
        }
        self.keys: dict[str, list[NDArray[np.int64]]] = {"ids": [], "duplicates": []}

    def add(self, plain: Sequence[str], chunk: Chunk) -> None:
        empty = np.array([not text or text.isspace() for text in plain], bool)
        self.marks["empty"].append(empty)
        self.marks["placeholders"].append(np.array([text.strip() in self.placeholders for text in plain], bool))
        out = empty = empty | self.marks["placeholders"][-1]
        if self.keep.retweets == "drop":
            self.marks["retweets"].append(self._retweets(plain, chunk))
            out = out | self.marks["retweets"][-1]
        if self.in_language is not None:
            self.marks["language"].append(~self.in_language(plain, ~out))
        if self.keep.duplicates != "keep" and "id" in self.wanted.roles:
            ids = chunk.columns[self.wanted.roles["id"].name]
            if set(map(type, ids)) == {str}:
                self.keys["ids"].append(np.array(list(map(hash, ids)), np.int64))
            else:
                self.keys["ids"].append(np.array([0 if missing(i) else hash(str(i)) for i in ids], np.int64))
        if self.keep.duplicates != "keep":
            role = self.wanted.roles.get("author")
            authors: Sequence[Any] = chunk.columns[role.name] if role else [None] * len(plain)
            pairs = zip(map(str, authors), plain, strict=True)
            keys = np.array([hash(pair) for pair in pairs], np.int64)
            self.keys["duplicates"].append(np.where(empty, 0, keys))

    def joined(self) -> dict[str, NDArray[np.bool_]]:
        """Every mark for all posts. Keys are hashes: 8 bytes a post, whatever the length of its text."""
        marks = {name: np.concatenate(parts) for name, parts in self.marks.items() if parts}
        return marks | {name: repeated(np.concatenate(parts)) for name, parts in self.keys.items() if parts}

    def _retweets(self, plain: Sequence[str], chunk: Chunk) -> NDArray[np.bool_]:
        found = np.array([text[:4] in ("RT @", "rt @") for text in plain], bool)
        for column in self.wanted.retweet_columns:
            found |= np.array([not missing(value) and _says_retweet(value) for value in chunk.columns[column]], bool)
        return found


def repeated(keys: NDArray[np.int64]) -> NDArray[np.bool_]:
    """True for each entry that an earlier one equals; zero stands for none."""
    order = np.argsort(keys, kind="stable")
    again = np.zeros(len(keys), bool)
    again[order[1:]] = (keys[order[1:]] == keys[order[:-1]]) & (keys[order[1:]] != 0)
    return again


def _says_retweet(value: Any) -> bool:
    return "retweeted" in value if isinstance(value, list) else True
