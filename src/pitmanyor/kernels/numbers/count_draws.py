"""Draws of counts: binomial, and the two sums of Bernoulli variables of the auxiliary tables (maths 4 and 5)."""

from __future__ import annotations

import math

import numpy as np

from pitmanyor.kernels.numbers.gamma_draws import exponential, gamma
from pitmanyor.kernels.runtime.jit import inner
from pitmanyor.kernels.runtime.random import uniform

_SMALL_MEAN = 10.0
_DIRECT = 16.0


@inner
def _binomial_small(count: int, p: float, key: np.uint64, n: int) -> tuple[int, int]:
    """Binomial(count, p) with count * p < 10 by inversion: walk up the pmf."""
    odds = p / (1.0 - p)
    start = math.exp(count * math.log1p(-p))
    while True:
        u = uniform(key, n)
        n += 1
        weight = start
        k = 0
        while u > weight and k < count:
            u -= weight
            k += 1
            weight *= odds * (count - k + 1) / k
            if weight < 1e-30 and k > _SMALL_MEAN:
                break
        if u <= weight:
            return k, n


@inner
def _stirling_error(k: float) -> float:
    """log k! - [log sqrt(2 pi) + (k + 1/2) log(k + 1) - (k + 1)], to 1e-12."""
    shift = 0.0
    x = k + 1.0
    while x < 10.0:
        # e(x) - e(x + 1) = (x + 1/2) log((x + 1)/x) - 1 for the error e of log Gamma(x); here at x = k + 1
        shift += (x + 0.5) * math.log1p(1.0 / x) - 1.0
        x += 1.0
    y = 1.0 / (x * x)
    return shift + (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - y / 1680.0) * y) * y) / x


@inner
def _binomial_large(count: int, p: float, key: np.uint64, n: int) -> tuple[int, int]:
    """Binomial(count, p) with p <= 1/2 and count * p >= 10: Hoermann's BTRS (1993), transformed rejection."""
    size = float(count)
    spread = math.sqrt(size * p * (1.0 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    alpha = (2.83 + 5.1 / b) * spread
    centre = size * p + 0.5
    sure = 0.92 - 4.2 / b
    odds = p / (1.0 - p)
    mode = float(math.floor((size + 1.0) * p))
    top = (mode + 0.5) * math.log((mode + 1.0) / (odds * (size - mode + 1.0)))
    top += _stirling_error(mode) + _stirling_error(size - mode)
    while True:
        u = uniform(key, n)
        v = uniform(key, n + 1)
        n += 2
        edge = min(u, 1.0 - u)
        k = (2.0 * a / edge + b) * (u - 0.5) + centre
        if k < 0.0 or k >= size + 1.0:
            continue
        k = float(math.floor(k))
        if edge >= 0.07 and v <= sure:
            return int(k), n
        rest = size - k + 1.0
        bound = top + (size + 1.0) * math.log((size - mode + 1.0) / rest)
        bound += (k + 0.5) * math.log(odds * rest / (k + 1.0)) - _stirling_error(k) - _stirling_error(size - k)
        if math.log(v * alpha / (a / (edge * edge) + b)) <= bound:
            return int(k), n


@inner
def binomial(count: int, p: float, key: np.uint64, n: int) -> tuple[int, int]:
    """Binomial(count, p) at a cost that does not grow with count (up to 10^9 and beyond)."""
    if count <= 0 or p <= 0.0:
        return 0, n
    if p >= 1.0:
        return count, n
    small = min(p, 1.0 - p)
    if count * small < _SMALL_MEAN:
        k, n = _binomial_small(count, small, key, n)
    else:
        k, n = _binomial_large(count, small, key, n)
    return (k, n) if p <= 0.5 else (count - k, n)


@inner
def bernoulli_sum_tables(customers: int, mass: float, key: np.uint64, n: int) -> tuple[int, int]:
    """Sum over i < c of Bernoulli(x / (x + i)): the tables of c customers at discount 0, with x = b H_k (maths 4).

    The first customer always opens a table (also in the limit x = 0). Up to i = 16 x each customer is drawn by
    itself. Beyond, the walk jumps from table to table: none of i, ..., i + k - 1 opens one with probability
    B(i + k, x) / B(i, x) = E[W^k] for W ~ Beta(i, x), so the gap is geometric given W. In all some
    16 x + x log(c / x) steps.
    """
    if customers <= 0:
        return 0, n
    if customers < mass * 2.0**-54:
        return customers, n
    tables = 1
    i = 1
    while i < customers and i < _DIRECT * mass:
        if uniform(key, n) * (mass + i) < mass:
            tables += 1
        n += 1
        i += 1
    while i < customers:
        x, n = gamma(float(i), key, n)
        y, n = gamma(mass, key, n)
        e, n = exponential(key, n)
        rate = math.log1p(y / x)
        if e >= rate * (customers - i):
            break
        i += int(e / rate) + 1
        tables += 1
    return tables, n


@inner
def bernoulli_sum_concentration(
    tables: int, discount: float, concentration: float, key: np.uint64, n: int
) -> tuple[int, int]:
    """Sum over i < T of Bernoulli(b / (b + i a)), the zeta of the concentration update (maths 5); a = 0 gives T."""
    if discount * tables <= concentration * 2.0**-54:
        return tables, n
    return bernoulli_sum_tables(tables, concentration / discount, key, n)
