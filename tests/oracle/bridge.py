"""From the sampler's flat arrays to the oracle's counts, and back.

Neither way uses a kernel to read or write counts: what is read here is what the arrays say
(kernels/restaurant/arrays.py).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import DTypeLike

from oracle.instances import Key, instance
from oracle.pmf import Count
from oracle.states import Place, make_state
from oracle.states import State as OracleState
from pitmanyor.graph import Node, Tokens
from pitmanyor.kernels.documents.general.collapsed import UNSEEN
from pitmanyor.kernels.restaurant.arrays import (
    CUSTOMERS,
    DOOR,
    MASK,
    N_COLUMNS,
    N_LIVE,
    PACKED,
    REST,
    REST_WIDE,
    ROW,
    SHIFT,
    TABLES,
    TO_REST,
    TO_ROW,
    UNPACKED,
    WIDE,
)
from pitmanyor.kernels.restaurant.refresh import refresh_all
from pitmanyor.plan import Plan
from pitmanyor.state import Rule, State, new_state
from pitmanyor.state.layout import build_layout, is_wide


@dataclass(frozen=True)
class Cell:
    """A row of counts of a shared node: one document that belongs to it, and its corpus word (-1 on the topic side)."""

    node: Node
    document: int
    word: int

    def place(self, plan: Plan, k: int) -> Place:
        """The oracle's name of the count in column k."""
        topic = k if self.node.per_topic else None
        key = instance(plan.corpus, self.node.plate, self.document, topic)
        return self.node.name, key, k if self.node.side == "topic" else self.word


@lru_cache(maxsize=64)
def shared_cells(plan: Plan) -> dict[int, Cell]:
    """Every cell of a shared node, by its number."""
    cells = {}
    for i, node in enumerate(plan.nodes):
        if node.local:
            continue
        of_document = plan.instances[node.name].of_document
        for cell in range(int(plan.cells.first[i]), int(plan.cells.first[i + 1])):
            document = int(np.flatnonzero(of_document == plan.cells.instance[cell])[0])
            word = int(plan.cells.word[cell])
            cells[cell] = Cell(node, document, word if word < 0 else int(plan.words[node.name][word]))
    return cells


@lru_cache(maxsize=64)
def _cell_of(plan: Plan) -> dict[tuple[str, Key, int], int]:
    """Cells by node, key without the topic, and word."""
    return {(cell.node.name, cell.place(plan, -1)[1], cell.word): number for number, cell in shared_cells(plan).items()}


@lru_cache(maxsize=64)
def oracle_order(plan: Plan) -> tuple[int, ...]:
    """The plan's tokens in the oracle's order: document, stream, place in the corpus."""
    order = plan.order
    return tuple(int(i) for i in np.lexsort((order.source, order.stream, order.document)))


@lru_cache(maxsize=64)
def _documents(plan: Plan) -> list[int]:
    """Every token's document, which the plan makes whenever it is asked."""
    return plan.order.document.tolist()


@lru_cache(maxsize=64)
def _streams(plan: Plan) -> list[int]:
    return plan.order.stream.tolist()


def token_walks(state: State, token: int) -> list[tuple[Place, int]]:
    """The local seats of a token, both sides, with the walk's digit at each: 0 sits, i + 1 opened towards parent i."""
    plan, stream = state.plan, _stream(state.plan, token)
    k, code = int(state.text.topic[token]), int(state.text.code[token])
    seats = []
    for name in (stream.topic, stream.emit):
        node: Node | None = plan.graph[name]
        while node is not None and node.local:
            i = plan.index[node.name]
            digit = (code >> int(state.net.nodes[i, SHIFT])) & int(state.net.nodes[i, MASK])
            seats.append((local_place(plan, node, token, k), digit))
            node = plan.graph[node.parents[digit - 1]] if digit and node.parents else None
    return seats


