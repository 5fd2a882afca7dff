"""Splits and merges over shards: the driver asks for the documents of one or two topics, and moves them by itself."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from pitmanyor.sampling.document_sums import DocumentSums, change_sums, sum_text
from pitmanyor.sampling.split_merge import NONE, Ints, Kernel, Proposal, SplitMerge, Tally
from pitmanyor.seeds import Seed
from pitmanyor.shards.shard import join
from pitmanyor.shards.shard_sweeper import ShardSweeper, shares_of
from pitmanyor.state.state import State


class ShardMoves(SplitMerge):
    """Tries moves on the counts of a driver; leaves the bytes that `SplitMerge` leaves of the whole corpus."""

    def __init__(self, state: State, sweeper: ShardSweeper) -> None:
        super().__init__(state)
        self.sweeper, self.outline, self.holder = sweeper, sweeper.outline, sweeper.holder
        self.held: list[Ints] = []  # the documents at hand, by shard
        self.before: DocumentSums = ()  # of these documents, before they are moved

    def step(self, state: State, seed: Seed, kernels: Sequence[Kernel]) -> Tally:
        started = time.perf_counter()
        tally, seconds = super().step(state, seed, kernels), time.perf_counter() - started
        self.sweeper.costs = self.sweeper.costs._replace(seconds_moving=seconds)
        return tally

    def index(self, state: State) -> None:
        """Labels are those of the shards from here on: no sweep comes between the moves."""
        self.make_room(state)
        self.sweeper.grow_labels(state.capacity)

    def sizes(self) -> Ints:
        return self.sweeper.sizes

    def hold(self, state: State, topics: Sequence[int]) -> bool:
        found = self.holder.find(topics)
        if sum(one.n_tokens for one in found) > self.most:
            return False
        self.held = [one.documents for one in found]
        text = join(self.outline, self.holder.anchors(self.held))
        state.text = self.sweeper.up_to_date(text, text.number.astype(np.int64))
        self.before = sum_text(state)
        self._list_tokens(state)
        return True

    def let_go(self, state: State, accepted: Proposal | None) -> None:
        if accepted is not None:
            self._give_back(state, accepted)
        state.text, self.order = self.sweeper.resting, np.zeros(0, np.int32)

    def _give_back(self, state: State, accepted: Proposal) -> None:
        """Let shards have what has become of their documents."""
        sweeper, selection = self.sweeper, accepted.selection
        topics = [k for k in {*selection.before, *selection.after} if k != NONE]
        sweeper.sizes[topics] = np.bincount(state.text.topic, minlength=state.capacity)[topics]
        sweeper.sums = change_sums(sweeper.sums, self.before, sum_text(state), state.text.number.astype(np.int64))
        for number, moved in enumerate(shares_of(state.text, self.held)):
            if len(self.held[number]):
                self.holder.change(number, self.held[number], moved)
        sweeper.ahead = None
