"""A chain over shards: the same bytes as the chain of the whole corpus, whoever holds the tokens (decision 9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numba
import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError
from pitmanyor.sampling.chain import Chain
from pitmanyor.sampling.sample_start import is_sampled
from pitmanyor.sampling.split_merge import Tally
from pitmanyor.sampling.sweeps import Sweep
from pitmanyor.seeds import Seed
from pitmanyor.shards.deal import seat_at_random, seat_from, take_over
from pitmanyor.shards.shard_moves import ShardMoves
from pitmanyor.shards.shard_sweeper import ShardSweeper
from pitmanyor.shards.sharded import Sharded
from pitmanyor.shards.whole import Gathering, gather, whole_state
from pitmanyor.state.state import State

COSTS = "shards/"  # names of the trace, of what no seed determines


class ShardedChain(Chain):
    """Sweeps shards and keeps their trace. No network yet."""

    def __init__(
        self,
        state: State,
        sharded: Sharded,
        *,
        seed: int,
        chain: int = 0,
        kind: Sweep = "mixed",
        collapsed_first: int = 0,
        anchors: float | None = None,
        passes: int = 1,
        n_threads: int = 1,
        moves: bool = False,
    ) -> None:
        super().__init__(
            state,
            seed=seed,
            chain=chain,
            kind=kind,
            collapsed_first=collapsed_first,
            anchors=anchors,
            passes=passes,
            n_threads=n_threads,
            moves=moves,
        )
        plain = self.sweeper
        self.shards = ShardSweeper(
            state,
            plain.sweep,
            sharded,
            anchors=plain.anchors,
            passes=passes,
            n_threads=n_threads,
            relabels=plain.relabels,
        )
        self.sweeper = self.shards
        self.moves = ShardMoves(state, self.shards) if self.moves else None

    def initialise(self, n_topics: int | None = None, go_on: Callable[[int], bool] = lambda _: True) -> None:
        """Seat every token for the first time, and search for a start if splits and merges are made."""
        if self.searches:
            self._search(n_topics, go_on)
            return
        numba.set_num_threads(self.sweeper.n_threads)
        seat_at_random(self.shards, self.state, (self.seed, self.chain, 0), n_topics)
        self._start()

    def _search(self, n_topics: int | None, go_on: Callable[[int], bool]) -> None:
        """In a sample of a large corpus; a small one is in memory for as long as it takes."""
        corpus = self.shards.sharded.corpus
        if is_sampled(self.state.plan):
            self._initialise_from_sample(corpus, n_topics, go_on)
            return
        state, sweeper = self.state, self.sweeper
        whole = whole_state(state, corpus, self.shards.all_documents())
        whole.layout = replace(whole.layout, packs=False)  # shards count by rows
        chain = Chain(
            whole,
            seed=self.seed,
            chain=self.chain,
            kind=sweeper.sweep,
            anchors=sweeper.anchors,
            passes=sweeper.passes,
            n_threads=sweeper.n_threads,
            moves=True,
        )
        chain.initialise(n_topics, go_on)
        take_over(self.shards, state, whole)
        self._start()

    def _seat_from(self, documents: NDArray[np.int64], topics: NDArray[np.int64]) -> None:
        seat_from(self.shards, self.state, (self.seed, self.chain, 0), documents, topics)

    def initialise_at(self, topics: NDArray[np.int64]) -> None:
        raise PlanError("a corpus in shards cannot start from topics that are given; fit in memory")

    def whole(self) -> State:
        """The state that the chain of the whole corpus would have; documents in memory, or in files if shards are."""
        shards, sharded = self.shards, self.shards.sharded
        gathered = gather if sharded.home is None else Gathering(sharded.home)
        text = gathered(shards.outline, shards.holder.texts(), shards.place, self.state.text.concentration)
        return whole_state(self.state, sharded.corpus, text)

    def _tidy(self) -> None:
        self.shards.tidy(self.state)

    def _measure(self, seed: Seed) -> None:
        self.measures.take(self.state, seed, self.shards.sums)

    def _remember(self, tally: Tally | None) -> None:
        super()._remember(tally)
        for name, value in self.shards.costs._asdict().items():
            self._add(f"{COSTS}{name}", value)

    def _topic_sizes(self) -> NDArray[np.int64]:
        return self.shards.sizes[: self.state.n_topics]
