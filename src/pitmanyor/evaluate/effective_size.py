"""Effective sample size: the number of independent draws that would estimate a mean as accurately."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pitmanyor.evaluate.rhat import normal_scores

Floats = NDArray[np.float64]


def effective_size(chains: Floats) -> float:
    """Bulk effective sample size of split chains, a row each, by ranks (Vehtari et al., 2021).

    Not a number for fewer than four draws per chain, or if nothing moves.

    >>> round(effective_size(np.random.default_rng(0).normal(size=(4, 250))))
    1008
    """
    half = chains.shape[1] // 2
    if half < 2 or np.ptp(chains) == 0.0:
        return float("nan")
    rows = normal_scores(np.concatenate([chains[:, :half], chains[:, -half:]]))
    n_rows, n = rows.shape
    covariance = _autocovariance(rows)
    within = covariance[:, 0].mean() * n / (n - 1)
    total = within * (n - 1) / n + rows.mean(axis=1).var(ddof=1)
    correlation = 1.0 - (within - covariance.mean(axis=0)) / total
    correlation[0] = 1.0
    size = n_rows * n
    return float(size / max(_time(correlation), 1.0 / math.log10(size)))


def _autocovariance(rows: Floats) -> Floats:
    """Autocovariance of every row at all lags, by the fast Fourier transform."""
    n = rows.shape[1]
    padded = 2 ** math.ceil(math.log2(2 * n))
    spectrum = np.fft.rfft(rows - rows.mean(axis=1, keepdims=True), padded, axis=1)
    return np.asarray(np.fft.irfft(np.abs(spectrum) ** 2, padded, axis=1)[:, :n] / n)


def _time(correlation: Floats) -> float:
    """Integrated autocorrelation time by Geyer's initial monotone sequence.

    Sums of neighbouring correlations are positive and fall; those after the first that is not are noise.
    """
    n = len(correlation)
    sums = correlation[: n // 2 * 2].reshape(-1, 2).sum(axis=1)
    last = 0
    while 2 * last + 1 < n - 3 and sums[last] > 0.0:
        last += 1
    even = correlation[2 * last]
    rest = even if even > 0.0 or sums[last] >= 0.0 else 0.0
    return float(2.0 * np.minimum.accumulate(sums[:last]).sum() + rest - 1.0)
