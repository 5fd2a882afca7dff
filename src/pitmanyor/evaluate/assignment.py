"""The assignment problem: match rows with columns, one to one, so that the sum of their values is maximal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def assign(values: Floats) -> tuple[Ints, Ints]:
    """Matched rows and columns, by shortest augmenting paths (the Hungarian method; Jonker and Volgenant 1987).

    A matrix that is not square has as many pairs as its shorter side. Rows are in order.

    >>> rows, columns = assign(np.array([[0.9, 0.8], [0.8, 0.1]]))
    >>> rows.tolist(), columns.tolist()
    ([0, 1], [1, 0])
    """
    if len(values) > values.shape[1]:
        columns, rows = assign(values.T)
        order = np.argsort(rows)
        return rows[order], columns[order]
    row_of = _match(-np.asarray(values, np.float64))
    columns = np.flatnonzero(row_of >= 0)
    order = np.argsort(row_of[columns])
    return row_of[columns][order], columns[order]


def _match(cost: Floats) -> Ints:
    """The row of every column, or -1, at minimal cost; there are no more rows than columns."""
    n_rows, n_columns = cost.shape
    of_row, of_column = np.zeros(n_rows), np.zeros(n_columns)  # dual prices: cost - of_row - of_column >= 0
    row_of = np.full(n_columns, -1, np.int64)
    for start in range(n_rows):
        distance, before = np.full(n_columns, np.inf), np.full(n_columns, -1, np.int64)
        done = np.zeros(n_columns, bool)
        row, reached, column = start, 0.0, -1
        while row >= 0:  # Dijkstra from this row to the nearest column that is free
            new = reached + cost[row] - of_row[row] - of_column
            nearer = ~done & (new < distance)
            distance[nearer], before[nearer] = new[nearer], column
            column = int(np.where(done, np.inf, distance).argmin())
            reached, row = float(distance[column]), int(row_of[column])
            done[column] = True
        gain = reached - distance[done]
        of_row[start] += reached
        owners = row_of[done]
        of_row[owners[owners >= 0]] += gain[owners >= 0]
        of_column[done] -= gain
        while column >= 0:  # hand the columns of the path on
            previous = int(before[column])
            row_of[column] = start if previous < 0 else row_of[previous]
            column = previous
    return row_of
