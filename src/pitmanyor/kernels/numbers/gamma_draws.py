"""Continuous draws: normal, exponential, gamma, and two that are needed in log space (maths 4 and 5).

Normal and exponential use ziggurats of 256 layers (Marsaglia and Tsang 2000): 98 or 99 draws in 100 cost one hash,
one product and one comparison. Layer, sign and position come from different bits of one 64-bit hash.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import bits, uniform

_LAYERS = 256
_LAYER_BITS = np.uint64(_LAYERS - 1)
_TO_53_BITS = np.uint64(11)
_LOWEST = -1.7976931348623157e308
_NORMAL_TAIL = 3.6541528853610088
_EXPONENTIAL_TAIL = 7.69711747013104972


def _ziggurat(
    tail: float, area: float, density: Callable[[float], float], inverse: Callable[[float], float]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Right edges, heights and sure-acceptance ratios of 256 layers of equal area; layer 0 holds the tail."""
    edges = [area / density(tail), tail]
    while len(edges) < _LAYERS:
        edges.append(inverse(area / edges[-1] + density(edges[-1])))
    edges.append(0.0)
    x = np.array(edges)
    return x, np.array([density(e) for e in edges]), x[1:] / x[:-1]


def _normal_density(x: float) -> float:
    return math.exp(-0.5 * x * x)


_NORMAL_AREA = _NORMAL_TAIL * _normal_density(_NORMAL_TAIL) + math.sqrt(math.pi / 2) * math.erfc(
    _NORMAL_TAIL / math.sqrt(2)
)
_NORMAL_X, _NORMAL_Y, _NORMAL_SURE = _ziggurat(
    _NORMAL_TAIL, _NORMAL_AREA, _normal_density, lambda y: math.sqrt(-2.0 * math.log(y))
)
_EXPONENTIAL_X, _EXPONENTIAL_Y, _EXPONENTIAL_SURE = _ziggurat(
    _EXPONENTIAL_TAIL,
    (_EXPONENTIAL_TAIL + 1.0) * math.exp(-_EXPONENTIAL_TAIL),
    lambda x: math.exp(-x),
    lambda y: -math.log(y),
)


@inner
def _normal_edge(layer: int | np.int64, u: float, key: np.uint64, n: int) -> tuple[float, int]:
    """Finish a normal whose first point fell outside the sure part of its layer."""
    while True:
        if layer == 0:
            while True:
                x = -math.log(uniform(key, n)) / _NORMAL_TAIL
                y = -math.log(uniform(key, n + 1))
                n += 2
                if 2.0 * y > x * x:
                    return math.copysign(_NORMAL_TAIL + x, u), n
        x = u * float(_NORMAL_X[layer])
        low, high = float(_NORMAL_Y[layer]), float(_NORMAL_Y[layer + 1])
        y = low + uniform(key, n) * (high - low)
        n += 1
        if y < math.exp(-0.5 * x * x):
            return x, n
        word = bits(key, n)
        n += 1
        layer = np.int64(word & _LAYER_BITS)
        u = float(np.int64(word >> _TO_53_BITS)) * 2.0**-52 - (1.0 - 2.0**-53)
        if abs(u) < float(_NORMAL_SURE[layer]):
            return u * float(_NORMAL_X[layer]), n


@inlined
def normal(key: np.uint64, n: int) -> tuple[float, int]:
    """A standard normal."""
    word = bits(key, n)
    n += 1
    layer = np.int64(word & _LAYER_BITS)
    u = float(np.int64(word >> _TO_53_BITS)) * 2.0**-52 - (1.0 - 2.0**-53)
    if abs(u) < float(_NORMAL_SURE[layer]):
        return u * float(_NORMAL_X[layer]), n
    return _normal_edge(layer, u, key, n)


@inlined
def _exponential_point(word: np.uint64) -> tuple[np.int64, float, bool]:
    """The layer that 64 bits name, a point of it, and whether the point is in the sure part."""
    layer = np.int64(word & _LAYER_BITS)
    u = float(np.int64(word >> _TO_53_BITS)) * 2.0**-53 + 2.0**-55
    return layer, u * float(_EXPONENTIAL_X[layer]), u < float(_EXPONENTIAL_SURE[layer])


@inner
def _exponential_edge(layer: int | np.int64, x: float, key: np.uint64, n: int) -> tuple[float, int]:
    """Finish an exponential whose first point fell outside the sure part of its layer."""
    while True:
        if layer == 0:
            return _EXPONENTIAL_TAIL - math.log(uniform(key, n)), n + 1
        low, high = float(_EXPONENTIAL_Y[layer]), float(_EXPONENTIAL_Y[layer + 1])
        y = low + uniform(key, n) * (high - low)
        n += 1
        if y < math.exp(-x):
            return x, n
        word = bits(key, n)
        n += 1
        layer, x, sure = _exponential_point(word)
        if sure:
            return x, n


@inlined
def exponential(key: np.uint64, n: int) -> tuple[float, int]:
    """A standard exponential, never 0."""
    word = bits(key, n)
    n += 1
    layer, x, sure = _exponential_point(word)
    if sure:
        return x, n
    return _exponential_edge(layer, x, key, n)


@inlined
def _gamma_above_one(shape: float, key: np.uint64, n: int) -> tuple[float, int]:
    """Gamma(shape, 1) for shape >= 1, never 0 (Marsaglia and Tsang 2000)."""
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x, n = normal(key, n)
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        u = uniform(key, n)
        n += 1
        square = x * x
        if u < 1.0 - 0.0331 * square * square or math.log(u) < 0.5 * square + d * (1.0 - v + math.log(v)):
            return d * v, n


@inner
def gamma(shape: float, key: np.uint64, n: int) -> tuple[float, int]:
    """Gamma(shape, 1). Shape 0 gives 0; a tiny shape may underflow to 0 (then take `log_gamma`).

    Below 1 the shape is raised by one: Gamma(s) = Gamma(s + 1) U^(1/s), with -log U a standard exponential.
    """
    if shape <= 0.0:
        return 0.0, n
    value, n = _gamma_above_one(shape if shape >= 1.0 else shape + 1.0, key, n)
    if shape < 1.0:
        e, n = exponential(key, n)
        value *= math.exp(-e / shape)
    return value, n


@inner
def log_gamma(shape: float, key: np.uint64, n: int) -> tuple[float, int]:
    """The log of a Gamma(shape, 1) draw: finite for every shape > 0, -inf only at shape 0."""
    if shape <= 0.0:
        return -math.inf, n
    value, n = _gamma_above_one(shape if shape >= 1.0 else shape + 1.0, key, n)
    value = math.log(value)
    if shape < 1.0:
        e, n = exponential(key, n)
        value = max(value - e / shape, _LOWEST)
    return value, n


@inner
def log_one_minus_beta(customers: float, concentration: float, key: np.uint64, n: int) -> tuple[float, int]:
    """log(1 - omega) for omega ~ Beta(C, b), b > 0 (maths 5): finite, although omega itself would round to 1.

    1 - omega = Y / (X + Y) for gamma draws X and Y of shapes C and b, taken as logs. C = 0 gives 0.
    """
    log_x, n = log_gamma(customers, key, n)
    log_y, n = log_gamma(concentration, key, n)
    odds = log_x - log_y
    if odds > 0.0:
        return -odds - math.log1p(math.exp(-odds)), n
    return -math.log1p(math.exp(odds)), n
