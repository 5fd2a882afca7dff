"""What every panel of the page needs: topics by size, and the topic of every token."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus.parts import main_of
from pitmanyor.errors import PlanError
from pitmanyor.results.fitting import Fit
from pitmanyor.state.topic_sizes import is_large
from pitmanyor.topics.counts import WordTables, streams_of
from pitmanyor.topics.prevalences import Prevalence, prevalence
from pitmanyor.topics.topic_view import View, view

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Atlas:
    """A fit as the page shows it: topics by size, merged ones as one, without empty ones.

    `shown` are the topics of `topics.view` and `tables` their words, both computed once for the whole page. `order`
    has, for each topic of the page, its place in `topics.view`, which `spread` refers to as well. `members[i]` are the
    fitted topics of the page's topic i, and `place[k]` is the page's topic of fitted topic k, or -1. `topics` has the
    page's topic of every token, by stream, in the order of the corpus.
    """

    fit: Fit
    shown: View
    tables: WordTables
    spread: Prevalence
    order: list[int]
    members: list[list[int]]
    place: Ints
    topics: dict[str, Ints]
    _rows: dict[str, tuple[Floats, list[str]]] = field(default_factory=dict, init=False)

    @property
    def n_topics(self) -> int:
        return len(self.members)

    @cached_property
    def counts(self) -> Ints:
        """Number of tokens of every topic."""
        return sum((np.bincount(t, minlength=self.n_topics) for t in self.topics.values()), np.zeros(1, np.int64))

    @property
    def names(self) -> list[str]:
        return [self.spread.names[i] for i in self.order]

    @property
    def shares(self) -> Floats:
        """Shares of the tokens: means over kept states, if there are enough of them."""
        return np.asarray(self.spread.shares[0, self.order])

    @cached_property
    def large(self) -> NDArray[np.bool_]:
        """Which topics are large; the others are folded away, unless there is no large one."""
        large = is_large(self.counts)
        return large if large.any() else np.ones_like(large)

    @cached_property
    def found(self) -> list[int] | None:
        """Number of chains that found each topic; None for a single chain."""
        shared = self.fit.shared_topics
        return None if shared is None else [shared.least(members) for members in self.members]

    @property
    def main(self) -> str:
        """The stream of words, otherwise the first."""
        return main_of(self.topics)

    def word_rows(self, stream: str) -> tuple[Floats, list[str]]:
        """Word distributions of every topic in a stream, one row each, and the words.

        Streams may share a vocabulary; only words that occur in this stream are included.
        """
        if stream not in self._rows:
            table, words, used = self.tables[stream], self.fit.words_of(stream), self.fit.occurring(stream)
            phi, weight = table.mean[:, used], table.tokens.sum(axis=1) + 1e-9
            rows = [np.average(phi[group], axis=0, weights=weight[group]) for group in self.members]
            self._rows[stream] = np.array(rows), [words[w] for w in used]
        return self._rows[stream]

    def fold(self, rows: Floats) -> Floats:
        """Sum columns by fitted topic to columns by topic of the page."""
        return np.stack([rows[..., group].sum(axis=-1) for group in self.members], axis=-1)


def atlas_of(fit: Fit) -> Atlas:
    if not fit.graph.streams:
        raise PlanError("this run has no text, so there are no topics to show; a report needs a model with tokens")
    if fit.n_sweeps == 0:
        raise PlanError("this run has no sweeps yet; resume it first: pitmanyor resume RUN")
    tables = WordTables(fit)
    shown = view(fit, tables=tables)
    spread, topics = prevalence(fit, shown=shown), fit.all_token_topics()
    found = {name: topics[name] for name in streams_of(fit)}
    counts = np.bincount(shown.place[np.concatenate(list(found.values()))], minlength=len(shown.members))
    order = [i for i in np.argsort(-spread.shares[0], kind="stable").tolist() if counts[i]]
    place = np.full(fit.n_topics, -1, np.int64)
    for i, group in enumerate(order):
        place[list(shown.members[group])] = i
    return Atlas(
        fit=fit,
        shown=shown,
        tables=tables,
        spread=spread,
        order=order,
        members=[list(shown.members[i]) for i in order],
        place=place,
        topics={name: place[topics] for name, topics in found.items()},
    )
