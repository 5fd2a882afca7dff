"""The outline of a corpus: its plan without its tokens, so that it is as large as the model and not as the corpus.

Cells, contexts and instances follow from which groups, words and pairs of them occur, not from how often. So the plan
is compiled over a small corpus that has one document for every combination of groups, with each of its words once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus, Grouping, Stream
from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph
from pitmanyor.plan import Plan, compile_plan
from pitmanyor.plan.instances import groupings
from pitmanyor.shards.cut import document_lengths, part_of

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Outline(Plan):
    """A plan whose documents stand for all that have the same groups; sizes are those of the corpus itself."""

    combinations: Ints  # of groups, by number, sorted: document i of the outline has the i-th
    sizes: tuple[int, int, int, int]  # documents, tokens, tokens of the longest document, of the commonest word

    @property
    def has_all_tokens(self) -> bool:
        return False

    @property
    def n_documents(self) -> int:
        return self.sizes[0]

    @property
    def n_tokens(self) -> int:
        return self.sizes[1]

    @property
    def longest(self) -> int:
        return self.sizes[2]

    @property
    def commonest(self) -> int:
        return self.sizes[3]


def draw_outline(graph: Graph, corpus: Corpus, bounds: Ints) -> Outline:
    """The outline of a corpus, one shard after the other; only what has been met so far is kept."""
    graph.validate()
    used = [stream.name for stream in graph.streams if stream.name in corpus.streams]
    seen = _Seen(graph, corpus)
    for start, stop in zip(bounds[:-1], bounds[1:], strict=True):
        seen.add(int(start), int(stop))
        corpus.release()
    small = seen.corpus()
    plan = compile_plan(graph, small)
    lengths = document_lengths(corpus, used)
    sizes = (len(lengths), int(lengths.sum()), int(lengths.max(initial=0)), _commonest(plan, seen.counts))
    return Outline(plan.graph, small, plan.instances, plan.words, plan.order, seen.combinations, sizes)


def _commonest(plan: Plan, counts: dict[str, Ints]) -> int:
    total = np.zeros(max(len(words) for words in plan.words.values()), np.int64)
    for stream in plan.graph.streams:
        words = plan.words[stream.emit]
        total[: len(words)] += counts[stream.name][words]
    return int(total.max(initial=0))


def combination_of(graph: Graph, groups: Mapping[str, Grouping], documents: slice) -> Ints:
    """The number of the combination of groups that each document has, of those that shared nodes are on plates of."""
    key = np.zeros(documents.stop - documents.start, np.int64)
    for name in group_names(graph, groups):
        key = key * len(groups[name].labels) + groups[name].codes[documents]
    return key


def group_names(graph: Graph, groups: Mapping[str, Grouping]) -> list[str]:
    """The groups on whose plates shared nodes are."""
    return sorted({name for node in graph.nodes if not node.local for name in groupings(node)} & set(groups))


class _Seen:
    """Combinations of groups, words and pairs of them that have been met so far."""

    def __init__(self, graph: Graph, whole: Corpus) -> None:
        self.graph, self.whole, self.n_words = graph, whole, len(whole.vocabulary)
        self.combinations = np.zeros(0, np.int64)
        self.in_pairs = any(node.side == "word" and groupings(node) and not node.local for node in graph.nodes)
        self.counts = {name: np.zeros(self.n_words, np.int64) for name in whole.streams}
        self.pairs: dict[str, list[tuple[Ints, Ints]]] = {name: [] for name in whole.streams}
        sizes = [len(whole.groups[name].labels) for name in group_names(graph, whole.groups)]
        if np.prod([float(n) for n in sizes]) >= 2.0**62:
            raise PlanError("the groups of this corpus have more combinations than can be numbered; use fewer plates")

    def add(self, start: int, stop: int) -> None:
        key = combination_of(self.graph, self.whole.groups, slice(start, stop))
        self.combinations = np.union1d(self.combinations, key)
        for name, stream in self.whole.streams.items():
            part = part_of(stream, start, stop)
            self.counts[name] += np.bincount(part.words, minlength=self.n_words)
            if self.in_pairs:
                self.pairs[name] = [_distinct(self.pairs[name], np.repeat(key, part.lengths), part.words)]

    def corpus(self) -> Corpus:
        """One document for each combination; where pairs do not matter the first has all words."""
        n_documents, groups, rest = len(self.combinations), {}, self.combinations
        names = group_names(self.graph, self.whole.groups)
        for name in reversed(names):
            grouping = self.whole.groups[name]
            groups[name] = Grouping(grouping.labels, (rest % len(grouping.labels)).astype(np.int32))
            rest = rest // len(grouping.labels)
        for name, grouping in self.whole.groups.items():
            groups.setdefault(name, Grouping(grouping.labels, np.zeros(n_documents, np.int32)))
        streams = {name: self._stream(name) for name in self.whole.streams}
        whole = replace(self.whole, streams=MappingProxyType(streams), groups=MappingProxyType(groups))
        return replace(whole, times=None, rows=None, ids=None)

    def _stream(self, name: str) -> Stream:
        if self.in_pairs:
            keys, words = self.pairs[name][0]
            firsts = np.searchsorted(keys, self.combinations)
            return Stream(words.astype(np.int32), np.append(firsts, len(words)).astype(np.int64))
        found = np.flatnonzero(self.counts[name])
        offsets = np.full(len(self.combinations) + 1, len(found), np.int64)
        offsets[0] = 0
        return Stream(found.astype(np.int32), offsets)


def _distinct(before: list[tuple[Ints, Ints]], keys: Ints, words: NDArray[np.int32]) -> tuple[Ints, Ints]:
    """The distinct pairs of a combination and a word, sorted."""
    keys = np.concatenate([*(one for one, _ in before), keys])
    both = np.concatenate([*(two for _, two in before), words.astype(np.int64)])
    order = np.lexsort((both, keys))
    keys, both = keys[order], both[order]
    new = np.ones(len(keys), bool)
    new[1:] = (np.diff(keys) != 0) | (np.diff(both) != 0)
    return keys[new], both[new]
