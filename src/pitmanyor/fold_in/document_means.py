"""Means of document nodes given fixed vectors (appendix B of the maths)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.fold_in.fixed_vectors import Vectors, mix_means
from pitmanyor.graph import Node, Tokens
from pitmanyor.plan import Plan
from pitmanyor.state.means import Counts

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HalfCounts:
    """As `Counts`, but with fractional counts."""

    customers: Floats
    tables: Floats
    to: Floats
    concentration: Floats
    discount: float


def shared_rows(plan: Plan, vectors: Vectors, name: str) -> Floats:
    """The mean of a shared topic node for every document."""
    return np.array(vectors[name][plan.instances[name].of_document, 0])


def document_means(plan: Plan, vectors: Vectors, leaf: str, counted: Callable[[Node], Counts | HalfCounts]) -> Floats:
    """Posterior means of a document node given its counts and those of its local ancestors, one row per document."""
    done: dict[str, Floats] = {}
    for node in plan.nodes:
        if node.name not in plan.lineage(leaf):
            continue
        if not node.local:
            done[node.name] = shared_rows(plan, vectors, node.name)
            continue
        counts = counted(node)
        a, b = counts.discount, counts.concentration[:, None]
        c, t = counts.customers, counts.tables
        total = b + c.sum(axis=1, keepdims=True)
        if node.kind == "dirichlet":
            done[node.name] = (c + b / c.shape[1]) / total
            continue
        base: Floats | float = 1.0 / c.shape[1]
        if node.parents:
            rho = _mixing(node, counts.to)
            base = np.asarray(sum(rho[:, i : i + 1] * done[name] for i, name in enumerate(node.parents)))
        done[node.name] = (c - a * t + (b + a * t.sum(axis=1, keepdims=True)) * base) / total
    return done[leaf]


def prior_means(plan: Plan, vectors: Vectors, leaf: str, n_topics: int) -> Floats:
    """Means of a document node without tokens, which do not depend on concentrations and discounts."""
    n = plan.n_documents
    empty = np.zeros((n, n_topics))

    def counted(node: Node) -> HalfCounts:
        return HalfCounts(empty, empty, np.zeros((n, max(len(node.parents), 1))), np.ones(n), 0.0)

    return document_means(plan, vectors, leaf, counted)


def _mixing(node: Node, to: NDArray[Any]) -> Floats:
    """Expected mixing weights given the tables sent to each parent, one row per document."""
    prior = mix_means(node)[None]
    if len(node.parents) < 2 or node.mix_weights is not None:
        return np.repeat(prior, len(to), axis=0)
    weights = to + np.asarray(node.mix_prior, np.float64)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def word_topics(plan: Plan, vectors: Vectors, stream: Tokens, n_topics: int) -> Floats:
    """Weights of the topics for every word of a stream: overall shares times the topics' words."""
    topics = nearest_shared(plan, stream.topic)
    words = nearest_shared(plan, stream.emit)
    shares: Floats = vectors[topics].mean(axis=0)[0] if topics else np.full(n_topics, 1.0 / n_topics)
    own: Floats = vectors[words].mean(axis=0) if words else np.ones((1, len(plan.words[stream.emit])))
    return np.asarray((own * shares[:, None]).T)


def nearest_shared(plan: Plan, name: str) -> str | None:
    node = plan.graph[name]
    while node.local and node.parents:
        node = plan.graph[node.parents[0]]
    return None if node.local else node.name
