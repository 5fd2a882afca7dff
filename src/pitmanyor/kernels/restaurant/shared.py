"""The restaurants that documents share, with the numbers behind their terms, as one bundle."""

from __future__ import annotations

from typing import NamedTuple

from pitmanyor.kernels.numbers.stirling import StirlingTables
from pitmanyor.kernels.restaurant.arrays import Net, Side
from pitmanyor.kernels.restaurant.small_terms import Terms
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined


@bundle
class Franchise(NamedTuple):
    """All shared restaurants (a Chinese restaurant franchise), Stirling numbers, and terms of small counts."""

    net: Net
    tables: StirlingTables
    terms: Terms


@inlined
def with_scratch(side, scratch):
    """The same side with other scratch: that of one thread."""
    return Side(side.lists, side.entries, side.par, scratch, side.values)
