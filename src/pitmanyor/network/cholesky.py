"""Linear algebra whose results do not depend on the number of threads, as those of a threaded library do."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def pivoted_cholesky(matrix: Floats, least: float) -> tuple[Ints, Floats]:
    """L with L L' = matrix up to entries of at most `least`, and the rows that its columns correspond to.

    The row with the largest remaining diagonal is taken next, which keeps the number of columns small.

    >>> x = np.linspace(0, 1, 50)
    >>> kernel = np.exp(-((x[:, None] - x) ** 2) / 2)
    >>> pivots, factor = pivoted_cholesky(kernel, 1e-12)
    >>> factor.shape[1] < 12, bool(np.abs(factor @ factor.T - kernel).max() < 1e-12)
    (True, True)
    """
    left = np.diag(matrix).astype(np.float64)
    pivots: list[int] = []
    columns: list[Floats] = []
    while len(columns) < len(matrix):
        pivot = int(left.argmax())
        if left[pivot] <= least:
            break
        column = matrix[:, pivot].astype(np.float64)
        for other in columns:
            column -= other * other[pivot]
        column /= math.sqrt(left[pivot])
        left -= column**2
        columns.append(column)
        pivots.append(pivot)
    return np.array(pivots, np.int64), np.stack(columns, axis=1)


def inverse_of_lower(lower: Floats) -> Floats:
    """The inverse of a lower triangular matrix, row by row.

    >>> inverse_of_lower(np.array([[2.0, 0.0], [1.0, 4.0]])).tolist()
    [[0.5, 0.0], [-0.125, 0.25]]
    """
    out = np.zeros_like(lower)
    for i, row in enumerate(lower):
        out[i, i] = 1.0
        for j in range(i):
            out[i] -= row[j] * out[j]
        out[i] /= row[i]
    return out


def product(left: Floats, right: Floats) -> Floats:
    """left @ right."""
    return np.asarray(np.einsum("ij,jk->ik", left, right))
