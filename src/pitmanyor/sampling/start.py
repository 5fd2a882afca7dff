"""Where a chain starts: a search by splits and merges, so that the number of topics dealt at first hardly matters.

After some sweeps every large topic in turn may split, and every topic may merge with the one that shares most words
with it; sweeps in between let tokens find their places. A move is kept if it scores higher than seating the same tokens
again with their old topics. A start may be chosen in any way: the chain is exact from wherever it starts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pitmanyor.sampling.split_merge import (
    NONE,
    Kernel,
    MoveSeed,
    Selection,
    SplitMerge,
)
from pitmanyor.seeds import Seed, generator
from pitmanyor.state.state import State
from pitmanyor.state.topic_sizes import effective_number, is_large

SEARCH = 59  # the purpose of the stream
ROUNDS = 10
SETTLED = 0.02  # share of the topics that may still change in the last round
AT_FIRST, AFTER_SPLITS, AFTER_MERGES = 30, 6, 4  # sweeps
FEWEST = 2  # tokens of a topic that may split
ONLY_SPLITS, ONLY_MERGES = Kernel(True, 0.5), Kernel(False, 0.5)


class Round(NamedTuple):
    """What a round of the search has changed."""

    splits: int
    merges: int
    n_topics: int


def search(state: State, sweep: Callable[[], None], seed: Seed, wanted: Callable[[], bool]) -> list[Round]:
    """Change the state until a round of splits and merges changes little, or as long as it is `wanted`.

    `sweep` makes one sweep, after which topics may have other numbers.
    """
    moves, rng, rounds = Greedy(SplitMerge(state), seed), generator(seed, SEARCH), list[Round]()
    repeat(sweep, AT_FIRST)
    size = effective_topics(state)
    while wanted() and len(rounds) < ROUNDS:
        splits = moves.split_all(state, rng)
        repeat(sweep, AFTER_SPLITS)
        merges = moves.merge_all(state, rng)
        repeat(sweep, AFTER_MERGES)
        before, size = size, effective_topics(state)
        rounds.append(Round(splits, merges, state.n_topics))
        if splits + merges <= SETTLED * size and abs(size - before) <= SETTLED * size:
            break
    return rounds


def repeat(sweep: Callable[[], None], times: int) -> None:
    for _ in range(times):
        sweep()


def effective_topics(state: State) -> float:
    """exp of the entropy of the topics' sizes."""
    return effective_number(np.bincount(state.text.topic))


class Greedy:
    """Moves that are made if the posterior seems to be larger after them."""

    def __init__(self, moves: SplitMerge, seed: Seed) -> None:
        self.moves, self.seed, self.n_tried = moves, seed, 0

    def _make(self, state: State, kernel: Kernel, selection: Selection) -> bool:
        self.n_tried += 1
        seed: MoveSeed = (*self.seed, self.n_tried)
        proposal = self.moves.compare(state, kernel, selection, seed)
        if proposal.log_alpha > 0.0:
            self.moves.accept(state, proposal, seed)
            return True
        self.moves.refuse(state, proposal)
        return False

    def split_all(self, state: State, rng: np.random.Generator) -> int:
        """Try to split every large topic; returns how many did."""
        moves, n_made = self.moves, 0
        moves.index(state)
        large = is_large(moves.sizes())
        for k in np.argsort(-moves.sizes())[: np.count_nonzero(large)]:
            tokens, empty = moves.tokens_of(int(k)), moves.empty(state)
            if len(tokens) >= FEWEST and len(empty):
                i, j = rng.choice(tokens, 2, replace=False)
                n_made += self._make(
                    state, ONLY_SPLITS, Selection((int(k), NONE), (int(k), int(empty[0])), (int(i), int(j)))
                )
        return n_made

    def merge_all(self, state: State, rng: np.random.Generator) -> int:
        """Try to merge every topic, the smallest first, with the one that shares most words with it."""
        moves, n_made = self.moves, 0
        moves.index(state)
        for one in np.argsort(moves.sizes()):
            topics = np.flatnonzero(moves.sizes())
            if not moves.sizes()[one] or len(topics) < 2:
                continue
            other = int(topics[np.argmax(moves.partners(state, topics, int(one)))])
            i, j = (int(rng.choice(moves.tokens_of(k))) for k in (int(one), other))
            n_made += self._make(state, ONLY_MERGES, Selection((int(one), other), (int(one), NONE), (i, j)))
        return n_made
