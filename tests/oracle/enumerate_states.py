"""Every state of a tiny model with its exact probability, from the count pmf (maths 1)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from oracle.instances import Key, Token, instance, list_tokens, n_dishes, parent_instance
from oracle.pmf import Count, log_pmf, possible_counts
from oracle.states import Place, State, make_state, posterior
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph

__all__ = ["State", "enumerate_states", "posterior"]

Customers = dict[str, dict[Key, dict[int, int]]]
Seated = tuple[dict[Place, Count], float]


def enumerate_states(graph: Graph, corpus: Corpus, sizes: dict[str, int] | None = None) -> list[State]:
    """All states of a model with fixed concentrations; exp(log_weight) is the joint probability with the words.

    `sizes` may give the number of words of a stream's own vocabulary, by the stream's name.
    """
    tokens = list_tokens(graph, corpus)
    states = []
    for topics in _topic_assignments(graph, len(tokens)):
        leaves = {side: _leaf_customers(corpus, graph, tokens, topics, side=side) for side in ("topic", "word")}
        topic_side = list(_seat(graph, corpus, "topic", leaves["topic"], sizes))
        word_side = list(_seat(graph, corpus, "word", leaves["word"], sizes))
        for (topic_counts, topic_weight), (word_counts, word_weight) in product(topic_side, word_side):
            states.append(make_state(graph, topics, topic_counts | word_counts, topic_weight + word_weight))
    return states


def _topic_assignments(graph: Graph, n_tokens: int) -> Iterator[tuple[int, ...]]:
    """Partitions in order of first appearance under a `gem`, all labellings under finite roots."""
    sizes = [node.over for node in graph.nodes if isinstance(node.over, int)]
    if sizes:
        yield from product(range(sizes[0]), repeat=n_tokens)
        return
    stack: list[tuple[int, ...]] = [()]
    while stack:
        topics = stack.pop()
        if len(topics) == n_tokens:
            yield topics
        else:
            stack.extend((*topics, k) for k in range(max(topics, default=-1) + 2))


def _leaf_customers(corpus: Corpus, graph: Graph, tokens: list[Token], topics: tuple[int, ...], side: str) -> Customers:
    """The customers that the tokens themselves are, before any table sends more."""
    out: Customers = {}
    for token, topic in zip(tokens, topics, strict=True):
        node = graph[token.topic_node if side == "topic" else token.emit_node]
        key = instance(corpus, node.plate, token.document, topic if side == "word" else None)
        dish = topic if side == "topic" else token.word
        dishes = out.setdefault(node.name, {}).setdefault(key, {})
        dishes[dish] = dishes.get(dish, 0) + 1
    return out


def _seat(
    graph: Graph, corpus: Corpus, side: str, customers: Customers, sizes: dict[str, int] | None
) -> Iterator[Seated]:
    """All tables of one side given its leaf customers, children before parents."""
    nodes = [node for node in reversed(graph.nodes) if node.side == side]

    def descend(at: int, customers: Customers) -> Iterator[Seated]:
        if at == len(nodes):
            yield {}, 0.0
            return
        node = nodes[at]
        finite = None if node.parents or node.kind == "gem" else n_dishes(graph, corpus, node, sizes)
        here = [(key, dish, n) for key, dishes in customers.get(node.name, {}).items() for dish, n in dishes.items()]
        for choice in product(*(possible_counts(node, n) for _, _, n in here)):
            by_key: dict[Key, dict[int, Count]] = {}
            for (key, dish, _), count in zip(here, choice, strict=True):
                by_key.setdefault(key, {})[dish] = count
            weight = sum(log_pmf(node, counts, finite) for counts in by_key.values())
            mine: dict[Place, Count] = {
                (node.name, key, dish): c for (key, dish, _), c in zip(here, choice, strict=True)
            }
            for above, above_weight in descend(at + 1, _send_tables(graph, corpus, node.name, by_key, customers)):
                yield mine | above, weight + above_weight

    yield from descend(0, customers)


def _send_tables(
    graph: Graph, corpus: Corpus, name: str, counts: dict[Key, dict[int, Count]], customers: Customers
) -> Customers:
    """The customers of all nodes once the tables of node `name` have gone to its parents."""
    out = {node: {key: dict(dishes) for key, dishes in keys.items()} for node, keys in customers.items()}
    for i, parent in enumerate(graph[name].parents):
        for key, dishes in counts.items():
            above = parent_instance(corpus, graph[name], key, graph[parent])
            for dish, (_, _, tables_to) in dishes.items():
                if tables_to[i]:
                    seats = out.setdefault(parent, {}).setdefault(above, {})
                    seats[dish] = seats.get(dish, 0) + tables_to[i]
    return out
