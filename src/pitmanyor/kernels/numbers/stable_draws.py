"""The tilted stable draw behind explicit Pitman-Yor vectors with a discount (maths 4).

A draw S of discount a and mass m has Laplace transform E[exp(-s S)] = exp(-m ((1 + s)^a - 1)). Let b = (1 - a)/a and

    rho(u) = sin(a u) / (a sin u) * [sin((1 - a) u) / ((1 - a) sin u)]^b,   rho(0) = 1.

Kanter (1975): with E exponential and U uniform on (0, pi), m a (m (1 - a) / E)^b rho(U) is stable with transform
exp(-m s^a). So S is that variable, with the joint density of v = E / (m (1 - a)) and U tilted by exp(-S):

    f(v, u) = exp(-m (1 - a) v - c rho(u)),   c = m a v^(-b),   S = c rho(u).

- a = 1/2: S is inverse Gaussian.
- small m: Kanter's draw, accepted with probability exp(-S); one in exp(m) is.
- large m: rejection from an envelope of f. A convex term is replaced by the line that touches it: for
  a >= 1/4, v^(-b) = exp(-b log v) in log v, which makes v a gamma variable; below, v = s^(-d) with d = 1/b, in log s,
  which makes s = c / (m a) one. And log rho(u) = sum of r_j u^(2j) with r_1 = (1 - a)/2 and all r_j >= 0, so
  rho(u) >= 1 + (1 - a) u^2 / 2, which makes u a half-normal variable given v (or, where that is wider than the
  interval, it stays uniform). About one try in three is accepted at worst, one in two or more when m is large: the
  cost is bounded whatever a and m, and nothing is approximate.
"""

from __future__ import annotations

import math

import numpy as np

from pitmanyor.kernels.numbers.gamma_draws import exponential, gamma, log_gamma, normal
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import uniform

_LARGE_MASS = 1.5
_IN_V = 0.25
_SURELY_REJECTED = 38.2
"""Above this exp(-S) is below every value of `uniform`, whose least is 2^-55."""


@inlined
def _sin(x: float) -> float:
    """sin x for 0 < x < pi to a relative 5e-16, away from pi: a third of the time of the library's, and inlined.

    The coefficients interpolate sin(x) / x in x^2 at the eight Chebyshev points of [0, pi^2 / 4].
    """
    x = min(x, math.pi - x)
    z = x * x
    z2 = z * z
    low = (0.9999999999999999 - 0.16666666666666072 * z) + (0.008333333333282756 - 0.00019841269824861897 * z) * z2
    high = (2.7557316609073673e-06 - 2.505188194671259e-08 * z) + (
        1.6048168318165643e-10 - 7.374387503862757e-13 * z
    ) * z2
    return x * (low + high * (z2 * z2))


@inlined
def kanter(a: float, m: float, angle: float, e: float) -> tuple[float, float, float]:
    """A stable variable from an angle in (0, pi) and an exponential: (S, factor, exponent), S = factor * exp(exponent).

    The angle is measured from pi, where the heavy tail is, so that it keeps its relative precision there. S is infinite
    where it would overflow.
    """
    b = (1.0 - a) / a
    sine = _sin(angle)
    exponent = b * math.log(m * _sin((1.0 - a) * (math.pi - angle)) / (sine * e))
    factor = m * _sin(a * (math.pi - angle)) / sine
    return factor * math.exp(exponent) if exponent < 700.0 else math.inf, factor, exponent


@inlined
def is_accepted(value: float, u: float) -> bool:
    """Is u below exp(-value)?"""
    return u < 1.0 - value or (value < _SURELY_REJECTED and u < math.exp(-value))


@inlined
def _kanter(a: float, m: float, key: np.uint64, n: int) -> tuple[float, float, float, int]:
    """Kanter's draw accepted with probability exp(-S)."""
    while True:
        angle = math.pi * uniform(key, n)
        u = uniform(key, n + 1)
        e, n = exponential(key, n + 2)
        value, factor, exponent = kanter(a, m, angle, e)
        if is_accepted(value, u):
            return value, factor, exponent, n


