"""Exact transition probabilities of the explicit sweep over one document, the shared nodes being known vectors.

The law of a document given the vectors is enumerated: topics of its tokens, and tables of its local nodes; a table that
goes to a shared node, and a token that hangs on one, brings the probability that the vector gives its dish (maths 4).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import product
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.sparse import csr_array

from kernels.documents.exact import interpreted_state, outcomes, replaced
from oracle.bridge import _cell_of, _code, local_counts, oracle_order
from oracle.enumerate_states import _leaf_customers, _send_tables
from oracle.instances import Key, list_tokens, n_dishes
from oracle.pmf import Count, log_pmf, possible_counts
from oracle.states import Place
from oracle.toys import Toy
from pitmanyor.kernels.documents.general import explicit, topic_draw
from pitmanyor.kernels.documents.one_node import own_words_draw
from pitmanyor.kernels.documents.topic_nodes import own_words_draw as node_words_draw
from pitmanyor.kernels.restaurant.arrays import ROW, WIDE
from pitmanyor.sampling.explicit_sweep import RELABELLED_EVERY, Explicit
from pitmanyor.sampling.sweeps import initialise
from pitmanyor.sampling.switching import Switch
from pitmanyor.sampling.text_and_network import TextAndNetwork
from pitmanyor.state import Rule, State
from pitmanyor.state.engines import Engine, General, OneNode, TopicNodes
from pitmanyor.state.topic_columns import arrange

Document = tuple[tuple[int, ...], frozenset[tuple[Place, Count]]]  # topics of the tokens, counts of the local nodes
Customers = dict[str, dict[Key, dict[int, int]]]
N_LIVE, N_HELD = 3, 2
LEAST = 1e-3  # of linked vectors, so that every topic can be reached
TRIES = 1  # so that the scan behind the tries is reached too
ENGINES = {"general": General, "one node": OneNode, "topic nodes": TopicNodes}


def engine_for(state: State, name: str) -> Engine:
    kind = ENGINES[name]
    assert kind.fits(state.plan), f"the engine for {name} is not for this graph"
    return kind(state.plan)


class DocumentChain:
    """The transition matrices of document 0, all others holding still.

    Three topics are live and two of them held, so a token of the third stays where it is. The vectors are drawn by the
    sampler itself, from a start that uses all topics. The engine is one of `ENGINES`.
    """

    n_held = N_HELD

    def __init__(self, toy: Toy, rule: Rule, engine: str = "general") -> None:
        self.graph, self.corpus = toy
        self.state = state = self._with_vectors(toy, rule)
        self.explicit = Explicit(state, 1, engine_for(state, engine))
        self.all_tokens = list_tokens(self.graph, self.corpus)
        self.places = [i for i, token in enumerate(self.all_tokens) if token.document == 0]
        self.tokens = [oracle_order(state.plan)[i] for i in self.places]
        weights = dict(self._enumerate())
        self.states = list(weights)
        self.index = {target: i for i, target in enumerate(self.states)}
        log_weight = np.array(list(weights.values()))
        p = np.exp(log_weight - log_weight.max())
        self.pi = p / p.sum()

    def _with_vectors(self, toy: Toy, rule: Rule) -> State:
        """A state whose shared nodes are vectors."""
        for seed in range(100):
            state = interpreted_state(toy, rule)
            initialise(state, (seed, 0, 0), n_topics=N_LIVE)
            if state.n_topics == len(set(state.text.topic.tolist())) == N_LIVE:
                break
        assert arrange(state, np.arange(state.capacity) < N_HELD) == N_HELD
        Switch(state).down(state, (1, 0, 1))
        return state

    def _log_p(self, name: str, key: Key, dish: int) -> float:
        """log of what the vector of a shared node gives a dish."""
        plan, net = self.state.plan, self.state.net
        node = self.graph[name]
        known = dict(zip(node.plate, key, strict=True))
        k = dish if node.side == "topic" else known.get("topic", 0)
        plain = tuple(-1 if plate == "topic" else value for plate, value in known.items())
        cell = _cell_of(plan)[name, plain, -1 if node.side == "topic" else dish]
        return math.log(net.stay[net.cells[cell, ROW] + k * net.nodes[plan.index[name], WIDE]])

    def _enumerate(self) -> Iterator[tuple[Document, float]]:
        tokens = [self.all_tokens[i] for i in self.places]
        for topics in product(range(N_LIVE), repeat=len(tokens)):
            sides = []
            for side in ("topic", "word"):
                nodes = [node.name for node in reversed(self.graph.nodes) if node.local and node.side == side]
                customers = _leaf_customers(self.corpus, self.graph, tokens, topics, side=side)
                sides.append(list(self._seat(nodes, customers)))
            for (counts, weight), (more, more_weight) in product(*sides):
                yield (topics, frozenset((counts | more).items())), weight + more_weight

    def _seat(self, names: Sequence[str], customers: Customers) -> Iterator[tuple[dict[Place, Count], float]]:
        """All tables of the local nodes, children first; what is left over are customers of vectors."""
        if not names:
            left = [
                (n, key, dish, c) for n, keys in customers.items() for key, v in keys.items() for dish, c in v.items()
            ]
            shared = [place for place in left if not self.graph[place[0]].local]
            yield {}, sum(n * self._log_p(name, key, dish) for name, key, dish, n in shared)
            return
        node = self.graph[names[0]]
        finite = None if node.parents else n_dishes(self.graph, self.corpus, node)
        here = [(key, dish, n) for key, dishes in customers.get(node.name, {}).items() for dish, n in dishes.items()]
        for choice in product(*(possible_counts(node, n) for _, _, n in here)):
            by_key: dict[Key, dict[int, Count]] = {}
            for (key, dish, _), count in zip(here, choice, strict=True):
                by_key.setdefault(key, {})[dish] = count
            weight = sum(log_pmf(node, counts, finite) for counts in by_key.values())
            mine = {(node.name, key, dish): c for (key, dish, _), c in zip(here, choice, strict=True)}
            sent = _send_tables(self.graph, self.corpus, node.name, by_key, customers)
            for above, more in self._seat(names[1:], sent):
                yield mine | above, weight + more

    def _read(self) -> Document:
        """Document 0 as the arrays have it."""
        counts = [
            (place, count)
            for place, count in local_counts(self.state).items()
            if place[1][self.graph[place[0]].plate.index("document")] == 0
        ]
        return tuple(int(self.state.text.topic[token]) for token in self.tokens), frozenset(counts)

    def _from(self, start: Document, update: Callable[[], None]) -> dict[Any, float]:
        text = self.state.text
        topics, counts = start
        left = {place: list(count[2]) or [count[1]] for place, count in counts}
        for token, k in zip(self.tokens, topics, strict=True):
            text.topic[token] = k
        for token in self.tokens:
            text.code[token] = _code(self.state, token, left)
        assert self._read() == start
        saved = text.topic.copy(), text.code.copy()

        def once() -> Document:
            text.topic[:], text.code[:] = saved
            update()
            return self._read()

        return outcomes(once)

    def _sweep(self, passes: int = 1) -> None:
        with ExitStack() as stack:
            for module, name in ((topic_draw, "FRESH_TRIES"), (own_words_draw, "TRIES"), (node_words_draw, "TRIES")):
                stack.enter_context(patch.object(module, name, TRIES))
            self.explicit.sweep(self.state, np.zeros(1, np.int64), self.n_held, (1, 0, 2), passes)

    def token_update(self, token: int) -> csr_array:
        """P of updating one token (the plan's number) and no other; general kernel only."""
        right = explicit.update_token

        def only(*arguments: Any) -> Any:
            return right(*arguments) if arguments[3] == token else arguments[-1]

        def update() -> None:
            with replaced(right, only):
                self._sweep()

        return self._matrix([self._from(start, update) for start in self.states])

    def visit(self, starts: Sequence[int], passes: int = 1) -> csr_array:
        """Rows of P of the whole visit, from the states with these numbers."""
        return self._matrix([self._from(self.states[i], lambda: self._sweep(passes)) for i in starts])

    def relabelling(self) -> csr_array:
        """P of drawing one topic of the document anew."""

        def update() -> None:
            self.explicit.relabel(self.state, np.zeros(1, np.int64), self.n_held, (1, 0, RELABELLED_EVERY))

        return self._matrix([self._from(start, update) for start in self.states])

    def _matrix(self, rows: list[dict[Any, float]]) -> csr_array:
        entries = [(i, self.index[end], chance) for i, row in enumerate(rows) for end, chance in row.items()]
        at, to, chances = zip(*entries, strict=True)
        return csr_array((chances, (at, to)), shape=(len(rows), len(self.states)))

    def error(self, matrix: csr_array) -> float:
        """max |pi P - pi|."""
        return float(np.abs(self.pi @ matrix - self.pi).max())


class LinkedChain(DocumentChain):
    """The same when a network has joined: all topics of a finite root are held, and linked vectors are given.

    The law is that of the network's own vectors, before the sampler of the text has laid hands on them.
    """

    n_held = N_LIVE

    def _with_vectors(self, toy: Toy, rule: Rule) -> State:
        state = interpreted_state(toy, rule)
        initialise(state, (1, 0, 0))
        both = TextAndNetwork(state, 1)
        for seed in range(100):
            both.start(state, (seed, 0, 0))
            self.given = {name: node.nu.copy() for name, node in both.network.nodes.items()}
            self.given[both.root_name] = np.exp(both.network.root.log_mu)[None]
            if min(vectors.min() for vectors in self.given.values()) > LEAST:
                break
        self.labels = {name: list(state.plan.instances[name].labels) for name in both.linked}
        both.hand_down(state, (1, 0, 1))
        return state

    def _log_p(self, name: str, key: Key, dish: int) -> float:
        if name not in self.given:
            return super()._log_p(name, key, dish)
        groups = self.corpus.groups
        who = [groups[plate].labels[code] for plate, code in zip(self.graph[name].plate, key, strict=True)]
        row = self.labels[name].index(*who) if who else 0
        return math.log(self.given[name][row, dish])

    def distance(self, matrix: csr_array) -> float:
        """Total variation between pi P and pi."""
        return float(np.abs(self.pi @ matrix - self.pi).sum() / 2)
