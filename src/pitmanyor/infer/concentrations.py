"""Concentrations sampled by their auxiliary variables, and the log joint (maths 5 and 1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor.graph import Gamma, Node
from pitmanyor.infer.seeds import Seed, generator
from pitmanyor.kernels.arrays import CONCENTRATION, N_COLUMNS
from pitmanyor.kernels.measure import JOINT, OMEGA, ZETA, measure_topics, measure_words
from pitmanyor.kernels.refresh import refresh_restaurants
from pitmanyor.kernels.seating import open_door
from pitmanyor.state.state import State

Floats = NDArray[np.float64]
DRAWS = 9  # the purpose of the stream
LEAST = 1e-280  # a concentration stays above it, so that nothing underflows


class Measures:
    """Auxiliary sums and log joint of every restaurant, as they stand after a sweep."""

    def __init__(self, state: State) -> None:
        plan = state.plan
        self.instances: dict[int, NDArray[np.int64]] = {}
        for i, node in enumerate(plan.nodes):
            if node.side == "word" and not node.local:
                cells = plan.cells.of(i)
                first = np.flatnonzero(np.diff(plan.cells.instance[cells], prepend=-1))
                self.instances[i] = np.append(first + cells.start, cells.stop).astype(np.int64)
        self.by_node: list[Floats] = [np.zeros((0, 3))] * len(plan.nodes)

    def take(self, state: State, seed: Seed) -> None:
        """Measure the shared nodes; documents were measured as they were visited."""
        net = state.net
        local = 0
        for i, node in enumerate(state.plan.nodes):
            cells = state.plan.cells.of(i)
            if node.local:
                self.by_node[i] = state.text.measures[:, local]
                local += 1
            elif i in self.instances:
                columns = int(net.status[N_COLUMNS]) if node.per_topic else 1
                out = np.zeros(((len(self.instances[i]) - 1) * columns, 3))
                measure_words(net, state.tables, state.terms, self.instances[i], columns, out, seed)
                self.by_node[i] = out
            else:
                out = np.zeros((cells.stop - cells.start, 3))
                measure_topics(net, state.tables, state.terms, cells.start, cells.stop, out, seed)
                self.by_node[i] = out

    @property
    def log_joint(self) -> float:
        """log p(words, topics, tables), of the count pmf (maths 1)."""
        return float(sum(values[:, JOINT].sum() for values in self.by_node))


def sample_concentrations(state: State, measures: Measures, seed: Seed) -> None:
    """Draw every concentration that has a prior, given the measures of the last sweep."""
    rng = generator(seed, DRAWS)
    for i, node in enumerate(state.plan.nodes):
        if isinstance(node.concentration, Gamma):
            values = measures.by_node[i]
            if node.share == "layer":
                values = values.sum(axis=0, keepdims=True)
            drawn = _draw(rng, node.concentration, values)
            _store(state, i, node, drawn)
            _refresh(state, i, node)
    open_door(state.net)


def _draw(rng: np.random.Generator, prior: Gamma, values: Floats) -> Floats:
    """b ~ Gamma(tau0 + sum zeta, rate tau1 - sum log(1 - omega)); without customers this is the prior."""
    shape, rate = prior.shape + values[:, ZETA], prior.rate + values[:, OMEGA]
    # Gamma(s) = Gamma(s + 1) U^(1/s), in logs: small shapes underflow
    log_b = np.log(rng.gamma(shape + 1.0)) + np.log1p(-rng.random(len(shape))) / shape - np.log(rate)
    return np.maximum(np.exp(np.maximum(log_b, np.log(LEAST))), LEAST)


def _store(state: State, i: int, node: Node, drawn: Floats) -> None:
    block = state.layout.blocks[i]
    if node.share == "layer":
        state.net.rests[CONCENTRATION, block.rests] = drawn[0]
    elif node.local:
        state.text.concentration[state.net.nodes[i, -1]] = drawn
    else:
        columns = len(drawn) // block.n_instances
        own = state.net.rests[CONCENTRATION, block.rests].reshape(block.n_instances, block.own)
        own[:, :columns] = drawn.reshape(block.n_instances, columns)


def _refresh(state: State, i: int, node: Node) -> None:
    if not node.local:
        block = state.layout.blocks[i]
        refresh_restaurants(state.net, i, block.rest, block.to_rest, block.n_instances * block.own)


def concentration_of(state: State, name: str) -> Floats:
    """Current concentrations of a node: one, or one per restaurant."""
    i = state.plan.index[name]
    node, block = state.plan.nodes[i], state.layout.blocks[i]
    if node.local and node.share == "node" and isinstance(node.concentration, Gamma):
        return np.asarray(state.text.concentration[state.net.nodes[i, -1]])
    values = state.net.rests[CONCENTRATION, block.rests].reshape(block.n_instances, block.own)
    if node.share == "layer" or not isinstance(node.concentration, Gamma):
        return values[0, :1]
    return values[:, : state.n_topics if node.per_topic else 1].reshape(-1)
