"""Posterior means of nodes, root to leaf (maths 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError
from pitmanyor.graph import Node
from pitmanyor.kernels.monitor.read_back import gather
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION, CUSTOMERS, DISCOUNT, OWN, TABLES
from pitmanyor.plan.instances import parent_instance
from pitmanyor.state.cell_counts import counts_by_cell
from pitmanyor.state.layout import is_wide
from pitmanyor.state.state import State

Floats = NDArray[np.float64]
NewTopic = Literal["keep", "discard", "renormalise"]
LOG_MIX_WEIGHT = "/log_mix_weight"  # of a linked node, beside its other unknowns
LARGEST = 8 << 30  # bytes of a mean that is handed out in one piece


@dataclass(frozen=True, eq=False)
class Counts:
    """A node's counts, a row per restaurant: customers and tables (row, dish), tables per (row, parent)."""

    customers: NDArray[np.int64]
    tables: NDArray[np.int64]
    to: NDArray[np.int64]
    concentration: Floats
    discount: float


def n_rows(state: State, node: Node) -> int:
    instances = state.plan.n_documents if node.local else len(state.plan.instances[node.name])
    return instances * (state.n_topics if node.per_topic else 1)


def n_dishes(state: State, node: Node) -> int:
    return state.n_topics if node.side == "topic" else len(state.plan.words[node.name])


def counts_of(state: State, name: str) -> Counts:
    """Counts of a node as dense tables. Live topics must be the first columns."""
    node = state.plan.graph[name]
    rows, dishes = n_rows(state, node), n_dishes(state, node)
    if rows * dishes * 8 > LARGEST:
        raise PlanError(f"the mean of {name!r} has {rows:,} x {dishes:,} entries, more than fit one array here")
    if node.local:
        return local_counts(state, node, slice(0, state.plan.n_documents))
    return _shared_counts(state, node, rows, dishes)


def local_counts(state: State, node: Node, documents: slice) -> Counts:
    """Counts of a local node in some documents: the kernel reads back the walks of their tokens alone."""
    i, n_streams = state.plan.index[node.name], len(state.plan.graph.streams)
    part = state.text._replace(
        first=state.text.first[documents.start * n_streams : documents.stop * n_streams + 1],
        context=state.text.context[documents],
    )
    rows = len(part.context) * (state.n_topics if node.per_topic else 1)
    shape = rows, n_dishes(state, node)
    customers, tables = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    to = np.zeros((*shape, max(len(node.parents), 1)), np.int32)
    word_side = node.side == "word"
    gather(state.net, part, state.topics, state.words, i, node.per_topic, word_side, (customers, tables, to))
    own = int(state.net.nodes[i, OWN])
    layer = state.net.rests[CONCENTRATION, state.layout.blocks[i].rest]
    b = state.text.concentration[own][documents] if own >= 0 else np.full(rows, layer)
    return Counts(customers, tables, to.sum(axis=1), np.asarray(b, np.float64), float(state.net.reals[i, DISCOUNT]))


def _shared_counts(state: State, node: Node, rows: int, dishes: int) -> Counts:
    i = state.plan.index[node.name]
    net, block, k = state.net, state.layout.blocks[i], state.n_topics
    n = max(len(node.parents), 1)

    def table(column: int) -> NDArray[np.int64]:
        cells = counts_by_cell(state, i, column, k if is_wide(node) else 1)
        if node.side == "topic":
            return cells.astype(np.int64)
        at = state.plan.cells.of(i)
        out = np.zeros((block.n_instances, k if node.per_topic else 1, dishes), np.int64)
        out[state.plan.cells.instance[at], :, state.plan.cells.word[at]] = cells
        return out.reshape(rows, dishes)

    def per_restaurant(values: NDArray[np.generic], width: int) -> NDArray[np.generic]:
        own = values.reshape(block.n_instances, block.own, width)
        return own[:, : k if node.per_topic else 1].reshape(rows, width)

    if block.n_parents:
        to = per_restaurant(net.n_to[block.to_rests], n).astype(np.int64)
    else:
        to = per_restaurant(net.totals[block.rests, TABLES], 1).astype(np.int64)
    b = per_restaurant(net.rests[CONCENTRATION, block.rests], 1)[:, 0].astype(np.float64)
    customers = table(CUSTOMERS)
    tables = (customers > 0).astype(np.int64) if node.kind == "gem" else table(TABLES)
    return Counts(customers, tables, to, b, float(net.reals[i, DISCOUNT]))


