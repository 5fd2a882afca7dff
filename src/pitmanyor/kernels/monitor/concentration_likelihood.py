"""The log likelihood of a concentration that restaurants share, given their sizes (maths 5)."""

from __future__ import annotations

import math
from typing import NamedTuple

from pitmanyor.kernels.monitor.log_joint import log_rising
from pitmanyor.kernels.restaurant.arrays import Ints
from pitmanyor.kernels.runtime.jit import inner, kernel

SIZE, TIMES = 0, 1


class RestaurantSizes(NamedTuple):
    """Restaurants by their numbers of tables and, apart from that, by their numbers of customers."""

    tables: Ints  # (kind of restaurant, SIZE or TIMES): how many have that many tables
    customers: Ints


@inner
def _log_opened(a, b, t):
    """log of (b|a)_t = b (b + a) ... (b + (t-1) a)."""
    return t * math.log(b) if a == 0.0 else t * math.log(a) + log_rising(b / a, t)


@kernel
def log_likelihood_of_sizes(a, b, sizes):
    """log of the product of (b|a)_T / (b)_C over restaurants."""
    total = 0.0
    for i in range(len(sizes.tables)):
        total += sizes.tables[i, TIMES] * _log_opened(a, b, sizes.tables[i, SIZE])
    for i in range(len(sizes.customers)):
        total -= sizes.customers[i, TIMES] * log_rising(b, sizes.customers[i, SIZE])
    return total
