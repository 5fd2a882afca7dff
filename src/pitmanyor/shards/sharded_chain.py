"""A chain over shards: the same bytes as the chain of the whole corpus, whoever holds the tokens (decision 9)."""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError
from pitmanyor.sampling.chain import Chain
from pitmanyor.sampling.split_merge import Tally
from pitmanyor.sampling.sweeps import Sweep
from pitmanyor.seeds import Seed
from pitmanyor.shards.shard_sweeper import ShardSweeper
from pitmanyor.shards.sharded import Sharded
from pitmanyor.shards.whole import Gathering, gather, whole_state
from pitmanyor.state.state import State

COSTS = "shards/"  # names of the trace, of what no seed determines


class ShardedChain(Chain):
    """Sweeps shards and keeps their trace. No splits and merges, no search for a start and no network yet."""

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
        if moves:
            raise PlanError("a corpus in shards makes no splits and merges yet; pass moves=False, or fit in memory")
        super().__init__(
            state,
            seed=seed,
            chain=chain,
            kind=kind,
            collapsed_first=collapsed_first,
            anchors=anchors,
            passes=passes,
            n_threads=n_threads,
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

    def initialise(self, n_topics: int | None = None, go_on: Callable[[int], bool] = lambda _: True) -> None:
        """Seat every token for the first time, at one of so many topics at random, or one after the other."""
        numba.set_num_threads(self.sweeper.n_threads)
        self.shards.initialise(self.state, (self.seed, self.chain, 0), n_topics)
        self._start()

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
