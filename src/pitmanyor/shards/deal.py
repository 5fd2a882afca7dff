"""Every token of all shards is given a topic: for the first time, or as a chain that was put away had them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.kernels.documents.general.collapsed import FORCED, UNSEEN
from pitmanyor.kernels.restaurant.arrays import Text
from pitmanyor.sampling.sweeps import PARTS, collapsed, make_columns
from pitmanyor.seeds import Seed, generator
from pitmanyor.shards.shard_sweeper import ShardSweeper
from pitmanyor.state.some_documents import tokens_of
from pitmanyor.state.state import State
from pitmanyor.state.stirling_sizes import fit_tables

Array = NDArray[Any]
Ints = NDArray[np.int64]


def seat_at_random(sweeper: ShardSweeper, state: State, seed: Seed, n_topics: int | None) -> None:
    """Seat every token, document by document: topics are dealt at random, or drawn one after the other."""
    rng = generator(seed, purposes.FIRST_CHOICE)
    if n_topics is not None:
        make_columns(state, n_topics)

    def deal(text: Text) -> None:
        text.topic[:] = UNSEEN if n_topics is None else FORCED - rng.integers(n_topics, size=len(text.topic))

    _seat_all(sweeper, seed, deal, np.ones(state.plan.n_documents, bool))


def seat_from(sweeper: ShardSweeper, state: State, seed: Seed, documents: Ints, topics: Ints) -> None:
    """Seat every token: those of some documents at topics that are given, then the others one after the other."""
    make_columns(state, int(topics.max()) + 1)
    given, done = np.zeros(state.plan.n_documents, bool), 0
    given[documents] = True

    def deal(text: Text) -> None:
        nonlocal done
        text.topic[:] = UNSEEN
        tokens = tokens_of(text, np.flatnonzero(given[text.number]))
        text.topic[tokens] = FORCED - topics[done : done + len(tokens)]
        done += len(tokens)

    _seat_all(sweeper, seed, deal, given, is_last=False)
    _seat_all(sweeper, seed, lambda _: None, ~given)


def _seat_all(
    sweeper: ShardSweeper, seed: Seed, deal: Callable[[Text], None], which: NDArray[np.bool_], is_last: bool = True
) -> None:
    """Seat the tokens of the documents that are marked, document by document."""
    state, n_documents = sweeper.state, len(which)
    parts = np.array_split(np.arange(n_documents), min(PARTS, n_documents))
    ends = np.array([part[-1] + 1 for part in parts])

    def seat(text: Text, start: int) -> None:
        deal(text)
        stops = ends[(ends > start) & (ends < start + len(text.context))] - start
        for documents in np.split(np.arange(len(text.context)), stops):
            collapsed(state, documents[which[start + documents]], seed)
            if start + documents[-1] + 1 in ends:
                fit_tables(state)

    sweeper.update_all(state, seat, is_last)


def put_back(sweeper: ShardSweeper, state: State, topic: Array, code: Array, measures: Array) -> None:
    """Let every document have what it had when the chain was put away: arrays of the whole corpus."""
    done = 0

    def fill(text: Text, start: int) -> None:
        nonlocal done
        tokens = slice(done, done + len(text.topic))
        text.topic[:], text.code[:] = topic[tokens], code[tokens]
        text.measures[:] = measures[start : start + len(text.measures)]
        done = tokens.stop

    sweeper.update_all(state, fill)


def take_over(sweeper: ShardSweeper, state: State, whole: State) -> None:
    """Go on with what a chain of the whole corpus has come to, which shared this state to begin with."""
    for field in fields(State):
        if field.name not in ("plan", "text"):
            setattr(state, field.name, getattr(whole, field.name))
    sweeper.grow_labels(state.capacity)
    sweeper.resting = sweeper.resting._replace(concentration=whole.text.concentration)
    state.text = sweeper.resting
    put_back(sweeper, state, whole.text.topic, whole.text.code, whole.text.measures)
