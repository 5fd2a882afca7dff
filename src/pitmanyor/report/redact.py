"""Removal of author names from words, hashtags and labels of a page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from pitmanyor.corpus import Corpus
from pitmanyor.report.clean import clean
from pitmanyor.report.people import AUTHOR

HIDDEN = "(name)"
FEW = 3  # authors that must use a word or a hashtag for it to be shown
PART = 4  # letters of a part of a name that is looked for within hashtags
PARTS = re.compile(r"[^\W_]{2,}")  # words within a name ...
LETTERS = re.compile(r"[^\W\d_]{2,}")  # ... and these without their numbers
BETWEEN = re.compile(r"[\W_]+")


def without_names(facts: dict[str, Any], corpus: Corpus) -> None:
    """Remove, in place, mentions, names of authors and parts of them, and what fewer than FEW authors use."""
    is_name = name_check(corpus)
    for topic in facts["topics"]:
        for kind, sign in (("words", ""), ("tags", "#")):
            topic[kind] = [entry for entry in topic.get(kind, []) if not is_name(sign + entry[0])]
        topic["label"] = _label(topic["label"], is_name)
    facts["families"] = [_label(name, is_name) for name in facts["families"]]
    draft = facts["draft"]
    draft["words"] = {word: topics for word, topics in draft["words"].items() if not is_name(word)}
    if "tags" in draft:
        kept = [i for i, tag in enumerate(draft["tags"]) if not is_name(f"#{tag}")]
        draft["tags"] = [draft["tags"][i] for i in kept]
        draft["chances"] = [[row[i] for i in kept] for row in draft["chances"]]


def name_check(corpus: Corpus) -> Callable[[str], bool]:
    """A function that tells whether a word, or a hashtag with its #, is a mention, a name of a corpus, or rare.

    A hashtag is also a name if a part of a name, of PART letters or more, stands anywhere in it: #prayforjane.
    """
    names = names_of(corpus.groups[AUTHOR].labels) if AUTHOR in corpus.groups else set()
    rare = rare_words(corpus)

    def is_name(word: str) -> bool:
        plain = _plain(word.lstrip("#@"))
        if word.startswith("@") or plain in names or plain in rare or BETWEEN.sub("", plain) in names:
            return True
        return word.startswith("#") and any(part in names for part in _within(BETWEEN.sub("", plain)))

    return is_name


def rare_words(corpus: Corpus) -> set[str]:
    """Words and hashtags that fewer than FEW authors use; none if the authors are not known."""
    if AUTHOR not in corpus.groups:
        return set()
    authors = corpus.groups[AUTHOR]
    pairs = [np.empty(0, np.int64)]
    for stream in corpus.streams.values():
        who = np.repeat(authors.codes, np.diff(stream.offsets)).astype(np.int64)
        pairs.append(np.unique(stream.words.astype(np.int64) * len(authors.labels) + who))
    users = np.bincount(np.unique(np.concatenate(pairs)) // len(authors.labels), minlength=len(corpus.vocabulary))
    return {_plain(clean(corpus.vocabulary[w])) for w in np.flatnonzero((users > 0) & (users < FEW)).tolist()}


def _plain(text: str) -> str:
    """Text as tokens are spelled: small letters, composed."""
    return unicodedata.normalize("NFC", text.lower())


def _within(word: str) -> Iterator[str]:
    return (word[i:j] for i in range(len(word)) for j in range(i + PART, len(word) + 1))


def names_of(labels: Iterable[object]) -> set[str]:
    """Names, their parts of at least two letters, and these parts joined.

    >>> sorted(names_of(["@jane_doe", "JohnSmith7"]))
    ['doe', 'jane', 'jane_doe', 'janedoe', 'john', 'johnsmith', 'johnsmith7', 'smith', 'smith7']
    """
    names: set[str] = set()
    for label in map(str, labels):
        label = unicodedata.normalize("NFC", label)
        apart = _plain(_at_capitals(label))
        names |= {_plain(label).lstrip("@"), *PARTS.findall(apart), *LETTERS.findall(apart)}
        names |= {BETWEEN.sub("", apart), "".join(LETTERS.findall(apart))}
    return names - {""}


def _at_capitals(name: str) -> str:
    """A name with a blank before each word that begins with a capital: JohnSmith, NASAFan."""
    pairs = zip(" " + name, name, name[1:] + " ", strict=False)
    return "".join(
        " " + c if c.isupper() and (not before.isupper() or after.islower()) else c for before, c, after in pairs
    )


def _label(label: str, is_name: Callable[[str], bool]) -> str:
    """A label of a topic without words that are names, or that hold a name: people write labels, too."""

    def hides(word: str) -> bool:
        bare = word.strip(",;:.!?()\"'")
        return is_name(bare) or any(map(is_name, PARTS.findall(_at_capitals(bare))))

    return " ".join(HIDDEN if hides(word) else word for word in label.split(" "))
