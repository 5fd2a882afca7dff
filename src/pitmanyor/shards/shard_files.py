"""Shards in files: one after the other is loaded, swept and written, so that memory holds two or three of them.

These are working files, each in the form of NumPy's arrays one after the other. They are replaced as a whole, and not
forced to the disk: what must survive a crash is a checkpoint.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import FileError
from pitmanyor.kernels.restaurant.arrays import Text
from pitmanyor.kernels.switching.leaf_tables import Leaves
from pitmanyor.shards.outline import Outline
from pitmanyor.shards.shard import FIXED, Moving, is_by_token, moving_of, take
from pitmanyor.shards.step import Counts, Delta, Orders, Shard, Shared, Worker, no_counts

Array = NDArray[Any]
Ints = NDArray[np.int64]
FIXED_FILE, MOVING_FILE = "shard-{:06d}.fixed", "shard-{:06d}.moving"


def write_parts(path: Path, arrays: Sequence[Array]) -> None:
    """Arrays one after the other, in place of what was there, all at once."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(temporary, "wb") as file:
            for array in arrays:
                np.save(file, array, allow_pickle=False)
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise FileError(f"{path}: not written ({error.strerror or error}); make room for the shards") from error


def read_parts(path: Path, n: int) -> list[Array]:
    """What `write_parts` wrote."""
    try:
        with open(path, "rb") as file:
            return [np.load(file, allow_pickle=False) for _ in range(n)]
    except (OSError, ValueError, EOFError) as error:
        raise FileError(f"{path}: a shard cannot be read ({error}); it was cut or removed during the fit") from error


class ShardFile:
    """Writes and reads the shards of one corpus in a directory; `like` has what all of them share."""

    def __init__(self, home: Path, like: Shard, cells_by_token: bool) -> None:
        self.home, self.like, self.by_token = home, like, cells_by_token

    def write_fixed(self, number: int, shard: Shard) -> None:
        fixed = [getattr(shard.text, name) for name in FIXED if name != "cells" or self.by_token]
        write_parts(self.home / FIXED_FILE.format(number), [*fixed, shard.leaves.first, shard.leaves.token])

    def write_moving(self, number: int, moving: Moving) -> None:
        write_parts(self.home / MOVING_FILE.format(number), moving)

    def read(self, number: int) -> Shard:
        names = [name for name in FIXED if name != "cells" or self.by_token]
        *fixed, first, token = read_parts(self.home / FIXED_FILE.format(number), len(names) + 2)
        moving = Moving(*read_parts(self.home / MOVING_FILE.format(number), len(Moving._fields)))
        text = self.like.text._replace(**dict(zip(names, fixed, strict=True)), **moving._asdict())
        return Shard(text, self.like.leaves._replace(first=first, token=token))


class InFiles:
    """Shards in a directory. The next is read and the last is written while one is swept."""

    def __init__(self, outline: Outline, files: ShardFile, n_shards: int) -> None:
        self.outline, self.files, self.n_shards = outline, files, n_shards

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
        return [take(self.outline, text, documents) for text, documents in zip(self.texts(), chosen, strict=True)]

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


def write_shards(outline: Outline, home: Path, shards: Iterator[Shard]) -> tuple[InFiles, Leaves]:
    """Write shards one after the other; also how many tokens every cell of a leaf has in all of them."""
    by_token, files, total = any(is_by_token(outline)), None, None
    for number, shard in enumerate(shards):
        if files is None or total is None:
            files, total = ShardFile(home, shard, by_token), shard.leaves.first.copy()
        else:
            total += shard.leaves.first
        files.write_fixed(number, shard)
        files.write_moving(number, moving_of(shard.text))
    assert files is not None and total is not None
    leaves = files.like.leaves._replace(first=total, token=np.zeros(0, np.int32))
    files.like = _without_documents(outline, files.like)
    return InFiles(outline, files, number + 1), leaves


def _without_documents(outline: Outline, shard: Shard) -> Shard:
    return Shard(take(outline, shard.text, np.zeros(0, np.int64)), shard.leaves._replace(token=np.zeros(0, np.int32)))
