"""Removal of author names from words, hashtags and labels of a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from pitmanyor.corpus import Corpus
from pitmanyor.report.people import AUTHOR

HIDDEN = "(name)"
PARTS = re.compile(r"[^\W_]{2,}")  # words within a name ...
LETTERS = re.compile(r"[^\W\d_]{2,}")  # ... and these without their numbers
BETWEEN = re.compile(r"[\W_]+")


def without_names(facts: dict[str, Any], corpus: Corpus) -> None:
    """Remove, in place, words that are mentions, names of authors, or parts of such names."""
    is_name = name_check(corpus)
    for topic in facts["topics"]:
        for kind in ("words", "tags"):
            topic[kind] = [entry for entry in topic.get(kind, []) if not is_name(entry[0])]
        topic["label"] = _label(topic["label"], is_name)
    facts["families"] = [_label(name, is_name) for name in facts["families"]]
    draft = facts["draft"]
    draft["words"] = {word: topics for word, topics in draft["words"].items() if not is_name(word)}
    if "tags" in draft:
        kept = [i for i, tag in enumerate(draft["tags"]) if not is_name(tag)]
        draft["tags"] = [draft["tags"][i] for i in kept]
        draft["chances"] = [[row[i] for i in kept] for row in draft["chances"]]


def name_check(corpus: Corpus) -> Callable[[str], bool]:
    """A function that tells whether a word, with or without # or @, is a mention or one of the names of a corpus."""
    names = names_of(corpus.groups[AUTHOR].labels) if AUTHOR in corpus.groups else set()

    def is_name(word: str) -> bool:
        plain = word.lstrip("#@").lower()
        return word.startswith("@") or plain in names or BETWEEN.sub("", plain) in names

    return is_name


def names_of(labels: Iterable[object]) -> set[str]:
    """Names, their parts of at least two letters, and these parts joined.

    >>> sorted(names_of(["@jane_doe", "JohnSmith7"]))
    ['doe', 'jane', 'jane_doe', 'janedoe', 'john', 'johnsmith', 'johnsmith7', 'smith', 'smith7']
    """
    names: set[str] = set()
    for label in map(str, labels):
        apart = _at_capitals(label).lower()
        names |= {label.lower().lstrip("@"), *PARTS.findall(apart), *LETTERS.findall(apart)}
        names |= {BETWEEN.sub("", apart), "".join(LETTERS.findall(apart))}
    return names - {""}


def _at_capitals(name: str) -> str:
    """A name with a blank before each word that begins with a capital: JohnSmith, NASAFan."""
    pairs = zip(" " + name, name, name[1:] + " ", strict=False)
    return "".join(
        " " + c if c.isupper() and (not before.isupper() or after.islower()) else c for before, c, after in pairs
    )


def _label(label: str, is_name: Callable[[str], bool]) -> str:
    return " ".join(HIDDEN if is_name(word.strip(",")) else word for word in label.split(" "))
