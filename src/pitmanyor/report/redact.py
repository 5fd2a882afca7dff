"""Names of authors taken out of everything else that a page tells: words, hashtags and labels may be names too."""

from __future__ import annotations

from typing import Any

from pitmanyor.corpus import Corpus
from pitmanyor.report.people import AUTHOR

HIDDEN = "(name)"


def without_names(facts: dict[str, Any], corpus: Corpus) -> None:
    """Drop words that are mentions or names of authors, in place."""
    names = (
        {str(label).lower().lstrip("@") for label in corpus.groups[AUTHOR].labels} if AUTHOR in corpus.groups else set()
    )

    def is_name(word: str) -> bool:
        return word.startswith("@") or word.lstrip("#@").lower() in names

    for topic in facts["topics"]:
        for kind in ("words", "tags"):
            topic[kind] = [entry for entry in topic.get(kind, []) if not is_name(entry[0])]
        topic["label"] = _label(topic["label"], is_name)
    facts["families"] = [_label(name, is_name) for name in facts["families"]]
    draft = facts["draft"]
    draft["words"] = {word: topics for word, topics in draft["words"].items() if not is_name(word)}
    kept = [i for i, tag in enumerate(draft.get("tags", [])) if not is_name(tag)]
    if "tags" in draft:
        draft["tags"] = [draft["tags"][i] for i in kept]
        draft["chances"] = [[row[i] for i in kept] for row in draft["chances"]]


def _label(label: str, is_name: Any) -> str:
    words = [HIDDEN if is_name(word.strip(",")) else word for word in label.split(" ")]
    return " ".join(words)
