"""Where counts lie in the flat arrays, for a given number of topic columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitmanyor.graph import Node
from pitmanyor.plan import Plan

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Block:
    """One node's part of the arrays: n_cells rows of `width` counts, n_instances x `own` restaurants."""

    row: int
    rest: int
    to_row: int
    to_rest: int
    n_cells: int
    n_instances: int
    width: int
    own: int
    n_parents: int  # 0 unless tables are counted per parent (one parent: all tables are its own)

    @property
    def rows(self) -> slice:
        return slice(self.row, self.row + self.n_cells * self.width)

    @property
    def rests(self) -> slice:
        return slice(self.rest, self.rest + self.n_instances * self.own)

    @property
    def to_rows(self) -> slice:
        return slice(self.to_row, self.to_row + self.n_cells * self.width * self.n_parents)

    @property
    def to_rests(self) -> slice:
        return slice(self.to_rest, self.to_rest + self.n_instances * self.own * self.n_parents)


@dataclass(frozen=True, eq=False)
class Layout:
    capacity: int
    blocks: tuple[Block, ...]
    cells: Ints  # (cell, NODE...), see kernels.arrays.Net

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Lengths of the arrays by count, by restaurant, and of tables per parent of both."""
        return sizes_of(self.blocks)


def sizes_of(blocks: Sequence[Block]) -> tuple[int, int, int, int]:
    last = blocks[-1]
    return last.rows.stop, last.rests.stop, last.to_rows.stop, last.to_rests.stop


def is_wide(node: Node) -> bool:
    return node.side == "topic" or node.per_topic


def build_layout(plan: Plan, capacity: int) -> Layout:
    blocks = build_blocks(plan, capacity)
    return Layout(capacity, blocks, np.concatenate([_cells(plan, i, b) for i, b in enumerate(blocks)]))


def build_blocks(plan: Plan, capacity: int) -> tuple[Block, ...]:
    """The parts of all nodes, one after the other. They say how much room a layout takes and take none themselves."""
    blocks: list[Block] = []
    row = rest = to_row = to_rest = 0
    for i, node in enumerate(plan.nodes):
        cells = plan.cells.of(i)
        block = Block(
            row,
            rest,
            to_row,
            to_rest,
            n_cells=cells.stop - cells.start,
            n_instances=len(plan.instances[node.name]),
            width=capacity if is_wide(node) and not node.local else 1,
            own=capacity if node.per_topic and not node.local else 1,
            n_parents=len(node.parents) if len(node.parents) > 1 else 0,
        )
        row, rest, to_row, to_rest = block.rows.stop, block.rests.stop, block.to_rows.stop, block.to_rests.stop
        blocks.append(block)
    return tuple(blocks)


def _cells(plan: Plan, index: int, block: Block) -> Ints:
    """Node, first count, first restaurant, and the same for tables per parent, of every cell of a node."""
    number, instance = np.arange(block.n_cells), plan.cells.instance[plan.cells.of(index)]
    row, rest = number * block.width, instance * block.own
    return np.stack(
        [
            np.full(block.n_cells, index),
            block.row + row,
            block.rest + rest,
            block.to_row + row * block.n_parents,
            block.to_rest + rest * block.n_parents,
        ],
        axis=1,
    ).astype(np.int64)
