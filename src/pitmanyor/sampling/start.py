"""Where a chain starts: a search by splits and merges, so that the number of topics dealt at first hardly matters.

In every round all large topics are split in two, sweeps let tokens find their places among the halves, and pairs that
do no better than one topic are merged again. Halves that stay apart are topics; the sweeps in between also gather what
lay scattered over many topics, which no split of one of them could. A start may be chosen in any way: the chain is
exact from wherever it starts.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import NamedTuple

import numpy as np

from pitmanyor import purposes
from pitmanyor.sampling.move_choices import LAUNCH_FIRST, NONE, Selection
from pitmanyor.sampling.split_merge import MoveSeed, SplitMerge
from pitmanyor.seeds import Seed, generator
from pitmanyor.state.state import State
from pitmanyor.state.topic_sizes import effective_number, is_large

ROUNDS, LAST_ROUNDS = 8, 5  # at most, of splitting all topics and of splitting those that gain by it
GROWING = 1.1  # factor by which a round of splits must raise the effective number of topics to be followed by another
SETTLED = 0.02  # of the topics: so many splits and merges that gain something end the search
TRIES = 2  # splits of a topic per round
AFTER_GAINS = 5  # sweeps
AT_FIRST, AFTER_SPLITS, AFTER_MERGES = 30, 15, 10  # sweeps
FEW = 20  # topics: with fewer all are split without a question, with more merges come first
DOUBLINGS = 5  # from one topic to many
BETWEEN_MERGES = 3  # sweeps
FINISHED = 0.1  # of the topics: merges go on, with sweeps in between, while more than these are merged
PATIENCE = 40  # refusals in a row after which pairs that share fewer words are not tried
FEWEST = 2  # tokens of a topic that may split


class Round(NamedTuple):
    """What a round of the search has changed."""

    splits: int
    merges: int
    n_topics: int


def search(state: State, sweep: Callable[[int, bool], None], seed: Seed, go_on: Callable[[int], bool]) -> list[Round]:
    """Change the state until a round of splits and merges changes little, or as long as `go_on` says so.

    `sweep` makes so many sweeps, with or without an update of concentrations and discounts; topics may have other
    numbers after it. Concentrations and discounts are held from a split to the merges after it: they would follow the
    number of halves.
    """
    moves, rng, rounds = TopicSearch(SplitMerge(state), seed), generator(seed, purposes.START_SEARCH), list[Round]()
    sweep(AT_FIRST, False)
    while go_on(state.n_topics) and state.n_topics > FEW:
        moves.halve(state)
        sweep(BETWEEN_MERGES, False)
    for _ in range(DOUBLINGS):
        if go_on(state.n_topics) and state.n_topics < FEW:
            moves.split_all(state, rng)
            sweep(AFTER_MERGES, False)
            moves.merge_all(state, sweep, rng)
    size = effective_topics(state)
    while go_on(state.n_topics) and len(rounds) < ROUNDS:
        splits = moves.split_all(state, rng)
        sweep(AFTER_SPLITS, False)
        merges = moves.merge_all(state, sweep, rng)
        sweep(AFTER_MERGES, True)
        before, size = size, effective_topics(state)
        rounds.append(Round(splits, merges, state.n_topics))
        if size <= GROWING * before:
            break
    for _ in range(LAST_ROUNDS):
        if not go_on(state.n_topics):
            break
        splits = moves.split_gaining(state, rng)
        sweep(AFTER_GAINS, False)
        merges = moves.merge_all(state, sweep, rng)
        sweep(AFTER_GAINS, True)
        rounds.append(Round(splits, merges, state.n_topics))
        if splits + merges <= SETTLED * state.n_topics:
            break
    return rounds


def settle(state: State, sweep: Callable[[int, bool], None], seed: Seed) -> None:
    """Sweeps for a state whose topics come from elsewhere, and merges of those that this model does not tell apart."""
    sweep(AFTER_SPLITS, True)
    TopicSearch(SplitMerge(state), seed).merge_all(state, sweep, generator(seed, purposes.START_SEARCH))
    sweep(AFTER_MERGES, True)


def effective_topics(state: State) -> float:
    """exp of the entropy of the topics' sizes."""
    return effective_number(np.bincount(state.text.topic))


