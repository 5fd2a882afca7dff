"""Generalised Stirling numbers beyond the table: one short contour integral, for any 1 <= t <= c (maths 1).

With f(x) = (1 - (1-x)^a)/a, or -log(1-x) at a = 0, and g = f/x,

    S(c,t;a) = c!/t! [x^c] f^t = c!/t! [x^m] g^t,   m = c - t,
    V(c,t)   = S(c,t+1)/S(c,t) = [x^(m-1)] g^(t+1) / ((t+1) [x^m] g^t).

Both coefficients are integrals of x^-m g^t (times f for the upper one) over the same closed curve around 0,

    log x = s(u) = s0 + i u + 2 beta (1 - cos u),   -pi <= u <= pi,   beta = 1/(4 y0),   y0 = 1 - exp(s0).

The curve crosses the real axis at the saddle point, bends like a parabola away from the cut x >= 1, and closes. The
trapezoid rule on it converges geometrically, and the sum stops where the integrand is negligible: 16 to 30 points.
The two sums share their weights, so V keeps nearly full precision though S itself spans thousands of decades.

Three regimes need care:
- c large and t small: the saddle point runs into the branch point at x = 1, so s0 stays below -CLEARANCE/m;
- t well below c^a: g^t is almost the constant a^-t there. A constant adds nothing to [x^m], so it is subtracted;
- t near c: x is small and log g tiny: g - 1 comes from its power series.
Counts come as floats, whole numbers all of them, so that one compilation serves every integer type.

Measured: relative error of V below 2e-13 against 80-bit recursions (1,000 values of t in each of 20 rows to c = 20,000)
and mpmath (800 points to c = 1e8) for the discounts 0, 0.01, 0.5, 0.7, 0.99; and the row recursion holds to 6e-13 at
800,000 random points with discounts to 0.9999 and c to 1e8. A ratio takes 3 to 6 microseconds.
"""

from __future__ import annotations

import math

from pitmanyor.kernels.runtime.jit import inner

CLEARANCE = 3.5  # least distance m |s0| of the curve from the branch point; more loses digits, less needs more points
STEP_WIDTH = 0.55  # trapezoid step over the width of the Gaussian peak at the saddle point
STEP_BRANCH = 0.30  # trapezoid step over the distance from the branch point
STEP_MOST = 0.14  # trapezoid step of a nearly round curve
NEGLIGIBLE_TERM = 1e-18  # the sum stops at this share of its largest term
SERIES_BELOW = 0.1  # |x| below which g - 1 is summed as a power series


@inner
def _expm1(z: complex) -> complex:
    """exp(z) - 1 without cancellation."""
    grown = math.expm1(z.real)
    sine, cosine = math.sin(0.5 * z.imag), math.cos(0.5 * z.imag)
    return complex(grown * (1.0 - 2.0 * sine * sine) - 2.0 * sine * sine, (grown + 1.0) * 2.0 * sine * cosine)


@inner
def _log1p(z: complex) -> complex:
    """log(1 + z) without cancellation near z = 0."""
    return complex(0.5 * math.log1p(z.real * (2.0 + z.real) + z.imag * z.imag), math.atan2(z.imag, 1.0 + z.real))


@inner
def _shortfall(a: float, x: complex, y: complex) -> complex:
    """1 - a g = (y^a - y)/x, with y = 1 - x. It is small near the branch point y = 0, and for a near 1."""
    log_y = complex(0.5 * math.log(y.real * y.real + y.imag * y.imag), math.atan2(y.imag, y.real))
    return y * _expm1((a - 1.0) * log_y) / x


@inner
def _growth(a: float, x: complex, y: complex) -> complex:
    """g - 1, accurate to a few units in its last place where g is near 1 (its logarithm is multiplied by t)."""
    if abs(x.real) + abs(x.imag) < SERIES_BELOW:
        term = complex(1.0, 0.0)
        total = complex(0.0, 0.0)
        for k in range(1, 40):
            term = term * x * ((k - a) / (k + 1.0))
            total += term
            if abs(term.real) + abs(term.imag) < 1e-17 * (abs(total.real) + abs(total.imag)):
                break
        return total
    if a >= 0.5:
        return ((1.0 - a) - _shortfall(a, x, y)) / a
    log_y = complex(0.5 * math.log(y.real * y.real + y.imag * y.imag), math.atan2(y.imag, y.real))
    if a == 0.0:
        return -log_y / x - 1.0
    return -_expm1(a * log_y) / (a * x) - 1.0


@inner
def _crossing(a: float, c: float, t: float) -> float:
    """v = -log(1 - x) where the curve crosses the real axis: the saddle point, or the clearance if that comes first.

    The saddle point solves a (e^v - 1)/(e^(a v) - 1) = c/t, whose logarithm is convex and increasing in v: Newton's
    method from above cannot overshoot. Any crossing gives the same integral, but one beside the peak, whose width is
    of order 1/sqrt(c), loses digits: the last step leaves an error of some 1e-8.
    """
    m = c - t
    aim = math.log1p(m / t)
    v = min(2.0 * aim / (1.0 - a), -math.log(-math.expm1(-CLEARANCE / m)))
    for _ in range(30):
        grown = math.expm1(v)
        grown_a = math.expm1(a * v) / a if a > 0.0 else v
        excess = math.log(grown / grown_a) - aim
        slope = max(1.0 + 1.0 / grown - a - 1.0 / grown_a, 0.5 * (1.0 - a))
        step = max(excess / slope, 0.0)
        v -= step
        if step <= 1e-4 * v:
            break
    return v


