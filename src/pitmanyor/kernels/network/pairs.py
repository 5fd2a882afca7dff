"""Sums over pairs whose scores are given one by one."""

from __future__ import annotations

from pitmanyor.kernels.numbers.curves import read_line
from pitmanyor.kernels.runtime.jit import kernel


@kernel
def pair_sum(score, pairs, noisy):
    """log likelihood of pairs by their scores; `pairs` is 1 (linked), 0 (apart) or 2 (unseen)."""
    total = 0.0
    for i in range(score.shape[0]):
        for j in range(score.shape[1]):
            if pairs[i, j] < 2:
                x = score[i, j] if pairs[i, j] == 1 else -score[i, j]
                total += read_line(noisy.curve, noisy.start, noisy.step, x, 1.0, 0.0)
    return total
