"""The links between the authors of a fit, with what the fit says about each."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from pitmanyor.results.fitting import Fit
from pitmanyor.topics import author_shares


@dataclass(frozen=True)
class Edge:
    """A link between two authors: its set, the affinity of their topics, its probability (None without a network)."""

    links: str
    source: Hashable
    target: Hashable
    affinity: float
    probability: float | None


def edges_of(fit: Fit) -> list[Edge]:
    """All links of the corpus between authors of the fit."""
    corpus = fit.state.plan.corpus
    labels, shares = author_shares(fit)
    place = {label: i for i, label in enumerate(labels)}
    in_model = {links.name for links in fit.state.plan.graph.link_sets} if fit.state.network else set()
    found: list[Edge] = []
    for name, links in corpus.links.items():
        pairs = [(a, b) for a, b in links.pairs if a in place and b in place]
        sources, targets = [a for a, _ in pairs], [b for _, b in pairs]
        left, right = ([place[label] for label in side] for side in (sources, targets))
        alike = np.sqrt(shares[left] * shares[right]).sum(axis=1).tolist()
        likely: list[float | None] = [None] * len(pairs)
        if name in in_model:
            likely = fit.link_probability(sources, targets, name).tolist()
        found += [Edge(name, *pair, one, other) for pair, one, other in zip(pairs, alike, likely, strict=True)]
    return found
