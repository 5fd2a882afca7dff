"""Repeats of a measure summarised: mean, standard deviation, and whether it differs from the reference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import fmean, stdev
from typing import NamedTuple

SIGNIFICANT = 0.05


class Summary(NamedTuple):
    """Mean and standard deviation (n - 1) of n repeats; p of a paired t test against the reference, if it has one."""

    n: int
    mean: float
    sd: float | None
    p: float | None


def summarise(values: Mapping[int, float], reference: Mapping[int, float] | None = None) -> Summary:
    """Values by repeat. Differences are taken between the same repeats, which have the same seed and split.

    >>> summarise({0: 1.0, 1: 2.0, 2: 3.0}, {0: 0.5, 1: 1.0, 2: 2.5}).p.__round__(4)
    0.0572
    """
    numbers = list(values.values())
    sd = stdev(numbers) if len(numbers) > 1 else None
    p = None
    if reference is not None:
        both = sorted(values.keys() & reference.keys())
        p = paired_p([values[r] - reference[r] for r in both])
    return Summary(len(numbers), fmean(numbers), sd, p)


def paired_p(differences: list[float]) -> float | None:
    """Two-sided p of the t test that paired differences have mean 0; None if fewer than two, or all are 0."""
    n = len(differences)
    if n < 2 or not any(differences):
        return None
    spread = stdev(differences)
    if spread == 0.0:
        return 0.0
    return two_sided(fmean(differences) / spread * math.sqrt(n), n - 1)


def two_sided(t: float, freedom: int) -> float:
    """P(|T| > |t|) of Student's t by its finite series (Abramowitz and Stegun 26.7.3 and 26.7.4).

    >>> round(two_sided(2.776445, 4), 6)
    0.05
    """
    angle = math.atan(abs(t) / math.sqrt(freedom))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    odd = freedom % 2
    term, total = math.cos(angle) if odd else 1.0, 0.0
    for k in range(odd, freedom - 1, 2):
        total += term
        term *= square * (k + 1) / (k + 2)
    inside = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return max(0.0, 1.0 - inside)
