"""Shards in the memory of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.restaurant.arrays import Text
from pitmanyor.shards.outline import Outline
from pitmanyor.shards.shard import Found, Moving, changed, holding, moving_of
from pitmanyor.shards.step import Counts, Delta, Orders, Shard, Shared, Worker, no_counts
from pitmanyor.state.some_documents import take

Ints = NDArray[np.int64]


class Holder(Protocol):
    """Who holds the shards of a corpus and sweeps them."""

    n_workers: int
    traffic: tuple[int, int]  # bytes to shards and from them in the last sweep

    def __len__(self) -> int: ...

    def texts(self) -> Iterator[Text]:
        """The text of every shard, in their order."""

    def put(self, number: int, moving: Moving) -> None:
        """Let a shard have other topics, walks and measures."""

    def anchors(self, chosen: Sequence[Ints]) -> list[Text]:
        """Some documents of every shard."""

    def find(self, topics: Sequence[int]) -> list[Found]:
        """The documents of every shard that hold one of these topics."""

    def change(self, number: int, documents: Ints, moved: Moving) -> None:
        """Let some documents of a shard have other topics, walks and measures."""

    def sweep(self, shared: Shared, orders: Sequence[Orders]) -> tuple[Counts, list[Delta]]:
        """Sweep all shards: the customers of all together, and what else each tells."""


class InMemory:
    """A list of shards, swept one after the other."""

    def __init__(self, outline: Outline, shards: Sequence[Shard]) -> None:
        self.outline, self.shards = outline, list(shards)
        self.n_workers, self.traffic = 1, (0, 0)
        self.order: Callable[[int], Sequence[int]] = range  # in which shards are swept; no result depends on it

    def __len__(self) -> int:
        return len(self.shards)

    def texts(self) -> Iterator[Text]:
        return (shard.text for shard in self.shards)

    def put(self, number: int, moving: Moving) -> None:
        self.shards[number] = self.shards[number].moved(moving)

    def anchors(self, chosen: Sequence[Ints]) -> list[Text]:
        return [take(self.outline, shard.text, documents) for shard, documents in zip(self.shards, chosen, strict=True)]

    def find(self, topics: Sequence[int]) -> list[Found]:
        return [holding(shard.text, topics) for shard in self.shards]

    def change(self, number: int, documents: Ints, moved: Moving) -> None:
        self.put(number, moving_of(changed(self.shards[number].text, documents, moved)))

    def sweep(self, shared: Shared, orders: Sequence[Orders]) -> tuple[Counts, list[Delta]]:
        worker, counts, deltas = Worker(shared), no_counts(shared), dict[int, Delta]()
        for i in self.order(len(self.shards)):
            moving, deltas[i] = worker.step(self.shards[i], orders[i], counts)
            self.put(i, moving)
        return counts, [deltas[i] for i in range(len(deltas))]