def local_place(plan: Plan, node: Node, token: int, k: int) -> Place:
    """The count that a token of topic k reaches at a node."""
    key = instance(plan.corpus, node.plate, _documents(plan)[token], k if node.per_topic else None)
    return node.name, key, k if node.side == "topic" else corpus_word(plan, token)


def corpus_word(plan: Plan, token: int) -> int:
    return int(plan.words[_stream(plan, token).emit][plan.order.word[token]])


def _stream(plan: Plan, token: int) -> Tokens:
    return plan.graph.streams[_streams(plan)[token]]


def local_counts(state: State) -> dict[Place, Count]:
    """Counts of local nodes, from the walk codes of all tokens that have been seen."""
    customers: Counter[Place] = Counter()
    to: dict[Place, list[int]] = {}
    for token in np.flatnonzero(state.text.topic >= 0):
        for place, digit in token_walks(state, int(token)):
            customers[place] += 1
            tables_to = to.setdefault(place, [0] * max(len(state.plan.graph[place[0]].parents), 1))
            if digit:
                tables_to[digit - 1] += 1
    return {
        place: (n, sum(to[place]), tuple(to[place]) if state.plan.graph[place[0]].parents else ())
        for place, n in customers.items()
    }


@lru_cache(maxsize=64)
def _count_places(plan: Plan, capacity: int) -> list[tuple[Place, int] | None]:
    """What the count at each index is called, and where its tables per parent start (-1: not counted so)."""
    layout = build_layout(plan, capacity)
    places: list[tuple[Place, int] | None] = [None] * layout.sizes[0]
    for number, cell in shared_cells(plan).items():
        n_parents = len(cell.node.parents)
        row, to_row = (int(at) for at in layout.cells[number, [ROW, TO_ROW]])
        for k in range(capacity if is_wide(cell.node) and row != PACKED else int(row != PACKED)):
            places[row + k] = cell.place(plan, k), to_row + k * n_parents if n_parents > 1 else -1
    return places


def shared_counts(state: State) -> dict[Place, Count]:
    """Counts of shared nodes that have customers. A gem's dish has one table, which the arrays do not count."""
    net, graph, places = state.net, state.plan.graph, _count_places(state.plan, state.capacity)
    counts = _packed_counts(state)
    seated = np.flatnonzero(net.counts[:, CUSTOMERS])
    for spare in [int(net.cells[cell, ROW]) for cell in net.nodes[:, UNPACKED].tolist() if cell >= 0]:
        seated = seated[(seated < spare) | (seated >= spare + state.capacity)]
    for i, (customers, tables) in zip(seated.tolist(), net.counts[seated].tolist(), strict=True):
        named = places[i]
        assert named is not None, f"count {i} belongs to no shared cell"
        place, to_row = named
        node = graph[place[0]]
        tables = 1 if node.kind == "gem" else tables
        to: tuple[int, ...] = (tables,) if len(node.parents) == 1 else ()
        if to_row >= 0:
            to = tuple(net.to[to_row : to_row + len(node.parents)].tolist())
        counts[place] = (customers, tables, to)
    return counts


def _packed_counts(state: State) -> dict[Place, Count]:
    """Counts of packed cells, and of those that lie in a spare row for the time being."""
    net, plan, counts = state.net, state.plan, dict[Place, Count]()
    for number, cell in shared_cells(plan).items() if len(net.packed_first) else ():
        row, entries = int(net.cells[number, ROW]), net.packed[net.packed_first[number] : net.packed_first[number + 1]]
        found = [(int(k), int(c), int(t)) for c, t, k in entries]
        if number in net.nodes[:, UNPACKED]:
            found = [(k, int(c), int(t)) for k, (c, t) in enumerate(net.counts[row : row + state.capacity])]
        elif row != PACKED:
            found = []
        for k, customers, tables in found:
            if customers:
                counts[cell.place(plan, k)] = customers, tables, (tables,) if cell.node.parents else ()
    return counts


