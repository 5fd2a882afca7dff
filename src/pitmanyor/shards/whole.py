"""All shards as one state again: in memory, or in files that are mapped, so that only what is asked for is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.files import release
from pitmanyor.kernels.restaurant.arrays import Text
from pitmanyor.plan import Plan
from pitmanyor.plan.instances import find_instances
from pitmanyor.plan.tokens import TokenOrder
from pitmanyor.shards.outline import Outline
from pitmanyor.shards.shard import join
from pitmanyor.state.some_documents import is_by_token
from pitmanyor.state.state import State

Array = NDArray[Any]
BY_TOKEN, BY_DOCUMENT = ("word", "topic", "code"), ("context", "number", "measures")


def whole_plan(outline: Outline, corpus: Corpus, text: Text) -> Plan:
    """The plan of the whole corpus, which `compile_plan` would make, from its outline and all its documents."""
    streams = tuple(corpus.streams[stream.name] for stream in outline.graph.streams)
    order = TokenOrder(text.word, text.first, streams)
    plan = Plan(outline.graph, corpus, find_instances(outline.graph, corpus), outline.words, order)
    known = {
        "cells": replace(outline.cells, listed=text.cells),
        "_topic_side": (outline.topic_walks, text.context, outline.leaf),
        "_word_side": (outline.word_walks, outline.partner),
    }
    vars(plan).update(known)  # properties that are computed once
    return plan


def whole_state(state: State, corpus: Corpus, text: Text) -> State:
    """The state that the chain of the whole corpus would have, given all its documents with their labels of now."""
    assert isinstance(state.plan, Outline)
    return replace(state, plan=whole_plan(state.plan, corpus, text), text=text)


def gather(outline: Outline, texts: Iterable[Text], place: NDArray[np.int32], own: Array) -> Text:
    """All documents in memory; topics have new labels, and documents the concentrations of their own."""
    text = join(outline, list(texts))
    return text._replace(topic=place[text.topic], concentration=own)


class Gathering:
    """All documents in files of a directory, which are mapped, and replaced by those that are gathered next."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, outline: Outline, texts: Iterable[Text], place: NDArray[np.int32], own: Array) -> Text:
        """The same as `gather`, with one shard in memory at a time."""
        n_streams, listed = len(outline.graph.streams), is_by_token(outline)
        whole: Text | None = None
        tokens = documents = 0
        for text in texts:
            whole = whole or self._room(outline, text)
            n_tokens, n_documents = len(text.topic), len(text.context)
            at, of = slice(tokens, tokens + n_tokens), slice(documents, documents + n_documents)
            for name in BY_TOKEN:
                getattr(whole, name)[at] = getattr(text, name) if name != "topic" else place[text.topic]
            for name in BY_DOCUMENT:
                getattr(whole, name)[of] = getattr(text, name)
            whole.first[documents * n_streams : (documents + n_documents) * n_streams + 1] = text.first + tokens
            if any(listed):
                for row, values, long in zip(whole.cells, text.cells, listed, strict=True):
                    row[at if long else slice(0, len(values))] = values[:n_tokens] if long else values
            tokens, documents = at.stop, of.stop
            for array in whole:
                release(array)
        assert whole is not None
        return whole._replace(concentration=own)

    def _room(self, outline: Outline, like: Text) -> Text:
        n_documents, n_tokens, n_streams = outline.n_documents, outline.n_tokens, len(outline.graph.streams)
        shapes: dict[str, Sequence[int]] = dict.fromkeys(BY_TOKEN, (n_tokens,))
        shapes |= {name: (n_documents, *getattr(like, name).shape[1:]) for name in BY_DOCUMENT}
        shapes["first"] = (n_documents * n_streams + 1,)
        listed = is_by_token(outline)
        if any(listed):
            by_word = [
                len(outline.words[name]) for name, long in zip(outline.cells.slot, listed, strict=True) if not long
            ]
            shapes["cells"] = (len(like.cells), max(n_tokens, *by_word, 1))
        arrays = {name: self._map(name, getattr(like, name).dtype, tuple(shape)) for name, shape in shapes.items()}
        return like._replace(**arrays)

    def _map(self, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
        """A file that is there is unlinked first: whoever has it mapped keeps what it held."""
        path = self.home / f"whole-{name}"
        path.unlink(missing_ok=True)
        return np.memmap(path, dtype, "w+", 0, shape).view(np.ndarray)
