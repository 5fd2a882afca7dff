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
from pitmanyor.state.some_documents import documents_of, is_by_token, n_tokens_of, stack_cells, tokens_of
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
    return stack_cells(lists)


class Found(NamedTuple):
    """Documents of a shard that hold some topics, and how many tokens they have."""

    documents: Ints
    n_tokens: int


def holding(text: Text, topics: Sequence[int]) -> Found:
    """The documents that hold one of these topics."""
    documents = documents_of(text, np.flatnonzero(np.isin(text.topic, topics)))
    return Found(documents, n_tokens_of(text, documents))


def changed(text: Text, documents: Ints, moved: Moving, topic: NDArray[np.int32] | None = None) -> Text:
    """The text with other topics, walks and measures in some of its documents; a copy of all that changes.

    topic: the topics that the other documents have, if they are new as well; it is written to.
    """
    topic = text.topic.copy() if topic is None else topic
    code, measures = text.code.copy(), text.measures.copy()
    tokens = tokens_of(text, documents)
    topic[tokens], code[tokens] = moved.topic, moved.code
    measures[documents] = moved.measures
    return text._replace(topic=topic, code=code, measures=measures)


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
        cells=stack_cells(slots),
        concentration=np.concatenate([text.concentration for text in texts], axis=1),
    )
