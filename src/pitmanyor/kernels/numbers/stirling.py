"""Generalised Stirling numbers S(c,t;a) as ratios, and draws of table counts from them (maths 1 and 4).

S(c+1,t) = S(c,t-1) + (c - t a) S(c,t), S(0,0) = 1, discount 0 <= a < 1. The numbers span thousands of decades and their
logarithms lose digits. The ratios V(c,t) = S(c,t+1)/S(c,t) have a moderate range, and everything that a sampler needs
follows from them without cancellation. They come from a table (`stirling_tables`) or, beyond it, from a contour
integral (`stirling_contour`).
"""

from __future__ import annotations

import math

import numpy as np

from pitmanyor.kernels.numbers.stirling_contour import guess_mode, log_stirling_beyond, ratio_beyond
from pitmanyor.kernels.numbers.stirling_tables import (
    StirlingTables,
    bounded,
    build_tables,
    grow,
    only,
    refill,
    shaped_tables,
)
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import uniform

__all__ = [
    "StirlingTables",
    "bounded",
    "build_tables",
    "draw_short",
    "draw_tables",
    "grow",
    "is_short",
    "log_stirling",
    "only",
    "open_ratio",
    "ratio",
    "refill",
    "shaped_tables",
    "stay_ratio",
]

LARGEST_LOG_Y = 700.0  # beyond it the draw is certain (t = 1, or t = c), and exp would overflow
NEGLIGIBLE = 1e-18  # weights below this share of the mode's are left out of a walk
LOG_CONCAVE = 0.2  # the weights are log-concave in t if c (1-a)^2 is above this (found by search; the edge is at 0.09)
SHORT_ROW, LARGEST_Y = 64, 1e4  # up to this many customers every weight is summed: y^63 must not overflow
REACH = 1.1  # half width of the flat top in standard deviations: the fewest rejections for a normal curve


@inner
def ratio(tables: StirlingTables, i: int, c: int, t: int) -> float:
    """V(c,t) = S(c,t+1)/S(c,t) of discount i for 1 <= t <= c, in the table or beyond; 0 at t = c."""
    if t >= c or t < 1:
        return 0.0
    n_cols = tables.n_cols[i]
    if c < tables.n_rows[i] and t < n_cols:
        return float(tables.ratios[tables.offset[i] + c * n_cols + t])
    return ratio_beyond(float(tables.discount[i]), float(c), float(t))


@inner
def stay_ratio(tables: StirlingTables, i: int, c: int, t: int) -> float:
    """S(c+1,t)/S(c,t): one more customer, no more tables. 0 for an empty dish, which has no table to sit at."""
    if t < 1:
        return 0.0
    weight = c - t * float(tables.discount[i])
    return weight if t == 1 else weight + 1.0 / ratio(tables, i, c, t - 1)


@inner
def open_ratio(tables: StirlingTables, i: int, c: int, t: int) -> float:
    """S(c+1,t+1)/S(c,t): one more customer and one more table. 1 for an empty dish."""
    if t < 1:
        return 1.0
    return 1.0 + (c - (t + 1.0) * float(tables.discount[i])) * ratio(tables, i, c, t)


@inner
def log_stirling(tables: StirlingTables, i: int, c: int, t: int) -> float:
    """log S(c,t;a): sum of log(j - a) over j < c, plus the log ratios up to t; beyond the table by one integral."""
    if t < 1 or t > c:
        return 0.0 if c == 0 and t == 0 else -math.inf
    a = float(tables.discount[i])
    n_cols = tables.n_cols[i]
    if c >= tables.n_rows[i] or t > n_cols:
        return log_stirling_beyond(a, float(c), float(t))
    start = tables.offset[i] + c * n_cols
    total = math.lgamma(c - a) - math.lgamma(1.0 - a)
    for j in range(1, t):
        total += math.log(tables.ratios[start + j])
    return total


