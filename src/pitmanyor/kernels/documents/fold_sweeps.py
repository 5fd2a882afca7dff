"""New documents over fixed vectors: every sweep of a document before the next document (maths 7).

Documents are swept as the engines do it given the shared vectors. The first sweep seats the tokens one after the other,
each given those before it. The result is the mean of one document node, the leaf: its customers less their discounts,
plus the contribution of its base to every topic. Tokens may be counted by the probabilities of their topics, which are
known when a topic is drawn, instead of by the topic drawn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.restaurant.arrays import Floats, Reals
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined

SHORT = 16  # tokens: such documents need few sweeps to become independent of their start
BATCHES = 4  # of the sweeps that are kept: the standard error follows from their differences
NEW = np.int64(-1)  # in place of a slot: the token has not been seated


class Sweeps(NamedTuple):
    """Number of sweeps for documents longer than SHORT and for others, how many of them are discarded, and the seed.

    `by_chance`: tokens are counted by the probabilities of their topics, not by the topics drawn.
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

    of_bases: Floats  # (base): multiple of p_k that every topic gets
    of_tokens: Floats  # (token * n_bases + base): multiple of p_k phi_kw that every topic gets
    of_weight: Reals  # (slot): what a token that joins it brings by chance, of its weight
    of_stay: Reals  # (slot): and of what it weighs at old tables
    products: Reals  # (topic)


@bundle
class Fold(NamedTuple):
    """What is asked of new documents, the mean of the topic leaf of a stream over some sweeps, and what is found."""

    documents: NDArray[np.int64]
    n_held: int
    stream: int
    sweeps: Sweeps
    means: MeanSums  # of all threads
    shares: NDArray[np.float64]  # (document, topic): added to
    errors: NDArray[np.float32]  # standard errors of shares that sum to one, nan where they are unknown


class Mean(NamedTuple):
    """The mean of a leaf, up to a factor, as it is summed over the sweeps of a document.

    Where documents are sampled it is an empty tuple; Numba removes the branches that test its `len`.
    """

    shares: Floats  # (topic)
    sums: MeanSums
    leaf: int
    sweep: int
    by_chance: bool  # are tokens counted now, as they are drawn?


@inlined
def is_seated(mean, seated):
    """Whether a token has been seated, which all are where documents are sampled."""
    if len(mean) == 0:
        return True
    return seated


@inlined
def is_near(mean):
    """Whether the document, and with it the rows of its words, has been read before."""
    if len(mean) == 0:
        return False
    return mean.sweep > 0


@inlined
def sweeps_of(sweeps, n_tokens):
    """Number of sweeps of a document with `n_tokens` tokens, and how many of them are discarded."""
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
    """Start the sum for one base with a multiple of p_k for every topic; `add_product` adds to it."""
    for k in range(n_topics):
        mean.sums.products[k] = by


@inlined
def add_product(net, mean, by, row, n_topics):
    """Add a multiple of p_k phi_kw for every topic, for the row of a word."""
    if by != 0.0:
        real = net.stay.dtype.type(by)
        for k in range(n_topics):
            mean.sums.products[k] += real * net.stay[row + k]


@inlined
def finish_products(net, mean, row, n_topics):
    """Add what topics have of p_k to their shares; a row below 0 is one for every topic."""
    for k in range(n_topics):
        mean.shares[k] += np.float64(mean.sums.products[k]) * (np.float64(net.stay[row + k]) if row >= 0 else 1.0)
