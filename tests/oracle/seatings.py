"""Brute force: every way to put every customer at a concrete table, one after the other.

It knows nothing of Stirling numbers or of the count pmf, which is why it can judge them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from oracle.instances import Key, instance, list_tokens, n_dishes
from oracle.pmf import Count
from oracle.states import Place, State, make_state
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph, Node

# A restaurant is its tables: (dish, parent the table went to, customers). A room is all restaurants.
Table = tuple[int, int, int]
Room = dict[tuple[str, Key], tuple[Table, ...]]


@dataclass(frozen=True)
class Visit:
    """Who comes: a token of a document, with a topic on the word side, wanting `dish` (None: any)."""

    document: int
    topic: int | None
    dish: int | None


def seating_probabilities(graph: Graph, corpus: Corpus, sizes: dict[str, int] | None = None) -> dict[State, float]:
    """Joint probability of each state and the words: seating histories summed by the counts they end in."""
    tokens = list_tokens(graph, corpus)
    out: dict[State, float] = {}
    stack: list[tuple[tuple[int, ...], Room, float]] = [((), {}, 1.0)]
    arrive = _Arrivals(graph, corpus, sizes)
    while stack:
        topics, room, probability = stack.pop()
        if len(topics) == len(tokens):
            state = make_state(graph, topics, _counts(graph, room))
            out[state] = out.get(state, 0.0) + probability
            continue
        token = tokens[len(topics)]
        for p, topic, seated in arrive(room, graph[token.topic_node], Visit(token.document, None, None)):
            for q, _, after in arrive(seated, graph[token.emit_node], Visit(token.document, topic, token.word)):
                stack.append(((*topics, topic), after, probability * p * q))
    return out


class _Arrivals:
    """All ways for one customer to sit down: (probability, dish, room afterwards)."""

    def __init__(self, graph: Graph, corpus: Corpus, sizes: dict[str, int] | None) -> None:
        self.graph, self.corpus, self.sizes = graph, corpus, sizes

    def __call__(self, room: Room, node: Node, visit: Visit) -> Iterator[tuple[float, int, Room]]:
        place = (node.name, instance(self.corpus, node.plate, visit.document, visit.topic))
        tables = room.get(place, ())
        a, b = node.discount, float(node.concentration)  # type: ignore[arg-type]
        total = b + sum(n for _, _, n in tables)
        for j, (dish, parent, n) in enumerate(tables):
            if visit.dish in (None, dish):
                sat = (*tables[:j], (dish, parent, n + 1), *tables[j + 1 :])
                yield (n - a) / total, dish, room | {place: sat}
        opens = (b + a * len(tables)) / total
        for p, dish, parent, after in self._new_table(room, node, visit, tables):
            # The parents' seats come from `after`; this node's own are still those of `room`.
            yield opens * p, dish, after | {place: (*tables, (dish, parent, 1))}

    def _new_table(
        self, room: Room, node: Node, visit: Visit, tables: tuple[Table, ...]
    ) -> Iterator[tuple[float, int, int, Room]]:
        """(probability, dish, parent, room) of a table that opens; a root makes up the dish itself."""
        if node.kind == "gem":
            yield 1.0, len(tables), 0, room
        elif not node.parents:
            size = n_dishes(self.graph, self.corpus, node, self.sizes)
            for dish in range(size) if visit.dish is None else [visit.dish]:
                yield 1.0 / size, dish, 0, room
        else:
            for i, parent in enumerate(node.parents):
                share = self._mix_share(node, tables, i)
                for p, dish, after in self(room, self.graph[parent], visit):
                    yield share * p, dish, i, after

    @staticmethod
    def _mix_share(node: Node, tables: tuple[Table, ...], i: int) -> float:
        if len(node.parents) == 1:
            return 1.0
        if node.mix_weights is not None:
            return node.mix_weights[i]
        assert node.mix_prior is not None
        went = sum(parent == i for _, parent, _ in tables)
        return (node.mix_prior[i] + went) / (sum(node.mix_prior) + len(tables))


def _counts(graph: Graph, room: Room) -> dict[Place, Count]:
    """Forget who sits where. A Dirichlet's tables were only a way to draw from it."""
    out: dict[Place, Count] = {}
    for (name, key), tables in room.items():
        node = graph[name]
        for dish in {dish for dish, _, _ in tables}:
            mine = [table for table in tables if table[0] == dish]
            to = tuple(sum(parent == i for _, parent, _ in mine) for i in range(len(node.parents)))
            n_tables = 0 if node.kind == "dirichlet" else len(mine)
            out[name, key, dish] = (sum(n for _, _, n in mine), n_tables, to)
    return out