@inner
def _step(a: float, t: float, v: float) -> float:
    """Trapezoid step in u: resolves the peak at the saddle point, the branch point and the round part of the curve."""
    y0, x0 = math.exp(-v), -math.expm1(-v)
    slope, bend = 1.0, 0.5 * (1.0 - a) * x0  # slope = (log f)', slope * bend = (log f)'' with respect to s
    if x0 > 0.01:
        odds = x0 / y0
        m = a / math.expm1(a * v) if a > 0.0 else 1.0 / v
        slope, bend = m * odds, 1.0 + odds * (1.0 - a - m)
    return min(STEP_WIDTH / math.sqrt(t * slope * bend), STEP_BRANCH * y0, STEP_MOST)


@inner
def _point(s0: float, beta: float, u: float) -> tuple[complex, complex, complex, complex]:
    """The curve at u: s - s0, x = exp(s), y = 1 - x and ds/du."""
    sine, cosine = math.sin(0.5 * u), math.cos(0.5 * u)
    sin_u, cos_u = 2.0 * sine * cosine, 1.0 - 2.0 * sine * sine
    shift = 4.0 * beta * sine * sine
    grown = math.expm1(s0 + shift)
    size = grown + 1.0 if grown > -0.5 else math.exp(s0 + shift)
    y = complex(2.0 * sine * sine - grown * cos_u, -size * sin_u)
    return complex(shift, u), complex(size * cos_u, size * sin_u), y, complex(2.0 * beta * sin_u, 1.0)


@inner
def contour(a: float, c: float, t: float) -> tuple[float, float]:
    """(V(c,t), log S(c,t)) for 1 <= t <= c - 2 by the trapezoid rule on the curve of this module's docstring."""
    if a < 1e-30:  # a division by a could underflow, and the ratios are those of a = 0 to the last digit
        a = 0.0
    m = c - t
    v = _crossing(a, c, t)
    y0, x0 = math.exp(-v), -math.expm1(-v)
    s0, beta = math.log(x0), 0.25 / y0
    subtract = a > 0.0 and -t * math.log1p(-_shortfall(a, complex(x0, 0.0), complex(y0, 0.0)).real) < 1.0
    log_g0 = -math.log(a) if subtract else _log1p(_growth(a, complex(x0, 0.0), complex(y0, 0.0))).real
    n_points = math.ceil(math.pi / _step(a, t, v))
    step = math.pi / n_points
    upper, lower, largest = 0.0, 0.0, 0.0
    for k in range(n_points + 1):
        ds, x, y, tangent = _point(s0, beta, k * step)
        if subtract:  # a^t (g^t - a^-t), and the same for t + 1
            short = _shortfall(a, x, y)
            power = math.exp(-m * ds.real) * complex(math.cos(m * ds.imag), -math.sin(m * ds.imag))
            gain = _expm1(t * _log1p(-short))
            low, up = power * gain * tangent, power * x * (gain - gain * short - short) * tangent / a
        else:
            growth = _growth(a, x, y)
            log_g = _log1p(growth)
            phase = t * log_g.imag - m * ds.imag
            size = math.exp(t * (log_g.real - log_g0) - m * ds.real)
            low = size * complex(math.cos(phase), math.sin(phase)) * tangent
            up = low * x * (1.0 + growth)
        half = 0.5 if k == 0 or k == n_points else 1.0
        upper += half * up.imag
        lower += half * low.imag
        now = abs(low.real) + abs(low.imag)
        largest = max(largest, now)
        if now < NEGLIGIBLE_TERM * largest:
            break
    log_stirling = math.lgamma(c + 1.0) - math.lgamma(t + 1.0) + t * log_g0 - m * s0 + math.log(lower * step / math.pi)
    return upper / (lower * (t + 1.0)), log_stirling


@inner
def ratio_beyond(a: float, c: float, t: float) -> float:
    """V(c,t) = S(c,t+1)/S(c,t) for discount a and any 1 <= t <= c; 0 at t = c. A few microseconds."""
    if t >= c:
        return 0.0
    if t == c - 1:
        return 2.0 / ((1.0 - a) * c * (c - 1.0))
    return contour(a, c, t)[0]


@inner
def log_stirling_beyond(a: float, c: float, t: float) -> float:
    """log S(c,t;a) for any 1 <= t <= c, in time that does not grow with t; absolute error about 1e-16 c log c."""
    if t == c:
        return 0.0
    if t == c - 1:
        return math.log(0.5 * (1.0 - a) * c * (c - 1.0))
    return contour(a, c, t)[1]


@inner
def guess_mode(a: float, c: float, log_y: float) -> int:
    """About where S(c,t;a) y^t is largest in t, to within a table or a few: V(c,t) is nearly f/t at the saddle point.

    With v as in `_crossing`, t = c/h(v) and V y = 1 become log f(v) + log h(v) + log y = log c, increasing in v.
    """
    if a < 1e-30:
        a = 0.0
    low, high = 0.0, 2.0 * (math.log(c) + 1.0 / (1.0 - a)) / (1.0 - a)
    log_h = 0.0
    for _ in range(50):
        v = 0.5 * (low + high)
        f = -math.expm1(-a * v) / a if a > 0.0 else v
        log_h = (1.0 - a) * v + math.log(-math.expm1(-v) / f)
        if math.log(f) + log_h + log_y > math.log(c):
            high = v
        else:
            low = v
    return int(min(max(c * math.exp(-log_h), 1.0), c))
