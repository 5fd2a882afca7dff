"""The posts of the page: texts with the topic of each word."""

from __future__ import annotations

import json
import re
import zlib
from typing import Any

import numpy as np

from pitmanyor.report.clean import clean
from pitmanyor.report.people import AUTHOR
from pitmanyor.report.spans import Span, align, cut, units
from pitmanyor.report.texts import Texts
from pitmanyor.report.view import Atlas
from pitmanyor.topics.represent import all_representative

MOST_POSTS = 10_000
MOST_BYTES = 1_600_000  # bytes of all posts, packed; the page stays below 3 MB
LONGEST = 600  # characters shown of a post
PER_TOPIC, FEW = 40, 10
SIGNS = {"hashtag": "#"}
ADDRESS = re.compile(r"(https?://\S{26})\S{3,}")  # longest address that is shown


def post_facts(atlas: Atlas, texts: Texts) -> dict[str, Any]:
    """Posts as [text, marks] (see `marked`), their authors and times, and the most typical ones of each topic."""
    found = all_representative(atlas.fit, PER_TOPIC, atlas.shown, atlas.tables)
    many = [PER_TOPIC if large else FEW for large in atlas.large]
    best = [found[i][:n] for i, n in zip(atlas.order, many, strict=True)]
    chosen = choose(atlas, best)
    posts = [list(marked(atlas, d, None if texts.values is None else texts.values[d])) for d in chosen]
    while (size := len(zlib.compress(json.dumps(posts).encode()))) > MOST_BYTES:
        posts = posts[: int(0.98 * len(posts) * MOST_BYTES / size)]
    kept = {d: i for i, d in enumerate(chosen[: len(posts)])}
    out: dict[str, Any] = {"posts": posts, "of": atlas.fit.corpus.n_documents, "said": texts.said}
    out["best"] = [[kept[d] for d in some if d in kept] for some in best]
    return out | _who_and_when(atlas, list(kept))


def _who_and_when(atlas: Atlas, documents: list[int]) -> dict[str, Any]:
    """Authors of these documents, as names and indices of names, and minutes since 1970, as far as they are known."""
    corpus = atlas.fit.corpus
    out: dict[str, Any] = {}
    if AUTHOR in corpus.groups:
        labels, codes = corpus.groups[AUTHOR].labels, corpus.groups[AUTHOR].codes
        used, numbers = np.unique(codes[documents], return_inverse=True)
        out |= {"names": [clean(str(labels[a])) for a in used], "authors": numbers.tolist()}
    if corpus.times is not None:
        minutes = corpus.times[documents].astype("datetime64[m]")
        out["minutes"] = [None if np.isnat(t) else int(t.astype(np.int64)) for t in minutes]
    return out


def choose(atlas: Atlas, best: list[Any]) -> list[int]:
    """Documents to show, as many as fit: first the most typical ones of each topic in turn, then others evenly."""
    n = atlas.fit.corpus.n_documents
    turns = (int(some[i]) for i in range(PER_TOPIC) for some in best if i < len(some))
    every = np.argsort(np.arange(n) * 0.6180339887498949 % 1.0, kind="stable").tolist()  # any prefix is evenly spread
    return list(dict.fromkeys([*turns, *every]))[:MOST_POSTS]


def marked(atlas: Atlas, document: int, text: str | None) -> tuple[str, list[int]]:
    """The text of a document, and its tokens as [start, length, topic, ...], each start relative to the end before it.

    Hashtags from a column of their own, which are not in the text, are appended to it.
    """
    text = None if text is None else ADDRESS.sub("\\1\u2026", text)
    found: list[tuple[Span, int]] = []
    missing: list[tuple[str, int]] = []
    streams, pieces = atlas.fit.corpus.streams, cut((text or "")[:LONGEST])
    for name, topics in sorted(atlas.topics.items(), key=lambda item: item[0] != atlas.main):
        part = slice(*streams[name].offsets[document : document + 2])
        tokens = [atlas.fit.corpus.vocabulary[w] for w in streams[name].words[part]]
        tagged = name == "hashtag" if "hashtag" in streams else None
        places = align(pieces, tokens, tagged)
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
    """The beginning of a long text, and its marks in UTF-16 units, as browsers count."""
    if len(text) > LONGEST:
        text, found = text[: LONGEST - 1] + "\u2026", [one for one in found if one[0].end < LONGEST]
    found.sort()
    spans = units(text, [span for span, _ in found])
    marks: list[int] = []
    end = 0
    for span, (_, topic) in zip(spans, found, strict=True):
        if span.start >= end:  # without overlaps
            marks += [span.start - end, span.end - span.start, topic]
            end = span.end
    return text, marks
