"""A state for new documents in which every shared node is fixed at its posterior mean (maths 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from pitmanyor.graph import Node, Tokens
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION, DOOR, GEM_CELL, LIVE, N_COLUMNS, N_LIVE, OWN, RULE
from pitmanyor.kernels.switching.topic_vectors import mark_explicit
from pitmanyor.plan import Plan
from pitmanyor.plan.instances import parent_instance
from pitmanyor.state import State, new_state
from pitmanyor.state.discount_values import take_discounts
from pitmanyor.state.means import mean
from pitmanyor.state.state import RULES
from pitmanyor.state.topic_columns import grow

Floats = NDArray[np.float64]
Vectors = dict[str, Floats]  # (instance, topic or 1, dish)


def mean_vectors(fitted: State, plan: Plan, means: Callable[[str], Floats] | None = None) -> Vectors:
    """Means of all shared nodes for the instances of a new plan, without the entry for new topics.

    `means` has the mean of a fitted node; by default that of the state.

    An instance that the fit has not seen is a new node with the mean of its base (appendix B of the maths).
    """
    out: Vectors = {}
    means = means or (lambda name: mean(fitted, name, "discard"))
    for node in plan.nodes:
        if node.local:
            continue
        rows = fitted.n_topics if node.per_topic else 1
        old = means(node.name).reshape(len(fitted.plan.instances[node.name]), rows, -1)
        place = {label: i for i, label in enumerate(fitted.plan.instances[node.name].labels)}
        at = np.array([place.get(label, -1) for label in plan.instances[node.name].labels])
        values = old[np.maximum(at, 0)]
        if (at < 0).any():
            values[at < 0] = _base(node, plan, out, old.shape[2])[at < 0]
        out[node.name] = values
    return out


def mix_means(node: Node) -> Floats:
    """Expected mixing weights of a node without tables."""
    if len(node.parents) < 2:
        return np.ones(len(node.parents))
    weights = np.array(node.mix_weights or node.mix_prior, np.float64)
    return np.asarray(weights / weights.sum())


def _base(node: Node, plan: Plan, done: Vectors, n_dishes: int) -> Floats:
    """The mean of every instance's base."""
    n = len(plan.instances[node.name])
    if not node.parents:
        return np.full((n, 1, n_dishes), 1.0 / n_dishes)
    total: Floats = np.zeros((n, 1, n_dishes))
    for weight, name in zip(mix_means(node), node.parents, strict=True):
        total = total + weight * done[name][parent_instance(node, plan.graph[name], plan.instances)]
    return total


def concentration_of(fitted: State, name: str) -> float:
    """The concentration of a document node; if every document has its own, their mean."""
    i = fitted.plan.index[name]
    own = int(fitted.net.nodes[i, OWN])
    if own >= 0:
        return float(fitted.text.concentration[own].mean())
    return float(fitted.net.rests[CONCENTRATION, fitted.layout.blocks[i].rest])


def fixed_state(fitted: State, plan: Plan, vectors: Vectors) -> State:
    """A state of the new documents given fixed vectors. Tokens have no topics yet."""
    rule = next(name for name, code in RULES.items() if code == fitted.net.status[RULE])
    most = None if plan.n_topics else fitted.n_topics
    state = new_state(plan, max_topics=most, rule=rule, packs=False)  # type: ignore[arg-type]
    take_discounts(state, fitted)
    concentrations = {node.name: concentration_of(fitted, node.name) for node in plan.nodes if node.local}
    fix_vectors(state, vectors, fitted.n_topics, concentrations)
    return state


def fix_vectors(state: State, vectors: Vectors, n_topics: int, concentrations: Mapping[str, float]) -> None:
    """Fix the shared nodes of an empty state as vectors, and the concentrations of document nodes.

    Every token opens a table at each document node, towards the first parent, whatever its topic. This is a valid state
    with as many tables as customers.
    """
    plan = state.plan
    if state.capacity < n_topics + 1 and plan.n_topics is None:
        grow(state, n_topics + 1)
    net = state.net
    net.status[[N_COLUMNS, N_LIVE, DOOR, GEM_CELL]] = n_topics, n_topics, -1, -1
    net.status[LIVE : LIVE + n_topics] = 1
    for i, node in enumerate(plan.nodes):
        block = state.layout.blocks[i]
        if node.local:
            own = int(net.nodes[i, OWN])
            net.rests[CONCENTRATION, block.rests] = concentrations[node.name]
            if own >= 0:
                state.text.concentration[own] = concentrations[node.name]
            continue
        rows = net.stay[block.rows].reshape(block.n_cells, block.width)
        cells, values = plan.cells.of(i), vectors[node.name]
        rows[:] = 0.0
        if node.side == "topic":
            rows[:, :n_topics] = values[:, 0]
        elif node.per_topic:
            rows[:, :n_topics] = values[plan.cells.instance[cells], :, plan.cells.word[cells]]
        else:
            rows[:, 0] = values[plan.cells.instance[cells], 0, plan.cells.word[cells]]
        mark_explicit(net, i, block.rests.start, block.rests.stop)
    for s, stream in enumerate(plan.graph.streams):
        state.text.code[plan.order.stream == s] = _all_open(plan, stream)


def _all_open(plan: Plan, stream: Tokens) -> int:
    """The walk code of a token that opens a table at every document node on its way, towards the first parent."""
    shift, _ = plan.shift_and_mask()
    code = 0
    for name in (stream.topic, stream.emit):
        node = plan.graph[name]
        while node.local and node.kind == "pyp":
            code |= 1 << int(shift[plan.index[node.name]])
            if not node.parents:
                break
            node = plan.graph[node.parents[0]]
    return code
