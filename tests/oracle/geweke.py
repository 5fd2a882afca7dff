"""Geweke's joint test: the prior, and a chain that updates everything given the words and then the words.

Marginal-conditional draws seat everybody straight from the prior. The successive-conditional chain alternates the real
sweep, the real concentrations and discounts, and words drawn anew given the topics. If each leaves the posterior alone,
both have the same means. Word-side nodes must have a cell for every word: no plate of documents' groups, no words that
are few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from oracle.bridge import lay, local_counts, oracle_order, shared_counts
from oracle.pmf import Count
from oracle.simulated import counts_of
from oracle.states import Place, make_state
from pitmanyor import Sampler
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Beta, Graph
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.concentrations import Measures, concentration_of, sample_concentrations
from pitmanyor.sampling.discounts import sample_discounts
from pitmanyor.sampling.split_merge import Kernel, SplitMerge
from pitmanyor.sampling.sweeps import Sweep, Sweeper, initialise
from pitmanyor.simulation import Restaurants
from pitmanyor.simulation.plates import Plates
from pitmanyor.state import State, new_state
from pitmanyor.state.discount_values import discount_of

Rows = NDArray[np.float64]
WORDS = ["a", "b", "c", "d"]
AUTHORS = ["ann", "bob", "ann", "bob"]


@dataclass(frozen=True)
class Shape:
    """Documents of so many tokens a stream, by two authors, over four words."""

    graph: Graph
    n_documents: int = 4
    n_tokens: int = 3

    def corpus(self) -> Corpus:
        texts = {s.name: [WORDS[: self.n_tokens]] * self.n_documents for s in self.graph.streams}
        return Corpus.from_tokens(texts, {"author": AUTHORS[: self.n_documents]}, vocabulary=WORDS)

    def restaurants(
        self, rng: Random, concentrations: dict[str, float] | None = None, discounts: dict[str, float] | None = None
    ) -> Restaurants:
        plates = Plates.labelled(self.n_documents, {"author": AUTHORS[: self.n_documents]})
        words = {"vocabulary": range(len(WORDS))}
        return Restaurants(self.graph, plates, words, concentrations, rng=rng, discounts=discounts)


def _statistics(
    graph: Graph, counts: dict[Place, Count], b: dict[str, float], a: dict[str, float], words: list[list[int]]
) -> list[float]:
    """Topics; customers, tables, concentration and discount of every node; shares of word 0 and of its repeats."""
    topics = {dish for name, _, dish in counts if graph[name].side == "topic"}
    out = [float(len(topics))]
    for node in graph.nodes:
        mine = [count for place, count in counts.items() if place[0] == node.name]
        out += [float(sum(c for c, _, _ in mine)), float(sum(t for _, t, _ in mine))]
        out += [float(sum(c * c for c, _, _ in mine)), b[node.name] / (1.0 + b[node.name])]
        if isinstance(node.discount, Beta):
            out += [a[node.name], a[node.name] ** 2, a[node.name] * out[-3]]
    repeats = sum(len(document) - len(set(document)) for document in words)
    zeros = [document.count(0) for document in words]
    return [*out, float(sum(zeros)), float(sum(zeros) ** 2), float(repeats)]


def marginal(shape: Shape, n_draws: int, seed: int) -> Rows:
    """Independent draws from the prior."""
    rng, rows = Random(seed), []
    graph = shape.graph
    for _ in range(n_draws):
        houses = shape.restaurants(rng)
        topics = {s.name: [[] for _ in range(shape.n_documents)] for s in graph.streams}
        for d in range(shape.n_documents):
            for stream in graph.streams:
                topics[stream.name][d] = [houses.seat(stream.topic, d) for _ in range(shape.n_tokens)]
        drawn = houses.draw_words(topics)
        words = [w.tolist() for documents in drawn.values() for w in documents]
        b = {name: float(value) for name, value in houses.concentrations.items()}  # type: ignore[arg-type]
        rows.append(_statistics(graph, counts_of(houses), b, houses.discounts, words))
    return np.array(rows)


def successive(
    shape: Shape, sweep: Sweep, n_steps: int, seed: int, anchors: float = 0.5, kernels: Sequence[Kernel] = ()
) -> Rows:
    """The chain: sweep, a split or merge by each of `kernels`, concentrations, discounts, words."""
    rng, rows = Random(seed), []
    state = new_state(compile_plan(shape.graph, shape.corpus()))
    initialise(state, (seed, 0, 0))
    sweeper, measures = Sweeper(state, sweep, anchors=anchors, passes=Sampler().passes), Measures(state)
    moves = SplitMerge(state)
    for i in range(1, n_steps + 1):
        sweeper.step(state, (seed, 0, i))
        moves.step(state, (seed, 0, i), kernels)
        measures.take(state, (seed, 0, i))
        sample_concentrations(state, measures, (seed, 0, i))
        sample_discounts(state, (seed, 0, i))
        rows.append(redraw_words(shape, state, rng))
        sweeper.switch.leaves = None  # an index of tokens by word, which no other chain has to make again
    return np.array(rows)


def redraw_words(shape: Shape, state: State, rng: Random) -> list[float]:
    """Draw all words given the topics and lay them, with their seating, into the state; returns the statistics."""
    graph, text = shape.graph, state.text
    assert np.shares_memory(text.word, state.plan.order.word) and not state.plan.cells.slot
    b = {node.name: float(concentration_of(state, node.name)[0]) for node in graph.nodes}
    a = {node.name: discount_of(state, node.name) for node in graph.nodes}
    houses = shape.restaurants(rng, b, a)
    counts = {p: c for p, c in (local_counts(state) | shared_counts(state)).items() if graph[p[0]].side == "topic"}
    words, first, n_streams = [], text.first, len(graph.streams)
    for part in range(shape.n_documents * n_streams):
        d, stream = part // n_streams, graph.streams[part % n_streams]
        at = slice(int(first[part]), int(first[part + 1]))
        topics = text.topic[at].copy()
        drawn = np.array([houses.seat(stream.emit, d, int(k)) for k in topics])
        order = np.argsort(drawn, kind="stable")
        text.word[at], text.topic[at] = drawn[order], topics[order]
        words.append(drawn.tolist())
    counts |= counts_of(houses)
    target = make_state(graph, [int(text.topic[token]) for token in oracle_order(state.plan)], counts)
    lay(state, target)
    return _statistics(graph, counts, b, a, words)
