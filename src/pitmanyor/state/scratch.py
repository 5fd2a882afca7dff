"""Scratch that kernels write on: lists of both sides, desks, sheets. Nothing in it outlives a document."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pitmanyor.kernels.arrays import BLOCK, Side, Visit
from pitmanyor.kernels.desk import NODES, OPEN, TO, WEIGHT, Desk
from pitmanyor.kernels.plain import Sheet
from pitmanyor.plan import Plan
from pitmanyor.plan.walks import Walks

NOT_SUMMED = -2  # no row


def new_scratch(plan: Plan, capacity: int, precision: DTypeLike) -> tuple[Side, Side, Visit]:
    """What the collapsed sweep writes on: lists of both sides with room for their values, and a visit."""
    topics = _side(plan.topic_walks, capacity, precision)
    words = _side(plan.word_walks, capacity, precision)
    return topics, words, _visit(capacity)


def _side(walks: Walks, capacity: int, precision: DTypeLike) -> Side:
    longest = walks.longest
    return Side(
        lists=np.stack([walks.first, np.append(walks.n_shared, 0)], axis=1),
        entries=np.stack([walks.cell, walks.mode, walks.par_first[:-1]], axis=1),
        par=walks.par,
        scratch=np.zeros((3, longest + 1), np.int64),
        values=np.zeros((longest, capacity), precision),
    )


def _visit(capacity: int) -> Visit:
    return Visit(
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(capacity // BLOCK + 1),
        np.zeros(1, np.int64),
    )


def local_nodes(plan: Plan) -> list[int]:
    return [i for i, node in enumerate(plan.nodes) if node.local]


def new_desks(plan: Plan, capacity: int, n_threads: int) -> Desk:
    """Desks for so many threads: slots for the topics of the longest document, and the common slot."""
    n_streams = len(plan.graph.streams)
    longest = int(np.diff(plan.order.first[::n_streams]).max())
    slots, nodes = min(longest, capacity) + 2, max(len(local_nodes(plan)), 1)
    parents = max([len(plan.nodes[i].parents) for i in local_nodes(plan)] + [1])
    shared = max(int(plan.topic_walks.n_shared.max()), int(plan.word_walks.n_shared.max()))

    def ints(*shape: int) -> NDArray[np.int64]:
        return np.zeros((n_threads, *shape), np.int64)

    def floats(*shape: int) -> NDArray[np.float64]:
        return np.zeros((n_threads, *shape))

    desks = Desk(
        slots=ints(slots, 2),
        slot_of=ints(capacity) - 1,
        ints=ints(slots, nodes, TO + 2 * parents),
        reals=floats(slots, nodes, WEIGHT + parents),
        forms=floats(NODES + nodes, 1 + shared),
        concentration=floats(nodes),
        weights=floats(slots),
        blocks=floats(capacity // BLOCK + 1),
    )
    desks.reals[..., OPEN] = 1.0
    return desks


def is_plain(plan: Plan) -> bool:
    """One document node, the leaf of every stream, over one shared parent or none; no local word node."""
    local = [node for node in plan.nodes if node.local]
    if len(local) != 1 or local[0].side != "topic" or len(local[0].parents) > 1:
        return False
    return all(s.topic == local[0].name and plan.graph[s.emit].per_topic for s in plan.graph.streams)


def new_sheets(plan: Plan, capacity: int, n_threads: int) -> Sheet:
    """Scratch of the plain sweep."""
    n_streams = len(plan.graph.streams)
    longest = int(np.diff(plan.order.first[::n_streams]).max())
    slots = min(longest, capacity) + 1
    words = max(len(plan.words[stream.emit]) for stream in plan.graph.streams)
    return Sheet(
        ints=np.zeros((n_threads, 3, slots), np.int64),
        reals=np.zeros((n_threads, 4, slots)),
        slot_of=np.full((n_threads, capacity), -1, np.int64),
        sums=np.zeros((n_threads, n_streams, words)),
        stamp=np.full((n_threads, n_streams, words, 2), NOT_SUMMED, np.int64),
        blocks=np.zeros((n_threads, capacity // BLOCK + 1)),
    )
