"""Topics and hashtags of drafts, for a page that is served."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pitmanyor.errors import PlanError
from pitmanyor.report.clean import clean
from pitmanyor.report.people import AUTHOR, order_of
from pitmanyor.report.view import Atlas
from pitmanyor.topics import recommend_tags
from pitmanyor.topics.drafts import as_corpus

LONGEST = 5_000  # characters of a draft
N_TAGS = 30


class Draft(NamedTuple):
    """A draft, and the page's number of its author."""

    text: str
    author: int | None


def parse(kind: str, body: bytes) -> Draft:
    """A draft from a request; a PlanError says what the request should be.

    >>> parse("application/json", b'{"text": "Goal!", "author": 3}')
    Draft(text='Goal!', author=3)
    """
    expected = 'send JSON such as {"text": "a draft", "author": null}'
    if kind.split(";")[0].strip().lower() != "application/json":
        raise PlanError(f"{expected}, and say so by Content-Type: application/json")
    try:
        said = json.loads(body)
        text, author = said["text"], said.get("author")
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise PlanError(expected) from None
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        raise PlanError(f"the text of a draft has 1 to {LONGEST:,} characters")
    if author is not None and type(author) is not int:
        raise PlanError("author is the number that the page has for an author, or null")
    return Draft(text.encode("utf-8", "replace").decode(), author)


class Inference:
    """Infer one draft at a time, because the sampler's threads are shared. `hidden` hashtags are not returned."""

    def __init__(self, atlas: Atlas, hidden: Callable[[str], bool] = lambda tag: False) -> None:
        self.atlas, self.hidden = atlas, hidden
        self.lock = threading.Lock()
        groups = atlas.fit.corpus.groups
        self.authors = [groups[AUTHOR].labels[a] for a in order_of(atlas).tolist()] if AUTHOR in groups else []

    def __call__(self, draft: Draft) -> dict[str, Any]:
        """Shares of the page's topics in a draft, and hashtags for it, the most likely first."""
        fit, who = self.atlas.fit, None
        if draft.author is not None:
            if not 0 <= draft.author < len(self.authors):
                raise PlanError(f"there is no author {draft.author}; leave it out, or choose one of the page")
            who = self.authors[draft.author]
        with self.lock:
            corpus = as_corpus(fit, [draft.text], who)
            found = fit.infer(corpus, threads=1)
            tags = recommend_tags(fit, draft.text, who, n=N_TAGS) if "hashtag" in self.atlas.topics else []
        n_tokens = sum(len(stream.words) for stream in corpus.streams.values())
        return {
            "shares": np.round(self.atlas.fold(found.shares)[0], 4).tolist(),
            "tags": [
                {"tag": clean(str(one.label)), "score": float(one.score)}
                for one in tags
                if not self.hidden(f"#{one.label}")
            ],
            "known": n_tokens - sum(found.n_dropped.values()),
            "tokens": n_tokens,
        }
