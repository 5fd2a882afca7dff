"""New documents in the words and labels of a fitted plan."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus, Grouping, Stream
from pitmanyor.corpus.parts import frozen
from pitmanyor.plan import Plan
from pitmanyor.plan.instances import check_plates, find_instances, groupings
from pitmanyor.plan.tokens import order_tokens


@dataclass(frozen=True, eq=False)
class Adapted:
    """The plan of the new documents, and what the fit does not know: tokens by stream, labels by grouping."""

    plan: Plan
    n_dropped: dict[str, int]
    n_unknown: dict[str, int]


def adapt(fitted: Plan, corpus: Corpus) -> Adapted:
    """Plan for new documents, with the words and labels of the fit first. Streams and groups may be missing."""
    streams, dropped = {}, {}
    for stream in fitted.graph.streams:
        known = fitted.words[stream.emit]
        streams[stream.name], dropped[stream.name] = _known_words(fitted.corpus, corpus, stream.name, known)
    names = dict.fromkeys(name for node in fitted.nodes for name in groupings(node))
    groups = {name: _labelled(fitted.corpus.groups[name], corpus, name, len(names) > 1) for name in names}
    unknown = {name: len(group.labels) - len(fitted.corpus.groups[name].labels) for name, group in groups.items()}
    adapted = Corpus(fitted.corpus.vocabulary, streams, groups)
    return Adapted(_plan(fitted, adapted), dropped, unknown)


def _plan(fitted: Plan, corpus: Corpus) -> Plan:
    """As `compile_plan`, but word nodes keep the words that they were fitted with."""
    graph, words = fitted.graph, fitted.words
    instances = find_instances(graph, corpus)
    check_plates(graph, instances)
    return Plan(graph, corpus, instances, words, order_tokens(graph, corpus, words))


def _known_words(old: Corpus, new: Corpus, name: str, known: NDArray[np.int64]) -> tuple[Stream, int]:
    """A stream in the fitted vocabulary, and the number of its tokens that are not in it."""
    if name not in new.streams:
        return Stream(frozen([], np.int32), frozen(np.zeros(new.n_documents + 1), np.int64)), 0
    stream = new.streams[name]
    words = codes_of(old, new, known)[stream.words]
    kept = words >= 0
    offsets = np.append(0, np.cumsum(kept))[stream.offsets]
    return Stream(frozen(words[kept], np.int32), frozen(offsets, np.int64)), int((~kept).sum())


def codes_of(old: Corpus, new: Corpus, known: NDArray[np.int64]) -> NDArray[np.int32]:
    """For every word of the new vocabulary its number in the old one, or -1 if it is unknown."""
    place = {old.vocabulary[word]: word for word in known.tolist()}
    return np.fromiter(map(place.get, new.vocabulary, repeat(-1)), np.int32)


def _labelled(old: Grouping, new: Corpus, name: str, apart: bool) -> Grouping:
    """The grouping with the fitted labels first. Without a column for it every document has an unknown label.

    With `apart` every document has an unknown label of its own, which determines its other groups.
    """
    n = new.n_documents
    if name not in new.groups:
        fresh: list[Hashable] = [("unknown", d) for d in range(n if apart else 1)]
        codes = np.arange(n) if apart else np.zeros(n)
        return Grouping((*old.labels, *fresh), frozen(codes + len(old.labels), np.int32))
    place: dict[Hashable, int] = {label: i for i, label in enumerate(old.labels)}
    group = new.groups[name]
    used = np.unique(group.codes)
    table = np.full(len(group.labels), -1, np.int32)
    for code in used.tolist():
        table[code] = place.setdefault(group.labels[code], len(place))
    return Grouping(tuple(place), frozen(table[group.codes], np.int32))
