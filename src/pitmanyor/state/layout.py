"""Where counts lie in the flat arrays, for a given number of topic columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitmanyor.graph import Node
from pitmanyor.kernels.restaurant.arrays import PACKED
from pitmanyor.plan import Plan
from pitmanyor.state.packing import Packing, find_packings

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Block:
    """One node's part of the arrays: n_rows rows of `width` counts, n_instances x `own` restaurants.

    There is a row for every cell, unless some are packed: then there is one for each of the others, and a spare one.
    """

    row: int
    rest: int
    to_row: int
    to_rest: int
    n_cells: int
    n_rows: int
    n_entries: int  # of packed cells
    n_instances: int
    width: int
    own: int
    n_parents: int  # 0 unless tables are counted per parent (one parent: all tables are its own)

    @property
    def rows(self) -> slice:
        return slice(self.row, self.row + self.n_rows * self.width)

    @property
    def rests(self) -> slice:
        return slice(self.rest, self.rest + self.n_instances * self.own)

    @property
    def to_rows(self) -> slice:
        return slice(self.to_row, self.to_row + self.n_rows * self.width * self.n_parents)

    @property
    def to_rests(self) -> slice:
        return slice(self.to_rest, self.to_rest + self.n_instances * self.own * self.n_parents)


@dataclass(frozen=True, eq=False)
class Layout:
    capacity: int
    blocks: tuple[Block, ...]
    cells: Ints  # (cell, NODE...), see kernels.arrays.Net
    packed_first: Ints  # (cell + 1): first entries of packed cells; empty if there are none
    packs: bool  # may cells be packed?

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Lengths of the arrays by count, by restaurant, and of tables per parent of both."""
        return sizes_of(self.blocks)

    @property
    def n_entries(self) -> int:
        """Of packed cells."""
        return int(self.packed_first[-1]) if len(self.packed_first) else 0


def sizes_of(blocks: Sequence[Block]) -> tuple[int, int, int, int]:
    last = blocks[-1]
    return last.rows.stop, last.rests.stop, last.to_rows.stop, last.to_rests.stop


def is_wide(node: Node) -> bool:
    return node.side == "topic" or node.per_topic


def build_layout(plan: Plan, capacity: int, packs: bool = True) -> Layout:
    """Where all counts lie. `packs`: may cells be packed?"""
    packings, blocks = find_packings(plan, capacity) if packs else {}, build_blocks(plan, capacity, packs)
    cells = np.concatenate([_cells(plan, i, block, packings.get(i)) for i, block in enumerate(blocks)])
    n_entries = np.zeros(len(cells) + 1 if packings else 0, np.int64)
    for i, packing in packings.items():
        at = plan.cells.of(i)
        n_entries[at.start + 1 : at.stop + 1] = packing.n_entries
    return Layout(capacity, blocks, cells, np.cumsum(n_entries), packs)


def build_blocks(plan: Plan, capacity: int, packs: bool = True) -> tuple[Block, ...]:
    """The parts of all nodes, one after the other. They say how much room a layout takes and take none themselves."""
    blocks: list[Block] = []
    row = rest = to_row = to_rest = 0
    packings = find_packings(plan, capacity) if packs else {}
    for i, node in enumerate(plan.nodes):
        cells = plan.cells.of(i)
        n_cells = cells.stop - cells.start
        block = Block(
            row,
            rest,
            to_row,
            to_rest,
            n_cells=n_cells,
            n_rows=int(np.count_nonzero(packings[i].has_row)) + 1 if i in packings else n_cells,
            n_entries=int(packings[i].n_entries.sum()) if i in packings else 0,
            n_instances=len(plan.instances[node.name]),
            width=capacity if is_wide(node) and not node.local else 1,
            own=capacity if node.per_topic and not node.local else 1,
            n_parents=len(node.parents) if len(node.parents) > 1 else 0,
        )
        row, rest, to_row, to_rest = block.rows.stop, block.rests.stop, block.to_rows.stop, block.to_rests.stop
        blocks.append(block)
    return tuple(blocks)


def _cells(plan: Plan, index: int, block: Block, packing: Packing | None) -> Ints:
    """Node, first count, first restaurant, and the same for tables per parent, of every cell of a node."""
    instance = plan.cells.instance[plan.cells.of(index)]
    number = np.arange(block.n_cells) if packing is None else np.cumsum(packing.has_row) - 1
    row, rest = number * block.width, instance * block.own
    return np.stack(
        [
            np.full(block.n_cells, index),
            block.row + row if packing is None else np.where(packing.has_row, block.row + row, PACKED),
            block.rest + rest,
            block.to_row + row * block.n_parents,
            block.to_rest + rest * block.n_parents,
        ],
        axis=1,
    ).astype(np.int64)


def spare_rows(blocks: Sequence[Block]) -> Ints:
    """By node: the last row where cells are packed, else -1."""
    return np.array([b.rows.stop - b.width if b.n_rows != b.n_cells else -1 for b in blocks])