def mixing(node: Node, counts: Counts) -> Floats:
    """rho_i = (lambda_i + T_to[i]) / (sum lambda + T), a row per restaurant."""
    if len(node.parents) == 1:
        return np.ones((len(counts.to), 1))
    if node.mix_weights is not None:
        return np.tile(np.asarray(node.mix_weights, np.float64), (len(counts.to), 1))
    weights = counts.to + np.asarray(node.mix_prior, np.float64)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def mix_weight(state: State, node: Node) -> Floats:
    """The weights of a mixture, a row per restaurant: their mean, or as they are where a network has drawn them."""
    log_weights = state.network.get(f"{node.name}{LOG_MIX_WEIGHT}")
    return mixing(node, counts_of(state, node.name)) if log_weights is None else np.exp(log_weights)


def mean(state: State, name: str, new_topic: NewTopic = "keep") -> Floats:
    """Posterior mean of a node, a row per instance of its plate; where a network has made it a vector, that vector.

    A topic-side node below a gem has one more column for all topics that do not exist yet; "discard" drops it,
    "renormalise" takes it out at the root, so that every row sums to one.
    """
    done: dict[str, Floats] = {}
    infinite = state.plan.n_topics is None and state.plan.graph[name].side == "topic"
    for node in state.plan.nodes:
        if node.name in state.plan.lineage(name):
            done[node.name] = _node_mean(state, node, done, infinite, new_topic)
    result = done[name]
    return result[:, :-1] if infinite and new_topic != "keep" else result


def _vectors(state: State, node: Node) -> Floats | None:
    """The vectors of a linked node, or of one that it stands on, while there is a network (maths 6)."""
    name, plan = f"{node.name}/log_mass", state.plan
    if name not in state.network:
        linked = [links.between for links in plan.graph.link_sets] if state.network else []
        if node.parents or not any(node.name in plan.lineage(item) for item in linked):
            return None
        return np.exp(state.network["log_mu"])[None]
    masses = state.network[name]
    nu = np.exp(masses - masses.max(axis=1, keepdims=True))
    return np.asarray(nu / nu.sum(axis=1, keepdims=True))


def _node_mean(state: State, node: Node, done: dict[str, Floats], infinite: bool, new_topic: NewTopic) -> Floats:
    if (vectors := _vectors(state, node)) is not None:
        return vectors
    counts = counts_of(state, node.name)
    if node.kind == "gem":
        a, b, c = counts.discount, counts.concentration[0], counts.customers[0].astype(np.float64)
        root = np.append(c - a, b + a * len(c))[None] / (b + c.sum())
        if new_topic == "renormalise":
            root[:, -1] = 0.0
            root /= root.sum()
        return np.asarray(root)
    if infinite:
        customers, tables = (np.pad(x, ((0, 0), (0, 1))) for x in (counts.customers, counts.tables))
        counts = replace(counts, customers=customers, tables=tables)
    above = [done[parent][_rows_above(state, node, state.plan.graph[parent])] for parent in node.parents]
    return mean_given_parents(node, counts, above)


def mean_given_parents(node: Node, counts: Counts, above: Sequence[Floats]) -> Floats:
    """The posterior mean of a node given those of its parents, in its own rows; without any its base is uniform."""
    a, b = counts.discount, counts.concentration[:, None]
    c, t = counts.customers, counts.tables
    total = b + c.sum(axis=1, keepdims=True)
    if node.kind == "dirichlet":
        return np.asarray((c + b / c.shape[1]) / total)
    base: Floats | float = 1.0 / c.shape[1]
    if above:
        rho = mixing(node, counts)
        base = sum(rho[:, i : i + 1] * rows for i, rows in enumerate(above))
    return np.asarray((c - a * t + (b + a * t.sum(axis=1, keepdims=True)) * base) / total)


def _rows_above(state: State, node: Node, parent: Node) -> NDArray[np.int64]:
    """For every row of a node, its row in the parent's mean."""
    plan, k = state.plan, state.n_topics
    if node.local:
        above = np.arange(plan.n_documents) if parent.local else plan.instances[parent.name].of_document
    else:
        above = parent_instance(node, parent, plan.instances)
    if not node.per_topic:
        return above
    rows, topics = np.repeat(above, k), np.tile(np.arange(k), len(above))
    return rows * k + topics if parent.per_topic else rows
