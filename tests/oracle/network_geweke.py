"""Geweke's joint test of text and network together: the finite model that a network has once it has joined.

Prior: as `simulate` draws it: everybody is seated with all vectors integrated out; then mu0 and nu are drawn given the
seating, then weights, then links. Chain: the real sweep of text and network, the real concentrations, then words and
links drawn anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from random import Random

import numpy as np

from oracle.geweke import WORDS, Rows, Shape, _statistics, redraw_words
from oracle.simulated import counts_of
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Node
from pitmanyor.graph.validate import text_needs
from pitmanyor.network.features import Kernel
from pitmanyor.network.observed import LINKED, Ends, Observed, observe
from pitmanyor.network.similar_links import SimilarLinks, log_density
from pitmanyor.network.trait_prior import TraitUnknowns, mean_scores
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.concentrations import Measures, sample_concentrations
from pitmanyor.sampling.discounts import sample_discounts
from pitmanyor.sampling.joining import tree_of
from pitmanyor.sampling.sweeps import initialise
from pitmanyor.sampling.text_and_network import TextAndNetwork
from pitmanyor.simulation import Restaurants
from pitmanyor.simulation.drawn_links import draw_links
from pitmanyor.simulation.plates import Plates
from pitmanyor.state import new_state

BY = ["ann", "bob", "cat", "ann", "bob"]
NAMES = ["ann", "bob", "cat"]


@dataclass(frozen=True)
class LinkedShape(Shape):
    """Documents by three authors who may follow each other."""

    n_documents: int = 5

    def corpus(self) -> Corpus:
        texts = {s.name: [WORDS[: self.n_tokens]] * self.n_documents for s in self.graph.streams}
        links = {"follows": [("ann", "bob")]}
        return Corpus.from_tokens(texts, {"author": BY[: self.n_documents]}, links, vocabulary=WORDS)

    def restaurants(
        self, rng: Random, concentrations: dict[str, float] | None = None, discounts: dict[str, float] | None = None
    ) -> Restaurants:
        plates = Plates.labelled(self.n_documents, {"author": BY[: self.n_documents]})
        words = {"vocabulary": range(len(WORDS))}
        return Restaurants(self.graph, plates, words, concentrations, rng=rng, discounts=discounts)

    @property
    def n_topics(self) -> int:
        return int(self.root.over)  # type: ignore[arg-type]

    @property
    def root(self) -> Node:
        return tree_of(self.graph)[0]

    @property
    def linked(self) -> tuple[str, ...]:
        """The nodes that are vectors: nu, and what stands on it; the last has the links."""
        return tuple(node.name for node in tree_of(self.graph)[1:])

    @property
    def read(self) -> int:
        """Which of them is the last that tokens go through."""
        texts = text_needs(self.graph)
        return max(i for i, name in enumerate(self.linked) if name in texts)

    @property
    def has_traits(self) -> bool:
        return self.graph.link_sets[0].kernel == "traits"

    def links(self) -> SimilarLinks:
        (links,) = self.graph.link_sets
        return SimilarLinks(Kernel(links.signal, links.length, links.noise, links.intercept))


def customers_of(shape: LinkedShape, counts):
    """Customers and tables of every author at the last node that tokens go through, (author, topic)."""
    out = np.zeros((2, len(NAMES), shape.n_topics), np.int64)
    for i in range(len(NAMES)):
        for dish in range(shape.n_topics):
            out[:, i, dish] = counts.get((shape.linked[shape.read], (i,), dish), (0, 0, ()))[:2]
    return out


def depth_statistics(vectors) -> list[float]:
    """How far the vectors of an author agree with those on which they stand."""
    return [float(value) for over, nu in pairwise(vectors) for value in ((over * nu).sum(), (over**2).sum())]


def network_statistics(mu, nu, customers, links: SimilarLinks, observed: Observed) -> list[float]:
    unit = nu / np.linalg.norm(nu, axis=1, keepdims=True)
    cosine, n_links = unit @ unit.T, observed.n_links
    np.fill_diagonal(cosine, 1.0)
    linked = (cosine * (observed.pairs == LINKED)).sum()
    fit = log_density(links, cosine, observed)  # links that had no say in nu would miss this
    weights = links.weights
    p = np.exp(links.log_probability(np.minimum(cosine.ravel(), 1.0))).reshape(cosine.shape)
    news = ((observed.pairs == LINKED) - p) * ~np.eye(len(nu), dtype=bool)  # what the vectors do not say of the links
    news = (news * cosine).sum()
    cosine = cosine[np.tril_indices(len(nu), -1)]
    out = [mu[0], (mu**2).sum(), nu[0, 0], (nu[:, 0] * mu[0]).sum(), (nu**2).sum(), cosine.sum(), (cosine**2).sum()]
    out += [(nu * customers).sum(), (mu * customers).sum(), (nu * customers).sum() * n_links]
    out += [*weights[:2], *(weights[:2] ** 2), n_links, n_links**2, linked, linked**2, fit, news]
    return [float(value) for value in out]


def trait_statistics(mu, nu, customers, unknowns: TraitUnknowns, linked) -> list[float]:
    """The same with links between traits, whose unknowns are bounded: variances have no moments."""
    traits, directions = np.arctan(unknowns.traits), np.arctan(unknowns.directions)
    text = np.arctan(np.einsum("ck,ik->ci", unknowns.directions, np.sqrt(nu)))
    means, logs = np.arctan(mean_scores(unknowns)), np.r_[unknowns.shared, np.log(unknowns.variances.ravel())]
    left, right = np.split(traits[2:], 2)
    out = [mu[0], (mu**2).sum(), nu[0, 0], (nu[:, 0] * mu[0]).sum(), (nu**2).sum(), (nu * customers).sum()]
    out += [(mu * customers).sum(), (nu * customers).sum() * linked.sum(), linked.sum(), linked.sum() ** 2]
    out += [(linked & linked.T).sum(), logs[0] * (linked & linked.T).sum(), *logs, *logs**2, unknowns.level[0]]
    out += [unknowns.level[0] ** 2, (linked * means).sum(), (means**2).sum(), (traits * text).sum(), (traits**2).sum()]
    out += [
        (directions**2).sum(),
        (directions * mu).sum(),
        (linked * (left.T @ right)).sum(),
        (text * customers.sum(1)).sum(),
    ]
    out += [(linked * (text[2:].T @ text[2:])).sum(), traits[0] @ linked.sum(axis=1), traits[1] @ linked.sum(axis=0)]
    return [float(value) for value in out]


def draw_by_traits(unknowns: TraitUnknowns, rng: np.random.Generator):
    """Links given traits."""
    means = mean_scores(unknowns)
    common = np.tril(rng.normal(0.0, np.sqrt(unknowns.shared[0]), means.shape), -1)
    linked = means + common + common.T + rng.normal(0.0, np.sqrt(1.0 - unknowns.shared[0]), means.shape) > 0.0
    np.fill_diagonal(linked, False)
    return linked


def observe_all(linked) -> Observed:
    ends = Ends(*np.nonzero(linked), np.zeros((0, 2), np.int64))
    return observe(len(linked), ends, directed=True, self_links=False)


def redraw_links(links: SimilarLinks, nu, rng: np.random.Generator) -> Observed:
    """Links given vectors and weights."""
    unit = nu / np.linalg.norm(nu, axis=1, keepdims=True)
    cosine = np.minimum(unit @ unit.T, 1.0)
    linked = rng.random(cosine.size) < np.exp(links.log_probability(cosine.ravel()))
    return observe_all(linked.reshape(cosine.shape))


def marginal(shape: LinkedShape, n_draws: int, seed: int) -> Rows:
    """Independent draws from the prior."""
    rng, chance, rows, links = Random(seed), np.random.default_rng(seed), [], shape.links()
    for _ in range(n_draws):
        houses = shape.restaurants(rng)
        topics = {s.name: [[] for _ in range(shape.n_documents)] for s in shape.graph.streams}
        for d in range(shape.n_documents):
            for stream in shape.graph.streams:
                topics[stream.name][d] = [houses.seat(stream.topic, d) for _ in range(shape.n_tokens)]
        texts = houses.draw_words(topics)
        words = [w.tolist() for documents in texts.values() for w in documents]
        b = {name: float(value) for name, value in houses.concentrations.items()}  # type: ignore[arg-type]
        counts = counts_of(houses)
        vectors = houses.vectors([shape.root.name, *shape.linked], chance)
        mu, every = vectors[shape.root.name][()], [np.array(list(vectors[name].values())) for name in shape.linked]
        nu = every[-1]
        drawn = draw_links(shape.graph.link_sets[0], tuple(NAMES), nu, chance)
        text = _statistics(shape.graph, counts, b, houses.discounts, words)
        text += depth_statistics(every)
        given = mu, nu, customers_of(shape, counts)[0]
        if shape.has_traits:
            unknowns = TraitUnknowns.among(drawn.weights, *nu.shape)
            rows.append(text + trait_statistics(*given, unknowns, drawn.linked))
        else:
            links.weights = drawn.weights
            rows.append(text + network_statistics(*given, links, observe_all(drawn.linked)))
    return np.array(rows)


def successive(shape: LinkedShape, n_steps: int, seed: int) -> Rows:
    """The chain: text and network, concentrations, discounts, words and links."""
    rng, chance, rows = Random(seed), np.random.default_rng(seed), []
    state = new_state(compile_plan(shape.graph, shape.corpus()))
    initialise(state, (seed, 0, 0))
    both, measures = TextAndNetwork(state, 1), Measures(state)
    both.start(state, (seed, 0, 0))
    nodes = list(both.network.nodes.values())
    node, links = nodes[-1], nodes[-1].all_sets["follows"]
    labels = list(state.plan.instances[shape.linked[-1]].labels)
    observed = Observed(links.seen, True) if shape.has_traits else node.seen["follows"]
    order = [labels.index(name) for name in NAMES]
    for i in range(1, n_steps + 1):
        both.sweep(state, (seed, 0, i))
        measures.take(state, (seed, 0, i))
        sample_concentrations(state, measures, (seed, 0, i), but=both.fixed)
        sample_discounts(state, (seed, 0, i), but=both.fixed)
        mu, nu, customers = np.exp(both.network.root.log_mu), node.nu[order], nodes[shape.read].masses.customers[order]
        seen = observed._replace(pairs=observed.pairs[np.ix_(order, order)])
        if shape.has_traits:
            unknowns = links.unknowns._replace(traits=links.unknowns.traits[:, order])
            rest = trait_statistics(mu, nu, customers, unknowns, seen.pairs == LINKED)
        else:
            rest = network_statistics(mu, nu, customers, links, seen)  # of the links that were judged by
        depth = depth_statistics([one.nu[order] for one in nodes])
        rows.append(redraw_words(shape, state, rng) + depth + rest)
        if shape.has_traits:
            observed = observe_all(draw_by_traits(links.unknowns, chance))
            links.seen = observed.pairs
        else:
            observed = redraw_links(links, node.nu, chance)
            node.likeness.ones[0], node.likeness.zeros[0] = observed.both_ways()
        both.switch.leaves = None
    return np.array(rows)