class TopicSearch:
    """Splits of all large topics, and merges of those that do no better as two."""

    def __init__(self, moves: SplitMerge, seed: Seed) -> None:
        self.moves, self.seed, self.n_tried = moves, seed, 0

    def _next_seed(self) -> MoveSeed:
        self.n_tried += 1
        return (*self.seed, self.n_tried)

    def split_all(self, state: State, rng: np.random.Generator) -> int:
        """Split every large topic, as long as there may be more; returns how many were."""
        moves, n_made = self.moves, 0
        moves.index(state)
        large = is_large(moves.sizes())
        for k in np.argsort(-moves.sizes())[: np.count_nonzero(large)]:
            tokens, empty = moves.tokens_of(int(k)), moves.empty(state)
            if len(tokens) < FEWEST or not len(empty):
                continue
            i, j = rng.choice(tokens, 2, replace=False)
            moves.split(state, Selection((int(k), NONE), (int(k), int(empty[0])), (int(i), int(j))), self._next_seed())
            n_made += 1
        return n_made

    def split_gaining(self, state: State, rng: np.random.Generator) -> int:
        """Split every large topic that does better as two; returns how many were."""
        moves, n_made = self.moves, 0
        moves.index(state)
        large = is_large(moves.sizes())
        for k in np.argsort(-moves.sizes())[: np.count_nonzero(large)]:
            n_made += any(self._split(state, rng, int(k)) for _ in range(TRIES))
        return n_made

    def _split(self, state: State, rng: np.random.Generator, k: int) -> bool:
        """Split a topic, unless it does better as one."""
        moves, seed = self.moves, self._next_seed()
        tokens, empty = moves.tokens_of(k), moves.empty(state)
        if len(tokens) < FEWEST or not len(empty):
            return False
        i, j = (int(token) for token in rng.choice(tokens, 2, replace=False))
        proposal = moves.propose(state, LAUNCH_FIRST, Selection((k, NONE), (k, int(empty[0])), (i, j)), seed)
        if proposal.log_alpha > 0.0:
            moves.accept(state, proposal, seed)
            return True
        moves.refuse(state, proposal)
        return False

    def halve(self, state: State) -> None:
        """Pair topics by the words they share, and make one of each pair, down to a few."""
        self.moves.index(state)
        sizes, done = self.moves.sizes(), set[int]()
        n_left = np.count_nonzero(sizes)
        for k in np.argsort(sizes)[len(sizes) - n_left :]:
            other, _ = self._nearest(state, int(k), done)
            if n_left > FEW and int(k) not in done and other != NONE:
                self.moves.absorb(state, int(k), other, self._next_seed())
                done |= {int(k), other}
                n_left -= 1

    def merge_all(self, state: State, sweep: Callable[[int, bool], None], rng: np.random.Generator) -> int:
        """Merge all small topics, and large ones that make no better use of two topics than of one.

        Small topics that the data ask for will be born again. A large topic is merged once at most before the next
        sweeps: what has swallowed several would look like everything else, and swallow that as well.
        """
        n_made = 0
        while True:
            self.moves.index(state)
            n_topics = np.count_nonzero(self.moves.sizes())
            n_now = self._merge_small(state) + self._merge_large(state, rng)
            n_made += n_now
            if n_now <= FINISHED * n_topics:
                return n_made
            sweep(BETWEEN_MERGES, False)

    def _merge_small(self, state: State) -> int:
        """Each with the topic that shares most words with it."""
        sizes, n_made = self.moves.sizes(), 0
        small = np.flatnonzero((sizes > 0) & ~is_large(sizes))
        for k in small[np.argsort(sizes[small])]:
            other, _ = self._nearest(state, int(k))
            if other != NONE:
                self.moves.absorb(state, int(k), other, self._next_seed())
                n_made += 1
        return n_made

    def _merge_large(self, state: State, rng: np.random.Generator) -> int:
        """Those that share most words with another are tried first."""
        moves, n_refused, done, refused = self.moves, 0, set[int](), set[frozenset[int]]()
        nearest = {int(k): self._nearest(state, int(k)) for k in np.flatnonzero(moves.sizes())}
        for one in sorted(nearest, key=lambda k: -nearest[k][1]):
            pair = frozenset({one, nearest[one][0]})
            if pair & done or pair in refused or n_refused >= PATIENCE:
                continue
            if self._merge(state, rng, one, nearest[one][0]):
                done |= pair
                n_refused = 0
            else:
                refused.add(pair)
                n_refused += 1
        return len(done) // 2

    def _nearest(self, state: State, one: int, done: Container[int] = ()) -> tuple[int, float]:
        """The topic that shares most words with one, and how much it shares; NONE if there is no other."""
        topics = np.flatnonzero(self.moves.sizes())
        topics = np.array([k for k in topics if k != one and k not in done], np.int64)
        if not len(topics):
            return NONE, 0.0
        shared = self.moves.shared_words(state, one)[topics]
        return int(topics[np.argmax(shared)]), float(shared.max())

    def _merge(self, state: State, rng: np.random.Generator, one: int, other: int) -> bool:
        """Merge two topics, unless a split found anew is better."""
        moves, seed = self.moves, self._next_seed()
        if other == NONE or not moves.sizes()[one]:
            return False
        i, j = (int(rng.choice(moves.tokens_of(k))) for k in (one, other))
        proposal = moves.merge_or_split_again(state, Selection((one, other), (one, NONE), (i, j)), seed)
        if proposal.log_alpha > 0.0:
            moves.accept(state, proposal, seed)
            return True
        moves.refuse(state, proposal)
        return False
