"""New documents over fixed vectors: every sweep of a document before the next document (maths 7).

Documents are swept as the engines do it given the shared vectors. The first sweep seats the tokens one after the other,
each given those before it. What is asked for is the mean of one document node, the leaf: its customers less their
discounts, and what its base gives every topic. Tokens may be counted by the chances of their topics, which are known
when they are drawn, instead of by the topic drawn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pitmanyor.kernels.restaurant.arrays import Floats, Reals
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined

SHORT = 16  # tokens: such documents forget where they began within few sweeps
BATCHES = 4  # of the sweeps that are kept: by how much they differ tells the standard error
NEW = np.int64(-1)  # in place of a slot: of a token that has no seat yet


class Sweeps(NamedTuple):
    """How many sweeps of documents beyond SHORT tokens and of others, how many of them are not kept, and the seed.

    `by_chance`: tokens count by the chances of their topics, not by the topics drawn.
    """

    long: int
    left_out_of_long: int
    short: int
    left_out_of_short: int
    seed: int
    by_chance: bool


@bundle
class MeanSums(NamedTuple):
    """Scratch of one thread, with a leading thread axis until `of_thread` picks one."""

    of_bases: Floats  # (base): so much of p_k every topic has
    of_tokens: Floats  # (token * n_bases + base): so much of p_k phi_kw every topic has
    of_weight: Reals  # (slot): what a token that joins it brings by chance, of its weight
    of_stay: Reals  # (slot): and of what it weighs at old tables
    products: Reals  # (topic)


class Mean(NamedTuple):
    """The mean of a leaf, up to a factor, as it is summed over the sweeps of a document.

    Where documents are sampled an empty tuple stands for it: Numba leaves out what `len` tells it to.
    """

    shares: Floats  # (topic)
    sums: MeanSums
    leaf: int
    sweep: int
    by_chance: bool  # are tokens counted now, as they are drawn?


@inlined
def is_seated(mean, seated):
    """Has a token a seat? All have where documents are sampled."""
    if len(mean) == 0:
        return True
    return seated


@inlined
def is_near(mean):
    """Has the document been read before, and its words' rows with it?"""
    if len(mean) == 0:
        return False
    return mean.sweep > 0


@inlined
def sweeps_of(sweeps, n_tokens):
    """How many sweeps a document of so many tokens has, and how many of them are not kept."""
    if n_tokens <= SHORT:
        return sweeps.short, sweeps.left_out_of_short
    return sweeps.long, sweeps.left_out_of_long


@inlined
def batches_of(n_sweeps, n_left_out):
    """How many batches of sweeps are kept, and of how many sweeps each; some more sweeps at the start are left out."""
    n_batches = min(n_sweeps - n_left_out, BATCHES)
    return n_batches, (n_sweeps - n_left_out) // n_batches


@inlined
def start_products(mean, by, n_topics):
    """Every topic has so much of p_k; `add_product` adds to it, for one base."""
    for k in range(n_topics):
        mean.sums.products[k] = by


@inlined
def add_product(net, mean, by, row, n_topics):
    """Every topic has so much of p_k phi_kw more, for the row of a word."""
    if by != 0.0:
        real = net.stay.dtype.type(by)
        for k in range(n_topics):
            mean.sums.products[k] += real * net.stay[row + k]


@inlined
def finish_products(net, mean, row, n_topics):
    """Add what topics have of p_k to their shares; a row below 0 is one for every topic."""
    for k in range(n_topics):
        mean.shares[k] += np.float64(mean.sums.products[k]) * (np.float64(net.stay[row + k]) if row >= 0 else 1.0)