def state_of(state: State) -> OracleState:
    """The oracle's view of a state; tokens not seen yet are left out."""
    topics = [int(state.text.topic[token]) for token in oracle_order(state.plan)]
    counts = local_counts(state) | shared_counts(state)
    return make_state(state.plan.graph, [k for k in topics if k >= 0], counts)


def load(plan: Plan, target: OracleState, rule: Rule = "clamp", precision: DTypeLike = np.float64) -> State:
    """A state with exactly these topics and counts."""
    state = new_state(plan, rule=rule, precision=precision)
    lay(state, target)
    return state


def lay(state: State, target: OracleState, unseen: int | None = None) -> None:
    """Overwrite a state with topics and counts; `unseen` is a token (the plan's number) that the target leaves out."""
    _clear(state)
    tokens = [token for token in oracle_order(state.plan) if token != unseen]
    state.text.topic[:] = UNSEEN
    for token, k in zip(tokens, target.topics, strict=True):
        state.text.topic[token] = k
    left = {place: list(count[2]) or [count[1]] for place, count in target.counts.items()}
    for token in tokens:
        state.text.code[token] = _code(state, token, left)
    for place, count in target.counts.items():
        if not state.plan.graph[place[0]].local:
            _set_count(state, place, count)
    net = state.net
    if state.plan.n_topics is None:
        n_topics = max(target.topics, default=-1) + 1
        net.live[:] = np.arange(state.capacity) < n_topics
        net.status[N_COLUMNS], net.status[N_LIVE], net.status[DOOR] = n_topics + 1, n_topics, -1
    refresh_all(net, state.tables)


def _clear(state: State) -> None:
    net = state.net
    for counts in (net.counts, net.to, net.totals, net.n_to):
        counts[:] = 0
    state.text.code[:] = 0


def _code(state: State, token: int, left: dict[Place, list[int]]) -> int:
    """A walk for a token that takes the first tables left: who opened them does not matter."""
    plan, stream = state.plan, _stream(state.plan, token)
    code, k = 0, int(state.text.topic[token])
    for name in (stream.topic, stream.emit):
        node: Node | None = plan.graph[name]
        while node is not None and node.local:
            tables_to = left[local_place(plan, node, token, k)]
            choice = next((i for i, n in enumerate(tables_to) if n > 0), None)
            if choice is None:
                break
            tables_to[choice] -= 1
            code |= (choice + 1) << int(state.net.nodes[plan.index[node.name], SHIFT])
            node = plan.graph[node.parents[choice]] if node.parents else None
    return code


def _set_count(state: State, place: Place, count: Count) -> None:
    """Write a count of a shared node and add it to its restaurant's totals."""
    net, plan = state.net, state.plan
    name, key, dish = place
    node, i = plan.graph[name], plan.index[name]
    k = dish if node.side == "topic" else dict(zip(node.plate, key, strict=True)).get("topic", 0)
    plain = tuple(-1 if plate == "topic" else value for plate, value in zip(node.plate, key, strict=True))
    cell = _cell_of(plan)[name, plain, -1 if node.side == "topic" else dish]
    column, own = k * int(net.nodes[i, WIDE]), k * int(net.nodes[i, REST_WIDE])
    row, rest = int(net.cells[cell, ROW]) + column, int(net.cells[cell, REST]) + own
    net.counts[row, CUSTOMERS] = count[0]
    net.totals[rest] += count[:2]
    if node.kind == "gem":
        return
    net.counts[row, TABLES] = count[1]
    n_parents = len(node.parents)
    if n_parents > 1:
        to_row = int(net.cells[cell, TO_ROW]) + column * n_parents
        to_rest = int(net.cells[cell, TO_REST]) + own * n_parents
        net.to[to_row : to_row + n_parents] = count[2]
        net.n_to[to_rest : to_rest + n_parents] += count[2]
