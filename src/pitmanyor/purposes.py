"""Purposes of random streams: the last word of every key, so that no two uses of chance read the same numbers.

A stream is keyed by (seed, chain, sweep, place, purpose). `stream_key` in kernels and `seeds.generator` elsewhere take
the purpose from here and from nowhere else (`tests/test_purposes.py`). A new use of chance takes a number that no other
has: to change one changes every byte that was drawn under it.

`seeds.generator` pads keys with zeros, so purpose 0 adds nothing to them. It is left to the choice that is made before
anything else, keyed by what is dealt: initial topics by (seed, chain, 0), held-out links by (seed, number of pairs).

This module imports nothing, because kernels and packages that know no kernel share it.
"""

from __future__ import annotations

# Where a chain begins, and what is held out of it
FIRST_CHOICE = 0
START_SEARCH = 59
HELD_DOCUMENTS = 61

# Sweeps: documents, shared nodes to vectors (down) and back to counts (up), parameters
COLLAPSED = 1
EXPLICIT = 7
RELABELLING = 62
ANCHORS = 11
DOWN = 2
DOWN_EMPTY = 3
DOWN_SCALARS = 4
UP = 5
UP_SCALARS = 6
MEASURE = 8
CONCENTRATIONS = 9
DISCOUNTS = 13

# Splits and merges
MOVE_ATTEMPTS = 60
MOVE_SELECTION = 54
MOVE_ORDER = 57
MOVE_LEAVING = 55
MOVE_SEATING = 56
MOVE_MEASURE = 53

# The network. A name with _WHOLE is one above the name without: `X + whole` is the stream of a proposal of all topics.
NETWORK_START = 41
NETWORK_STEP = 42
MASSES_START = 31
MASSES_SCALARS = 32
COLUMNS = 33
COLUMNS_REDRAWN = 34
INSTANCES = 35
INSTANCES_WHOLE = 36
PROPOSAL = 37
PROPOSAL_WHOLE = 38
TILTED = 63
TILTED_WHOLE = 64
LINK_EVENTS = 65
LINK_NOISE = 66
LINK_COMMON = 67
ONE_BY_ONE = 44
ONE_BY_ONE_WHOLE = 45
LINK_EVIDENCE = 43
SIMULATED_LINKS = 48

# New documents and held-out tokens
FOLD_IN_START = 21
FOLD_IN = 23
PAPER_COMPLETION = 22
GIVEN_TOKENS = 51
