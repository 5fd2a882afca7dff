"""Posterior means over the kept states of a chain, in the topics of its last state (appendix B of the maths).

Topic indices are not identified across states (label switching), so every state is relabelled first: each of its topics
counts as the topic shown that most of its tokens have (`aligned`). On the topic side, columns of topics that count as
one are added. Word distributions of topics are averaged by their numbers of tokens, so that a state in which a topic is
a fragment says little about its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pitmanyor.evaluate.matching import aligned
from pitmanyor.graph import Node
from pitmanyor.results.posterior import Posterior
from pitmanyor.state.mean_blocks import mean_blocks
from pitmanyor.state.means import NewTopic, mean, mix_weight, n_rows
from pitmanyor.state.state import State

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
REMEMBERED = 1 << 28  # largest mean in bytes that is kept for the next time
SUMMED = 8  # blocks of documents that are summed together, because unpacking a state takes time


class Averages:
    """Means over states, as `Posterior.mean` has them of one. `shown` has the topics that they are expressed in."""

    def __init__(self, shown: Posterior, states: Sequence[Posterior]) -> None:
        self.shown, self.states = shown, states
        self._made: dict[tuple[str, NewTopic], Floats] = {}
        self._places: list[Ints] | None = None

    def mean(self, node: str, new_topic: NewTopic) -> Floats:
        """The mean of a node: one row per instance of its plate, one column per topic or word."""
        if new_topic == "discard":
            return self._without_new(node)
        key = node, new_topic if self._on_topic_side(node) else "keep"
        if key in self._made:
            return self._made[key].copy()
        made = self._mean(node, new_topic)
        if made.nbytes <= REMEMBERED:
            self._made[key] = made.copy()
        return made

    def mix_weight(self, node: Node) -> Floats:
        """The mean of the weights with which a node mixes its parents, one row per instance."""
        return self._of_rows(node, lambda state: mix_weight(state, node))

    def document_blocks(self, leaf: str, size: int) -> Iterator[tuple[int, Floats]]:
        """Means of a topic node by document, `size` documents at a time, without the mass of unseen topics.

        With every block comes the number of its first document.
        """
        n_documents = self.shown.state.plan.n_documents
        for start in range(0, n_documents, SUMMED * size):
            documents = slice(start, min(start + SUMMED * size, n_documents))
            total = np.zeros((documents.stop - start, self.shown.n_topics))
            for state, place in self._relabelled():
                for here, rows in mean_blocks(state, leaf, size, documents):
                    _add_columns(total[here.start - start : here.stop - start], rows, place)
            for first in range(0, len(total), size):
                yield start + first, total[first : first + size] / len(self.states)

    def topic_shares(self) -> Floats:
        """Share of each topic in the tokens."""
        total = np.zeros(self.shown.n_topics)
        for state, place in self._relabelled():
            np.add.at(total, place, np.bincount(state.text.topic, minlength=state.n_topics))
        return np.asarray(total / total.sum())

    def _without_new(self, node: str) -> Floats:
        infinite = self._on_topic_side(node) and self.shown.state.plan.n_topics is None
        kept = self.mean(node, "keep")
        return kept[:, :-1] if infinite else kept

    def _on_topic_side(self, node: str) -> bool:
        return self.shown.state.plan.graph[node].side == "topic"

    def _mean(self, node: str, new_topic: NewTopic) -> Floats:
        what = self.shown.state.plan.graph[node]
        if what.side == "topic":
            return self._of_topics(node, new_topic)
        return self._of_rows(what, lambda state: mean(state, node))

    def _of_topics(self, node: str, new_topic: NewTopic) -> Floats:
        plan, n = self.shown.state.plan, self.shown.n_topics
        has_new = plan.n_topics is None and new_topic == "keep"
        total = np.zeros((n_rows(self.shown.state, plan.graph[node]), n + has_new))
        for state, place in self._relabelled():
            rows = mean(state, node, new_topic)
            _add_columns(total, rows[:, : len(place)], place)
            if has_new:
                total[:, -1] += rows[:, -1]
        return total / len(self.states)

    def _of_rows(self, node: Node, rows_of: Callable[[State], Floats]) -> Floats:
        """Means of rows of instances, or of instances and topics, where topics have their tokens as weights."""
        if not node.per_topic:
            return np.asarray(sum(rows_of(one.state) for one in self.states) / len(self.states))
        n, instances = self.shown.n_topics, n_rows(self.shown.state, node) // self.shown.n_topics
        total, weight = np.zeros((instances, n, 0)), np.zeros(n)
        for state, place in self._relabelled():
            rows = rows_of(state).reshape(instances, len(place), -1)
            total = total if total.size else np.zeros((instances, n, rows.shape[2]))
            tokens = np.bincount(state.text.topic, minlength=len(place)).astype(float)
            for topic in np.flatnonzero(tokens):
                total[:, place[topic]] += tokens[topic] * rows[:, topic]
            weight += np.bincount(place, weights=tokens, minlength=n)
        if (empty := weight == 0).any():
            total[:, empty] = rows_of(self.shown.state).reshape(total.shape)[:, empty]
        total /= np.where(empty, 1.0, weight)[:, None]
        return total.reshape(instances * n, -1)

    def _relabelled(self) -> Iterator[tuple[State, Ints]]:
        """Every state, with the topic shown that each of its topics counts as."""
        if self._places is None:
            self._places = [_place(self.shown, one) for one in self.states]
        for one, place in zip(self.states, self._places, strict=True):
            yield one.state, place


def _place(shown: Posterior, one: Posterior) -> Ints:
    """As `aligned`; a topic without tokens, which only models with a fixed number of topics have, counts as itself."""
    place = aligned(shown, one)
    return np.where(place < 0, np.minimum(np.arange(len(place)), shown.n_topics - 1), place)


def _add_columns(total: Floats, rows: Floats, place: Ints) -> None:
    """Add columns to the columns that they count as."""
    if len(np.unique(place)) == len(place):
        total[:, place] += rows
        return
    for column, at in enumerate(place.tolist()):
        total[:, at] += rows[:, column]
