"""One trait of all instances: a regression on their vectors, drawn at once with its directions (maths 6)."""

from __future__ import annotations

import math
from typing import NamedTuple

from pitmanyor.kernels.network.probit_pairs import HIDDEN
from pitmanyor.kernels.restaurant.arrays import Floats
from pitmanyor.kernels.runtime.jit import inner, kernel, loose


class Column(NamedTuple):
    """What is known of a trait y: y_i is seen with `precision` p_i, and `weighted` is p_i times what is seen."""

    precision: Floats
    weighted: Floats


class Room(NamedTuple):
    """Scratch: (topic, topic) and (topic)."""

    square: Floats
    line: Floats


@kernel
def add_products(rest, seen, left, right, sign):
    """Add left_i right_j, or take it away, for all pairs that are seen."""
    for i in range(len(rest)):
        x = sign * left[i]
        for j in range(len(right)):
            if seen[i, j] != HIDDEN:
                rest[i, j] += x * right[j]


@kernel
def sum_rows(rest, seen, right, sure, column):
    """What the scores say of left_i, if rest_ij is left_i right_j and noise of precision `sure`."""
    for i in range(len(rest)):
        precision, weighted = 0.0, 0.0
        for j in range(len(right)):
            if seen[i, j] != HIDDEN:
                precision += right[j] * right[j]
                weighted += rest[i, j] * right[j]
        column.precision[i], column.weighted[i] = sure * precision, sure * weighted


@kernel
def sum_columns(rest, seen, left, sure, column):
    """What they say of right_j."""
    column.precision[:] = 0.0
    column.weighted[:] = 0.0
    for i in range(len(rest)):
        x = left[i]
        for j in range(len(rest)):
            if seen[i, j] != HIDDEN:
                column.precision[j] += sure * x * x
                column.weighted[j] += sure * rest[i, j] * x


@loose
def _dot(x, y, size):
    total = 0.0
    for k in range(size):
        total += x[k] * y[k]
    return total


@inner
def _factor(square):
    """The lower triangle of a positive matrix becomes its Cholesky factor."""
    for i in range(len(square)):
        for j in range(i):
            square[i, j] = (square[i, j] - _dot(square[i], square[j], j)) / square[j, j]
        square[i, i] = math.sqrt(square[i, i] - _dot(square[i], square[i], i))


@inner
def _add_squares(roots, i, weight, square):
    """Add weight times the products of a row with itself to the lower triangle."""
    for k in range(len(square)):
        x = weight * roots[i, k]
        for m in range(k + 1):
            square[k, m] += x * roots[i, m]


@inner
def _draw_direction(roots, column, slack, chance, room, direction):
    """w given what is known of y = roots w + own, own ~ N(0, slack): `room.square` has the inverse prior variance."""
    square, line = room.square, room.line
    line[:] = 0.0
    for i in range(len(roots)):
        wider = 1.0 + column.precision[i] * slack
        if column.precision[i] > 0.0:
            _add_squares(roots, i, column.precision[i] / wider, square)
        for k in range(len(line)):
            line[k] += roots[i, k] * (column.weighted[i] / wider)
    _factor(square)
    for k in range(len(line)):
        line[k] = (line[k] - _dot(square[k], line, k)) / square[k, k]
    for k in range(len(line) - 1, -1, -1):
        total = line[k] + chance[k]
        for m in range(k + 1, len(line)):
            total -= square[m, k] * direction[m]
        direction[k] = total / square[k, k]


@kernel
def draw_column(roots, column, variances, chance, room, direction, trait):
    """Draw y = roots w + own and w, which have variances `variances` (w, own), given what is seen of y.

    w is drawn with `own` integrated out, then y given w. `chance` has standard normals, those of w first.
    """
    of_text, own, n_topics = variances[0], variances[1], len(direction)
    room.square[:] = 0.0
    for k in range(n_topics):
        room.square[k, k] = 1.0 / of_text
    _draw_direction(roots, column, own, chance, room, direction)
    for i in range(len(roots)):
        precision = column.precision[i] + 1.0 / own
        mean = (column.weighted[i] + _dot(roots[i], direction, n_topics) / own) / precision
        trait[i] = mean + chance[n_topics + i] / math.sqrt(precision)
