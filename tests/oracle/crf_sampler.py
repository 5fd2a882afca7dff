"""A slow Gibbs sampler that remembers every customer's table: the judge of models too large to enumerate.

It shares no idea with the kernels: no counts of tables are ever drawn, no Stirling number occurs. A token leaves its
tables and comes back along the predictive probabilities of the restaurant franchise; then every table, with all who
sit at it, is sent to its parents anew. Both are plain Gibbs steps. Concentrations are fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from oracle.instances import Key, Token, instance, list_tokens, n_dishes
from oracle.pmf import Count
from oracle.states import Place, State, make_state, totals
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph, Node


class Table:
    """A table of a house. `above` is where its own customer sits, in the house of parent number `parent`."""

    __slots__ = ("above", "dish", "house", "n", "parent")

    def __init__(self, house: House, dish: int) -> None:
        self.house, self.dish, self.n = house, dish, 0
        self.parent = -1
        self.above: Table | None = None


class House:
    """One restaurant: its tables by dish. A Dirichlet and a `gem` put all customers of a dish at one table."""

    def __init__(self, node: Node, parents: list[House], n_dishes: int | None) -> None:
        self.node, self.parents, self.n_dishes = node, parents, n_dishes
        self.a, self.b = node.discount, float(node.concentration)  # type: ignore[arg-type]
        self.tables: dict[int, list[Table]] = {}
        self.n_customers = 0
        self.n_tables = 0
        self.n_to = [0] * len(parents)

    def share(self, i: int) -> float:
        """Probability that a new table goes to parent i."""
        if len(self.parents) == 1:
            return 1.0
        if self.node.mix_weights is not None:
            return self.node.mix_weights[i]
        assert self.node.mix_prior is not None
        return (self.node.mix_prior[i] + self.n_to[i]) / (sum(self.node.mix_prior) + sum(self.n_to))

    def above(self, dish: int) -> float:
        """Probability of a dish for a table that opens. At a `gem` a dish nobody has yet stands for a new topic."""
        if self.parents:
            return sum(self.share(i) * parent.predict(dish) for i, parent in enumerate(self.parents))
        if self.node.kind == "gem":
            return 0.0 if dish in self.tables else 1.0
        assert self.n_dishes is not None
        return 1.0 / self.n_dishes

    def predict(self, dish: int) -> float:
        """Probability that the next customer gets this dish."""
        old = sum(table.n - self.a for table in self.tables.get(dish, ()))
        return (old + (self.b + self.a * self.n_tables) * self.above(dish)) / (self.b + self.n_customers)

    def enter(self, dish: int, rng: Random) -> Table:
        """Seat a customer who gets this dish, here and as far up as new tables open."""
        old = self.tables.get(dish, [])
        new = (self.b + self.a * self.n_tables) * self.above(dish)
        left = rng.random() * (sum(table.n - self.a for table in old) + new)
        for table in old:
            left -= table.n - self.a
            if left < 0:
                break
        else:
            # Rounding may end here though no table can open (new = 0): then the last old one is meant.
            table = self._open(dish, rng) if new > 0 or not old else old[-1]
        table.n += 1
        self.n_customers += 1
        return table

    def _open(self, dish: int, rng: Random) -> Table:
        if self.node.kind == "dirichlet" and dish in self.tables:
            return self.tables[dish][0]
        table = Table(self, dish)
        self.tables.setdefault(dish, []).append(table)
        if self.node.kind != "dirichlet":
            self.n_tables += 1
        send(table, rng)
        return table


def send(table: Table, rng: Random) -> None:
    """Send a table to a parent: Gibbs over the parents, then over the seats there."""
    house = table.house
    if not house.parents:
        return
    weights = [house.share(i) * parent.predict(table.dish) for i, parent in enumerate(house.parents)]
    table.parent = rng.choices(range(len(weights)), weights)[0]
    table.above = house.parents[table.parent].enter(table.dish, rng)
    house.n_to[table.parent] += 1


def recall(table: Table) -> None:
    """Take a table's customer out of its parent's house."""
    if table.above is not None:
        table.house.n_to[table.parent] -= 1
        leave(table.above)
        table.above = None


def leave(table: Table) -> None:
    """One customer gets up; the last one takes the table along."""
    house = table.house
    table.n -= 1
    house.n_customers -= 1
    if table.n == 0:
        house.tables[table.dish].remove(table)
        if not house.tables[table.dish]:
            del house.tables[table.dish]
        if house.node.kind != "dirichlet":
            house.n_tables -= 1
        recall(table)


class Franchise:
    """The whole state: houses, and for each token its topic and its two seats."""

    def __init__(self, graph: Graph, corpus: Corpus, seed: int, sizes: dict[str, int] | None = None) -> None:
        self.graph, self.corpus, self.sizes = graph, corpus, sizes
        self.rng = Random(seed)
        self.houses: dict[tuple[str, Key], House] = {}
        self.tokens = list_tokens(graph, corpus)
        self.finite = next((node.over for node in graph.nodes if isinstance(node.over, int)), None)
        self.topics: list[int] = []
        self.seats: list[tuple[Table, Table]] = []
        for token in self.tokens:
            self._place(token, len(self.topics))

    def sweep(self) -> None:
        """Reseat every token, then send every table anew."""
        for i, token in enumerate(self.tokens):
            for seat in self.seats[i]:
                leave(seat)
            self.topics[i] = -1
            self._place(token, i)
        for house in list(self.houses.values()):
            for table in [table for tables in house.tables.values() for table in tables]:
                recall(table)
                send(table, self.rng)

    def _place(self, token: Token, i: int) -> None:
        leaf = self._house(token.topic_node, token.document, None)
        choices = self._choices()
        weights = [leaf.predict(k) * self._emit(token, k).predict(token.word) for k in choices]
        topic = self.rng.choices(choices, weights)[0]
        seats = (leaf.enter(topic, self.rng), self._emit(token, topic).enter(token.word, self.rng))
        self.topics[i : i + 1] = [topic]  # replaces entry i, or appends it the first time
        self.seats[i : i + 1] = [seats]

    def _choices(self) -> Sequence[int]:
        """Live topics and the smallest free label, or all topics of a finite root."""
        if self.finite is not None:
            return range(self.finite)
        live = {topic for topic in self.topics if topic >= 0}
        return sorted({*live, min(set(range(len(live) + 1)) - live)})

    def _emit(self, token: Token, topic: int) -> House:
        return self._house(token.emit_node, token.document, topic)

    def _house(self, name: str, document: int, topic: int | None) -> House:
        node = self.graph[name]
        place = (name, instance(self.corpus, node.plate, document, topic))
        if place not in self.houses:
            parents = [self._house(parent, document, topic) for parent in node.parents]
            finite = None
            if not node.parents and node.kind != "gem":
                finite = n_dishes(self.graph, self.corpus, node, self.sizes)
            self.houses[place] = House(node, parents, finite)
        return self.houses[place]

    def state(self) -> State:
        """The counts, with topics numbered in order of first appearance."""
        counts: dict[Place, Count] = {}
        for (name, key), house in self.houses.items():
            for dish, tables in house.tables.items():
                to = tuple(sum(table.parent == i for table in tables) for i in range(len(house.parents)))
                n_tables = 0 if house.node.kind == "dirichlet" else len(tables)
                counts[name, key, dish] = (sum(table.n for table in tables), n_tables, to)
        return make_state(self.graph, self.topics, counts)


def run(franchise: Franchise, sweeps: int) -> NDArray[np.float64]:
    """The totals after every sweep, one row a sweep."""
    rows = []
    for _ in range(sweeps):
        franchise.sweep()
        rows.append(totals(franchise.graph, franchise.state()))
    return np.array(rows)
