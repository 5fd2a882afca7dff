"""Concentrations sampled given the counts, and the log joint (maths 5 and 1)."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.graph import Gamma, Node
from pitmanyor.kernels.monitor.concentration_likelihood import (
    SIZE,
    TIMES,
    RestaurantSizes,
    log_likelihood_of_sizes,
)
from pitmanyor.kernels.monitor.log_joint import JOINT, N_MEASURES, OMEGA, ZETA, measure_topics
from pitmanyor.kernels.monitor.word_measures import measure_words
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION, CUSTOMERS, DISCOUNT, LAYER, N_COLUMNS, OWN, TABLES
from pitmanyor.kernels.restaurant.births import LEAST_CONCENTRATION
from pitmanyor.kernels.restaurant.refresh import refresh_restaurants
from pitmanyor.kernels.restaurant.seating import open_door
from pitmanyor.kernels.restaurant.shared import Franchise
from pitmanyor.network.slices import slice_sample
from pitmanyor.sampling.document_sums import DocumentSums, sum_text
from pitmanyor.sampling.switching import chunk_cells
from pitmanyor.seeds import Seed, generator
from pitmanyor.state.state import State

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
COUNTED = 4096  # smaller sizes of restaurants are counted, larger ones sorted
LOG_LEAST, LOG_MOST = math.log(LEAST_CONCENTRATION), math.log(1e15)  # of a concentration that restaurants share


class Measures:
    """What concentrations are drawn from, and the log joint, as they stand after a sweep."""

    def __init__(self, state: State) -> None:
        nodes = state.plan.nodes
        self.chunks = {i: chunk_cells(state, i) for i, n in enumerate(nodes) if n.side == "word" and not n.local}
        self.by_node: list[Floats] = [np.zeros((0, N_MEASURES))] * len(nodes)
        self.sizes: list[RestaurantSizes | None] = [None] * len(nodes)  # of restaurants that share a concentration
        self.dishes: list[Floats] = [np.zeros((0, N_MEASURES))] * len(nodes)  # of word-side nodes, in runs of cells

    def take(self, state: State, seed: Seed, documents: DocumentSums | None = None) -> None:
        """Measure the shared nodes; documents were measured as they were visited, and may have been summed too."""
        net, franchise = state.net, Franchise(state.net, state.tables, state.terms)
        of_documents = iter(sum_text(state) if documents is None else documents)
        for i, node in enumerate(state.plan.nodes):
            cells = state.plan.cells.of(i)
            if not node.local and node.concentration_per == "layer" and node.kind != "dirichlet":
                self.sizes[i] = _sizes_of_shared(state, i)
            if node.local:
                total, sizes, self.by_node[i] = next(of_documents)
                if net.nodes[i, LAYER]:
                    self.sizes[i] = found = _sizes_of_documents(sizes)
                    self.by_node[i] = total[np.newaxis].copy()
                    self.by_node[i][0, JOINT] += log_likelihood_of_sizes(*_parameters(state, i), found)
            elif i in self.chunks:
                chunks, columns = self.chunks[i], int(net.status[N_COLUMNS]) if node.per_topic else 1
                drawn = np.empty((len(chunks.bounds) - 1, columns), np.int64)
                self.dishes[i] = np.empty((len(drawn), N_MEASURES))
                rows = np.empty((len(chunks.instances) * columns, N_MEASURES))
                outs = (drawn, self.dishes[i], rows)
                measure_words(franchise, chunks.bounds, chunks.instances, *outs, seed)
                self.by_node[i] = _of_all(rows, chunks.numbers, state.layout.blocks[i].n_instances)
            else:
                out = np.zeros((cells.stop - cells.start, N_MEASURES))
                measure_topics(franchise, cells.start, cells.stop, out, seed)
                self.by_node[i] = out

    @property
    def log_joint(self) -> float:
        """log p(words, topics, tables), of the count pmf (maths 1)."""
        return float(sum(values[:, JOINT].sum() for values in (*self.by_node, *self.dishes)))


def _of_all(found: Floats, numbers: Ints, n_instances: int) -> Floats:
    """Measures of all instances, a row per column each; those that are not among `numbers` have no customers."""
    if len(numbers) == n_instances:
        return found
    out = np.zeros((n_instances, len(found) // len(numbers), N_MEASURES))
    out[numbers] = found.reshape(len(numbers), -1, N_MEASURES)
    return out.reshape(-1, N_MEASURES)


def _sizes_of_documents(counts: Ints) -> RestaurantSizes:
    """From how many restaurants have 0, 1, 2, ... tables, and customers."""
    found = (np.flatnonzero(row) for row in counts)
    return RestaurantSizes(*(np.stack([size, row[size]], axis=1) for size, row in zip(found, counts, strict=True)))


def _sizes_of_shared(state: State, i: int) -> RestaurantSizes:
    """A gem has a table for every topic."""
    node, totals = state.plan.nodes[i], state.net.totals[state.layout.blocks[i].rests]
    tables = np.array([state.n_topics]) if node.kind == "gem" else totals[:, TABLES]
    return RestaurantSizes(_times(tables), _times(totals[:, CUSTOMERS]))


def _times(sizes: Ints) -> Ints:
    """Every size that occurs, and how often."""
    if sizes.max(initial=0) < COUNTED:
        times = np.bincount(sizes)
        found = np.flatnonzero(times)
        pair = found, times[found]
    else:
        pair = np.unique(sizes, return_counts=True)
    out = np.empty((len(pair[0]), 2), np.int64)
    out[:, SIZE], out[:, TIMES] = pair
    return out


def _parameters(state: State, i: int) -> tuple[float, float]:
    """The discount and the concentration that all restaurants of a node share."""
    b = state.net.rests[CONCENTRATION, state.layout.blocks[i].rests][0]
    return float(state.net.reals[i, DISCOUNT]), float(b)


def sample_concentrations(state: State, measures: Measures, seed: Seed, but: Collection[str] = ()) -> None:
    """Draw every concentration that has a prior, given the measures of the last sweep; `but` these nodes'."""
    rng = generator(seed, purposes.CONCENTRATIONS)
    for i, node in enumerate(state.plan.nodes):
        if isinstance(node.concentration, Gamma) and node.name not in but:
            sizes, values = measures.sizes[i], measures.by_node[i]
            if sizes is not None:
                drawn = draw_shared(rng, node.concentration, *_parameters(state, i), sizes)
            else:
                if node.concentration_per == "layer":
                    values = values.sum(axis=0, keepdims=True)
                drawn = _draw(rng, node.concentration, values)
            _store(state, i, node, drawn)
            _refresh(state, i, node)
    open_door(state.net)


