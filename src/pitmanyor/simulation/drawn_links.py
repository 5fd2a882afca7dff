"""Links drawn from the prior: a random function, and the links given it (maths 6)."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph, Links, Node
from pitmanyor.network import trait_prior
from pitmanyor.network.block_prior import Unknowns, all_rates, draw_unknowns, effects_of
from pitmanyor.network.cholesky import product
from pitmanyor.network.features import features_at, kernel_of
from pitmanyor.network.inducing import PairFunction
from pitmanyor.network.noise import log_links

Floats = NDArray[np.float64]
Pairs = list[tuple[Hashable, Hashable]]


@dataclass(frozen=True, eq=False)
class DrawnLinks:
    """A link set and the truth behind it. Row i of `vectors` and of both matrices is the instance `labels[i]`.

    `weights` are those of the random function, in the basis that a fit uses. `probability[i, j]` is that of a link from
    i to j given vectors and weights, with the noise integrated out; it is 0 if there is no such pair. Both matrices of
    an undirected set are symmetric.
    """

    labels: tuple[Hashable, ...]
    vectors: Floats
    weights: Floats
    probability: Floats
    linked: NDArray[np.bool_]
    directed: bool

    @property
    def pairs(self) -> Pairs:
        """The links as pairs of labels; one for both directions of an undirected set."""
        linked = self.linked if self.directed else np.tril(self.linked)
        return [(self.labels[i], self.labels[j]) for i, j in np.argwhere(linked).tolist()]


def draw_links(links: Links, labels: tuple[Hashable, ...], vectors: Floats, rng: np.random.Generator) -> DrawnLinks:
    """Draw a link set between instances with these vectors: what it has to learn, then every pair by itself."""
    if links.kernel == "blocks":
        return _events(links, labels, vectors, rng)
    if links.kernel == "traits":
        return _of_traits(links, labels, vectors, rng)
    weights, scores = (_similar if links.kernel == "similarity" else _paired)(links, vectors, rng)
    probability = np.exp(log_links(scores.ravel(), links.noise)).reshape(scores.shape)
    if not links.self_links:
        np.fill_diagonal(probability, 0.0)
    linked = rng.random(probability.shape) < probability
    if not links.directed:
        linked = np.tril(linked) | np.tril(linked).T
    return DrawnLinks(labels, vectors, weights, probability, linked, links.directed)


def _events(links: Links, labels: tuple[Hashable, ...], vectors: Floats, rng: np.random.Generator) -> DrawnLinks:
    """Rates between topics, effects and answers from their priors, then events: own ones and answered ones."""
    n, effects = len(labels), effects_of(links)
    weights = draw_unknowns(n, vectors.shape[1], effects, rng)
    unknowns = Unknowns.among(weights, n, vectors.shape[1])
    rates, q = all_rates(vectors, unknowns), float(unknowns.scalars[0])
    if not links.directed:
        rates = np.tril(rates)
    answered = rng.poisson(q * rates) > 0
    linked = (rng.poisson((1.0 - q) * rates) > 0) | answered | answered.T
    probability = -np.expm1(-(rates + q * rates.T))
    if not links.directed:
        linked, probability = linked | linked.T, probability + probability.T
    return DrawnLinks(labels, vectors, weights, probability, linked, links.directed)


def _of_traits(links: Links, labels: tuple[Hashable, ...], vectors: Floats, rng: np.random.Generator) -> DrawnLinks:
    """Traits from their prior, then scores, of which both directions of a pair have a part in common."""
    roots = np.sqrt(vectors)
    weights = trait_prior.draw_unknowns(roots, trait_prior.parts_of(links), rng)
    unknowns = trait_prior.TraitUnknowns.among(weights, *roots.shape)
    means, shared = trait_prior.mean_scores(unknowns), float(unknowns.shared[0])
    common = np.tril(rng.normal(0.0, math.sqrt(shared), means.shape), -1)
    own = rng.normal(0.0, math.sqrt(1.0 - shared), means.shape)
    linked, probability = means + common + common.T + own > 0.0, trait_prior.normal_below(means)
    for table in (linked, probability):
        np.fill_diagonal(table, 0)
    return DrawnLinks(labels, vectors, weights, probability, linked, links.directed)


def _similar(links: Links, vectors: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Weights, and Sim + Phi w of all pairs."""
    kernel = kernel_of(links)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = np.minimum(product(unit, unit.T), 1.0)
    weights = np.asarray(rng.standard_normal(features_at(kernel, cosine[0]).shape[1]))
    return weights, np.array([row + (features_at(kernel, row) * weights).sum(axis=1) for row in cosine])


def _paired(links: Links, vectors: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Weights, and s/sqrt 2 g' W g of all pairs."""
    function = PairFunction(kernel_of(links), vectors.shape[1], links.directed)
    weights, rows = rng.standard_normal(function.n_weights), function.features(vectors)
    return weights, function.scores(rows, rows, weights)


def check_links(graph: Graph) -> None:
    """Raise a PlanError for links that have no prior to draw from."""
    for links in graph.link_sets:
        if links.kernel in ("pair", "blocks") and any(node.kind == "gem" for node in ancestors(graph, links.between)):
            raise PlanError(
                f'the links {links.name!r} have kernel="{links.kernel}", a weight for every pair of topics, and a gem '
                'has no end of topics; give the root a number of them, such as dirichlet("mu", over=10), or take '
                'kernel="similarity"'
            )


def ancestors(graph: Graph, name: str) -> list[Node]:
    """All ancestors of a node."""
    parents = graph[name].parents
    return [graph[parent] for parent in parents] + [node for parent in parents for node in ancestors(graph, parent)]
