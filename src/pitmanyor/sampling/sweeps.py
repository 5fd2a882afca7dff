"""Sweeps over a state: collapsed, explicit, and their mixture by anchors (maths 4)."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numba
import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.errors import PlanError
from pitmanyor.kernels.documents.general.collapsed import FORCED, UNSEEN
from pitmanyor.kernels.restaurant.arrays import N_COLUMNS
from pitmanyor.kernels.switching.customers import mark_topics
from pitmanyor.machine import cores
from pitmanyor.sampling.explicit_sweep import Explicit
from pitmanyor.sampling.switching import Switch
from pitmanyor.seeds import Seed, generator
from pitmanyor.state.some_documents import tokens_of
from pitmanyor.state.state import State
from pitmanyor.state.stirling_sizes import fit_tables
from pitmanyor.state.topic_columns import arrange, grow

Sweep = Literal["mixed", "collapsed", "explicit"]
SWEEPS = ("mixed", "collapsed", "explicit")
TABLES_EVERY = 8  # sweeps
PARTS = 32  # of the first pass: Stirling tables grow with the counts between them
ANCHORED, FEWEST = 10_000, 0.005  # tokens of anchors in a sweep, and the least share of documents


def usable_threads() -> int:
    """Threads to use by default: one per core, or as many as NUMBA_NUM_THREADS allows if these are fewer."""
    return min(cores(), int(numba.config.NUMBA_NUM_THREADS))


def collapsed(state: State, documents: NDArray[np.int64], seed: Seed) -> None:
    """One collapsed update of the given documents; makes room for new topics on the way."""
    start, n_streams = 0, state.text.leaf.shape[1]
    while True:
        start = state.engine.collapsed(state, documents, start, seed)
        if start == len(documents):
            return
        d = documents[start]
        size = int(state.text.first[(d + 1) * n_streams] - state.text.first[d * n_streams])
        births = min(size, state.max_topics - state.n_topics)
        grow(state, state.n_topics + births + 2)


def initialise(state: State, seed: Seed, n_topics: int | None = None) -> None:
    """Seat every token: topics drawn one after the other, or dealt at random over `n_topics` to begin with."""
    if n_topics is not None:
        topics = generator(seed, purposes.FIRST_CHOICE).integers(n_topics, size=len(state.text.topic))
        return initialise_at(state, seed, topics, n_topics)
    state.text.topic[:] = UNSEEN
    _seat_all(state, seed)


def initialise_at(state: State, seed: Seed, topics: NDArray[np.int64], n_topics: int) -> None:
    """Seat every token at a given one of `n_topics` topics; its walk is drawn."""
    make_columns(state, n_topics)
    state.text.topic[:] = FORCED - topics
    _seat_all(state, seed)


def initialise_from(state: State, seed: Seed, documents: NDArray[np.int64], topics: NDArray[np.int64]) -> None:
    """Seat every token: those of some documents at topics that are given, then the others one after the other."""
    make_columns(state, int(topics.max()) + 1)
    state.text.topic[:] = UNSEEN
    state.text.topic[tokens_of(state.text, documents)] = FORCED - topics
    given = np.zeros(state.plan.n_documents, bool)
    given[documents] = True
    _seat_all(state, seed, given)
    _seat_all(state, seed, ~given)


def check_start(state: State, n_topics: int | None) -> None:
    """An error if the chain may not have as many topics as it should start with."""
    if n_topics is not None and n_topics > state.max_topics:
        raise PlanError(f"cannot start with {n_topics} topics: this chain may have at most {state.max_topics}")


def make_columns(state: State, n_topics: int) -> None:
    """Room for so many topics in an empty state; an error if it may not have them."""
    check_start(state, n_topics)
    if state.plan.n_topics is None:
        if n_topics + 1 > state.capacity:
            grow(state, n_topics + 1)
        state.net.status[N_COLUMNS] = max(state.net.status[N_COLUMNS], n_topics + 1)


def _seat_all(state: State, seed: Seed, which: NDArray[np.bool_] | None = None) -> None:
    """Seat the tokens of all documents, or of those that are marked."""
    for part in np.array_split(np.arange(state.plan.n_documents), min(PARTS, state.plan.n_documents)):
        collapsed(state, part if which is None else part[which[part]], seed)
        fit_tables(state)


def share_of_anchors(n_tokens: int) -> float:
    """The share of documents that are anchors where nobody says: births and deaths cost the same in every corpus."""
    return min(1.0, max(FEWEST, ANCHORED / max(n_tokens, 1)))


class Sweeper:
    """Carries out sweeps of one kind over a state, on so many threads."""

    def __init__(
        self,
        state: State,
        sweep: Sweep,
        *,
        anchors: float = 0.05,
        passes: int = 1,
        n_threads: int = 1,
        relabels: bool = True,
    ) -> None:
        if sweep not in SWEEPS:
            raise PlanError(f"sweep {sweep!r} is not one of {', '.join(SWEEPS)}")
        if not 0.0 < anchors <= 1.0:
            raise PlanError(f"anchors must be a share of the documents above 0 and up to 1, not {anchors}")
        if sweep == "explicit" and state.plan.n_topics is None:
            raise PlanError(
                "an explicit sweep cannot give birth to topics, and this graph has a gem root; "
                'use Sampler(kind="mixed"), or a finite root such as g.dirichlet(..., over=100)'
            )
        if passes < 1:
            raise PlanError(f"passes must be 1 or more, not {passes}")
        if not 1 <= n_threads <= numba.config.NUMBA_NUM_THREADS:
            raise PlanError(f"threads must be between 1 and {numba.config.NUMBA_NUM_THREADS} here, not {n_threads}")
        self.sweep, self.anchors, self.passes, self.n_threads = sweep, anchors, passes, n_threads
        self.state, self.relabels = state, relabels

    @cached_property
    def switch(self) -> Switch:
        """Made when first needed, as is its neighbour: collapsed sweeps do without."""
        return Switch(self.state, self.n_threads)

    @cached_property
    def explicit(self) -> Explicit:
        return Explicit(self.state, self.n_threads)

    def step(self, state: State, seed: Seed, sweep: Sweep | None = None) -> None:
        """One update of every token, and of those of explicit documents as many as there are passes.

        sweep: the kind of this one, if it is not that of the others.
        """
        numba.set_num_threads(self.n_threads)
        sweep, n_documents = sweep or self.sweep, state.plan.n_documents
        is_anchor = np.ones(n_documents, bool)
        if sweep == "explicit":
            is_anchor[:] = False
        elif sweep == "mixed":
            is_anchor = pick_anchors(state, self.anchors, seed)
        if seed[2] % TABLES_EVERY == 0:
            fit_tables(state)
        collapsed(state, np.flatnonzero(is_anchor), seed)
        others = np.flatnonzero(~is_anchor)
        if not len(others):
            return
        n_held = arrange(state, held_topics(state, is_anchor))
        if n_held:
            self.switch.down(state, seed, n_held=n_held)
            if self.relabels:
                self.explicit.relabel(state, others, n_held, seed)
            self.explicit.sweep(state, others, n_held, seed, self.passes)
            self.switch.up(state, seed)


def pick_anchors(state: State, share: float, seed: Seed) -> NDArray[np.bool_]:
    """A random share of the documents, whatever the state is; one that has tokens is among them.

    Without any held topics no other document could be visited, and what is measured of them would be out of date.
    """
    rng, lengths = generator(seed, purposes.ANCHORS), np.diff(state.text.first[:: state.text.leaf.shape[1]])
    is_anchor = np.asarray(rng.random(state.plan.n_documents) < share)
    if lengths.any() and not lengths[is_anchor].any():
        is_anchor[rng.choice(np.flatnonzero(lengths))] = True
    return is_anchor


def held_topics(state: State, is_anchor: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Topics that a token of an anchor has: those that explicit documents may use. All, below a finite root."""
    held = np.zeros(state.capacity, bool)
    if state.plan.n_topics is not None:
        held[: state.plan.n_topics] = True
        return held
    mark_topics(state.text, is_anchor, held)
    return held