def draw_shared(rng: np.random.Generator, prior: Gamma, a: float, b: float, sizes: RestaurantSizes) -> Floats:
    """One slice of the posterior of the logarithm of a concentration, given the sizes of the restaurants."""
    if not sizes.customers[:, 0].any():
        return _draw(rng, prior, np.zeros((1, N_MEASURES)))

    def log_density(log_b: float) -> float:
        if not LOG_LEAST <= log_b <= LOG_MOST:
            return -math.inf
        tried = math.exp(log_b)
        return prior.shape * log_b - prior.rate * tried + float(log_likelihood_of_sizes(a, tried, sizes))

    return np.array([math.exp(slice_sample(math.log(b), log_density, rng))])


def _draw(rng: np.random.Generator, prior: Gamma, values: Floats) -> Floats:
    """b ~ Gamma(tau0 + sum zeta, rate tau1 - sum log(1 - omega)); without customers this is the prior."""
    shape, rate = prior.shape + values[:, ZETA], prior.rate + values[:, OMEGA]
    # Gamma(s) = Gamma(s + 1) U^(1/s), in logs: small shapes underflow
    log_b = np.log(rng.gamma(shape + 1.0)) + np.log1p(-rng.random(len(shape))) / shape - np.log(rate)
    return np.maximum(np.exp(np.maximum(log_b, np.log(LEAST_CONCENTRATION))), LEAST_CONCENTRATION)


def _store(state: State, i: int, node: Node, drawn: Floats) -> None:
    block = state.layout.blocks[i]
    if node.concentration_per == "layer":
        state.net.rests[CONCENTRATION, block.rests] = drawn[0]
    elif node.local:
        state.text.concentration[state.net.nodes[i, OWN]] = drawn
    else:
        columns = len(drawn) // block.n_instances
        own = state.net.rests[CONCENTRATION, block.rests].reshape(block.n_instances, block.own)
        own[:, :columns] = drawn.reshape(block.n_instances, columns)


def store_concentrations(state: State, name: str, drawn: Floats) -> None:
    """Let a node have concentrations that were drawn elsewhere: one, or one per instance."""
    i = state.plan.index[name]
    _store(state, i, state.plan.nodes[i], drawn)
    _refresh(state, i, state.plan.nodes[i])


def _refresh(state: State, i: int, node: Node) -> None:
    if not node.local:
        block = state.layout.blocks[i]
        refresh_restaurants(state.net, i, block.rest, block.to_rest, block.n_instances * block.own)


def concentration_of(state: State, name: str) -> Floats:
    """Current concentrations of a node: one, or one per restaurant."""
    i = state.plan.index[name]
    node, block = state.plan.nodes[i], state.layout.blocks[i]
    if node.local and node.concentration_per == "instance" and isinstance(node.concentration, Gamma):
        return np.asarray(state.text.concentration[state.net.nodes[i, OWN]])
    values = state.net.rests[CONCENTRATION, block.rests].reshape(block.n_instances, block.own)
    if node.concentration_per == "layer" or not isinstance(node.concentration, Gamma):
        return values[0, :1]
    return values[:, np.flatnonzero(state.net.live)].reshape(-1) if node.per_topic else values[:, 0]
