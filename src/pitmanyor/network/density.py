"""The density of a tilted stable variable as a curve in one number, for any discount (maths 6).

A stable variable with transform exp(-m s^a) is x = m^(1/a) z, and z has the density (Zolotarev 1966)

    a/(1 - a) z^(-1/(1-a)) I(y),   I(y) = 1/pi int_0^pi A(u) exp(-y A(u)) du,   y = z^(-a/(1-a)),

    A(u) = [sin(a u)/sin u]^(1/(1-a)) sin((1-a) u)/sin(a u),   A(0) = (1 - a) a^(a/(1-a)).

So for one discount the density hangs on the single number log y. The curve holds log I(y) + y A(0), which goes from a
line of slope -a (the heavy tail) to one of slope -1/2 (the Gaussian core).
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
REACH = 36.0  # in log y above, and in (1 - a) log y below: there the curve is a line to the last bit
KNOTS_PER_UNIT = 32


class StableDensity(NamedTuple):
    """log I(y) + y A(0) at equidistant knots of log y from `start`; beyond them lines of slopes -a and -1/2."""

    discount: float
    lowest: float  # A(0)
    start: float
    step: float
    curve: Floats


@cache
def stable_density(a: float) -> StableDensity:
    """The curve for a discount 0 < a < 1."""
    start, step = -math.ceil(REACH / (1.0 - a)), 1.0 / KNOTS_PER_UNIT
    log_y = start + step * np.arange((math.ceil(REACH) - start) * KNOTS_PER_UNIT + 1)
    lowest = (1.0 - a) * a ** (a / (1.0 - a))
    # u = pi/(1 + e^-t): the integrand falls off at both ends of the line of t, so the trapezoid rule converges fast
    width = min(0.1, 0.2 * (1.0 - a))
    t = np.arange(-REACH - 4.0, 2.0 * REACH, width)
    u, from_pi = math.pi / (1.0 + np.exp(-t)), math.pi / (1.0 + np.exp(t))
    log_a = _log_ratio(a, u, from_pi)
    log_measure = np.log(u) + np.log(from_pi) - 2.0 * math.log(math.pi) + math.log(width)
    excess = np.expm1(np.minimum(log_a, 600.0))  # A(u)/A(0) - 1 without cancellation
    curve = np.empty(len(log_y))
    for at in np.array_split(np.arange(len(log_y)), max(len(log_y) // 256, 1)):
        terms = (log_measure + log_a + math.log(lowest)) - lowest * np.exp(log_y[at])[:, None] * excess
        top = terms.max(axis=1)
        curve[at] = top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
    return StableDensity(a, lowest, float(start), step, curve)


def _log_ratio(a: float, u: Floats, from_pi: Floats) -> Floats:
    """log A(u)/A(0), from u and its distance from pi."""
    inner, outer = _log_sinc(a * u), _log_sinc((1.0 - a) * u)
    with np.errstate(divide="ignore"):
        whole = np.where(u < 1.0, _log_sinc(u), np.log(np.sin(from_pi)) - np.log(u))
    return (inner - whole) / (1.0 - a) + outer - inner


def _log_sinc(x: Floats) -> Floats:
    """log(sin(x)/x), 0 < x < pi."""
    z = x * x
    near = -z * (1 / 6 + z * (1 / 180 + z * (1 / 2835 + z * (1 / 37800 + z * (1 / 467775 + z * 691 / 3831077250)))))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(x < 0.3, near, np.log(np.sin(x) / x))
