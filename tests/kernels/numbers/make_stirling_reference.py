"""Write `stirling_reference.json`: ratios of generalised Stirling numbers to 17 digits, computed with mpmath.

Run it by hand (about two minutes): `python tests/kernels/numbers/make_stirling_reference.py`. Three methods, each where
it is exact and quick; the tests check them against one another and against plain recursion:
- t small: the finite sum of S(c,t;a), or Newton's identities for the Stirling numbers of the first kind (a = 0);
- t near c: the power series of (f/x)^t;
- else: a contour integral in 60 digits, its step halved until 25 digits agree.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import mpmath as mp

PATH = Path(__file__).with_name("stirling_reference.json")
DISCOUNTS = (0.0, 0.01, 0.5, 0.7, 0.99)
CUSTOMERS = (12, 60, 300, 1000, 4096, 4097, 20_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
SMALL = 30


def finite_sum(a: float, c: int, t: int) -> mp.mpf:
    """S(c,t;a) = 1/(a^t t!) sum_j (-1)^j binom(t,j) Gamma(c - j a)/Gamma(-j a), for a > 0; over Gamma(c)."""
    a = mp.mpf(a)
    terms = [
        (-1) ** j * mp.binomial(t, j) * mp.rgamma(-j * a) * mp.exp(mp.loggamma(c - j * a) - mp.loggamma(c))
        for j in range(t + 1)
    ]
    return mp.fsum(terms) / (a**t * mp.factorial(t))


def first_kind(c: int, t: int) -> mp.mpf:
    """S(c,t;0) over Gamma(c): the elementary symmetric function e_(t-1) of 1, 1/2, ..., 1/(c-1)."""
    powers = [mp.harmonic(c - 1)] + [mp.zeta(k) - mp.zeta(k, c) for k in range(2, t)]
    symmetric = [mp.mpf(1)]
    for k in range(1, t):
        symmetric.append(mp.fsum((-1) ** (j - 1) * symmetric[k - j] * powers[j - 1] for j in range(1, k + 1)) / k)
    return symmetric[t - 1]


def small_t(a: float, c: int, t: int) -> mp.mpf:
    """V(c,t) for few tables."""
    with mp.workdps(120):
        if a == 0.0:
            return first_kind(c, t + 1) / first_kind(c, t)
        return finite_sum(a, c, t + 1) / finite_sum(a, c, t)


def power_coefficient(a: float, t: int, m: int) -> mp.mpf:
    """[x^m] (f/x)^t, where f/x has the coefficients (1-a)(2-a)...(k-a)/(k+1)!, by Miller's recurrence."""
    series = [mp.mpf(1)]
    for k in range(1, m + 1):
        series.append(series[-1] * (k - mp.mpf(a)) / (k + 1))
    power = [mp.mpf(1)]
    for k in range(1, m + 1):
        power.append(mp.fsum((t * i - k + i) * series[i] * power[k - i] for i in range(1, k + 1)) / k)
    return power[m]


def near_c(a: float, c: int, t: int) -> mp.mpf:
    """V(c,t) for t near c."""
    with mp.workdps(60):
        return power_coefficient(a, t + 1, c - t - 1) / power_coefficient(a, t, c - t) / (t + 1)


def _saddle(a: float, c: int, t: int) -> float:
    """1 - x at the saddle point, but no nearer to the branch point than 4/(c-t)."""
    low, high = -math.log(-math.expm1(-4.0 / (c - t))), 1e-12
    for _ in range(200):
        v = 0.5 * (low + high)
        slope = math.expm1(v) / (math.expm1(a * v) / a if a > 0.0 else v)
        low, high = (v, high) if slope > c / t else (low, v)
    return math.exp(-v)


def _trapezoid(a: float, c: int, t: int, y0: float, n_points: int) -> mp.mpf:
    s0, beta, m = mp.log1p(-mp.mpf(y0)), 1 / (2 * mp.mpf(y0)), c - t
    upper = lower = mp.mpf(0)
    peak = mp.mpf(0)
    for k in range(n_points + 1):
        u = mp.pi * k / n_points
        s = mp.mpc(s0 + beta * (1 - mp.cos(u)), u)
        x = mp.exp(s)
        f = -mp.log1p(-x) if a == 0.0 else -mp.expm1(a * mp.log1p(-x)) / a
        weight = mp.exp(t * mp.log(f / x) - m * s) * mp.mpc(beta * mp.sin(u), 1)
        if k in (0, n_points):
            weight /= 2
        upper += (weight * f).imag
        lower += weight.imag
        peak = max(peak, abs(weight))
        if abs(weight) < peak * mp.mpf(10) ** -45:
            break
    return upper / lower / (t + 1)


def contour(a: float, c: int, t: int) -> mp.mpf:
    """V(c,t) by the trapezoid rule on a closed curve through the saddle point."""
    with mp.workdps(60):
        y0 = _saddle(a, c, t)
        n_points = math.ceil(math.pi / min(0.2 * y0, 0.4 / math.sqrt(min(c - t, t)), 0.1))
        value = _trapezoid(a, c, t, y0, n_points)
        while True:
            n_points *= 2
            better = _trapezoid(a, c, t, y0, n_points)
            if abs(better - value) < mp.mpf(10) ** -25 * abs(better):
                return better
            value = better


def exact(a: float, c: int, t: int) -> mp.mpf:
    """V(c,t) by whichever method suits."""
    if c - t <= SMALL:
        return near_c(a, c, t)
    return small_t(a, c, t) if t <= SMALL else contour(a, c, t)


def sampled_tables(a: float, c: int) -> list[int]:
    """Few tables, about c^a of them, a share of c, and nearly c."""
    some = [1, 2, 5, 20, 60, math.isqrt(c), c // 10, c // 2, 9 * c // 10, c - c // 50, c - math.isqrt(c)]
    some += [round(scale * c**a) for scale in (0.5, 1.0, 2.0)] + [c - 40, c - 10, c - 2, c - 1]
    return sorted({t for t in some if 1 <= t < c})


def main() -> None:
    points = [(a, c, t) for a in DISCOUNTS for c in CUSTOMERS for t in sampled_tables(a, c)]
    rows = [[a, c, t, float(mp.nstr(exact(a, c, t), 20))] for a, c, t in points]
    PATH.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
    print(f"{len(rows)} ratios written to {PATH}")


if __name__ == "__main__":
    main()
