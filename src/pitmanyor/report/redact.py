"""Names of authors taken out of everything else that a page tells: words, hashtags and labels may be names too."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pitmanyor.corpus import Corpus
from pitmanyor.report.people import AUTHOR

HIDDEN = "(name)"
WORDS = re.compile(r"\w{3,}")


def without_names(facts: dict[str, Any], corpus: Corpus) -> None:
    """Drop words that are mentions, names of authors or parts of such names, in place."""
    names = names_of(corpus)

    def is_name(word: str) -> bool:
        return word.startswith("@") or word.lstrip("#@").lower() in names

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


def names_of(corpus: Corpus) -> set[str]:
    """The names of all authors, and the words that they are made of."""
    if AUTHOR not in corpus.groups:
        return set()
    labels = [str(label).lower().lstrip("@") for label in corpus.groups[AUTHOR].labels]
    return {*labels, *(part for label in labels for part in WORDS.findall(label))}


def _label(label: str, is_name: Callable[[str], bool]) -> str:
    return " ".join(HIDDEN if is_name(word.strip(",")) else word for word in label.split(" "))
