"""Shards in files: one after the other is loaded, swept and written, so that memory holds two or three of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.restaurant.arrays import Text
from pitmanyor.kernels.switching.leaf_tables import Leaves
from pitmanyor.sampling.leaves import tokens_by_cell
from pitmanyor.shards.outline import Outline
from pitmanyor.shards.shard import FIXED, MOVING, Found, Moving, changed, holding, moving_of
from pitmanyor.shards.step import Counts, Delta, Orders, Shard, Shared, Worker, no_counts
from pitmanyor.shards.working_files import read_parts, write_parts
from pitmanyor.state.some_documents import is_by_token, take
from pitmanyor.state.state import State

Array = NDArray[Any]
Ints = NDArray[np.int64]
FIXED_FILE, MOVING_FILE = "shard-{:06d}.fixed", "shard-{:06d}.moving"


class ShardFiles:
    """The shards of one corpus in a directory: what no sweep changes in one file, what sweeps change in another."""

    def __init__(self, state: State, home: Path) -> None:
        """`state` is any state of the outline: its text has what all shards share."""
        assert isinstance(state.plan, Outline)
        self.home, self.outline = home, state.plan
        nobody = take(self.outline, state.text, np.zeros(0, np.int64))
        self.like = Shard(nobody, tokens_by_cell(state.over(nobody)))
        self.names = [name for name in FIXED if name != "cells" or any(is_by_token(self.outline))]

    def fixed_path(self, number: int) -> Path:
        return self.home / FIXED_FILE.format(number)

    def moving_path(self, number: int) -> Path:
        return self.home / MOVING_FILE.format(number)

    def write_fixed(self, number: int, shard: Shard) -> None:
        fixed = [getattr(shard.text, name) for name in self.names]
        write_parts(self.fixed_path(number), [*fixed, shard.leaves.first, shard.leaves.token])

    def write_moving(self, number: int, moving: Moving) -> None:
        write_parts(self.moving_path(number), moving)

    def read_fixed(self, number: int) -> list[Array]:
        return read_parts(self.fixed_path(number), len(self.names) + 2)

    def read_moving(self, number: int) -> Moving:
        return read_moving(self.moving_path(number))

    def read(self, number: int) -> Shard:
        return self.assemble(self.read_fixed(number), self.read_moving(number))

    def read_found(self, number: int, topics: Sequence[int]) -> Found:
        """The documents of a shard that hold one of these topics: no more is read than that takes."""
        (first,), (topic,) = read_parts(self.fixed_path(number), 1), read_parts(self.moving_path(number), 1)
        return holding(self.like.text._replace(first=first, topic=topic), topics)

    def assemble(self, fixed: Sequence[Array], moving: Moving) -> Shard:
        """A shard from what its files hold."""
        *of_text, first, token = fixed
        text = self.like.text._replace(**dict(zip(self.names, of_text, strict=True)), **moving._asdict())
        return Shard(text, self.like.leaves._replace(first=first, token=token))

    def apart(self, text: Text) -> tuple[Array, ...]:
        """Documents without what all shards share, which need not travel."""
        return tuple(getattr(text, name) for name in (*self.names, *MOVING))

    def together(self, arrays: Sequence[Array]) -> Text:
        """The documents that were taken apart."""
        return self.like.text._replace(**dict(zip((*self.names, *MOVING), arrays, strict=True)))


def read_moving(path: Path) -> Moving:
    return Moving(*read_parts(path, len(Moving._fields)))


class InFiles:
    """Shards in a directory. The next is read and the last is written while one is swept."""

    def __init__(self, files: ShardFiles, n_shards: int) -> None:
        self.outline, self.files, self.n_shards = files.outline, files, n_shards
        self.n_workers, self.traffic = 1, (0, 0)

    def __len__(self) -> int:
        return self.n_shards

    def _shards(self) -> Iterator[Shard]:
        """All shards, each read while the one before is in use."""
        with ThreadPoolExecutor(1) as reader:
            ahead = reader.submit(self.files.read, 0)
            for number in range(self.n_shards):
                shard = ahead.result()
                if number + 1 < self.n_shards:
                    ahead = reader.submit(self.files.read, number + 1)
                yield shard

    def texts(self) -> Iterator[Text]:
        return (shard.text for shard in self._shards())

    def put(self, number: int, moving: Moving) -> None:
        self.files.write_moving(number, moving)

    def anchors(self, chosen: Sequence[Ints]) -> list[Text]:
        return [self._some(number, documents) for number, documents in enumerate(chosen)]

    def _some(self, number: int, documents: Ints) -> Text:
        """Some documents of a shard, which is not read if there are none."""
        return take(self.outline, self.files.read(number).text, documents) if len(documents) else self.files.like.text

    def find(self, topics: Sequence[int]) -> list[Found]:
        return [self.files.read_found(number, topics) for number in range(self.n_shards)]

    def change(self, number: int, documents: Ints, moved: Moving) -> None:
        self.put(number, moving_of(changed(self.files.read(number).text, documents, moved)))

    def sweep(self, shared: Shared, orders: Sequence[Orders]) -> tuple[Counts, list[Delta]]:
        worker, counts, deltas = Worker(shared), no_counts(shared), []
        with ThreadPoolExecutor(1) as writer:
            written: Future[None] | None = None
            for number, shard in enumerate(self._shards()):
                moving, delta = worker.step(shard, orders[number], counts)
                deltas.append(delta)
                if written is not None:
                    written.result()  # no more than one waits
                written = writer.submit(self.files.write_moving, number, moving)
            if written is not None:
                written.result()
        return counts, deltas


def write_shards(state: State, home: Path, shards: Iterator[Shard]) -> tuple[ShardFiles, Leaves]:
    """Write shards one after the other; also how many tokens every cell of a leaf has in all of them."""
    files = ShardFiles(state, home)
    total = np.zeros_like(files.like.leaves.first)
    for number, shard in enumerate(shards):
        total += shard.leaves.first
        files.write_fixed(number, shard)
        files.write_moving(number, moving_of(shard.text))
    return files, files.like.leaves._replace(first=total)
