"""Explicit vectors kept as unnormalised masses, so that links can judge them (maths 6).

An instance i of a linked node is PYP(a, b, H) as U0 ~ Gamma(b/a), J_k ~ tilted stable of mass U0 H_k, nu = J / sum J;
without discount J_k ~ Gamma(b H_k). Given its customers c and u ~ Gamma(C)/sum J the J_k are independent and are drawn
exactly, each by itself: that is what proposals are made of. Everything is in logs: masses of empty topics underflow.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pitmanyor import purposes
from pitmanyor.kernels.numbers.draws import bernoulli_sum_tables, log_gamma, log_tilted_stable
from pitmanyor.kernels.numbers.stable_density import log_tilted
from pitmanyor.kernels.numbers.stirling import StirlingTables, draw_tables
from pitmanyor.kernels.restaurant.arrays import Floats, Ints
from pitmanyor.kernels.runtime.jit import inlined, inner, kernel
from pitmanyor.kernels.runtime.random import stream_key, uniform

LEAST_LOG_MASS = -460.0  # below it a tilted stable variable is stable to the last bit: only its scale changes
LEAST_SHAPE = 1e-280
MOST_STEPS, NARROW = 100, 1e-12


class Masses(NamedTuple):
    """The instances of a linked node."""

    log_mass: Floats  # (instance, topic)
    log_u0: Floats  # (instance), not used without discount
    concentration: Floats  # (instance)
    customers: Ints  # (instance, topic)
    log_base: Floats  # (base, topic)
    above: Ints  # (instance): its base


class TableLaw(NamedTuple):
    """What the number of tables of customers depends on: Stirling tables, which of them, and the discount."""

    tables: StirlingTables
    index: int
    discount: float


@inlined
def log_total(log_mass, i):
    """log sum_k J_ik."""
    top = -math.inf
    for k in range(log_mass.shape[1]):
        top = max(top, log_mass[i, k])
    total = 0.0
    for k in range(log_mass.shape[1]):
        total += math.exp(log_mass[i, k] - top)
    return top + math.log(total)


@inlined
def _log_stable(a, log_m, key, n):
    """log of a tilted stable draw of mass m, however small."""
    if log_m < LEAST_LOG_MASS:
        x, n = log_tilted_stable(a, math.exp(LEAST_LOG_MASS), key, n)
        return x + (log_m - LEAST_LOG_MASS) / a, n
    return log_tilted_stable(a, math.exp(log_m), key, n)


@inlined
def draw_mass(law, b, log_g, log_base, c, key, n):
    """log J_k (1 + u) given c customers: Gamma(c - a t) + tilted stable of mass g H, or Gamma(c + b H) (maths 4)."""
    a = law.discount
    if a == 0.0:
        return log_gamma(c + max(b * math.exp(log_base), LEAST_SHAPE), key, n)
    x, n = _log_stable(a, log_g + log_base, key, n)
    if c > 0:
        t, n = draw_tables(law.tables, law.index, c, math.log(a) + log_g + log_base, key, n)
        y, n = log_gamma(c - a * t, key, n)
        x = np.logaddexp(x, y)
    return x, n


@inner
def widen(masses, a, i, key, n):
    """log(1 + u) with u ~ Gamma(C)/sum J. Without discount the sum, which is free, is drawn anew and u is 0."""
    c = 0
    for k in range(masses.customers.shape[1]):
        c += masses.customers[i, k]
    total = log_total(masses.log_mass, i)
    if a == 0.0:
        x, n = log_gamma(c + masses.concentration[i], key, n)
        for k in range(masses.log_mass.shape[1]):
            masses.log_mass[i, k] += x - total
        return 0.0, n
    if c == 0:
        return 0.0, n
    x, n = log_gamma(float(c), key, n)
    return np.logaddexp(0.0, x - total), n


@inner
def propose(masses, law, i, share, key, n, tried):
    """Into `tried` the log masses of instance i, each topic drawn anew with probability `share`."""
    log_q, n = widen(masses, law.discount, i, key, n)
    log_g, b = masses.log_u0[i] + law.discount * log_q, masses.concentration[i]
    for k in range(len(tried)):
        tried[k] = masses.log_mass[i, k]
        if share < 1.0:
            n += 1
            if uniform(key, n - 1) >= share:
                continue
        x, n = draw_mass(law, b, log_g, masses.log_base[masses.above[i], k], masses.customers[i, k], key, n)
        tried[k] = x - log_q
    return n


@kernel
def propose_one(masses, law, i, whole, seed, tried):
    """Into `tried` a proposal for instance i, for those who judge it elsewhere."""
    key = stream_key(seed[0], seed[1], seed[2], i, purposes.PROPOSAL + whole)
    share = 1.0 if whole else float(len(tried)) ** -uniform(key, 0)
    propose(masses, law, i, share, key, np.int64(1), tried)


@kernel
def start_masses(masses, law, n_tables, seed):
    """Masses for a network that joins, given the tables of every instance: u and g from the tables, then all J."""
    a = law.discount
    for i in range(len(masses.log_u0)):
        key, n = stream_key(seed[0], seed[1], seed[2], i, purposes.MASSES_START), np.int64(0)
        b, log_q, log_g, c = masses.concentration[i], 0.0, 0.0, 0
        for k in range(masses.customers.shape[1]):
            c += masses.customers[i, k]
        if a > 0.0:
            log_g, n = log_gamma(b / a + n_tables[i], key, n)
            if c > 0:
                x, n = log_gamma(b, key, n)
                y, n = log_gamma(float(c), key, n)
                log_q = np.logaddexp(0.0, y - x)
            masses.log_u0[i] = log_g - a * log_q
        for k in range(masses.log_mass.shape[1]):
            x, n = draw_mass(law, b, log_g, masses.log_base[masses.above[i], k], masses.customers[i, k], key, n)
            masses.log_mass[i, k] = x - log_q


@kernel
def widen_all(masses, a, seed, log_q):
    """log(1 + u) of every instance, for moves of all of them together."""
    for i in range(len(log_q)):
        key = stream_key(seed[0], seed[1], seed[2], 2 * i, purposes.COLUMNS)
        log_q[i], _ = widen(masses, a, i, key, np.int64(0))


@kernel
def count_tables(masses, law, log_q, chosen, seed, out):
    """Tables that instances would send up for the chosen topics, given u and the base, masses integrated out."""
    a = law.discount
    for i in range(len(log_q)):
        key, n = stream_key(seed[0], seed[1], seed[2], 2 * i + 1, purposes.COLUMNS), np.int64(0)
        for k in chosen:
            c = masses.customers[i, k]
            if c == 0:
                continue
            log_base = masses.log_base[masses.above[i], k]
            if a == 0.0:
                t, n = bernoulli_sum_tables(c, masses.concentration[i] * math.exp(log_base), key, n)
            else:
                log_x = math.log(a) + masses.log_u0[i] + a * log_q[i]
                t, n = draw_tables(law.tables, law.index, c, log_x + log_base, key, n)
            out[i, k] = t


@kernel
def redraw_columns(masses, law, log_q, chosen, log_base, seed, out):
    """Into `out` the masses of all instances, with the chosen topics drawn anew under other bases."""
    for i in range(len(log_q)):
        key, n = stream_key(seed[0], seed[1], seed[2], i, purposes.COLUMNS_REDRAWN), np.int64(0)
        for k in range(out.shape[1]):
            out[i, k] = masses.log_mass[i, k]
        log_g, b = masses.log_u0[i] + law.discount * log_q[i], masses.concentration[i]
        for k in chosen:
            x, n = draw_mass(law, b, log_g, log_base[masses.above[i], k], masses.customers[i, k], key, n)
            out[i, k] = x - log_q[i]


@inlined
def log_density(density, masses, i, k, log_base):
    """log p(mass of topic k | base), up to what no base changes: X plays no part, for nu is given."""
    a = density.discount
    if a == 0.0:
        m = max(masses.concentration[i] * math.exp(log_base), LEAST_SHAPE)
        return m * masses.log_mass[i, k] - math.lgamma(m)
    return log_tilted(density, masses.log_u0[i] + log_base, masses.log_mass[i, k])


@kernel
def column_density(density, masses, k, log_base):
    """Sum over the instances of `log_density` of one topic; `log_base` is the base of each in this topic."""
    total = 0.0
    for i in range(len(masses.log_u0)):
        total += log_density(density, masses, i, k, log_base[i])
    return total


@kernel
def density_over(density, masses, base, log_base):
    """log p(masses of all instances over one base | what the base is)."""
    total = 0.0
    for i in range(len(masses.log_u0)):
        if masses.above[i] == base:
            for k in range(len(log_base)):
                total += log_density(density, masses, i, k, log_base[k])
    return total


@kernel
def change_of_bases(density, masses, log_q, is_chosen, log_base):
    """The change of the log density of all instances if their bases were others.

    The masses of chosen topics are integrated out given their tables: what is left of them beside the tables is
    exp(-m ((1 + u)^a - 1)) with m = U0 H (maths 4).
    """
    a, total = density.discount, 0.0
    for i in range(len(log_q)):
        more = math.exp(masses.log_u0[i]) * math.expm1(a * log_q[i])
        for k in range(len(is_chosen)):
            new, old = log_base[masses.above[i], k], masses.log_base[masses.above[i], k]
            if not is_chosen[k]:
                total += log_density(density, masses, i, k, new) - log_density(density, masses, i, k, old)
            elif a > 0.0:
                total -= more * (math.exp(new) - math.exp(old))
    return total


@kernel
def log_shares(log_mass, least, out):
    """log nu from log masses, but no less than `least`."""
    for i in range(len(log_mass)):
        total = log_total(log_mass, i)
        for k in range(log_mass.shape[1]):
            out[i, k] = max(log_mass[i, k] - total, least)


@inner
def _along(density, masses, i, x, of_u0, of_mass):
    """log p(U0, J) of an instance moved by x: log U0 by x of_u0, every log J by x of_mass."""
    a = density.discount
    log_u0, shift, log_base = masses.log_u0[i] + x * of_u0, x * of_mass, masses.log_base[masses.above[i]]
    total = masses.concentration[i] / a * log_u0 - math.exp(log_u0)
    for k in range(masses.log_mass.shape[1]):
        total += log_tilted(density, log_u0 + log_base[k], masses.log_mass[i, k] + shift) + shift
    return total


@inner
def _slice(density, masses, i, of_u0, of_mass, key, n):
    """Slice sampling along one line, by stepping out and shrinking; returns the step taken."""
    level = _along(density, masses, i, 0.0, of_u0, of_mass) + math.log(uniform(key, n))
    left = -uniform(key, n + 1)
    right = left + 1.0
    low = int(MOST_STEPS * uniform(key, n + 2))
    high = MOST_STEPS - 1 - low
    n += 3
    while low > 0 and _along(density, masses, i, left, of_u0, of_mass) > level:
        left -= 1.0
        low -= 1
    while high > 0 and _along(density, masses, i, right, of_u0, of_mass) > level:
        right += 1.0
        high -= 1
    while right - left > NARROW:
        x = left + (right - left) * uniform(key, n)
        n += 1
        if _along(density, masses, i, x, of_u0, of_mass) > level:
            return x, n
        if x < 0.0:
            left = x
        else:
            right = x
    return 0.0, n


@kernel
def move_scalars(density, masses, seed):
    """U0 and the sum of the masses of every instance: nu does not change, so no link and no token has a say."""
    a = density.discount
    for i in range(len(masses.log_u0)):
        key, n = stream_key(seed[0], seed[1], seed[2], i, purposes.MASSES_SCALARS), np.int64(0)
        for line in range(3):
            of_u0, of_mass = (0.0 if line == 1 else 1.0), (0.0 if line == 0 else 1.0 if line == 1 else 1.0 / a)
            x, n = _slice(density, masses, i, of_u0, of_mass, key, n)
            masses.log_u0[i] += x * of_u0
            for k in range(masses.log_mass.shape[1]):
                masses.log_mass[i, k] += x * of_mass
