"""Stirling tables as large as the counts ask for, within a bound (see kernels/numbers/stirling_tables.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitmanyor.kernels.numbers.stirling import StirlingTables, bounded, build_tables, grow, shaped_tables
from pitmanyor.kernels.restaurant.arrays import CUSTOMERS, TABLE, TABLES
from pitmanyor.plan import Plan

if TYPE_CHECKING:
    from pitmanyor.state.state import State

MOST_BYTES = 256 << 20
LEAST_ROWS, MOST_ROWS = 1024, 16384
LEAST_COLUMNS, MOST_COLUMNS = 256, 1024
# tables of sampled discounts are filled again and again: they start small and are bounded each by itself
SAMPLED_SHAPE, SAMPLED_BYTES = (512, 80), 16 << 20


def first_tables(plan: Plan) -> StirlingTables:
    """Tables for the counts that the commonest word can reach at once."""
    rows = min(max(plan.commonest + 2, LEAST_ROWS), MOST_ROWS)
    columns = min(max(rows // 16, LEAST_COLUMNS), MOST_COLUMNS)
    if not plan.sampled_discounts:
        return build_tables(plan.discounts, rows, columns, MOST_BYTES)
    n_sampled = len(plan.sampled_discounts)
    fixed = bounded((rows + 1, columns + 1), MOST_BYTES // len(plan.discounts))
    return shaped_tables(plan.discounts, [fixed] * (len(plan.discounts) - n_sampled) + [SAMPLED_SHAPE] * n_sampled)


def fit_tables(state: State) -> None:
    """Grow the tables to the counts of the shared nodes, where the bound lets them."""
    for i, node in enumerate(state.plan.nodes):
        if node.kind == "pyp" and not node.local:
            fit_table(state, i, *_largest_counts(state, i))


def _largest_counts(state: State, i: int) -> tuple[int, int]:
    """Most customers and most tables of a dish of node i."""
    net, at = state.net, state.plan.cells.of(i)
    counts = net.counts[state.layout.blocks[i].rows]  # column by column: NumPy is slow along both
    entries = slice(*net.packed_first[[at.start, at.stop]]) if len(net.packed_first) else slice(0, 0)
    customers, tables = (
        max(int(counts[:, column].max()), int(net.packed[entries, column].max(initial=0)))
        for column in (CUSTOMERS, TABLES)
    )
    return customers, tables


def fit_table(state: State, i: int, customers: int, tables: int) -> None:
    """Grow the table of node i to the given numbers of customers and tables of a dish, within the bound."""
    most = MOST_BYTES
    if i in state.plan.sampled_discounts:
        most = SAMPLED_BYTES * len(state.plan.discounts)  # `grow` takes an equal share of it
    state.tables = grow(state.tables, int(state.net.nodes[i, TABLE]), customers + 2, tables + 2, most)
