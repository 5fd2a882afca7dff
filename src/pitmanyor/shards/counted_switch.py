"""Switching at the driver, whose counts come from shards."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.restaurant.arrays import DISCOUNT
from pitmanyor.kernels.restaurant.shared import Franchise
from pitmanyor.kernels.switching.counted_leaves import up_counted_leaf
from pitmanyor.kernels.switching.leaf_tables import Leaves
from pitmanyor.kernels.switching.table_counts import up_scalars
from pitmanyor.sampling.leaves import LeafCells, LeafIndex, arrange_leaves
from pitmanyor.sampling.switching import Switch
from pitmanyor.seeds import Seed
from pitmanyor.shards.step import Counts
from pitmanyor.state.state import State


class CountedSwitch(Switch):
    """Rebuilds counts from vectors and from customers that were counted elsewhere."""

    def __init__(self, state: State, tokens: Leaves, n_threads: int = 1) -> None:
        """`tokens` has how many tokens of the whole corpus a cell has; where they are is not asked."""
        super().__init__(state, n_threads)
        self.leaf_index = arrange_leaves(state, tokens)
        self.counts: Counts | None = None

    @property
    def leaf_cells(self) -> dict[int, LeafCells]:
        return self.leaf_index.nodes

    def _leaves(self, state: State) -> LeafIndex:
        return self.leaf_index

    def absorb(self, state: State, counts: Counts, seed: Seed) -> None:
        """Vectors to counts, given the customers that all documents send; `counts` are used up."""
        self.counts = counts
        self.up(state, seed)
        self.counts = None

    def _count(self, state: State, leaves: LeafIndex) -> None:
        assert self.counts is not None
        for i in self.shared:
            if i not in leaves.nodes:
                rows = state.layout.blocks[i].rows
                state.net.counts[rows] += self.counts.customers[rows]
        np.add(state.net.totals, self.counts.totals, out=state.net.totals)

    def _up_leaf(self, state: State, i: int, leaves: LeafIndex, seed: Seed) -> None:
        assert self.counts is not None
        block = state.layout.blocks[i]
        if state.net.reals[i, DISCOUNT] > 0:
            up_scalars(state.net, self.vectors, i, block.rests.start, block.rests.stop, self.scalars, seed)
        rows = leaves.nodes[i].rows(block, self.n_held)
        franchise = Franchise(state.net, state.tables, state.terms)
        up_counted_leaf(franchise, self.family, self.counts.leaves[i], rows, self.scalars, seed)
