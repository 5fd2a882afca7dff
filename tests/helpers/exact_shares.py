"""The law of one new document given fixed vectors, by every seating of its tokens: tables remembered one by one.

Nothing of the package is used but the graph. Tokens come one after the other; each picks a topic, and its customers sit
at an old table or open one and go on to a parent, all the way up to the vectors (maths 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pitmanyor.graph import Graph

Houses = tuple[tuple[str, tuple[tuple[int, int, int], ...]], ...]  # by node: its tables as (dish, customers, parent)


@dataclass(frozen=True)
class Document:
    """Vectors by shared node (a row per topic on the word side), concentrations, and tokens (stream, word)."""

    graph: Graph
    vectors: Mapping[str, np.ndarray]
    concentrations: Mapping[str, float]
    tokens: tuple[tuple[str, int], ...]

    def shares(self, leaf: str) -> np.ndarray:
        """The posterior mean of a document node, normalised."""
        total = sum(p * self._mean(houses, leaf) for houses, p in self._states().items())
        return np.asarray(total / total.sum())

    def moments(self, leaf: str) -> np.ndarray:
        """First and second moments of the normalised mean given a seating; the latter tell tables from customers."""
        states = self._states()
        means = np.array([self._mean(houses, leaf) for houses in states])
        means /= means.sum(axis=1, keepdims=True)
        weights = np.array(list(states.values()))
        return np.stack([np.average(means**power, axis=0, weights=weights) for power in (1, 2)])

    def _states(self) -> dict[Houses, float]:
        """Every seating of the tokens, with its joint probability with their words."""
        k_of = next(iter(v for name, v in self.vectors.items() if self.graph[name].side == "topic"))
        states: dict[Houses, float] = {(): 1.0}
        for stream, word in self.tokens:
            tokens = next(s for s in self.graph.streams if s.name == stream)
            new: dict[Houses, float] = {}
            for houses, p in states.items():
                for topic in range(len(k_of)):
                    for q, above in self._ways(houses, tokens.topic, -1, topic):
                        for r, after in self._ways(above, tokens.emit, topic, word):
                            new[after] = new.get(after, 0.0) + p * q * r
            states = new
        return states

    def _tables(self, houses: Houses, name: str, topic: int) -> tuple[tuple[int, int, int], ...]:
        return dict(houses).get(self._house(name, topic), ())

    def _house(self, name: str, topic: int) -> str:
        return f"{name}/{topic}" if self.graph[name].per_topic else name

    def _ways(self, houses: Houses, name: str, topic: int, dish: int) -> Iterator[tuple[float, Houses]]:
        """Every way to seat one customer, with its probability."""
        if name in self.vectors:
            yield float(self.vectors[name][(topic, dish) if self.graph[name].per_topic else dish]), houses
            return
        a, b = self.graph[name].discount, self.concentrations[name]
        tables = self._tables(houses, name, topic)
        n = sum(size for _, size, _ in tables)
        for i, (served, size, parent) in enumerate(tables):
            if served == dish:
                grown = (*tables[:i], (dish, size + 1, parent), *tables[i + 1 :])
                yield (size - a) / (b + n), self._with(houses, name, topic, grown)
        for i, (weight, parent) in enumerate(self._parents(name, tables)):
            for p, above in self._ways(houses, parent, topic, dish):
                opened = (*tables, (dish, 1, i))
                yield (b + a * len(tables)) / (b + n) * weight * p, self._with(above, name, topic, opened)

    def _with(self, houses: Houses, name: str, topic: int, tables: Any) -> Houses:
        return tuple(sorted({**dict(houses), self._house(name, topic): tuple(sorted(tables))}.items()))

    def _parents(self, name: str, tables: Any) -> list[tuple[float, str]]:
        node = self.graph[name]
        if len(node.parents) == 1:
            return [(1.0, node.parents[0])]
        if node.mix_weights is not None:
            return list(zip(node.mix_weights, node.parents, strict=True))
        weights = np.array(node.mix_prior) + [sum(i == to for _, _, to in tables) for i in range(len(node.parents))]
        return list(zip((weights / weights.sum()).tolist(), node.parents, strict=True))

    def _mean(self, houses: Houses, name: str) -> np.ndarray:
        if name in self.vectors:
            return self.vectors[name]
        a, b = self.graph[name].discount, self.concentrations[name]
        tables = self._tables(houses, name, -1)
        out = (b + a * len(tables)) * sum(w * self._mean(houses, p) for w, p in self._parents(name, tables))
        for dish, size, _ in tables:
            out[dish] += size - a
        return out / (b + sum(size for _, size, _ in tables))
