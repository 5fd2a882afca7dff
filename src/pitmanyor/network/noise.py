"""The noise of a link integrated out: log E[sigmoid(m + sigma eps)] as a function of m (maths 6)."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError

Floats = NDArray[np.float64]
REACH = 9.0  # standard deviations of eps beyond which its density is below 1e-17 of the largest
KNOTS_PER_UNIT = 64
LARGEST = 30.0  # of sigma: the curve grows with its square


class NoisyLink(NamedTuple):
    """log p(x = 1 | m) at equidistant knots from `start`; beyond them lines of slope 1 (left) and 0 (right)."""

    start: float
    step: float
    curve: Floats


def log_link(m: Floats, sigma: float) -> Floats:
    """log E[sigmoid(m + sigma eps)] with eps standard normal, by the trapezoid rule.

    The integrand is analytic within pi / sigma of the real line, so with the step min(0.5, 0.6/sigma) the rule is good
    to 1e-13. For x = 0 take -m.

    >>> float(np.exp(log_link(np.array([0.0]), 2.0))[0].round(12))
    0.5
    """
    if sigma == 0.0:
        return -np.logaddexp(0.0, -m)
    step = min(0.5, 0.6 / sigma)
    n = int(np.ceil((REACH + sigma) / step))  # for a very negative m the mass sits around eps = sigma
    eps = step * np.arange(-n, n + 1)
    log_weight = -0.5 * eps**2 + np.log(step / np.sqrt(2 * np.pi))
    terms = log_weight - np.logaddexp(0.0, -(m[:, None] + sigma * eps))
    top = terms.max(axis=1)
    return np.asarray(top + np.log(np.exp(terms - top[:, None]).sum(axis=1)))


def log_links(m: Floats, sigma: float) -> Floats:
    """`log_link` of many scores in blocks, because each takes as many numbers as there are points of eps."""
    return np.concatenate([log_link(part, sigma) for part in np.array_split(m, max(len(m) // 4096, 1))])


@cache
def noisy_link(sigma: float) -> NoisyLink:
    """`log_link` as an interpolated curve, wide enough for straight lines beyond its ends."""
    if not 0.0 <= sigma <= LARGEST:
        raise PlanError(f"noise= of links must be a standard deviation between 0 and {LARGEST:g}, not {sigma}")
    half = int(np.ceil(40.0 + 10.0 * sigma + sigma**2))
    m = np.arange(-half * KNOTS_PER_UNIT, half * KNOTS_PER_UNIT + 1) / KNOTS_PER_UNIT
    return NoisyLink(float(m[0]), 1.0 / KNOTS_PER_UNIT, log_links(m, sigma))
