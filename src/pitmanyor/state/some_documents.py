"""Some documents of a state: as a text of their own, and all of them piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.restaurant.arrays import Text
from pitmanyor.plan import Plan
from pitmanyor.plan.instances import Instances, groupings
from pitmanyor.plan.tokens import TokenOrder
from pitmanyor.state.state import State

Ints = NDArray[np.int64]
PIECE = 1_000_000  # tokens


def take(plan: Plan, text: Text, documents: Ints) -> Text:
    """Some documents of a text, as a text of its own."""
    n_streams = text.leaf.shape[1]
    sizes = np.diff(text.first).reshape(-1, n_streams)[documents]
    first = np.append(0, np.cumsum(sizes)).astype(np.int64)
    tokens = tokens_of(text, documents)
    return text._replace(
        first=first,
        word=text.word[tokens],
        topic=text.topic[tokens],
        code=text.code[tokens],
        cells=_cells_of(plan, text.cells, tokens),
        context=text.context[documents],
        number=text.number[documents],
        concentration=text.concentration[:, documents],
        measures=text.measures[documents],
    )


def tokens_of(text: Text, documents: Ints) -> Ints:
    """The places of the tokens of some documents."""
    n_streams = text.leaf.shape[1]
    starts, stops = text.first[:-1:n_streams][documents], text.first[n_streams::n_streams][documents]
    sizes = stops - starts
    ends = np.cumsum(sizes)
    return np.asarray(np.arange(sizes.sum()) + np.repeat(starts - (ends - sizes), sizes))


def documents_of(text: Text, tokens: NDArray[np.integer[Any]]) -> Ints:
    """The documents that have some of these tokens, which are sorted."""
    ends = text.first[text.leaf.shape[1] :: text.leaf.shape[1]]
    return np.unique(np.searchsorted(ends, tokens, side="right"))


def n_tokens_of(text: Text, documents: Ints) -> int:
    """How many tokens these documents have."""
    n_streams = text.leaf.shape[1]
    return int((text.first[n_streams::n_streams][documents] - text.first[:-1:n_streams][documents]).sum())


def is_by_token(plan: Plan) -> list[bool]:
    """For each slot of `Text.cells`: does it have a cell for every token, or for every word?"""
    return [bool(groupings(plan.graph[name])) for name in plan.cells.slot]


def _cells_of(plan: Plan, cells: NDArray[np.int32], tokens: Ints) -> NDArray[np.int32]:
    """`Text.cells` of some tokens."""
    by_token = is_by_token(plan)
    if not any(by_token):
        return cells
    n_words = [len(plan.words[name]) for name in plan.cells.slot]
    rows = zip(cells, by_token, n_words, strict=True)
    return stack_cells([row[tokens] if of_token else row[:n] for row, of_token, n in rows])


def stack_cells(lists: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    out = np.full((len(lists), max(map(len, lists), default=1)), -1, np.int32)
    for row, values in zip(out, lists, strict=True):
        row[: len(values)] = values
    return out


def pieces(state: State) -> Iterator[State]:
    """The state over a part of its documents at a time, in their order; counts are those of all documents."""
    plan, text = state.plan, state.text
    ends = text.first[len(plan.graph.streams) :: len(plan.graph.streams)]
    last = np.flatnonzero(np.diff(np.maximum(ends - 1, 0) // PIECE, append=-1))  # documents with which a piece ends
    start = 0
    for stop in last + 1:
        some = take(plan, text, np.arange(start, stop))
        yield replace(state, plan=_plan_of(plan, some, slice(start, int(stop))), text=some)
        start = int(stop)


def _plan_of(plan: Plan, text: Text, documents: slice) -> Plan:
    """The plan of some documents, with the cells of all."""
    instances = {name: Instances(one.labels, one.of_document[documents]) for name, one in plan.instances.items()}
    part = Plan(plan.graph, plan.corpus, instances, plan.words, TokenOrder(text.word, text.first, plan.order.streams))
    vars(part)["cells"] = replace(plan.cells, listed=text.cells)  # a property that is computed once
    return part
