"""Stirling tables where nothing is compiled: filled row by row with NumPy, to the same bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def fill_rows(ratios: NDArray[np.float64], start: int, n_rows: int, n_cols: int, a: float) -> None:
    """`stirling_tables._fill`, whose loop over tables takes a second for each discount in plain Python."""
    table = ratios[start : start + n_rows * n_cols].reshape(n_rows, n_cols)
    for row in range(2, n_rows):
        c, n = row - 1.0, min(row, n_cols)
        old, new, t = table[row - 1], table[row], np.arange(2.0, n)
        if n_cols > 1:
            new[1] = (1.0 + (c - 2.0 * a) * old[1]) / (c - a)
        new[2:n] = (1.0 + (c - (t + 1.0) * a) * old[2:n]) / (1.0 / old[1 : n - 1] + c - t * a)
