"""Where a chain starts: a search by splits and merges, so that the number of topics dealt at first hardly matters.

From a few topics the search grows: in every round all large topics are split in two, sweeps let tokens find their
places among the halves, and pairs that do no better than one topic are merged again. Halves that stay apart are topics;
the sweeps in between also gather what lay scattered over many topics, which no split of one of them could. Once the
number grows no more, only topics that do better as two are split, until few splits and merges gain anything. A start
may be chosen in any way: the chain is exact from wherever it starts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pitmanyor import purposes
from pitmanyor.sampling.split_merge import SplitMerge
from pitmanyor.sampling.topic_search import BETWEEN_MERGES, Sweeps, TopicSearch
from pitmanyor.seeds import Seed, generator
from pitmanyor.state.state import State

FEW = 20  # topics from which the search grows
DOUBLINGS = 5  # from one topic to a few
ROUNDS, LAST_ROUNDS = 8, 5  # at most, of splitting all topics and of splitting those that do better as two
GROWING = 1.1  # factor by which a round of splits raises the number of topics while it grows
STILL = 2  # such rounds in a row after which it grows no more: at first topics may be too mixed to tell apart
SETTLED = 0.02  # of the topics: as few splits and merges in one of the last rounds end the search
AT_FIRST, AFTER_SPLITS, AFTER_MERGES, IN_LAST_ROUNDS = 30, 15, 10, 5  # sweeps
GoOn = Callable[[int], bool]


class Round(NamedTuple):
    """What a round of the search has changed."""

    splits: int
    merges: int
    n_topics: int


def search(state: State, sweep: Sweeps, seed: Seed, go_on: GoOn, last_rounds: int = LAST_ROUNDS) -> list[Round]:
    """Change the state until splits and merges gain little, or as long as `go_on` says so.

    `sweep` makes so many sweeps, with or without an update of concentrations and discounts; topics may have other
    numbers after it. Concentrations and discounts are held from a split to the merges after it: they would follow the
    number of halves.
    """
    moves, rng, rounds = TopicSearch(SplitMerge(state), seed), generator(seed, purposes.START_SEARCH), list[Round]()
    sweep(AT_FIRST, False)
    _become_few(moves, state, sweep, rng, go_on)
    n_topics, n_still = state.n_topics, 0
    while go_on(state.n_topics) and len(rounds) < ROUNDS:
        splits = moves.split_all(state, rng)
        sweep(AFTER_SPLITS, False)
        merges = moves.merge_all(state, sweep, rng)
        sweep(AFTER_MERGES, True)
        rounds.append(Round(splits, merges, state.n_topics))
        n_still = n_still + 1 if state.n_topics <= GROWING * n_topics else 0
        n_topics = state.n_topics
        if n_still == STILL:
            break
    return rounds + _last_rounds(moves, state, sweep, rng, go_on, last_rounds)


def settle(state: State, sweep: Sweeps, seed: Seed, go_on: GoOn) -> None:
    """Sweeps for a state whose topics come from elsewhere, and merges of those that this model does not tell apart."""
    sweep(AFTER_SPLITS, True)
    if go_on(state.n_topics):
        TopicSearch(SplitMerge(state), seed).merge_all(state, sweep, generator(seed, purposes.START_SEARCH))
        sweep(AFTER_MERGES, True)


def gather(state: State, most: int, sweep: Sweeps, seed: Seed) -> None:
    """Merge the pairs of topics that lose least by it, with sweeps in between, until there are no more than `most`.

    Topics that could never be more than that would keep what the first of them happened to be.
    """
    moves, rng = TopicSearch(SplitMerge(state), seed), generator(seed, purposes.START_SEARCH)
    while state.n_topics > most:
        moves.merge_cheapest(state, most, rng)
        sweep(BETWEEN_MERGES, False)


def _become_few(moves: TopicSearch, state: State, sweep: Sweeps, rng: np.random.Generator, go_on: GoOn) -> None:
    """From many topics or from one to some twenty."""
    while go_on(state.n_topics) and state.n_topics > FEW:
        moves.pair_up(state, FEW)
        sweep(BETWEEN_MERGES, False)
    for _ in range(DOUBLINGS):
        if go_on(state.n_topics) and state.n_topics < FEW:
            moves.split_all(state, rng)
            sweep(AFTER_MERGES, True)


def _last_rounds(
    moves: TopicSearch, state: State, sweep: Sweeps, rng: np.random.Generator, go_on: GoOn, most: int
) -> list[Round]:
    """Splits and merges that gain by the same measure: two topics against one, found anew."""
    rounds = list[Round]()
    while go_on(state.n_topics) and len(rounds) < most:
        splits = moves.split_where_better(state, rng)
        sweep(IN_LAST_ROUNDS, False)
        merges = moves.merge_all(state, sweep, rng)
        sweep(IN_LAST_ROUNDS, True)
        rounds.append(Round(splits, merges, state.n_topics))
        if splits + merges <= SETTLED * state.n_topics:
            break
    return rounds