@inner
def _envelope(a: float, m: float) -> tuple[bool, bool, float, float, float]:
    """The envelope for large m: (gamma in v?, half-normal u?, where the line touches, its weight, gamma's shape).

    Any touching point is exact. These are where the best one, the mean log of the gamma variable, lies to first
    order in 1/m; they lose less than a tenth of the best acceptance.
    """
    spread = m * a * (1.0 - a)
    if a >= _IN_V:
        narrow = spread > 0.3
        touch = (0.5 if narrow else 0.5 * a) / (m * (1.0 - a))
        b = (1.0 - a) / a
        weight = m * a * math.exp(-b * touch)
        return True, narrow, touch, weight, 1.0 + b * weight + (0.5 * b if narrow else 0.0)
    narrow = spread > 0.7
    touch = -(1.0 if narrow else 0.5 + 0.5 * a) / (m * a)
    d = a / (1.0 - a)
    weight = m * (1.0 - a) * math.exp(-d * touch)
    return False, narrow, touch, weight, d * weight - d - (0.5 if narrow else 0.0)


@inner
def _large_mass(a: float, m: float, key: np.uint64, n: int) -> tuple[float, float, float, int]:
    """Rejection from `_envelope`; `slack` adds up what the bounds gave away. Returns what `_kanter` returns."""
    in_v, narrow, touch, weight, shape = _envelope(a, m)
    b = (1.0 - a) / a
    while True:
        if in_v:
            x, n = gamma(shape, key, n)
            log_s = -b * math.log(x / (m * (1.0 - a)))
            if log_s > 50.0:
                continue
            c = m * a * math.exp(log_s)
            slack = c - weight * (1.0 + log_s + b * touch)
        else:
            x, n = log_gamma(shape, key, n)
            log_s = x - math.log(m * a)
            log_v = -log_s / b
            if log_v > 50.0:
                continue
            c = m * a * math.exp(log_s)
            slack = m * (1.0 - a) * math.exp(log_v) - weight * (1.0 + log_v + touch / b)
        if narrow:
            x, n = normal(key, n)
            width = math.sqrt(c * (1.0 - a))
            if abs(x) >= math.pi * width:
                continue
            u = abs(x) / width
            slack -= 0.5 * x * x
        else:
            u = math.pi * uniform(key, n)
            n += 1
        scale = 1.0 / _sin(u)
        exponent = b * math.log(_sin((1.0 - a) * u) * scale / (1.0 - a))
        if exponent > 700.0:
            continue
        angular = _sin(a * u) * scale / a
        rho = angular * math.exp(exponent)
        e, n = exponential(key, n)
        if c * (rho - 1.0) + slack < e:
            return c * rho, m * a * angular, log_s + exponent, n


@inner
def _inverse_gaussian_ratio(m: float, key: np.uint64, n: int) -> tuple[float, bool, int]:
    """The root r >= 1 of r^2 - (2 + N^2/m) r + 1, and whether the draw is (m/2) r rather than (m/2) / r.

    Michael, Schucany and Haas (1976) for mean m/2 and shape m^2/2, without their cancelling difference.
    """
    x, n = normal(key, n)
    h = 0.5 * x * x / m
    ratio = 1.0 + h + math.sqrt(h) * math.sqrt(h + 2.0)
    above = uniform(key, n) * (1.0 + ratio) < 1.0
    return ratio, above, n + 1


@inner
def tilted_stable(discount: float, mass: float, key: np.uint64, n: int) -> tuple[float, int]:
    """A tilted stable draw, 0 < a < 1, m >= 0 (0 gives 0); it may underflow to 0 (then take `log_tilted_stable`)."""
    if mass <= 0.0:
        return 0.0, n
    if discount == 0.5:
        ratio, above, n = _inverse_gaussian_ratio(mass, key, n)
        return 0.5 * mass * (ratio if above else 1.0 / ratio), n
    if mass > _LARGE_MASS:
        value, _, _, n = _large_mass(discount, mass, key, n)
    else:
        value, _, _, n = _kanter(discount, mass, key, n)
    return value, n


@inner
def log_tilted_stable(discount: float, mass: float, key: np.uint64, n: int) -> tuple[float, int]:
    """The log of a tilted stable draw: the same draw as `tilted_stable`, finite for every m > 0, -inf at m = 0."""
    if mass <= 0.0:
        return -math.inf, n
    if discount == 0.5:
        ratio, above, n = _inverse_gaussian_ratio(mass, key, n)
        return math.log(0.5 * mass) + (math.log(ratio) if above else -math.log(ratio)), n
    if mass > _LARGE_MASS:
        _, factor, exponent, n = _large_mass(discount, mass, key, n)
    else:
        _, factor, exponent, n = _kanter(discount, mass, key, n)
    return math.log(factor) + exponent, n
