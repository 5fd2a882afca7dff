"""Splits and merges of whole topics that are made or not by their gain alone, for the search for a start."""

from __future__ import annotations

from collections.abc import Callable, Container

import numpy as np

from pitmanyor.sampling.move_choices import LAUNCH_FIRST, NONE, Selection
from pitmanyor.sampling.split_merge import MoveSeed, SplitMerge
from pitmanyor.seeds import Seed
from pitmanyor.state.state import State
from pitmanyor.state.topic_sizes import is_large

BETWEEN_MERGES = 3  # sweeps
TRIES = 2  # of a split that must be better than none
FINISHED = 0.1  # of the topics: merges go on, with sweeps in between, while more than these are merged
PATIENCE = 40  # refusals in a row after which pairs that share fewer words are not tried
AT_ONCE = 4  # of so many topics one may be merged between sweeps where there are too many
FEWEST = 2  # tokens of a topic that may split
Sweeps = Callable[[int, bool], None]


class TopicSearch:
    """Splits and merges of a search, which are made or not by their gain alone."""

    def __init__(self, moves: SplitMerge, seed: Seed) -> None:
        self.moves, self.seed, self.n_tried = moves, seed, 0

    def _next_seed(self) -> MoveSeed:
        self.n_tried += 1
        return (*self.seed, self.n_tried)

    def split_all(self, state: State, rng: np.random.Generator) -> int:
        """Split every large topic, as long as there may be more; returns how many were."""
        n_made = 0
        for k in self._large(state):
            selection = self._split_of(state, rng, k)
            if selection is not None:
                self.moves.split(state, selection, self._next_seed())
                n_made += 1
        return n_made

    def split_where_better(self, state: State, rng: np.random.Generator) -> int:
        """Split every large topic that does better as two; returns how many did."""
        return sum(any(self._split_if_better(state, rng, k) for _ in range(TRIES)) for k in self._large(state))

    def _large(self, state: State) -> list[int]:
        """Large topics, the largest first."""
        self.moves.index(state)
        sizes = self.moves.sizes()
        return [int(k) for k in np.argsort(-sizes)[: np.count_nonzero(is_large(sizes))]]

    def _split_of(self, state: State, rng: np.random.Generator, k: int) -> Selection | None:
        """How to split a topic, if it has two tokens and there may be one more."""
        tokens, empty = self.moves.tokens_of(k), self.moves.empty(state)
        if len(tokens) < FEWEST or not len(empty):
            return None
        i, j = rng.choice(tokens, 2, replace=False)
        return Selection((k, NONE), (k, int(empty[0])), (int(i), int(j)))

    def _split_if_better(self, state: State, rng: np.random.Generator, k: int) -> bool:
        moves, selection, seed = self.moves, self._split_of(state, rng, k), self._next_seed()
        if selection is None:
            return False
        proposal = moves.propose(state, LAUNCH_FIRST, selection, seed)
        if proposal.log_alpha > 0.0:
            moves.accept(state, proposal, seed)
            return True
        moves.refuse(state, proposal)
        return False

    def pair_up(self, state: State, most: int) -> None:
        """Merge topics with those that share most words with them, the smallest first, but not to fewer than `most`."""
        self.moves.index(state)
        sizes, done = self.moves.sizes(), set[int]()
        n_left = np.count_nonzero(sizes)
        for k in np.argsort(sizes)[len(sizes) - n_left :]:
            one, (other, _) = int(k), self._nearest(state, int(k), done)
            if n_left > most and one not in done and other != NONE:
                self.moves.absorb(state, one, other, self._next_seed())
                done |= {one, other}
                n_left -= 1

    def merge_cheapest(self, state: State, most: int, rng: np.random.Generator) -> None:
        """Merge the pairs that lose least by it, a quarter of the topics at once, but not to fewer than `most`."""
        self.moves.index(state)
        sizes, done = self.moves.sizes(), set[int]()
        topics = [int(k) for k in np.flatnonzero(sizes)]
        n_due = min(len(topics) - most, max(1, len(topics) // AT_ONCE))
        pairs = {tuple(sorted((k, self._nearest(state, k)[0]), key=lambda k: sizes[k])) for k in topics}
        gain = {pair: self._gain(state, rng, *pair) for pair in sorted(pairs)}
        for one, other in sorted(gain, key=lambda pair: -gain[pair]):
            if n_due and not {one, other} & done:
                self.moves.absorb(state, one, other, self._next_seed())
                done |= {one, other}
                n_due -= 1

    def _gain(self, state: State, rng: np.random.Generator, one: int, other: int) -> float:
        """By how much two topics do better as one, in nats; the state stays as it is."""
        proposal = self.moves.merge_or_split_again(state, self._merge_of(rng, one, other), self._next_seed())
        self.moves.refuse(state, proposal)
        return proposal.log_alpha

    def merge_all(self, state: State, sweep: Sweeps, rng: np.random.Generator) -> int:
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

    def _nearest(self, state: State, one: int, left_out: Container[int] = ()) -> tuple[int, float]:
        """The topic that shares most words with one, and how much it shares; NONE if there is no other."""
        topics = [int(k) for k in np.flatnonzero(self.moves.sizes()) if k != one and k not in left_out]
        if not topics:
            return NONE, 0.0
        shared = self.moves.shared_words(state, one)[topics]
        return topics[int(np.argmax(shared))], float(shared.max())

    def _merge(self, state: State, rng: np.random.Generator, one: int, other: int) -> bool:
        """Merge two topics, unless a split found anew is better."""
        moves, seed = self.moves, self._next_seed()
        if other == NONE or not moves.sizes()[one]:
            return False
        proposal = moves.merge_or_split_again(state, self._merge_of(rng, one, other), seed)
        if proposal.log_alpha > 0.0:
            moves.accept(state, proposal, seed)
            return True
        moves.refuse(state, proposal)
        return False

    def _merge_of(self, rng: np.random.Generator, one: int, other: int) -> Selection:
        i, j = (int(rng.choice(self.moves.tokens_of(k))) for k in (one, other))
        return Selection((one, other), (one, NONE), (i, j))
