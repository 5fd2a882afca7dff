"""How well links are predicted."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def auc(scores: ArrayLike, linked: ArrayLike) -> float:
    """The probability that a linked pair scores above one that is not; ties count half.

    >>> auc([0.9, 0.4, 0.5, 0.1], [True, True, False, False])
    0.75
    """
    values, truth = np.asarray(scores, np.float64), np.asarray(linked, bool)
    n_linked, n_apart = int(truth.sum()), int((~truth).sum())
    if not n_linked or not n_apart:
        return float("nan")
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    rank = (np.cumsum(counts) - (counts - 1) / 2.0)[place]
    return float((rank[truth].sum() - n_linked * (n_linked + 1) / 2) / (n_linked * n_apart))
