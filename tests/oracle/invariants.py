"""What must hold of a state between any two sweeps, whatever the model."""

from __future__ import annotations

from collections import Counter

import numpy as np

from oracle.bridge import local_counts, local_place, shared_cells, shared_counts
from oracle.instances import parent_instance
from oracle.pmf import Count
from oracle.states import Place
from pitmanyor.kernels.documents.general.scratch import OF_TOPIC
from pitmanyor.kernels.restaurant.arrays import (
    CUSTOMERS,
    DOOR,
    EXPLICIT,
    GEM_CELL,
    MAX_TOPICS,
    N_COLUMNS,
    N_LIVE,
    REST,
    REST_WIDE,
    ROW,
    TABLES,
    TO_REST,
    TO_ROW,
    WIDE,
)
from pitmanyor.kernels.restaurant.refresh import refresh_all
from pitmanyor.state import State


def check(state: State) -> None:
    """Every invariant. Nodes that are probability vectors for the time being have no tables and are left out."""
    assert (state.text.topic >= 0).all(), "a token has no topic"
    counts = local_counts(state) | shared_counts(state)
    _check_counts(state, counts)
    _check_customers(state, counts)
    _check_empty_counts(state)
    _check_totals(state)
    _check_caches(state)
    _check_topics(state)
    assert (state.document_scratch.slot_of == -1).all() and not state.document_scratch.slots[:, -1, OF_TOPIC].any(), (
        "a document has been left in the scratch"
    )


def _explicit(state: State, name: str) -> bool:
    return bool(state.net.nodes[state.plan.index[name], EXPLICIT])


def _check_counts(state: State, counts: dict[Place, Count]) -> None:
    """1 <= t <= c, and tables to parents add up; a gem's dish has one table, a Dirichlet has none."""
    for place, (customers, tables, to) in counts.items():
        node = state.plan.graph[place[0]]
        assert customers > 0, place
        if _explicit(state, node.name):
            continue
        if node.kind == "dirichlet":
            assert tables == 0, place
        else:
            assert 1 <= tables <= customers, (place, customers, tables)
        if node.parents:
            assert min(to) >= 0 and sum(to) == tables, (place, tables, to)


def _check_customers(state: State, counts: dict[Place, Count]) -> None:
    """A restaurant's customers are its tokens and the tables of its children, dish by dish."""
    plan, graph = state.plan, state.plan.graph
    expected: Counter[Place] = Counter()
    for token, k in enumerate(state.text.topic):
        stream = graph.streams[int(plan.order.stream[token])]
        for name in (stream.topic, stream.emit):
            expected[local_place(plan, graph[name], token, int(k))] += 1
    for (name, key, dish), (_, _, to) in counts.items():
        for parent, n in zip(graph[name].parents, to, strict=True):
            if n:
                expected[parent, parent_instance(plan.corpus, graph[name], key, graph[parent]), dish] += n
    idle = {parent for node in graph.nodes if _explicit(state, node.name) for parent in node.parents}
    for place in {*expected, *counts}:
        if place[0] not in idle:
            customers = counts[place][0] if place in counts else 0
            assert customers == expected[place], (place, customers, expected[place])


def _check_empty_counts(state: State) -> None:
    net = state.net
    empty = net.counts[:, CUSTOMERS] == 0
    assert (net.counts >= 0).all() and (net.to >= 0).all()
    assert not net.counts[empty, TABLES].any(), "tables without customers"
    for number, cell in shared_cells(state.plan).items():
        n_parents = len(cell.node.parents)
        if n_parents > 1:
            width = state.capacity if net.nodes[state.plan.index[cell.node.name], WIDE] else 1
            row, to_row = net.cells[number, ROW], net.cells[number, TO_ROW]
            to = net.to[to_row : to_row + width * n_parents].reshape(width, n_parents)
            assert (to.sum(axis=1) == net.counts[row : row + width, TABLES]).all(), cell


def _check_totals(state: State) -> None:
    net = state.net
    totals, n_to = np.zeros_like(net.totals), np.zeros_like(net.n_to)
    for number, cell in shared_cells(state.plan).items():
        i, n_parents = state.plan.index[cell.node.name], len(cell.node.parents)
        row, rest, to_row, to_rest = net.cells[number, [ROW, REST, TO_ROW, TO_REST]]
        for k in range(state.capacity if net.nodes[i, WIDE] else 1):
            own = k * net.nodes[i, REST_WIDE]
            totals[rest + own] += net.counts[row + k]
            if n_parents > 1:
                start = to_rest + own * n_parents
                n_to[start : start + n_parents] += net.to[to_row + k * n_parents : to_row + (k + 1) * n_parents]
    gem = net.status[GEM_CELL]
    if gem >= 0:
        totals[net.cells[gem, REST], TABLES] = net.status[N_LIVE]
    assert (totals == net.totals).all() and (n_to == net.n_to).all(), "totals are not the sums of their counts"


def _check_caches(state: State) -> None:
    """What scoring reads is what the counts give, to the last bit."""
    net = state.net
    if any(_explicit(state, node.name) for node in state.plan.nodes):
        return
    fresh = net._replace(
        stay=np.zeros_like(net.stay),
        open=np.ones_like(net.open),
        rests=net.rests.copy(),
        weight=np.zeros_like(net.weight),
        status=net.status.copy(),
    )
    refresh_all(fresh, state.tables)
    for name in ("stay", "open", "rests", "weight", "status"):
        assert np.array_equal(getattr(net, name), getattr(fresh, name)), f"{name} is stale"


def _check_topics(state: State) -> None:
    """Live topics are those with customers at the gem; other columns are empty everywhere, one of them is the door."""
    net, plan = state.net, state.plan
    used = set(state.text.topic.tolist())
    live = set(np.flatnonzero(net.live).tolist())
    assert net.status[N_LIVE] == len(live)
    if plan.n_topics is not None:
        assert live == set(range(plan.n_topics)) and used <= live
        assert net.status[N_COLUMNS] == plan.n_topics
    else:
        row = net.cells[net.status[GEM_CELL], ROW]
        seated = set(np.flatnonzero(net.counts[row : row + state.capacity, CUSTOMERS]).tolist())
        assert live == used == seated, (live, used, seated)
        dead = [k for k in range(state.capacity) if k not in live]
        assert len(live) <= net.status[MAX_TOPICS]
        assert net.status[DOOR] == (dead[0] if len(live) < net.status[MAX_TOPICS] else -1)
        assert max(*live, int(net.status[DOOR])) < net.status[N_COLUMNS] <= state.capacity
    for number, cell in shared_cells(plan).items():
        if net.nodes[plan.index[cell.node.name], WIDE]:
            row = net.cells[number, ROW]
            held = np.flatnonzero(net.counts[row : row + state.capacity].any(axis=1))
            assert set(held.tolist()) <= live, f"{cell} counts a dead topic"
