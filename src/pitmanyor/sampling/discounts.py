"""Discounts sampled given the counts of their nodes, one for all instances of a node (maths 5)."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.errors import StateError
from pitmanyor.graph import Beta, Node
from pitmanyor.graph.values import LEAST_DISCOUNT, MOST_DISCOUNT
from pitmanyor.kernels.monitor.discount_likelihood import Statistics, log_likelihood
from pitmanyor.kernels.monitor.seatings import (
    COUNTED_CUSTOMERS,
    COUNTED_TABLES,
    EMPTY,
    Dishes,
    Seatings,
    Walks,
    count_local_seatings,
    count_shared_seatings,
)
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION, CUSTOMERS, DISCOUNT, OWN, TABLES
from pitmanyor.network.slices import slice_sample
from pitmanyor.plan import Plan
from pitmanyor.sampling.health import ADVICE
from pitmanyor.seeds import Seed, generator
from pitmanyor.state.discount_values import set_discounts
from pitmanyor.state.state import State
from pitmanyor.state.stirling_sizes import fit_table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
EVERY = 4  # sweeps: the nodes take turns
WIDEST = 0.5  # of the first interval


class Opened(NamedTuple):
    """Restaurants by their numbers of tables and their concentrations, and how many there are of each."""

    tables: Ints
    concentration: Floats
    times: Ints


def sample_discounts(state: State, seed: Seed, but: Collection[str] = ()) -> None:
    """Draw the discounts whose turn it is in this sweep, of those that have a prior; `but` these nodes'."""
    rng = generator(seed, purposes.DISCOUNTS)
    for turn, i in enumerate(state.plan.sampled_discounts):
        if (seed[2] + turn) % EVERY == 0 and state.plan.nodes[i].name not in but:
            draw_discount(state, i, rng)


def draw_discount(state: State, i: int, rng: np.random.Generator) -> None:
    """One slice of the posterior of node i's discount given its counts and concentrations."""
    node, prior = state.plan.nodes[i], state.plan.nodes[i].discount
    assert isinstance(prior, Beta)
    seatings, opened = seatings_of(state, i)
    given = statistics_of(seatings, opened)

    def log_density(a: float) -> float:
        if not LEAST_DISCOUNT <= a <= MOST_DISCOUNT:
            return -math.inf
        value = log_prior(prior, a) + float(log_likelihood(a, given))
        if math.isnan(value):
            raise StateError(f"node {node.name!r}: the density of its discount at {a!r} is not a number; {ADVICE}")
        return value

    a = slice_sample(float(state.net.reals[i, DISCOUNT]), log_density, rng, _width(seatings))
    if node.kind == "pyp":
        fit_table(state, i, int(seatings.most[CUSTOMERS]), int(seatings.most[TABLES]))
    set_discounts(state, {i: a})


def log_prior(prior: Beta, a: float) -> float:
    """Up to a constant: the prior is cut off at the bounds."""
    return (prior.alpha - 1.0) * math.log(a) + (prior.beta - 1.0) * math.log1p(-a)


def _width(seatings: Seatings) -> float:
    """A first interval about as wide as the posterior: it depends on the counts, which are given, and not on a."""
    return min(WIDEST, 2.0 / math.sqrt(1.0 + seatings.small[2:].sum() + len(seatings.large)))


def seatings_of(state: State, i: int) -> tuple[Seatings, Opened]:
    """Customers and tables of all dishes of a node, and the tables of its restaurants."""
    node = state.plan.nodes[i]
    return (_local if node.local else _shared)(state, i, node)


