"""Estimates from one state of a chain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_methods
from pitmanyor.corpus.parts import main_of
from pitmanyor.errors import PlanError
from pitmanyor.graph import Node, Tokens
from pitmanyor.network.evidence import Evidence
from pitmanyor.sampling.link_parts import LinkParts, link_parts
from pitmanyor.sampling.link_prediction import link_probability, network_log_likelihood
from pitmanyor.state import State
from pitmanyor.state.means import NewTopic, mean, mix_weight

Floats = NDArray[np.float64]
Axes: TypeAlias = dict[str, list[Hashable]]
NEW_TOPIC = ("keep", "discard", "renormalise")


@checked_methods()
class Posterior:
    """One state of a chain: topics, posterior means, mixing weights."""

    def __init__(self, state: State, log_joint: float) -> None:
        self._state = state
        self.log_joint = log_joint

    @property
    def state(self) -> State:
        """Counts, topics and walks."""
        return self._state

    @property
    def n_topics(self) -> int:
        """Number of topics of the state, including small ones: rows of `topics` and columns of `mean`.

        Below a finite root, and once a network has joined, empty topics are included. `Fit.topic_count` has the number
        of large topics.
        """
        return self.state.n_topics

    @property
    def draws(self) -> list[Posterior]:
        """The states that predictions are averaged over: this one."""
        return [self]

    @property
    def weighted_draws(self) -> list[tuple[Posterior, float]]:
        """The same with their weights, which sum to one; those of no weight are left out."""
        return [(draw, 1.0 / len(self.draws)) for draw in self.draws]

    def _node(self, name: str) -> Node:
        if name not in self.state.plan.index:
            raise PlanError(f"no node {name!r}; this graph has {', '.join(self.state.plan.index)}")
        return self.state.plan.graph[name]

    def mean(self, node: str, new_topic: NewTopic = "keep") -> Floats:
        """Posterior mean of a node: one row per instance of its plate, one column per topic or word.

        Parameters
        ----------
        node
            Name of the node. `axes(node)` names the rows and columns.
        new_topic
            What to do with the column of unseen topics below a gem: "keep", "discard", or "renormalise", which removes
            it at the root so that rows sum to one.
        """
        self._node(node)
        if new_topic not in NEW_TOPIC:
            raise PlanError(f"new_topic must be one of {', '.join(NEW_TOPIC)}, not {new_topic!r}")
        return self._mean(node, new_topic)

    def _mean(self, node: str, new_topic: NewTopic) -> Floats:
        return mean(self.state, node, new_topic)

    def axes(self, node: str, new_topic: NewTopic = "keep") -> Axes:
        """Names and labels of the rows and columns of `mean(node)`.

        Parameters
        ----------
        node, new_topic
            As in `mean`.
        """
        what, plan = self._node(node), self.state.plan
        topics: list[Hashable] = list(range(self.n_topics))
        rows: list[Hashable] = list(range(plan.n_documents)) if what.local else list(plan.instances[node].labels)
        if what.per_topic:
            rows = [topic if label == () else (label, topic) for label in rows for topic in topics]
        columns: list[Hashable] = topics
        if what.side == "word":
            columns = [plan.corpus.vocabulary[w] for w in plan.words[node]]
        elif plan.n_topics is None and new_topic == "keep":
            columns = [*topics, "new"]
        return {" x ".join(what.plate) or "global": rows, "word" if what.side == "word" else "topic": columns}

    def mix_weight(self, node: str) -> Floats:
        """Posterior mean of the weights with which a node mixes its parents, one row per instance."""
        what = self._node(node)
        if len(what.parents) < 2:
            raise PlanError(f"{node!r} has {len(what.parents)} parents; only a mix of several has weights")
        return self._mix_weight(what)

    def _mix_weight(self, node: Node) -> Floats:
        return mix_weight(self.state, node)

    def topics(self, n_words: int = 10, stream: str | None = None) -> list[list[tuple[str, float]]]:
        """The most likely words of every topic, with their probabilities.

        Parameters
        ----------
        n_words
            Number of words per topic.
        stream
            Stream; by default the words.
        """
        return self.likeliest(self.topic_words(stream), n_words, stream)

    def likeliest(self, rows: Floats, n_words: int = 10, stream: str | None = None) -> list[list[tuple[str, float]]]:
        """The most likely words of each row of probabilities, among the words that occur in the stream.

        Parameters
        ----------
        rows
            Probabilities, with the columns of `topic_words`.
        n_words
            Number of words; fewer if the stream has fewer.
        stream
            Stream; by default the words.
        """
        words, columns = self.words_of(stream), self.occurring(stream)
        best = columns[np.argsort(-rows[:, columns], axis=1, kind="stable")[:, :n_words]]
        return [[(words[w], float(row[w])) for w in order] for row, order in zip(rows, best, strict=True)]

    def topic_words(self, stream: str | None = None) -> Floats:
        """Mean word distribution of every topic, one row per topic and one column per word of the stream."""
        return self.mean(self._shared_words(self.stream(stream).emit))

    @property
    def has_topic_words(self) -> bool:
        """Whether topics have word distributions; in a model of links alone they have none."""
        try:
            return bool(self.state.plan.n_tokens) and bool(self._shared_words(self.stream().emit))
        except PlanError:
            return False

    def topic_shares(self) -> Floats:
        """Share of each topic in the tokens of all streams."""
        topic = self.state.text.topic
        if not len(topic):
            raise PlanError("this model has links only: no token has a topic")
        return np.asarray(np.bincount(topic, minlength=self.n_topics) / len(topic))

    def words_of(self, stream: str | None = None) -> list[str]:
        """The words of the columns of `topic_words`."""
        plan = self.state.plan
        return [plan.corpus.vocabulary[word] for word in plan.words[self.stream(stream).emit]]

    def occurring(self, stream: str | None = None) -> NDArray[np.int64]:
        """Columns of `topic_words` whose words occur in the stream; streams may share a vocabulary."""
        plan, tokens = self.state.plan, self.stream(stream)
        return np.flatnonzero(np.isin(plan.words[tokens.emit], plan.corpus.streams[tokens.name].words))

    def token_topics(self, stream: str | None = None) -> NDArray[np.int64]:
        """The topic of every token of a stream, in the order of `corpus.streams[stream].words`."""
        return self.all_token_topics()[self.stream(stream).name]

    def all_token_topics(self) -> dict[str, NDArray[np.int64]]:
        """`token_topics` of all streams at once."""
        order, found = self.state.plan.order, {}
        source, stream = order.source, order.stream
        for s, tokens in enumerate(self.state.plan.graph.streams):
            at = np.flatnonzero(stream == s)
            found[tokens.name] = np.empty(len(at), np.int64)
            found[tokens.name][source[at]] = self.state.text.topic[at]
        return found

    def document_shares(self, stream: str | None = None) -> Floats:
        """Topic proportions of every fitted document: means of the node that a stream takes its topics from."""
        name = self.stream(stream).topic
        shares = self.mean(name, new_topic="renormalise")
        return shares if self._node(name).local else shares[self.state.plan.instances[name].of_document]

    def link_probability(
        self, i: Hashable | Sequence[Hashable], j: Hashable | Sequence[Hashable], links: str | None = None
    ) -> Floats:
        """Probability of a link from i to j.

        Parameters
        ----------
        i, j
            Labels, or lists of them of equal length.
        links
            Link set, if the model has several.
        """
        sources, targets = _ends("link_probability", i, j)
        return self._link_probability(sources, targets, links)

    def _link_probability(self, sources: Sequence[Hashable], targets: Sequence[Hashable], links: str | None) -> Floats:
        return link_probability(self.state, sources, targets, links)

    def link_parts(
        self, i: Hashable | Sequence[Hashable], j: Hashable | Sequence[Hashable], links: str | None = None
    ) -> LinkParts:
        """What words, links, popularity, activity and reciprocity add to the score of a link from i to j.

        Parameters
        ----------
        i, j
            Labels, or lists of them of equal length.
        links
            Link set, if the model has several.
        """
        sources, targets = _ends("link_parts", i, j)
        return self._link_parts(sources, targets, links)

    def _link_parts(self, sources: Sequence[Hashable], targets: Sequence[Hashable], links: str | None) -> LinkParts:
        return link_parts(self.state, sources, targets, links)

    def network_log_likelihood(self, links: str | None = None, *, seed: int = 0, n_draws: int = 400) -> Evidence:
        """log p(links | vectors) with the random function integrated out, and its standard error (maths 6).

        Parameters
        ----------
        links
            Link set, if the model has several.
        seed
            Random seed.
        n_draws
            Number of importance samples.
        """
        return network_log_likelihood(self.state, links, seed, n_draws)

    def stream(self, name: str | None = None) -> Tokens:
        """The stream of that name; by default the words, otherwise the first stream."""
        streams = {tokens.name: tokens for tokens in self.state.plan.graph.streams}
        name = name or main_of(streams)
        if name not in streams:
            raise PlanError(f"no stream {name!r}; this graph has {', '.join(streams)}")
        return streams[name]

    def _shared_words(self, emit: str) -> str:
        """The topic's word distribution: the closest ancestor of the emitting node that is repeated per topic alone."""
        graph = self.state.plan.graph
        queue = [emit]
        while queue:
            name = queue.pop(0)
            if graph[name].plate == ("topic",):
                return name
            queue.extend(graph[name].parents)
        raise PlanError(f"no node above {emit!r} is per topic alone, so topics have no word lists of their own")


def _ends(
    what: str, i: Hashable | Sequence[Hashable], j: Hashable | Sequence[Hashable]
) -> tuple[Sequence[Hashable], Sequence[Hashable]]:
    """Sources and targets as lists of equal length."""
    sources, targets = ([side] if isinstance(side, str) or not isinstance(side, Sequence) else side for side in (i, j))
    if len(sources) != len(targets):
        raise PlanError(f"{what} needs as many sources as targets; got {len(sources)} and {len(targets)}")
    return sources, targets


class Traced(Posterior, ABC):
    """A state and the chain that led to it."""

    @property
    @abstractmethod
    def trace(self) -> Mapping[str, Floats]:
        """One value per sweep, by name."""

    @property
    @abstractmethod
    def n_sweeps(self) -> int:
        """Sweeps of the chain."""

    @property
    @abstractmethod
    def seconds(self) -> float:
        """How long they took."""

    @property
    def burnt_share(self) -> float:
        """Share of the sweeps (with links, of those since they joined) that belongs to the burn-in."""
        return 0.5

    @property
    def chains(self) -> Sequence[Traced]:
        """The chains of a fit of several; otherwise this one alone."""
        return [self]
