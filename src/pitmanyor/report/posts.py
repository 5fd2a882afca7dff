"""The posts of the page: texts with the topic of each word."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.insight import representative
from pitmanyor.report.clean import clean
from pitmanyor.report.spans import Span, align, units
from pitmanyor.report.texts import Texts
from pitmanyor.report.topics import SMALL
from pitmanyor.report.view import Atlas

MOST_POSTS = 10_000
MOST_BYTES = 4_000_000  # of text: with it, packed, a page stays below 3 MB
LONGEST = 600  # characters shown of a post
PER_TOPIC, FEW = 40, 10
SIGNS = {"hashtag": "#"}


def post_facts(atlas: Atlas, texts: Texts, authors: NDArray[np.int64] | None) -> dict[str, Any]:
    """Posts as lists: text, and [start, length, topic, ...] of its tokens; for each topic those that show it best.

    `authors` has the page's number of each document's author.
    """
    sizes = [PER_TOPIC if share >= SMALL else FEW for share in atlas.shares]
    shown_best = [representative(atlas.fit, group[0], n) for group, n in zip(atlas.members, sizes, strict=True)]
    chosen = choose(atlas, shown_best)
    posts, kept, size = [], {}, 0
    for d in chosen:
        text, marks = marked(atlas, d, None if texts.values is None else texts.values[d])
        size += len(text.encode())
        if size > MOST_BYTES:
            break
        kept[d] = len(posts)
        posts.append([text, marks])
    best = [[kept[int(d)] for d in some if int(d) in kept] for some in shown_best]
    documents = np.array(list(kept), np.int64)
    out: dict[str, Any] = {"posts": posts, "best": best, "of": atlas.fit.corpus.n_documents, "said": texts.said}
    if authors is not None:
        out["authors"] = authors[documents].tolist()
    times = atlas.fit.corpus.times
    if times is not None:
        minutes = times[documents].astype("datetime64[m]")
        out["minutes"] = [None if np.isnat(t) else int(t.astype(np.int64)) for t in minutes]
    return out


def choose(atlas: Atlas, best: list[Any]) -> list[int]:
    """Documents to show, as many as fit: first those that show a topic best, in turn, then others evenly."""
    n = atlas.fit.corpus.n_documents
    turns = (int(some[i]) for i in range(PER_TOPIC) for some in best if i < len(some))
    every = np.argsort(np.arange(n) * 0.6180339887498949 % 1.0, kind="stable").tolist()  # any first part is even
    return list(dict.fromkeys([*turns, *every]))[:MOST_POSTS]


def marked(atlas: Atlas, document: int, text: str | None) -> tuple[str, list[int]]:
    """The text of a document, and where the tokens of each topic are in it. Tokens not in the text come after it."""
    found: list[tuple[Span, int]] = []
    missing: list[tuple[str, int]] = []
    streams = atlas.fit.corpus.streams
    for name, topics in sorted(atlas.topics.items(), key=lambda item: item[0] != atlas.main):
        part = slice(*streams[name].offsets[document : document + 2])
        tokens = [atlas.fit.corpus.vocabulary[w] for w in streams[name].words[part]]
        tagged = name == "hashtag" if "hashtag" in streams else None
        places = align(text, tokens, tagged) if text is not None else [None] * len(tokens)
        for token, place, topic in zip(tokens, places, topics[part].tolist(), strict=True):
            if place is not None:
                found.append((place, topic))
            elif text is None or name != atlas.main:
                missing.append((clean(SIGNS.get(name, "") + token), topic))
    shown = text or ""
    for token, topic in missing:
        start = len(shown) + bool(shown)
        shown = f"{shown} {token}" if shown else token
        found.append((Span(start, start + len(token)), topic))
    return _cut(shown, found)


def _cut(text: str, found: list[tuple[Span, int]]) -> tuple[str, list[int]]:
    """The beginning of a long text, with marks as browsers count characters, none over another."""
    if len(text) > LONGEST:
        text, found = text[: LONGEST - 1] + "\u2026", [one for one in found if one[0].end < LONGEST]
    found.sort()
    apart = [one for before, one in zip([None, *found], found, strict=False) if _after(one, before)]
    marks: list[int] = []
    for span, (_, topic) in zip(units(text, [span for span, _ in apart]), apart, strict=True):
        marks += [span.start, span.end - span.start, topic]
    return text, marks


def _after(one: tuple[Span, int], before: tuple[Span, int] | None) -> bool:
    return before is None or one[0].start >= before[0].end
