"""Draw a corpus, and the truth behind it, from any graph."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.call_checks import checked_call
from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph
from pitmanyor.seeds import checked, generator
from pitmanyor.simulation.arguments import (
    Groups,
    Lengths,
    Vocabulary,
    spell_groups,
    spell_lengths,
    spell_vocabularies,
)
from pitmanyor.simulation.drawn_links import DrawnLinks, check_links, draw_links
from pitmanyor.simulation.plates import Key, Plates
from pitmanyor.simulation.restaurants import Counts, Restaurants


@dataclass(frozen=True, eq=False)
class Simulation:
    """A simulated corpus and the truth behind it.

    `topics[stream][d]` has the topic of every token of document d. `vocabularies` has, by name in the graph, the word
    indices that a token may take. `concentrations` has one number per node, or a dict by instance; `discounts` one
    number per node. `links` has, by link set, the vectors of its instances, the weights of its random function and the
    probability of every pair.
    """

    corpus: Corpus
    topics: dict[str, list[NDArray[np.int32]]]
    vocabularies: dict[str, NDArray[np.int32]]
    restaurants: Restaurants
    links: dict[str, DrawnLinks]

    @property
    def n_topics(self) -> int:
        """Number of topics with at least one token of any stream."""
        return len({int(k) for documents in self.topics.values() for topics in documents for k in topics})

    @property
    def concentrations(self) -> dict[str, float | dict[Key, float]]:
        return self.restaurants.concentrations

    @property
    def discounts(self) -> dict[str, float]:
        return self.restaurants.discounts

    @property
    def customers(self) -> Counts:
        """Customers by node, instance and dish (a topic, or the index of a word)."""
        return self.restaurants.customers()

    @property
    def tables(self) -> Counts:
        """Tables by node, instance and dish."""
        return self.restaurants.tables()

    @property
    def tables_to(self) -> dict[str, dict[Key, dict[int, tuple[int, ...]]]]:
        """Tables sent to each parent, by node, instance and dish."""
        return self.restaurants.tables_to()

    def mean(self, name: str) -> dict[Key, NDArray[np.float64]]:
        """Mean of a node given the true seating, by instance; below a `gem` the last entry is for new topics."""
        return self.restaurants.mean(name)


@checked_call()
def simulate(
    graph: Graph,
    *,
    documents: int,
    tokens: Lengths,
    groups: Groups | None = None,
    vocabulary: Vocabulary,
    seed: int,
) -> Simulation:
    """Draw a corpus from the prior of a graph, exactly: customers are seated one by one (maths 1).

    Concentrations and discounts with a prior are drawn first. Links are drawn last: the vectors of linked instances
    given the seating, then the random function and the links, so that the text is the same with and without links. This
    is exact for a root with a fixed number of topics; below a `gem` it is exact up to a truncation after a thousand
    unused topics (maths 6).

    The vocabulary of the corpus is the union of all vocabularies, and "vocabulary" in the graph means that union. A fit
    takes the words that occur in a stream as its own vocabulary; `Simulation.vocabularies` has those that could have
    occurred.

    Parameters
    ----------
    graph
        Any valid graph with token streams.
    documents
        Number of documents.
    tokens
        Number of tokens per document: one number, or by stream a number or one number per document.
    groups
        For each grouping one label per document, or a number of labels, which are assigned at random.
    vocabulary
        Words or their number, or a dict of these by vocabulary: "vocabulary" for words that all streams share, the name
        of a stream for its own.
    seed
        Random seed.

    >>> from pitmanyor.graph import Graph, uniform
    >>> g = Graph()
    >>> mu = g.gem("mu")
    >>> theta = g.pyp("theta", base=mu, plate="document")
    >>> phi = g.pyp("phi", base=uniform("vocabulary"), plate="topic")
    >>> words = g.tokens("word", topic=theta, emit=phi)
    >>> simulate(g, documents=3, tokens=5, vocabulary=10, seed=1).corpus
    Corpus(3 documents, 15 tokens, 10 words, streams: word)
    """
    graph.validate()
    check_links(graph)
    if not graph.streams:
        raise PlanError("the graph has no tokens, and a corpus is made of them; add a stream by tokens(...)")
    if documents < 1:
        raise PlanError(f"documents is {documents}; at least one is needed")
    rng = Random(checked(seed))
    lengths = spell_lengths(tokens, [stream.name for stream in graph.streams], documents)
    labels = spell_groups(groups, documents, rng)
    own = spell_vocabularies(vocabulary, graph)
    words = own["vocabulary"] if "vocabulary" in own else [word for some in own.values() for word in some]
    index = {word: i for i, word in enumerate(words)}
    vocabularies = {name: [index[word] for word in some] for name, some in own.items()}
    houses = Restaurants(graph, Plates.labelled(documents, labels), vocabularies, rng=rng)
    topics: dict[str, list[NDArray[np.int32]]] = {name: [] for name in lengths}
    for d in range(documents):
        for stream in graph.streams:
            drawn = [houses.seat(stream.topic, d) for _ in range(lengths[stream.name][d])]
            topics[stream.name].append(np.array(drawn, np.int32))
    drawn_words = houses.draw_words(topics)
    texts = {name: [[words[w] for w in document] for document in docs] for name, docs in drawn_words.items()}
    links = _draw_links(graph, houses, labels, seed)
    pairs = {name: drawn.pairs for name, drawn in links.items()}
    return Simulation(
        corpus=Corpus.from_tokens(texts, labels, pairs, vocabulary=words),
        topics=topics,
        vocabularies={name: np.array(some, np.int32) for name, some in vocabularies.items()},
        restaurants=houses,
        links=links,
    )


def _draw_links(
    graph: Graph, houses: Restaurants, labels: Mapping[str, Sequence[Hashable]], seed: int
) -> dict[str, DrawnLinks]:
    rng = generator(seed, purposes.SIMULATED_LINKS)
    vectors = houses.vectors(dict.fromkeys(links.between for links in graph.link_sets), rng)
    out = {}
    for links in graph.link_sets:
        (plate,) = graph[links.between].plate
        names = tuple(dict.fromkeys(labels[plate]))  # in the order of their codes
        out[links.name] = draw_links(links, names, np.array(list(vectors[links.between].values())), rng)
    return out
