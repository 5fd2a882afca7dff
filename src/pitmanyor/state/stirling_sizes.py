"""Stirling tables as large as the counts ask for, within a bound (see kernels/numbers/stirling_tables.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pitmanyor.kernels.numbers.stirling import StirlingTables, build_tables, grow
from pitmanyor.kernels.restaurant.arrays import CUSTOMERS, TABLES
from pitmanyor.plan import Plan

if TYPE_CHECKING:
    from pitmanyor.state.state import State

MOST_BYTES = 256 << 20
LEAST_ROWS, MOST_ROWS = 1024, 16384
LEAST_COLUMNS, MOST_COLUMNS = 256, 1024


def first_tables(plan: Plan) -> StirlingTables:
    """Tables for the counts that the commonest word can reach at once."""
    commonest = int(np.bincount(plan.order.word, minlength=1).max())
    rows = min(max(commonest + 2, LEAST_ROWS), MOST_ROWS)
    columns = min(max(rows // 16, LEAST_COLUMNS), MOST_COLUMNS)
    return build_tables(plan.discounts, rows, columns, MOST_BYTES)


def fit_tables(state: State) -> None:
    """Grow the tables to the counts of the shared nodes, where the bound lets them."""
    for i, node in enumerate(state.plan.nodes):
        if node.kind == "pyp" and not node.local:
            counts = state.net.counts[state.layout.blocks[i].rows]  # column by column: NumPy is slow along both
            customers, tables = int(counts[:, CUSTOMERS].max()), int(counts[:, TABLES].max())
            index = state.plan.discounts.index(node.discount)
            state.tables = grow(state.tables, index, customers + 2, tables + 2, MOST_BYTES)
