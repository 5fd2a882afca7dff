"""The log likelihood of a discount given the counts of its node (maths 5).

With V(c,t) = S(c,t+1)/S(c,t), log S(c,t) = sum over i < c of log(i - a) + sum over j < t of log V(c,j). Summed over
dishes that is a sum over (c, j) of log V(c,j), times how many dishes with c customers have more than j tables: the
rows of V follow from one another (appendix A), and no logarithm is taken twice. Dishes beyond the rows have an integral
each.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from pitmanyor.kernels.numbers.stirling_contour import log_stirling_beyond
from pitmanyor.kernels.restaurant.arrays import CUSTOMERS, TABLES, Floats, Ints
from pitmanyor.kernels.runtime.jit import inlined, inner, kernel

SHORT_TABLES = 64  # factors of (b|a)_T that are multiplied one by one
LARGE = 1e200  # a product is put into the sum of logs before it overflows


class Statistics(NamedTuple):
    """All that the likelihood of a discount needs."""

    beyond: Ints  # (i): small dishes with more than i customers
    more: Ints  # (customers, j): number of small dishes with these customers and more than j tables
    last: Ints  # (customers): the last j where there are any, or 0
    rows: Floats  # (2, j): scratch for two rows of ratios
    large: Ints  # (dish, CUSTOMERS or TABLES)
    opened: Ints  # (kind of restaurant): tables, two or more
    concentration: Floats
    times: Ints  # how many restaurants of that kind


@inlined
def _log_small(a, given):
    """The small dishes: row after row of ratios, as far as the widest one needs them."""
    total = 0.0
    for i in range(1, len(given.beyond)):
        if given.beyond[i] > 0:
            total += given.beyond[i] * math.log(i - a)
    width = given.rows.shape[1]
    for customers in range(2, len(given.last)):
        c = customers - 1.0
        old, new = given.rows[customers & 1], given.rows[1 - (customers & 1)]
        if customers <= width:  # a row begins with t = 1 and ends with V(c, c - 1)
            old[customers - 1] = 0.0
        new[1] = (1.0 + (c - 2.0 * a) * old[1]) / (c - a)
        for t in range(2, min(customers, width)):
            new[t] = (1.0 + (c - (t + 1.0) * a) * old[t]) / (1.0 / old[t - 1] + c - t * a)
        for j in range(1, given.last[customers] + 1):
            total += given.more[customers, j] * math.log(new[j])
    return total


@inner
def _log_rising(a, b, t):
    """log of (b + a) ... (b + (t-1) a): the first factor of (b|a)_t does not depend on a."""
    if t > SHORT_TABLES:
        return (t - 1) * math.log(a) + math.lgamma(b / a + t) - math.lgamma(b / a + 1.0)
    total, product = 0.0, 1.0
    for i in range(1, t):
        product *= b + i * a
        if not 1.0 / LARGE < product < LARGE:
            total, product = total + math.log(product), 1.0
    return total + math.log(product)


@kernel
def log_likelihood(a, given):
    """log of the count pmf (1.1) of a node's restaurants, without factors that do not depend on the discount."""
    total = _log_small(a, given)
    for i in range(len(given.large)):
        c, t = float(given.large[i, CUSTOMERS]), float(given.large[i, TABLES])
        if t == 1.0:
            total += math.lgamma(c - a) - math.lgamma(1.0 - a)
        else:
            total += log_stirling_beyond(a, c, t)
    for i in range(len(given.opened)):
        total += given.times[i] * _log_rising(a, given.concentration[i], given.opened[i])
    return total
