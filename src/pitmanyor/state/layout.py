"""Where counts lie in the flat arrays, for a given number of topic columns."""

from __future__ import annotations

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
    row: Ints
    rest: Ints
    to_row: Ints
    to_rest: Ints

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Lengths of the arrays by count, by restaurant, and of tables per parent of both."""
        last = self.blocks[-1]
        return last.rows.stop, last.rests.stop, last.to_rows.stop, last.to_rests.stop


def is_wide(node: Node) -> bool:
    return node.side == "topic" or node.per_topic


def build_layout(plan: Plan, capacity: int) -> Layout:
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
    cell, instance = np.arange(len(plan.cells.instance)), plan.cells.instance

    def spread(start: str, per_cell: bool) -> Ints:
        parts = []
        for i, b in enumerate(blocks):
            at = plan.cells.of(i)
            factor = b.n_parents if start.startswith("to") else 1
            steps = (cell[at] - at.start) * b.width if per_cell else instance[at] * b.own
            parts.append(getattr(b, start) + steps * factor)
        return np.concatenate(parts).astype(np.int64)

    return Layout(
        capacity,
        tuple(blocks),
        spread("row", True),
        spread("rest", False),
        spread("to_row", True),
        spread("to_rest", False),
    )
