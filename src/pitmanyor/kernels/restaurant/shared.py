"""The restaurants that documents share, with the numbers behind their terms, as one bundle."""

from __future__ import annotations

from typing import NamedTuple

from pitmanyor.kernels.numbers.stirling import StirlingTables
from pitmanyor.kernels.restaurant.arrays import Net
from pitmanyor.kernels.restaurant.small_terms import Terms
from pitmanyor.kernels.runtime.bundles import bundle


@bundle
class Franchise(NamedTuple):
    """All shared restaurants (a Chinese restaurant franchise), Stirling numbers, and terms of small counts."""

    net: Net
    tables: StirlingTables
    terms: Terms
