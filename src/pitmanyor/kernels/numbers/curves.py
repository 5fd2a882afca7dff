"""Smooth functions of one number, kept at even knots and read between them by six-point Lagrange interpolation.

The reading is linear in the values at the knots. A sum of a curve over millions of arguments is therefore a dot product
with weights that are assigned to the knots once (`lay`), and another curve over the same arguments costs only its
values at the knots (maths 6).
"""

from __future__ import annotations

import math

from pitmanyor.kernels.runtime.jit import inlined, kernel

POINTS = 6


@inlined
def place(x, last):
    """First knot of the stencil for the place x, counted in knots (0 to `last`), and how far x is from it."""
    x = min(max(x, 0.0), float(last))
    first = min(max(int(math.floor(x)) - 2, 0), last - POINTS + 1)
    return first, x - first


@inlined
def weights(x):
    """Lagrange's weights of the knots 0 to 5 at the place x."""
    x0, x1, x2, x3, x4, x5 = x, x - 1.0, x - 2.0, x - 3.0, x - 4.0, x - 5.0
    low, high, middle = x0 * x1, x4 * x5, x2 * x3
    return (
        x1 * middle * high / -120.0,
        x0 * middle * high / 24.0,
        low * x3 * high / -12.0,
        low * x2 * high / 12.0,
        low * middle * x5 / -24.0,
        low * middle * x4 / 120.0,
    )


@inlined
def read(curve, x):
    """The value of a curve at the place x, counted in knots; constant beyond its ends."""
    first, x = place(x, len(curve) - 1)
    w0, w1, w2, w3, w4, w5 = weights(x)
    return (
        w0 * curve[first]
        + w1 * curve[first + 1]
        + w2 * curve[first + 2]
        + w3 * curve[first + 3]
        + w4 * curve[first + 4]
        + w5 * curve[first + 5]
    )


@inlined
def lay(out, x, amount):
    """Add to `out` the weights with which `read` reads a curve at the place x, times `amount`."""
    first, x = place(x, len(out) - 1)
    w0, w1, w2, w3, w4, w5 = weights(x)
    out[first] += amount * w0
    out[first + 1] += amount * w1
    out[first + 2] += amount * w2
    out[first + 3] += amount * w3
    out[first + 4] += amount * w4
    out[first + 5] += amount * w5


@kernel
def read_many(curve, places, out):
    """`read` for an array of places."""
    for i in range(len(places)):
        out[i] = read(curve, places[i])


@inlined
def read_line(curve, start, step, x, left, right):
    """The value at x of a curve that starts at `start` with knots `step` apart, and is a line beyond its ends.

    `left` and `right` are the slopes of those lines.
    """
    last = len(curve) - 1
    at = (x - start) / step
    if at < 0.0:
        return curve[0] + left * (x - start)
    if at > last:
        return curve[last] + right * (x - start - step * last)
    return read(curve, at)
