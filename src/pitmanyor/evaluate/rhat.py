"""R-hat: whether chains, and the halves of each, agree."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def rhat(chains: Floats) -> float:
    """R-hat of split chains, a row each, by ranks (Vehtari et al., 2021): of the values, or of how far they lie from
    their median, whichever is larger. Near 1 where all halves say the same; nan for fewer than four draws a chain.

    >>> round(rhat(np.array([[1.0, 4.0, 2.0, 3.0, 5.0, 8.0, 6.0, 7.0]])), 2)
    2.06
    >>> rhat(np.array([np.zeros(8), np.ones(8)]))
    inf
    """
    half = chains.shape[1] // 2
    if half < 2:
        return float("nan")
    halves = np.concatenate([chains[:, :half], chains[:, -half:]])
    return max(_of_ranks(halves), _of_ranks(np.abs(halves - np.median(halves))))


def _of_ranks(rows: Floats) -> float:
    """Gelman and Rubin's R-hat of the normal scores that the values have by their ranks."""
    scores, n = normal_scores(rows), rows.shape[1]
    within, between = scores.var(axis=1, ddof=1).mean(), n * scores.mean(axis=1).var(ddof=1)
    if within == 0.0:
        return 1.0 if between == 0.0 else float("inf")
    return float(np.sqrt((n - 1) / n + between / within / n))


def normal_scores(rows: Floats) -> Floats:
    """Normal quantiles at the ranks of all values (Blom's formula); ties share their mean rank."""
    _, place, times = np.unique(rows, return_inverse=True, return_counts=True)
    ranks = np.cumsum(times) - (times - 1) / 2
    quantile = NormalDist().inv_cdf
    scores = np.array([quantile(p) for p in ((ranks - 0.375) / (rows.size + 0.25)).tolist()])
    return np.asarray(scores[place].reshape(rows.shape))
