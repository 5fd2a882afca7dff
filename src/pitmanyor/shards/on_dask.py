"""Shards on the workers of a Dask cluster. Tasks are pure, so that a worker may be lost at any time (decision 9)."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError, StateError
from pitmanyor.kernels.restaurant.arrays import Text
from pitmanyor.machine import safe_children
from pitmanyor.shards import tasks
from pitmanyor.shards.broadcast import OUTLINE, SHARED, save_shared
from pitmanyor.shards.packed_counts import bytes_of, unpack_counts
from pitmanyor.shards.shard import Found, Moving
from pitmanyor.shards.shard_files import ShardFiles
from pitmanyor.shards.step import Counts, Delta, Orders, Shared

Ints = NDArray[np.int64]
EVERY = 8  # sweeps after which shards are written, so that what is lost is not computed again from the beginning
GROUP = 8  # parts whose counts are added on a worker at a time
FEW = 2  # parts that the driver adds by itself
WAIT = 120  # seconds without any worker
POLL = 5  # seconds after which somebody looks whether there is one
OWN_CLUSTER = {  # Dask's settings for a cluster that is started here
    # A worker that is down this long after an earlier loss is given up, even if it came back in between.
    "distributed.deploy.lost-worker-timeout": "1 hour",
    # Dask returns freed memory to the system at once. Keep it, because the next array would fault in every page again.
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
    # Processes that compute share their cores with Dask's profiler and monitors.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}


class OnDask:
    """Shards as results of tasks. `files` is in a directory that all workers see."""

    def __init__(self, client: Any, files: ShardFiles, n_shards: int, every: int | None = None) -> None:
        self.client, self.files, self.n_shards, self.every = client, files, n_shards, every or EVERY
        self.home, self.run, self.n_tasks = str(files.home.resolve()), secrets.token_hex(4), 0
        self.n_workers, self.traffic = 1, (0, 0)
        check_workers(client, self.home)
        self.fixed = [self._submit("load", tasks.load_fixed, self.home, i) for i in range(n_shards)]
        self.moving = [self._load(files.moving_path(i)) for i in range(n_shards)]
        self.since: list[Path] = []  # files of vectors that a lost shard would need again
        self.saved: list[Path] = []

    def __len__(self) -> int:
        return self.n_shards

    def _submit(self, what: str, function: Callable[..., Any], *given: Any) -> Any:
        """A task with a name of its own, which the dashboard groups by its first part."""
        self.n_tasks += 1
        return self.client.submit(function, *given, key=f"pitmanyor_{what}-{self.run}-{self.n_tasks}", pure=False)

    def _load(self, path: Path) -> Any:
        return self._submit("load", tasks.load_moving, str(path.resolve()))

    def _results(self, futures: Sequence[Any]) -> list[Any]:
        """The results of tasks. While there is no worker nobody else would say so: an error after a while."""
        from distributed import KilledWorker

        alone = 0
        while not self._are_done(futures):
            alone = 0 if self.client.nthreads() else alone + POLL
            if alone >= WAIT:
                raise StateError(
                    f"no worker has been there for {WAIT} seconds; start workers, and resume from the last checkpoint"
                )
        try:
            return list(self.client.gather(list(futures)))
        except KilledWorker as error:
            raise StateError(
                f"workers that ran {error.task!r} were ended one after the other, {error.last_worker} last; give "
                "workers more memory (the last checkpoint is whole)"
            ) from error

    def _are_done(self, futures: Sequence[Any]) -> bool:
        from distributed import wait

        try:
            wait(list(futures), timeout=POLL)
        except TimeoutError:
            return False
        return True

    def texts(self) -> Iterator[Text]:
        for number in range(self.n_shards):
            moving = self._results([self._submit("moved", tasks.moving_in, self.moving[number])])[0]
            yield self.files.assemble(self.files.read_fixed(number), moving).text

    def put(self, number: int, moving: Moving) -> None:
        self.files.write_moving(number, moving)
        self.moving[number] = self._load(self.files.moving_path(number))

    def anchors(self, chosen: Sequence[Ints]) -> list[Text]:
        some = [number for number, documents in enumerate(chosen) if len(documents)]
        given = [(self.fixed[number], self.moving[number], chosen[number], self.home) for number in some]
        found = self._results([self._submit("anchors", tasks.choose, *one) for one in given])
        texts = dict(zip(some, map(self.files.together, found), strict=True))
        return [texts.get(number, self.files.like.text) for number in range(self.n_shards)]

    def find(self, topics: Sequence[int]) -> list[Found]:
        given = zip(self.fixed, self.moving, strict=True)
        found: list[Found] = self._results([self._submit("find", tasks.find, *one, topics, self.home) for one in given])
        return found

    def change(self, number: int, documents: Ints, moved: Moving) -> None:
        given = (self.fixed[number], self.moving[number], documents, moved, self.home)
        self.moving[number] = self._submit("change", tasks.change, *given)

    def sweep(self, shared: Shared, orders: Sequence[Orders]) -> tuple[Counts, list[Delta]]:
        number = shared.seed[2]
        self.since.append(self.files.home / SHARED.format(number))
        size = save_shared(shared, self.since[-1])
        swept = [
            self._submit("sweep", tasks.sweep_shard, *given, self.home, number, shared.n_threads)
            for given in zip(self.fixed, self.moving, orders, strict=True)
        ]
        parts = [self._submit("said", tasks.said_in, one) for one in swept]
        self.moving = swept
        while len(parts) > FEW:
            groups = [parts[i : i + GROUP] for i in range(0, len(parts), GROUP)]
            parts = [self._submit("add", tasks.add_said, group) for group in groups]
        said: list[tasks.Said] = self._results(parts)
        self.n_workers = max(len(self.client.nthreads()), 1)
        self.traffic = (size * self.n_workers + sum(map(bytes_of, orders)), bytes_of(said))
        if len(self.since) >= self.every:
            self._save(number)
        counts = unpack_counts(shared, [part.counts for part in said])
        return counts, [self._delta(told) for part in said for told in part.told]

    def _delta(self, told: tasks.Told) -> Delta:
        return Delta(told.sums, told.sizes, self.files.together(told.wanted), told.seconds)

    def _save(self, sweep: int) -> None:
        """Write all shards: from here on a lost one is read again. What it would have needed before is removed."""
        places = [self.files.moving_path(i).with_suffix(f".moving-{sweep}") for i in range(self.n_shards)]
        pairs = zip(self.moving, places, strict=True)
        self._results([self._submit("save", tasks.save_moving, one, str(place.resolve())) for one, place in pairs])
        self.moving = [self._load(place) for place in places]
        for path in (*self.saved, *self.since):
            path.unlink(missing_ok=True)
        self.saved, self.since = places, []


def check_workers(client: Any, home: str) -> None:
    """A PlanError if a worker would run two tasks at a time, or does not see the directory of the shards."""
    try:
        client.wait_for_workers(1, timeout=WAIT)
    except TimeoutError as error:
        raise PlanError(
            f"no worker has joined the scheduler within {WAIT} seconds; start one by `dask worker`"
        ) from error
    many = {address: n for address, n in client.nthreads().items() if n != 1}
    if many:
        address, n = next(iter(many.items()))
        raise PlanError(
            f"the worker {address} runs {n} tasks at a time, and kernels must have their threads for themselves; start "
            "it with `dask worker --nthreads 1`, and say by threads= how many threads a task has"
        )
    blind = [address for address, sees in client.run(tasks.can_see, home, OUTLINE).items() if not sees]
    if blind:
        raise PlanError(f"the worker {blind[0]} does not see {home}; give a directory that all workers share")


@contextmanager
def as_client(client: Any, n_workers: int | None = None) -> Iterator[Any]:
    """A client of Dask: itself, one of the scheduler at an address, or one of workers that are started here."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise PlanError("a cluster needs Dask; install it by `pip install 'pitmanyor[dask]'`") from error
    if isinstance(client, Client):
        yield client
    elif client == "local":
        options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
        with (
            safe_children(),
            dask.config.set(OWN_CLUSTER),
            LocalCluster(n_workers=n_workers, **options) as cluster,
            Client(cluster) as own,
        ):
            yield own
    elif isinstance(client, str) and "://" in client:
        with Client(client) as own:
            yield own
    else:
        raise PlanError(f'client is "local", an address such as "tcp://host:8786", or a dask Client, not {client!r}')
