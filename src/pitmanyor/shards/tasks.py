"""The tasks of a cluster: plain functions of files and of one another, so that a task that is lost runs again.

A worker process keeps the empty state and the vectors of the last sweep that it saw. Both follow from files that never
change, so that it is no matter which worker runs a task.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

import numba
from numpy.typing import NDArray

from pitmanyor.sampling.document_sums import DocumentSums
from pitmanyor.shards.broadcast import SHARED, load_empty_state, load_shared
from pitmanyor.shards.packed_counts import PackedCounts, add_packed, pack_counts
from pitmanyor.shards.shard import Found, Moving, changed, holding, moving_of
from pitmanyor.shards.shard_files import ShardFiles, read_moving
from pitmanyor.shards.step import Orders, Worker, no_counts
from pitmanyor.shards.working_files import write_parts
from pitmanyor.state.some_documents import take
from pitmanyor.state.state import State

Array = NDArray[Any]


class Told(NamedTuple):
    """What a shard tells the driver after a sweep, but for its counts."""

    sums: DocumentSums
    sizes: Array
    wanted: tuple[Array, ...]
    seconds: float


class Said(NamedTuple):
    """What some shards say of a sweep: the customers of all together, and what else each tells, in their order."""

    counts: PackedCounts
    told: list[Told]


class Swept(NamedTuple):
    """A shard after a sweep, and what it says."""

    moving: Moving
    said: Said


Held = Moving | Swept  # what a worker has of a shard: as it was loaded, or after a sweep


class Known(NamedTuple):
    """What this process knows of the run in a directory."""

    home: str
    empty: State
    files: ShardFiles
    sweep: int = -1
    worker: Worker | None = None


_known: list[Known] = []


def _know(home: str) -> Known:
    if not _known or _known[0].home != home:
        empty = load_empty_state(Path(home))
        _known[:] = [Known(home, empty, ShardFiles(empty, Path(home)))]
    return _known[0]


def _worker(home: str, sweep: int, n_threads: int) -> Worker:
    """A worker with the vectors of a sweep, on as many of Numba's threads as asked for and as there are."""
    known = _know(home)
    n_threads = min(n_threads, int(numba.config.NUMBA_NUM_THREADS))
    numba.set_num_threads(n_threads)  # of the thread that runs this task
    if known.sweep != sweep or known.worker is None:
        _known[:] = [known._replace(sweep=-1, worker=None)]  # room for the next
        shared = load_shared(known.empty, Path(home) / SHARED.format(sweep), n_threads)
        _known[:] = [known._replace(sweep=sweep, worker=Worker(shared))]
    worker = _known[0].worker
    assert worker is not None
    return worker


def load_fixed(home: str, number: int) -> list[Array]:
    return _know(home).files.read_fixed(number)


def load_moving(path: str) -> Moving:
    return read_moving(Path(path))


def moving_in(held: Held) -> Moving:
    return held.moving if isinstance(held, Swept) else held


def save_moving(held: Held, path: str) -> str:
    write_parts(Path(path), moving_in(held))
    return path


def choose(fixed: list[Array], held: Held, documents: Array, home: str) -> tuple[Array, ...]:
    """Some documents of a shard."""
    files = _know(home).files
    return files.apart(take(files.outline, files.assemble(fixed, moving_in(held)).text, documents))


def find(fixed: list[Array], held: Held, topics: list[int], home: str) -> Found:
    """The documents of a shard that hold one of these topics."""
    return holding(_know(home).files.assemble(fixed, moving_in(held)).text, topics)


def change(fixed: list[Array], held: Held, documents: Array, moved: Moving, home: str) -> Moving:
    """What a shard has when some of its documents have other topics, walks and measures."""
    return moving_of(changed(_know(home).files.assemble(fixed, moving_in(held)).text, documents, moved))


def sweep_shard(fixed: list[Array], held: Held, orders: Orders, home: str, sweep: int, n_threads: int) -> Swept:
    """One sweep of a shard: its documents afterwards, the customers that they send, and what else the driver needs."""
    started, worker = time.perf_counter(), _worker(home, sweep, n_threads)
    files, counts = _know(home).files, no_counts(worker.shared)
    moved, delta = worker.step(files.assemble(fixed, moving_in(held)), orders, counts)
    packed = pack_counts(worker.shared, counts)
    told = Told(delta.sums, delta.sizes, files.apart(delta.wanted), time.perf_counter() - started)
    return Swept(moved, Said(packed, [told]))


def said_in(swept: Swept) -> Said:
    return swept.said


def add_said(parts: list[Said]) -> Said:
    """What several shards say, in their order."""
    return Said(add_packed([part.counts for part in parts]), [told for part in parts for told in part.told])


def can_see(home: str, name: str) -> bool:
    return (Path(home) / name).is_file()