@inner
def _mode(tables: StirlingTables, i: int, c: int, y: float, low: int, high: int) -> int:
    """The least t in low..high with V(c,t) y <= 1, by bisection: the weights rise before it and fall after it."""
    while low < high:
        middle = (low + high) // 2
        if ratio(tables, i, c, middle) * y <= 1.0:
            high = middle
        else:
            low = middle + 1
    return low


@inner
def _mode_near(tables: StirlingTables, i: int, c: int, y: float, guess: int) -> int:
    """The same among all t, by growing steps from a guess: beyond the table every ratio spared counts."""
    step, low, high = 1, guess, guess
    while high < c and ratio(tables, i, c, high) * y > 1.0:
        low, high, step = high + 1, min(c, high + step), 2 * step
    if high > guess:
        return _mode(tables, i, c, y, low, high)
    while low > 1 and ratio(tables, i, c, low - 1) * y <= 1.0:
        high, low, step = low - 1, max(1, low - 1 - step), 2 * step
    return _mode(tables, i, c, y, low, high)


@inner
def _walk(tables: StirlingTables, i: int, c: int, mode: int, y: float, target: float) -> tuple[float, int]:
    """Sum the weights outwards from the mode, which weighs 1, up and then down, until the sum passes `target`.

    Returns the sum and the t where it passed. With an infinite target that is the total of all weights that matter.
    """
    total, weight = 1.0, 1.0
    if total > target:
        return total, mode
    for t in range(mode, c):
        weight *= ratio(tables, i, c, t) * y
        if weight < NEGLIGIBLE:
            break
        total += weight
        if total > target:
            return total, t + 1
    weight = 1.0
    for t in range(mode - 1, 0, -1):
        weight /= ratio(tables, i, c, t) * y
        if weight < NEGLIGIBLE:
            break
        total += weight
        if total > target:
            return total, t
    return total, mode


@inner
def _reach(tables: StirlingTables, i: int, c: int, mode: int) -> int:
    """REACH standard deviations in whole tables, from the bend of the log weights at the mode."""
    if mode + 1 >= c:
        return 1
    bend = math.log(ratio(tables, i, c, mode) / ratio(tables, i, c, mode + 1))
    return math.ceil(REACH / math.sqrt(max(bend, 1e-16)))


@inner
def _reject(tables: StirlingTables, i: int, c: int, log_y: float, key: np.uint64, n: int) -> tuple[int, int]:
    """Draw t by rejection: 1 on left..right and a geometric tail on each side lie above the weights over the mode's.

    The right tail falls by V(c,right) y a step, the true ratio at its start, and later ratios are smaller; the left
    tail likewise. Some 1.3 tries of two uniforms and one integral, whatever the counts.
    """
    mode = _mode_near(tables, i, c, math.exp(log_y), guess_mode(float(tables.discount[i]), float(c), log_y))
    top = log_stirling(tables, i, c, mode) + mode * log_y
    reach = _reach(tables, i, c, mode)
    left, right = max(1, mode - reach), min(c, mode + reach)
    log_right = log_stirling(tables, i, c, right) + right * log_y - top
    log_left = log_stirling(tables, i, c, left) + left * log_y - top
    fall_right, fall_left, mass_right, mass_left = -1.0, -1.0, 0.0, 0.0
    if right < c:
        fall_right = math.log(ratio(tables, i, c, right)) + log_y
        mass_right = math.exp(log_right + fall_right) / -math.expm1(fall_right)
    if left > 1:
        fall_left = -math.log(ratio(tables, i, c, left - 1)) - log_y
        mass_left = math.exp(log_left + fall_left) / -math.expm1(fall_left)
    flat = right - left + 1.0
    while True:
        place, luck = uniform(key, n) * (flat + mass_right + mass_left), uniform(key, n + 1)
        n += 2
        hat = 0.0
        if place < flat:
            t = left + int(place)
        elif place < flat + mass_right:
            t = right + 1 + int(math.log(max((place - flat) / mass_right, 1e-300)) / fall_right)
            hat = log_right + (t - right) * fall_right
        else:
            t = left - 1 - int(math.log(max((place - flat - mass_right) / mass_left, 1e-300)) / fall_left)
            hat = log_left + (left - t) * fall_left
        if 1 <= t <= c and math.log(luck) <= log_stirling(tables, i, c, t) + t * log_y - top - hat:
            return t, n


