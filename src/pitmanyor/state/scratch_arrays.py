"""Scratch that kernels write on: lists of both sides, and what each engine has. Nothing in it outlives a document."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pitmanyor.kernels.documents.clusters.cluster_seats import Clusters
from pitmanyor.kernels.documents.fold_sweeps import MeanSums
from pitmanyor.kernels.documents.general.scratch import NODES, TO, WEIGHT, DocumentScratch
from pitmanyor.kernels.documents.one_node.scratch import NO_SLOT, NOT_SUMMED, ActiveTopics
from pitmanyor.kernels.documents.own_words.scratch import OwnWords
from pitmanyor.kernels.documents.topic_nodes import scratch as rows
from pitmanyor.kernels.restaurant.arrays import BLOCK, Side, Visit
from pitmanyor.kernels.restaurant.small_terms import OPEN
from pitmanyor.kernels.switching.redrawn_rows import KEPT_ROWS
from pitmanyor.plan import Plan
from pitmanyor.plan.walks import Walks

LINES = 128  # bytes that processors hand to and fro together


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


def new_document_scratch(plan: Plan, capacity: int, n_threads: int) -> DocumentScratch:
    """Scratch of the general engine: slots for the topics of the longest document, and the common slot."""
    longest = plan.longest
    slots, nodes = min(longest, capacity) + 2, max(len(local_nodes(plan)), 1)
    parents = max([len(plan.nodes[i].parents) for i in local_nodes(plan)] + [1])
    shared = max(int(plan.topic_walks.n_shared.max()), int(plan.word_walks.n_shared.max()))

    def ints(*shape: int) -> NDArray[np.int64]:
        return np.zeros((n_threads, *shape), np.int64)

    def floats(*shape: int) -> NDArray[np.float64]:
        return np.zeros((n_threads, *shape))

    scratch = DocumentScratch(
        slots=ints(slots, 2),
        slot_of=ints(capacity) - 1,
        ints=ints(slots, nodes, TO + 2 * parents),
        reals=floats(slots, nodes, WEIGHT + parents),
        forms=floats(NODES + nodes, 1 + shared),
        concentration=floats(nodes),
        weights=floats(slots),
        blocks=floats(capacity // BLOCK + 1),
    )
    scratch.reals[..., OPEN] = 1.0
    return scratch


def new_node_rows(
    plan: Plan, capacity: int, n_threads: int, precision: DTypeLike, most: int | None = None
) -> rows.NodeRows:
    """Scratch of the engine of topic nodes for a number of slots per document, by default one per topic."""
    n_streams = len(plan.graph.streams)
    longest, n_slots = plan.longest, _row_slots(plan, capacity if most is None else most)
    n_local = max(sum(plan.nodes[i].side == "topic" for i in local_nodes(plan)), 1)
    n_bases = _count_bases(plan)
    words = _most_numbers(plan, n_threads)
    node_rows = rows.NodeRows(
        topic=apart(n_threads, n_slots, np.int32),
        tokens=apart(n_threads, n_slots, np.int32),
        counts=apart(n_threads, n_slots * n_local * int(rows.COUNTS), np.int32),
        reals=apart(n_threads, (n_bases + 3 * n_local + 1) * n_slots, precision),
        slot_of=apart(n_threads, capacity, np.uint32, NO_SLOT),
        seat=apart(n_threads, longest, np.uint32),
        facts=apart(n_threads, n_local * int(rows.FACTS), np.int64),
        scalars=apart(n_threads, n_local * int(rows.SCALARS), np.float64),
        form=apart(n_threads, n_bases, precision),
        bases=apart(n_threads, n_bases * 2, np.int64, -1),
        pairs=apart(n_threads, n_streams * n_bases, np.int64, -1),
        sums=apart(n_threads, n_bases * n_streams * words * int(rows.SPAN), np.float64, NOT_SUMMED),
        logs=np.tile(_rising_logs(plan), (n_threads, 1)),
        blocks=apart(n_threads, capacity // BLOCK + 1, np.float64),
        known=apart(n_threads, rows.N_KNOWN, np.int64),
    )
    node_rows.known[:, rows.N_BASES : rows.N_KNOWN] = n_bases, n_local, words, n_slots
    for j in range(n_local):
        opens = (n_bases + 3 * j + 2) * n_slots
        node_rows.reals[:, opens : opens + n_slots] = 1.0
    for r in range(n_bases):  # the slots of the bases
        node_rows.reals[:, r * n_slots + r] = 1.0
    return node_rows


def _most_numbers(plan: Plan, n_threads: int) -> int:
    """By how many numbers documents may know rows of words: one each, a spare one, and those that threads keep."""
    return max(len(plan.words[stream.emit]) for stream in plan.graph.streams) + 1 + n_threads * KEPT_ROWS


def _row_slots(plan: Plan, capacity: int) -> int:
    """Slots of node rows: for bases and topics of the longest document, read in whole lanes."""
    return (_count_bases(plan) + min(plan.longest, capacity) + 2 * BLOCK) // BLOCK * BLOCK


def apart(n_threads: int, size: int | tuple[int, ...], kind: DTypeLike, value: float | np.uint32 = 0) -> NDArray[Any]:
    """Numbers for each thread, and more along the last axis: none may lie in a line of memory with another thread's.

    What one thread writes there, the other would have to fetch again with every read.
    """
    *rest, last = size if isinstance(size, tuple) else (size,)
    width = np.dtype(kind).itemsize
    return np.full((n_threads, *rest, (last * width // LINES + 2) * LINES // width), value, kind)


def _rising_logs(plan: Plan) -> NDArray[np.float64]:
    """log n!, then log Gamma(x + n) / Gamma(x) for both mixing priors of every local node and for their sum."""
    starts = [1.0]
    for prior in (plan.nodes[i].mix_prior or (1.0, 1.0) for i in local_nodes(plan)):
        starts += [prior[0], prior[1], sum(prior)]
    return np.array([math.lgamma(x + n) - math.lgamma(x) for x in starts for n in range(int(rows.MOST))])


def _count_bases(plan: Plan) -> int:
    """Shared parents of local nodes on the topic side, and one in common for those without a parent."""
    local = {node.name: node.parents for node in plan.nodes if node.local and node.side == "topic"}
    shared = {name for parents in local.values() for name in parents or [""] if name not in local}
    return max(len(shared), 1)


def new_active_topics(plan: Plan, capacity: int, n_threads: int, precision: DTypeLike) -> ActiveTopics:
    """Scratch of documents with one local node."""
    n_streams = len(plan.graph.streams)
    longest = plan.longest
    shape = (n_threads, max(capacity, min(longest, capacity) + BLOCK))
    words = _most_numbers(plan, n_threads)
    return ActiveTopics(
        topic=np.zeros(shape, np.uint32),
        column=np.zeros(shape, np.uint32),
        slot_of=np.full((n_threads, capacity), NO_SLOT, np.uint32),
        seat=np.zeros((n_threads, longest), np.uint32),
        customers=np.zeros(shape, np.int32),
        tables=np.zeros(shape, np.int32),
        stay=np.zeros(shape, precision),
        opening=np.zeros(shape, precision),
        leave=np.zeros(shape, precision),
        base=np.zeros(shape, precision),
        weights=np.zeros(shape, precision),
        sums=np.zeros((n_threads, n_streams, words)),
        stamp=np.full((n_threads, n_streams, words, 2), NOT_SUMMED, np.int64),
        blocks=apart(n_threads, capacity // BLOCK + 1, np.float64),
    )


def new_own_words(plan: Plan, capacity: int, n_threads: int, precision: DTypeLike) -> OwnWords:
    """Scratch of word nodes per document and topic, for the slots of `new_active_topics` and of `new_node_rows`."""
    shape = (n_threads, max(capacity + BLOCK, _row_slots(plan, capacity)))
    customers, tables, place, slot, seated, opened = (np.zeros(shape, np.int32) for _ in range(6))
    return OwnWords(customers, tables, np.ones(shape), place, slot, seated, opened, np.zeros(shape, precision))


def new_clusters(plan: Plan, capacity: int, n_threads: int, precision: DTypeLike, most: int) -> Clusters:
    """Scratch of documents as clusters, of which there are `most` at most."""
    n_slots = _row_slots(plan, most)
    mass, joined, weight, owed = (apart(n_threads, n_slots, np.float64) for _ in range(4))
    return Clusters(
        labels=apart(n_threads, n_slots * capacity, precision),
        mass=mass,
        joined=joined,
        weight=weight,
        owed=owed,
        base=apart(n_threads, n_slots, np.int64),
        stride=apart(n_threads, 1, np.int64, capacity),
        batch=apart(n_threads, capacity, precision),
        whole=apart(n_threads, capacity, np.float64),
        firsts=apart(n_threads, capacity, np.float64),
        squares=apart(n_threads, capacity, np.float64),
    )


def new_mean_sums(plan: Plan, capacity: int, n_threads: int, precision: DTypeLike) -> MeanSums:
    """Scratch of the means of new documents."""
    n_bases, n_slots = _count_bases(plan), max(capacity + BLOCK, _row_slots(plan, capacity))
    of_bases, of_tokens = (apart(n_threads, n * n_bases, np.float64) for n in (1, plan.longest))
    of_weight, of_stay = (apart(n_threads, n_slots, precision) for _ in range(2))
    return MeanSums(of_bases, of_tokens, of_weight, of_stay, apart(n_threads, capacity, precision))
