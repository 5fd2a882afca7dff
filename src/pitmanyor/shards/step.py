"""One sweep of one shard: a pure function, so that it may run anywhere, in any order, and twice."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.restaurant.arrays import Text
from pitmanyor.kernels.switching.counted_leaves import count_cells
from pitmanyor.kernels.switching.leaf_tables import Leaves
from pitmanyor.sampling.document_sums import DocumentSums, sum_text
from pitmanyor.sampling.explicit_sweep import Explicit
from pitmanyor.sampling.leaves import LeafCells, LeafIndex
from pitmanyor.sampling.switching import Switch
from pitmanyor.seeds import Seed
from pitmanyor.shards.outline import Outline
from pitmanyor.shards.shard import Moving, changed, moving_of
from pitmanyor.state.engines import Work
from pitmanyor.state.some_documents import take
from pitmanyor.state.state import State

Ints = NDArray[np.int64]


class Shard(NamedTuple):
    """Some documents of a corpus, and their tokens by the cells of leaves."""

    text: Text
    leaves: Leaves

    def moved(self, moving: Moving) -> Shard:
        return self._replace(text=self.text._replace(**moving._asdict()))


class Orders(NamedTuple):
    """What the driver tells one shard before it is swept."""

    place: NDArray[np.int32]  # the new label of every topic
    anchors: Ints  # documents that the driver has updated by itself, and what they have now
    moved: Moving
    concentration: NDArray[np.float64]  # (own, document)
    wanted: Ints  # documents that the driver wants to see afterwards: the anchors of the next sweep


class Shared(NamedTuple):
    """What all shards are told: the vectors that documents share, and what to do with them."""

    state: State  # its net has the vectors; its text is of no account
    leaves: dict[int, LeafCells]
    n_held: int
    seed: Seed
    passes: int
    relabels: bool
    n_threads: int

    @property
    def capacity(self) -> int:
        return self.state.capacity


class Counts(NamedTuple):
    """Customers that documents send to shared nodes. Those of several shards may be added, in any order."""

    customers: NDArray[np.int32]  # (count, CUSTOMERS or TABLES)
    totals: Ints  # (restaurant, CUSTOMERS or TABLES)
    leaves: dict[int, NDArray[np.int32]]  # by leaf: (cell, held topic)


class Delta(NamedTuple):
    """What one shard tells the driver after a sweep, but for its counts."""

    sums: DocumentSums
    sizes: Ints  # tokens of every topic
    wanted: Text
    seconds: float = 0.0  # of work


def no_counts(shared: Shared) -> Counts:
    """Zeros; memory that no customer is counted in is never touched."""
    net, blocks = shared.state.net, shared.state.layout.blocks
    leaves = {i: np.zeros((blocks[i].n_cells, shared.n_held), np.int32) for i in shared.leaves}
    return Counts(np.zeros(net.counts.shape, np.int32), np.zeros(net.totals.shape, np.int64), leaves)


class Worker:
    """Sweeps shards, one after the other. Its scratch outlives a shard, and nothing in it changes a result."""

    def __init__(self, shared: Shared) -> None:
        assert isinstance(shared.state.plan, Outline)
        self.shared, self.outline = shared, shared.state.plan
        self.switch = Switch(shared.state, shared.n_threads)
        self.explicit = Explicit(shared.state, shared.n_threads)
        if shared.n_held:
            self.explicit.fill(shared.state, shared.n_held)

    def step(self, shard: Shard, orders: Orders, counts: Counts) -> tuple[Moving, Delta]:
        """The shard's documents after a sweep; their customers are added to `counts`. The shard stays as it was."""
        shared, n_held, started = self.shared, self.shared.n_held, time.perf_counter()
        text = obey(shard.text, orders)
        state = shared.state.over(text)
        if n_held:
            others = np.ones(len(text.context), bool)
            others[orders.anchors] = False
            if shared.relabels:
                self.explicit.relabel(state, np.flatnonzero(others), n_held, shared.seed)
            order = np.argsort(text.context, kind="stable")
            self.explicit.visit(state, Work(order[others[order]], n_held, shared.seed, shared.passes))
            self._count(state, shard.leaves, counts)
        sizes = np.bincount(text.topic, minlength=state.capacity)
        sums, wanted = sum_text(state), take(self.outline, text, orders.wanted)
        return moving_of(text), Delta(sums, sizes, wanted, time.perf_counter() - started)

    def _count(self, state: State, leaves: Leaves, counts: Counts) -> None:
        state.net = state.net._replace(counts=counts.customers, totals=counts.totals)
        self.switch.count(state, LeafIndex(self.shared.leaves, leaves))
        tokens = (state.text.topic, state.text.code)
        for i, leaf in self.shared.leaves.items():
            count_cells(tokens, leaves, leaf.bounds, np.uint32(leaf.bits), counts.leaves[i])


def obey(text: Text, orders: Orders) -> Text:
    """The text with new labels, and with the documents that the driver has updated; a copy of all that changes."""
    topic = np.take(orders.place, text.topic)
    return changed(text._replace(concentration=orders.concentration), orders.anchors, orders.moved, topic)
