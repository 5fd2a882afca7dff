"""The terms of small counts, tabulated: most counts are small, and all terms of one lie side by side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import config

from pitmanyor.kernels.restaurant.arrays import Floats, Ints, Reals
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined

# counts of fewer tables and customers have their terms in `Terms`, which takes seconds to fill without the compiler
SMALL_TABLES, SMALL_CUSTOMERS = 64, 64 if vars(config)["DISABLE_JIT"] else 256
STAY, OPEN, LEAVE, LOG_S = 0, 1, 2, 3
STRIDE = SMALL_CUSTOMERS * 4  # in `Terms.flat`, from some tables to one more


@bundle
class Terms(NamedTuple):
    """Terms of small counts by (discount, tables, customers), and the cells of the local nodes."""

    small: Floats  # (..., STAY, OPEN, LEAVE or LOG_S)
    cells: Ints
    flat: Reals  # `small` again, as one row in the state's precision


@inlined
def is_small(c, t):
    """Are the terms of c customers and t tables in `Terms`?"""
    return c < SMALL_CUSTOMERS and t < SMALL_TABLES


@inlined
def place_of(index, c, t):
    """Where `Terms.flat` has the terms of small counts for the discount numbered `index`."""
    return np.uint64(((index * SMALL_TABLES + t) * SMALL_CUSTOMERS + c) * 4)
