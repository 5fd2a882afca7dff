"""A shard: some documents of a corpus, as the text that kernels take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.kernels.documents.general.collapsed import UNSEEN
from pitmanyor.kernels.restaurant.arrays import Text
from pitmanyor.plan.cells import lineage
from pitmanyor.plan.instances import groupings
from pitmanyor.plan.tokens import TokenOrder, order_tokens
from pitmanyor.shards.cut import part_of
from pitmanyor.shards.outline import Outline, combination_of
from pitmanyor.state.state import State

Ints = NDArray[np.int64]
MOVING = ("topic", "code", "concentration", "measures")  # what sweeps change
FIXED = ("first", "word", "cells", "context", "number")


class Moving(NamedTuple):
    """What sweeps change of some documents."""

    topic: NDArray[np.int32]
    code: NDArray[np.uint32]
    concentration: NDArray[np.float64]
    measures: NDArray[np.float32]


def moving_of(text: Text) -> Moving:
    return Moving(text.topic, text.code, text.concentration, text.measures)


def read_shard(state: State, corpus: Corpus, start: int, stop: int) -> Text:
    """The documents start..stop - 1 of a corpus; no token has a topic yet. `state` is any state of the outline."""
    outline, empty = state.plan, state.text
    assert isinstance(outline, Outline)
    graph, n = outline.graph, stop - start
    streams = {name: part_of(stream, start, stop) for name, stream in corpus.streams.items()}
    order = order_tokens(graph, replace(corpus, streams=MappingProxyType(streams)), outline.words)
    same = np.searchsorted(outline.combinations, combination_of(graph, corpus.groups, slice(start, stop)))
    return empty._replace(
        first=order.first,
        word=order.word,
        topic=np.full(len(order.word), UNSEEN, np.int32),
        code=np.zeros(len(order.word), np.uint32),
        cells=_listed(outline, order, same),
        context=outline.context[same],
        number=np.arange(start, stop, dtype=np.int32),
        concentration=np.full((len(empty.concentration), n), 1.0),
        measures=np.zeros((n, *empty.measures.shape[1:]), empty.measures.dtype),
    )


def _listed(outline: Outline, order: TokenOrder, same: Ints) -> NDArray[np.int32]:
    """Cells of word nodes that do not have one for every word (`Text.cells`)."""
    cells, lists = outline.cells, []
    for name, slot in cells.slot.items():
        node = outline.graph[name]
        if not groupings(node):
            lists.append(cells.listed[slot])
            continue
        mine, n_words = cells.of(outline.index[name]), len(outline.words[name])
        keys = cells.instance[mine] * n_words + cells.word[mine]
        streams = [s for s, one in enumerate(outline.graph.streams) if name in lineage(outline.graph, one.emit)]
        instance = outline.instances[name].of_document[same][order.document]
        found = np.searchsorted(keys, instance * n_words + order.word) + mine.start
        lists.append(np.where(np.isin(order.stream, streams), found, -1).astype(np.int32))
    return _stack(lists)


def _stack(lists: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    out = np.full((len(lists), max(map(len, lists), default=1)), -1, np.int32)
    for row, values in zip(out, lists, strict=True):
        row[: len(values)] = values
    return out


def is_by_token(outline: Outline) -> list[bool]:
    """For each slot of `Text.cells`: does it have a cell for every token, or for every word?"""
    return [bool(groupings(outline.graph[name])) for name in outline.cells.slot]


def _cells_of(outline: Outline, cells: NDArray[np.int32], tokens: Ints) -> NDArray[np.int32]:
    """`Text.cells` of some tokens."""
    by_token = is_by_token(outline)
    if not any(by_token):
        return cells
    n_words = [len(outline.words[name]) for name in outline.cells.slot]
    rows = zip(cells, by_token, n_words, strict=True)
    return _stack([row[tokens] if of_token else row[:n] for row, of_token, n in rows])


def join(outline: Outline, texts: Sequence[Text]) -> Text:
    """Texts one after the other, as one."""
    if len(texts) == 1:
        return texts[0]
    ends = np.cumsum([len(text.topic) for text in texts])
    firsts = [text.first[:-1] + end - len(text.topic) for text, end in zip(texts, ends, strict=True)]
    by_token, slots = is_by_token(outline), []
    for slot, name in enumerate(outline.cells.slot):
        whole = texts[0].cells[slot, : len(outline.words[name])]
        parts = [text.cells[slot, : len(text.topic)] for text in texts]
        slots.append(np.concatenate(parts) if by_token[slot] else whole)
    names = ("word", "topic", "code", "context", "number", "measures")
    return texts[0]._replace(
        **{name: np.concatenate([getattr(text, name) for text in texts]) for name in names},
        first=np.append(np.concatenate(firsts), ends[-1]),
        cells=_stack(slots),
        concentration=np.concatenate([text.concentration for text in texts], axis=1),
    )


def take(outline: Outline, text: Text, documents: Ints) -> Text:
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
        cells=_cells_of(outline, text.cells, tokens),
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
