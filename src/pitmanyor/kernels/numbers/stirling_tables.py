"""Tables of the ratios V(c,t) = S(c,t+1;a)/S(c,t;a): built, grown on demand, in bounded memory (maths 1).

A table holds the small counts that nearly every lookup asks for. Outside it `stirling_contour` computes the value: as
exact, in microseconds instead of nanoseconds. So the size of a table never changes a result by more than rounding,
only its speed, and memory can be bounded freely.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import kernel

MAX_BYTES = 64 * 2**20  # bound on the ratios of all discounts together
ASPECT = 8  # rows per column that a bounded table keeps: tables grow like c^a, well below c


@bundle
class StirlingTables(NamedTuple):
    """Ratio tables of several discounts in one flat array, readable in compiled code.

    V(c,t) of discount i stands at `ratios[offset[i] + c * n_cols[i] + t]` for c < n_rows[i] and t < n_cols[i]. Rows run
    over customers, so that V(c,t) and V(c,t-1), which every weight needs together, are neighbours.
    """

    ratios: NDArray[np.float64]
    offset: NDArray[np.int64]
    n_rows: NDArray[np.int64]
    n_cols: NDArray[np.int64]
    discount: NDArray[np.float64]


@kernel
def _fill(ratios: NDArray[np.float64], start: int, n_rows: int, n_cols: int, a: float) -> None:
    """Row recursion V(c+1,t) = [1 + (c - (t+1)a) V(c,t)] / [1/V(c,t-1) + c - t a], the slot before t = 1 left at 0."""
    for row in range(2, n_rows):
        c = row - 1.0
        old, new = start + (row - 1) * n_cols, start + row * n_cols
        if n_cols > 1:
            ratios[new + 1] = (1.0 + (c - 2.0 * a) * ratios[old + 1]) / (c - a)
        for t in range(2, min(row, n_cols)):
            ratios[new + t] = (1.0 + (c - (t + 1.0) * a) * ratios[old + t]) / (1.0 / ratios[old + t - 1] + c - t * a)


def _bounded(wanted: tuple[int, int], least: tuple[int, int], slots: int) -> tuple[int, int]:
    """(n_rows, n_cols) as wanted, or as much of it as `slots` numbers can hold; never below `least`."""
    rows, cols = wanted
    if rows * cols > slots:
        cols = min(cols, max(least[1], math.isqrt(slots // ASPECT)))
        rows = min(rows, max(least[0], slots // cols))
        cols = min(wanted[1], max(least[1], slots // rows))
    return rows, min(cols, rows)


def _assemble(
    discounts: NDArray[np.float64], shapes: list[tuple[int, int]], old: StirlingTables | None
) -> StirlingTables:
    """Tables of the given shapes; those that have their old shape and discount are copied, the others filled."""
    sizes = [rows * cols for rows, cols in shapes]
    offset = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
    ratios = np.zeros(sum(sizes), dtype=np.float64)
    for i, (rows, cols) in enumerate(shapes):
        if old is not None and (rows, cols) == (old.n_rows[i], old.n_cols[i]):
            ratios[offset[i] : offset[i] + sizes[i]] = old.ratios[old.offset[i] : old.offset[i] + sizes[i]]
        else:
            _fill(ratios, int(offset[i]), rows, cols, float(discounts[i]))
    n_rows, n_cols = np.array(shapes, dtype=np.int64).T.copy()
    return StirlingTables(ratios, offset, n_rows, n_cols, discounts)


def shaped_tables(discounts: Sequence[float] | NDArray[np.float64], shapes: list[tuple[int, int]]) -> StirlingTables:
    """Tables with the given numbers of rows and columns, one for each discount."""
    return _assemble(np.array(discounts, dtype=np.float64), shapes, None)


def bounded(shape: tuple[int, int], max_bytes: int) -> tuple[int, int]:
    """The wanted rows and columns, or as many as fit the given number of bytes."""
    return _bounded(shape, (1, 1), max_bytes // 8)


def refill(tables: StirlingTables, i: int, a: float) -> None:
    """Let table i be that of another discount, in place: some 2 ns a ratio."""
    tables.discount[i] = a
    _fill(tables.ratios, int(tables.offset[i]), int(tables.n_rows[i]), int(tables.n_cols[i]), a)


def only(tables: StirlingTables, i: int) -> StirlingTables:
    """Table i as the only one, over the same memory."""
    at = slice(i, i + 1)
    return tables._replace(
        offset=tables.offset[at], n_rows=tables.n_rows[at], n_cols=tables.n_cols[at], discount=tables.discount[at]
    )


def build_tables(
    discounts: Sequence[float] | NDArray[np.float64],
    max_customers: int = 4096,
    max_tables: int = 512,
    max_bytes: int = MAX_BYTES,
) -> StirlingTables:
    """Ratio tables for c <= max_customers and t <= max_tables, one for each discount, within `max_bytes` in all.

    Each discount has an equal share of the bytes. A table that would be larger is made smaller: lookups beyond it are
    as exact, and slower. The default, 17 MB a discount, takes some 20 ms a discount to fill.
    """
    values = np.array(discounts, dtype=np.float64).reshape(-1)
    if values.size == 0:
        raise ValueError("build_tables needs at least one discount; give [0.0] for a model of Dirichlet processes.")
    for a in values:
        if not 0.0 <= a < 1.0:
            raise ValueError(f"discount {a} is outside [0, 1): a Pitman-Yor process needs 0 <= discount < 1.")
    wanted = (max(max_customers, 1) + 1, max(max_tables, 1) + 1)
    shape = _bounded(wanted, (1, 1), max_bytes // (8 * values.size))
    return _assemble(values, [shape] * values.size, None)


def grow(tables: StirlingTables, i: int, customers: int, tables_: int, max_bytes: int = MAX_BYTES) -> StirlingTables:
    """Tables in which discount i reaches (customers, tables_), or as far as its share of `max_bytes` allows.

    Sides at least double when they grow, so a slowly growing count causes a bounded number of rebuilds. No side ever
    shrinks; if no table can grow any more the same tables are returned.
    """
    rows, cols = int(tables.n_rows[i]), int(tables.n_cols[i])
    wanted = (
        rows if customers < rows else max(customers + 1, 2 * rows),
        cols if tables_ < cols else max(tables_ + 1, 2 * cols),
    )
    shape = _bounded(wanted, (rows, cols), max_bytes // (8 * tables.discount.size))
    if shape == (rows, cols):
        return tables
    shapes = [(int(r), int(c)) for r, c in zip(tables.n_rows, tables.n_cols, strict=True)]
    shapes[i] = shape
    return _assemble(tables.discount, shapes, tables)
