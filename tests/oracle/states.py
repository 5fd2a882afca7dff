"""State: what a sampler's state is, as a value that can be compared, hashed and given a probability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from oracle.instances import Key
from oracle.pmf import Count
from pitmanyor.graph import Graph

Place = tuple[str, Key, int]  # node, instance, dish
Name = tuple[tuple[int, ...], frozenset[tuple[Place, Count]]]


@dataclass(frozen=True, eq=False)
class State:
    """Topics of all tokens and the counts of all restaurants; compared by these, never by the weight.

    Topics under a `gem` are numbered in order of first appearance, for they are a partition without labels. A count is
    (customers, tables, tables to each parent): roots send tables to no parent, a Dirichlet has no tables.
    """

    topics: tuple[int, ...]
    counts: Mapping[Place, Count]
    log_weight: float = field(default=0.0)

    @cached_property
    def name(self) -> Name:
        return self.topics, frozenset(self.counts.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


def make_state(graph: Graph, topics: Iterable[int], counts: Mapping[Place, Count], log_weight: float = 0.0) -> State:
    """A State from counts under any labels: no empty counts, topics renumbered where they have no labels."""
    given = tuple(int(topic) for topic in topics)
    renumber: dict[int, int] = {}
    if any(node.kind == "gem" for node in graph.nodes):
        for topic in given:
            renumber.setdefault(topic, len(renumber))
    clean: dict[Place, Count] = {}
    for (name, key, dish), count in counts.items():
        if count[0] == 0:
            continue
        node = graph[name]
        new_key = tuple(
            renumber.get(value, value) if plate == "topic" else int(value)
            for plate, value in zip(node.plate, key, strict=True)
        )
        new_dish = renumber.get(dish, dish) if node.side == "topic" else int(dish)
        clean[name, new_key, new_dish] = (int(count[0]), int(count[1]), tuple(int(to) for to in count[2]))
    return State(tuple(renumber.get(topic, topic) for topic in given), MappingProxyType(clean), log_weight)


def totals(graph: Graph, state: State) -> list[float]:
    """Live topics, then for every node its customers, its tables, and the squared tables to its first parent.

    Counts are summed over instances and dishes; the squares are of an instance's sum, so they tell how uneven the
    mixing of parents is. For comparing a chain with the enumerated posterior.
    """
    out = [float(len(set(state.topics)))]
    for node in graph.nodes:
        mine = [(place[1], count) for place, count in state.counts.items() if place[0] == node.name]
        out += [float(sum(count[0] for _, count in mine)), float(sum(count[1] for _, count in mine))]
        if len(node.parents) > 1:
            to_first: Counter[Key] = Counter()
            for key, count in mine:
                to_first[key] += count[2][0]
            out.append(float(sum(n * n for n in to_first.values())))
    return out


def posterior(states: Iterable[State]) -> NDArray[np.float64]:
    """The probability of each state given the words."""
    weights = np.array([state.log_weight for state in states])
    out: NDArray[np.float64] = np.exp(weights - weights.max())
    return out / out.sum()


def total_variation(p: Mapping[State, float], q: Mapping[State, float]) -> float:
    """Half the summed distance between two distributions over states."""
    return 0.5 * sum(abs(p.get(state, 0.0) - q.get(state, 0.0)) for state in {*p, *q})
