"""Which cells have a row of counts over all topics, and which have short lists of their topics (decision 13).

The sampler's results do not depend on it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.plan import Plan
from pitmanyor.plan.emitters import find_emitters
from pitmanyor.state.engines import engine_of

ROOM = 1 << 30  # bytes of a node's rows; as many of the commonest words as fit have one
LONGEST = 64  # tokens: a word that has more always has a row
PER_COUNT = 16  # customers, tables, stay, open
PER_ENTRY = 12  # customers, tables, topic


class Packing(NamedTuple):
    """Which cells of a node have a row of their own, and how many entries the others have."""

    has_row: NDArray[np.bool_]
    n_entries: NDArray[np.int64]


def find_packings(plan: Plan, capacity: int) -> dict[int, Packing]:
    """The nodes some of whose cells are packed, given the number of topic columns."""
    found = {}
    for i, n_tokens in _packable(plan).items():
        n_rows = max(ROOM // (PER_COUNT * capacity), int(np.count_nonzero(n_tokens > LONGEST)))
        if n_rows < len(n_tokens):
            has_row = np.zeros(len(n_tokens), bool)
            has_row[np.argsort(-n_tokens, kind="stable")[:n_rows]] = True
            found[i] = Packing(has_row, np.where(has_row, 0, n_tokens))
    return found


def _packable(plan: Plan) -> dict[int, NDArray[np.int64]]:
    """The nodes whose cells may be packed, and how many tokens each of their cells has.

    Their customers are tokens, and a word has one base mass under all topics, so that its vector can be drawn again.
    Shards count by rows (shards/outline.py).
    """
    emitters = find_emitters(plan) if plan.has_all_tokens and engine_of(plan).unpacks else {}
    found = {}
    for name, emit in emitters.items():
        node, i = plan.graph[name], plan.index[name]
        one_base = len(node.parents) < 2 and not any(plan.graph[parent].per_topic for parent in node.parents)
        if one_base and len(plan.instances[name]) == 1:
            streams = [s for s, stream in enumerate(plan.graph.streams) if stream.emit == emit]
            words = plan.order.word[np.isin(plan.order.stream, streams)]
            n_tokens = np.bincount(words, minlength=len(plan.words[name])).astype(np.int64)
            found[i] = n_tokens[plan.cells.word[plan.cells.of(i)]]
    return found