def no_seatings(n_customers: int, n_parts: int) -> Seatings:
    """Room for a number of customers, by parts. A dish that is listed has as many as COUNTED_TABLES at least."""
    return Seatings(
        small=np.zeros((n_parts, COUNTED_CUSTOMERS, COUNTED_TABLES), np.int64),
        large=np.zeros((n_parts, n_customers // COUNTED_TABLES + 1, 2), np.int64),
        n_large=np.zeros((n_parts, 1), np.int64),
        most=np.zeros((n_parts, 2), np.int64),
    )


def _together(parts: Seatings) -> Seatings:
    """The dishes of all parts, listed in their order, which no number of parts changes."""
    customers, tables = most = parts.most.max(axis=0)
    large = np.concatenate([rows[: int(n)] for rows, (n,) in zip(parts.large, parts.n_large, strict=True)])
    return Seatings(parts.small[:, : customers + 1, : tables + 1].sum(axis=0), large, parts.n_large.sum(axis=0), most)


def _shared(state: State, i: int, node: Node) -> tuple[Seatings, Opened]:
    net, block, cells = state.net, state.layout.blocks[i], state.plan.cells.of(i)
    seatings = no_seatings(int(net.totals[block.rests, CUSTOMERS].sum()), 1)
    count_shared_seatings(net, i, cells.start, cells.stop, Seatings(*(part[0] for part in seatings)))
    tables = np.array([state.n_topics]) if node.kind == "gem" else net.totals[block.rests, TABLES]
    return _together(seatings), _opened(tables, net.rests[CONCENTRATION, block.rests])


def _local(state: State, i: int, node: Node) -> tuple[Seatings, Opened]:
    net, text, block = state.net, state.text, state.layout.blocks[i]
    first, n_parts = text.first[:: text.leaf.shape[1]], numba.get_num_threads()
    bounds = np.searchsorted(first, np.linspace(0, first[-1], n_parts + 1))
    bounds[0], bounds[-1] = 0, state.plan.n_documents
    longest = int(np.diff(first).max())
    seatings, sizes = no_seatings(state.plan.n_tokens, n_parts), np.zeros((n_parts, longest + 1), np.int64)
    dishes = _no_dishes(n_parts, longest, state.capacity if node.per_topic else 1)
    by_document = np.zeros(state.plan.n_documents, np.int64)
    count_local_seatings(net, text, walks_to(state.plan, i), bounds, dishes, seatings, sizes, by_document)
    own = int(net.nodes[i, OWN])
    if own >= 0:
        return _together(seatings), _opened(by_document, text.concentration[own])
    times = sizes.sum(axis=0)
    tables = np.flatnonzero(times)
    b = np.full(len(tables), net.rests[CONCENTRATION, block.rest])
    return _together(seatings), _opened(tables, b, times[tables])


def _no_dishes(n_parts: int, longest: int, n_restaurants: int) -> Dishes:
    """Scratch for documents of so many tokens: at least half of the places stay empty."""
    places = 1 << (2 * longest).bit_length()
    return Dishes(
        key=np.full((n_parts, places), EMPTY),
        counts=np.zeros((n_parts, places, 2), np.int64),
        used=np.zeros((n_parts, longest), np.int64),
        opened=np.zeros((n_parts, n_restaurants), np.int64),
    )


def _opened(tables: Ints, concentration: Floats, times: Ints | None = None) -> Opened:
    """A restaurant with one table says nothing: (b|a)_1 = b."""
    kept = tables > 1
    times = np.ones(len(tables), np.int64) if times is None else times
    return Opened(tables[kept], concentration[kept], times[kept])


def walks_to(plan: Plan, i: int) -> Walks:
    """The ways of tokens to a local node."""
    node = plan.nodes[i]
    above = np.full((len(plan.nodes), max(2, *(len(one.parents) for one in plan.nodes))), EMPTY)
    for j, one in enumerate(plan.nodes):
        for p, name in enumerate(one.parents):
            if plan.graph[name].local:
                above[j, p] = plan.index[name]
    leaves = [stream.topic if node.side == "topic" else stream.emit for stream in plan.graph.streams]
    reach = [name if node.name in plan.lineage(name) and plan.graph[name].local else None for name in leaves]
    return Walks(i, np.array([EMPTY if name is None else plan.index[name] for name in reach]), above)


def statistics_of(seatings: Seatings, opened: Opened) -> Statistics:
    """What the likelihood of a discount needs of the counts, as it needs it."""
    at_least = seatings.small[:, ::-1].cumsum(axis=1)[:, ::-1]  # so many tables
    more = np.append(at_least[:, 1:], np.zeros((len(at_least), 1), np.int64), axis=1)
    last = np.maximum((more > 0).sum(axis=1) - 1, 0)  # the numbers fall with j, from j = 0 on
    n_rows = int(np.flatnonzero(last).max(initial=0)) + 1
    return Statistics(
        beyond=at_least[::-1, 0].cumsum()[-2::-1].copy(),
        more=more[:n_rows],
        last=last[:n_rows],
        rows=np.zeros((2, max(2, int(last.max()) + 1))),
        large=seatings.large,
        opened=opened.tables,
        concentration=opened.concentration,
        times=opened.times,
    )
