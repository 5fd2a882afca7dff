"""Automatic names of topics: hashtags that enough of its posts have, otherwise words."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pitmanyor.results.posterior import Posterior
from pitmanyor.topics.counts import WordTable, WordTables, document_counts, seated, streams_of

Ints = NDArray[np.int64]
By = Literal["lift", "probability"]
TAGS = "hashtag"
SEEN = 2  # occurrences in a topic that a tag or word needs to name it: one may be chance
FAIR = 0.1  # share of the posts with this main topic that must have one of the tags
EACH = 0.02  # ... and each single tag
EMPTY = "(empty)"
ROUNDING = 1e-9  # tolerance of log(p/q) > 0


def automatic_names(fit: Posterior, members: list[tuple[int, ...]], n: int, by: By, tables: WordTables) -> list[str]:
    """A name for every group of topics. By lift, hashtags are used only if they cover a fair share of its posts."""
    streams = streams_of(fit)
    if not streams:  # a fit of links alone has nothing to name topics by
        return [f"topic {group[0]}" for group in members]
    names, main = [EMPTY] * len(members), _main_documents(fit, members)
    # Tags come last, because they replace words.
    for stream in sorted(streams, key=lambda name: (name == TAGS, name == "word")):
        if stream not in (TAGS, "word") and "word" in streams:
            continue
        sign, comma = ("#", " ") if stream == TAGS else ("", ", ")
        for i, (apart, likely) in enumerate(_best(fit.words_of(stream), tables[stream], members, n)):
            words = apart if by == "lift" else likely
            if stream == TAGS and by == "lift":
                words = _common(fit, members[i], words, main[i])
            if not words and names[i] == EMPTY:
                words = likely  # nothing is distinctive; its likeliest words are better than no name
            if words:
                names[i] = comma.join(sign + word for word in words)
    return names


def _best(
    words: list[str], table: WordTable, members: list[tuple[int, ...]], n: int
) -> list[tuple[list[str], list[str]]]:
    """The n most distinctive words of a stream for every group of topics, and its n most likely words."""
    grouped, everywhere = table.pooled(members)
    out = []
    for p, group in zip(grouped, members, strict=True):
        seen = np.flatnonzero(table.tokens[list(group)].sum(axis=0) >= SEEN)
        lift = np.log(p[seen] / everywhere[seen])
        own = lift > ROUNDING
        apart = seen[own][np.argsort(-(p[seen] * lift)[own], kind="stable")[:n]]
        likely = seen[np.argsort(-p[seen], kind="stable")[:n]]
        out.append(([words[w] for w in apart], [words[w] for w in likely]))
    return out


def _main_documents(fit: Posterior, members: list[tuple[int, ...]]) -> list[Ints]:
    """For every group of topics, the documents in which it has the most tokens."""
    place = np.empty(fit.n_topics, np.int64)
    for i, group in enumerate(members):
        place[list(group)] = i
    pairs = document_counts(fit.state.plan, place[fit.state.text.topic], len(members))
    order = np.lexsort((-pairs.tokens, pairs.document))
    documents, first = np.unique(pairs.document[order], return_index=True)
    main = pairs.topic[order][first]
    return [documents[main == i] for i in range(len(members))]


def _common(fit: Posterior, group: tuple[int, ...], tags: list[str], documents: Ints) -> list[str]:
    """The tags that are not stray ones; none if together they cover too few documents."""
    kept = [tag for tag in tags if _coverage(fit, group, [tag], documents) >= EACH]
    return kept if kept and _coverage(fit, group, kept, documents) >= FAIR else []


def _coverage(fit: Posterior, group: tuple[int, ...], tags: list[str], documents: Ints) -> float:
    """Share of these documents that have one of the tags as a token of the group."""
    if not len(documents):
        return 0.0
    tokens, words = seated(fit, TAGS), fit.words_of(TAGS)
    columns = [words.index(tag) for tag in tags]
    here = np.isin(tokens.topic, group) & np.isin(tokens.word, columns)
    return float(np.isin(documents, tokens.document[here]).mean())
