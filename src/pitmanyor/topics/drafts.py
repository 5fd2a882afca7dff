"""New posts as a corpus, read in the same way as the posts of the fit."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import fields
from typing import Any

from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.reading import read
from pitmanyor.reading.options import TextOptions
from pitmanyor.results.fitted import Fitted

Post = str | Sequence[str]
KEEP: dict[str, Any] = {"duplicates": "keep", "missing_author": "keep", "min_tokens": 0}  # a document for every post


def as_corpus(fit: Fitted, posts: Sequence[Post], author: Hashable | None = None) -> Corpus:
    """Posts of one author, or of an unknown one. A post is a text, or a list of tokens that is used as it is."""
    check_posts(posts)
    labels = None if author is None else {"author": [author] * len(posts)}
    if not isinstance(posts[0], str):
        return Corpus.from_tokens({fit.stream().name: [list(post) for post in posts]}, groups=labels)
    columns: dict[str, Any] = {"text": list(posts)}
    if author is not None:
        columns["author"] = [author] * len(posts)
    return read(columns, text="text", author="author" if labels else False, **KEEP, **_text_options(fit))


def check_posts(posts: Sequence[Post]) -> None:
    if isinstance(posts, str) or not posts:
        raise PlanError(f"posts are a list of texts or of token lists, at least one, not {posts!r}")
    if len({isinstance(post, str) for post in posts}) > 1:
        raise PlanError("some posts are texts and some are token lists; give all of one kind")


def _text_options(fit: Fitted) -> dict[str, Any]:
    """The text options that the corpus of the fit was read with; none if it was not read."""
    said = fit.corpus.report.options if fit.corpus.report else {}
    return {field.name: said[field.name] for field in fields(TextOptions) if field.name in said}