@inner
def _scan(tables: StirlingTables, i: int, c: int, log_y: float, u: float) -> int:
    """Draw t by summing every weight from t = 1 to c, whatever their shape."""
    now, top, total = 0.0, 0.0, 1.0
    for t in range(1, c):
        now += math.log(ratio(tables, i, c, t)) + log_y
        if now > top:
            total *= math.exp(top - now)
            top = now
        total += math.exp(now - top)
    now = 0.0
    left = u * total - math.exp(-top)
    for t in range(1, c):
        if left < 0.0:
            return t
        now += math.log(ratio(tables, i, c, t)) + log_y
        left -= math.exp(now - top)
    return c


@inlined
def is_short(tables: StirlingTables, i: int, c: int, y: float) -> bool:
    """Is t ~ S(c,t;a) y^t drawn fastest by `draw_short`, which only kernels can call, being inlined?"""
    return bool(1 < c <= SHORT_ROW and c <= tables.n_cols[i] and c < tables.n_rows[i] and y < LARGEST_Y)


@inlined
def draw_short(tables: StirlingTables, i: int, c: int, y: float, u: float) -> int:
    """Draw t by summing all the weights of a row of the table, from t = 1 on; `u` is uniform."""
    start = tables.offset[i] + c * tables.n_cols[i]
    weight, total = 1.0, 1.0
    for t in range(1, c):
        weight *= tables.ratios[start + t] * y
        total += weight
    weight, left, t = 1.0, u * total - 1.0, 1
    while left >= 0.0 and t < c:
        weight *= tables.ratios[start + t] * y
        left -= weight
        t += 1
    return t


@inner
def draw_tables(tables: StirlingTables, i: int, c: int, log_y: float, key: np.uint64, n: int) -> tuple[int, int]:
    """t ~ S(c,t;a) y^t on 1..c, the number of tables that c customers of one dish sit at; returns (t, next n).

    The weights w_t obey w_(t+1)/w_t = V(c,t) y, which falls in t: they are log-concave. (Not so for few customers and
    a above 0.86, where either all sit alone or many share one table; then every weight is summed, as it is for few
    customers anyway.) Where all that
    matters is in the ratio table, the weights are summed outwards from the mode and walked: 18 standard deviations.
    Beyond the table a ratio costs microseconds, so the draw is by rejection, in time that does not grow with c.
    """
    if c <= 1:
        return c, n
    log_y = min(max(log_y, -LARGEST_LOG_Y), LARGEST_LOG_Y)
    n_cols, y = tables.n_cols[i], math.exp(log_y)
    if is_short(tables, i, c, y):
        return draw_short(tables, i, c, y, uniform(key, n)), n + 1
    if c * (1.0 - tables.discount[i]) ** 2 <= LOG_CONCAVE:
        return _scan(tables, i, c, log_y, uniform(key, n)), n + 1
    edge = c if c <= n_cols else int(n_cols - 1 - 9.0 * math.sqrt(n_cols))  # the variance of t is below its mean
    if c >= tables.n_rows[i] or edge < 1 or ratio(tables, i, c, edge) * y > 1.0:
        return _reject(tables, i, c, log_y, key, n)
    mode = _mode(tables, i, c, y, 1, edge)
    total, _ = _walk(tables, i, c, mode, y, math.inf)
    _, t = _walk(tables, i, c, mode, y, uniform(key, n) * total)
    return t, n + 1
