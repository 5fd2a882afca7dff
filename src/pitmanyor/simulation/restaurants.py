"""All restaurants of a graph, seated from the prior: the reference that kernels are tested against."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.graph import Beta, Gamma, Graph, Node
from pitmanyor.graph.values import LEAST_DISCOUNT, MOST_DISCOUNT
from pitmanyor.simulation.plates import Key, Plates
from pitmanyor.simulation.restaurant import Means, Restaurant, posterior_mean
from pitmanyor.simulation.vectors import Vectors

Concentrations = Mapping[str, float | Mapping[Key, float]]
Counts = dict[str, dict[Key, dict[int, int]]]


class Restaurants:
    """All restaurants of a graph over a set of documents, created on first visit.

    `vocabularies` has the word indices that each word root's `over` stands for. `concentrations` overrides the graph's
    (a number per node, or one per instance); the others are drawn from their priors, one per node, or one per instance
    with `concentration_per="instance"`. In the same way `discounts` overrides those of nodes; the others are the
    graph's, or drawn.
    """

    def __init__(
        self,
        graph: Graph,
        plates: Plates,
        vocabularies: Mapping[str, Sequence[int]],
        concentrations: Concentrations | None = None,
        *,
        rng: Random,
        discounts: Mapping[str, float] | None = None,
    ) -> None:
        plates.check(graph)
        self.graph = graph
        self._plates = plates
        self._vocabularies = vocabularies
        self._rng = rng
        self._open: dict[str, dict[Key, Restaurant]] = {node.name: {} for node in graph.nodes}
        self.concentrations: dict[str, float | dict[Key, float]] = {}
        for node in graph.nodes:
            given = (concentrations or {}).get(node.name, node.concentration)
            if isinstance(given, Gamma):
                given = {} if node.concentration_per == "instance" else self._from_prior(given)
            self.concentrations[node.name] = dict(given) if isinstance(given, Mapping) else float(given)
        self.discounts: dict[str, float] = {}
        for node in graph.nodes:
            wanted = (discounts or {}).get(node.name, node.discount)
            self.discounts[node.name] = self._discount(wanted) if isinstance(wanted, Beta) else float(wanted)

    @classmethod
    def of(
        cls, graph: Graph, corpus: Corpus, concentrations: Concentrations | None = None, *, seed: int
    ) -> Restaurants:
        """Empty restaurants for a corpus. A stream's own vocabulary is the words that occur in the stream."""
        vocabularies: dict[str, Sequence[int]] = {"vocabulary": range(len(corpus.vocabulary))}
        for name, stream in corpus.streams.items():
            vocabularies[name] = np.unique(stream.words).tolist()
        return cls(graph, Plates.of(corpus), vocabularies, concentrations, rng=Random(seed))

    def seat(self, name: str, document: int, topic: int = -1) -> int:
        """Seat one customer at node `name` and return its dish: a topic, or the index of a word.

        `document` and `topic` determine the instance of the plate (`topic` only if the plate has it).
        """
        uniform = self._rng.random
        house = self._house(name, document, topic)
        opened: list[tuple[Restaurant, int]] = []
        while (dish := house.old_dish(uniform)) is None:
            parent = house.choose_parent(uniform)
            opened.append((house, parent))
            if not house.parents:
                dish = self._new_dish(house)
                break
            house = house.parents[parent]
        else:
            house.sit(dish)
        for house, parent in opened:
            house.open(dish, parent)
        return dish

    def draw_words(self, topics: Mapping[str, Iterable[Iterable[int]]]) -> dict[str, list[NDArray[np.int32]]]:
        """Empty the word side and redraw every token's word given its topic (the data step of Geweke's test).

        `topics` has, for each stream, the topics of each document's tokens. Concentrations do not change.
        """
        self.close("word")
        words = {}
        for stream in self.graph.streams:
            words[stream.name] = [
                np.array([self.seat(stream.emit, d, int(topic)) for topic in document], np.int32)
                for d, document in enumerate(topics[stream.name])
            ]
        return words

    def close(self, side: str) -> None:
        """Empty all restaurants of a side, "topic" or "word"."""
        for node in self.graph.nodes:
            if node.side == side:
                self._open[node.name] = {}

    def customers(self) -> Counts:
        """Customers by node, instance and dish, of restaurants that were visited."""
        return {n: {k: dict(h.customers) for k, h in hs.items() if h.seats} for n, hs in self._open.items()}

    def tables(self) -> Counts:
        """Tables by node, instance and dish. A Dirichlet has none, a `gem` one for each topic."""
        return {n: {k: dict(h.tables) for k, h in hs.items() if h.seats} for n, hs in self._open.items()}

    def tables_to(self) -> dict[str, dict[Key, dict[int, tuple[int, ...]]]]:
        """Tables sent to each parent, by node, instance and dish; roots have none."""
        return {
            name: {
                key: {d: tuple(to) for d, to in house.tables_to.items()} for key, house in houses.items() if house.seats
            }
            for name, houses in self._open.items()
            if self.graph[name].parents
        }

    def vectors(self, names: Iterable[str], rng: np.random.Generator) -> dict[str, dict[Key, NDArray[np.float64]]]:
        """Vectors of nodes over topics by instance, drawn jointly given the seating; also those without customers.

        They are exact except for the unused topics of a `gem`, which come last and are truncated.
        """
        vectors = Vectors(rng)
        out: dict[str, dict[Key, NDArray[np.float64]]] = {}
        for name in names:
            for document in range(self._plates.n_documents):
                self._house(name, document, -1)
            out[name] = {key: vectors.of(house) for key, house in sorted(self._open[name].items())}
        return out

    def mean(self, name: str) -> dict[Key, NDArray[np.float64]]:
        """Posterior mean of a node given the seating, by instance, from root to leaf (maths 5).

        Below a `gem` the last entry is the mass of unseen topics; on the word side there is one entry for every index
        up to the largest of the vocabularies.
        """
        n_words = max((max(words) + 1 for words in self._vocabularies.values() if len(words)), default=0)
        known: Means = {}
        return {
            key: posterior_mean(house, lambda root: self._base(root, n_words), known)
            for key, house in self._open[name].items()
        }

    def _base(self, root: Restaurant, n_words: int) -> NDArray[np.float64]:
        """The base of a root as a vector: all mass on new topics, or uniform over its dishes."""
        if root.node.kind == "gem":
            base = np.zeros(len(root.customers) + 1)
            base[-1] = 1.0
            return base
        dishes = self._dishes(root.node)
        base = np.zeros(len(dishes) if root.node.side == "topic" else n_words)
        base[np.asarray(dishes)] = 1.0 / len(dishes)
        return base

    def _house(self, name: str, document: int, topic: int) -> Restaurant:
        node = self.graph[name]
        key = self._plates.key(node.plate, document, topic)
        houses = self._open[name]
        if key not in houses:
            parents = tuple(self._house(parent, document, topic) for parent in node.parents)
            houses[key] = Restaurant(node, parents, self._concentration(node, key), self.discounts[name])
        return houses[key]

    def _concentration(self, node: Node, key: Key) -> float:
        value = self.concentrations[node.name]
        if not isinstance(value, dict):
            return value
        if key not in value:
            if not isinstance(node.concentration, Gamma):
                raise PlanError(f"no concentration is given for instance {key} of {node.name!r}, and it has no prior")
            value[key] = self._from_prior(node.concentration)
        return value[key]

    def _from_prior(self, prior: Gamma) -> float:
        """A draw from Gamma(shape, rate), bounded below because a small shape may underflow."""
        return max(self._rng.gammavariate(prior.shape, 1.0 / prior.rate), sys.float_info.min)

    def _discount(self, prior: Beta) -> float:
        """A draw from the prior, within the bounds of sampled discounts (maths 5)."""
        while not LEAST_DISCOUNT <= (drawn := self._rng.betavariate(prior.alpha, prior.beta)) <= MOST_DISCOUNT:
            pass
        return drawn

    def _new_dish(self, root: Restaurant) -> int:
        if root.node.kind == "gem":
            return len(root.customers)
        dishes = self._dishes(root.node)
        return dishes[int(self._rng.random() * len(dishes))]

    def _dishes(self, root: Node) -> Sequence[int]:
        return range(root.over) if isinstance(root.over, int) else self._vocabularies[str(root.over)]
