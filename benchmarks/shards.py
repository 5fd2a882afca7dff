"""What shards cost: sweeps in memory, in files and on workers of this machine, and from 1 to 100 million tokens.

`python -m benchmarks.shards` compares the ways on 4 million tokens; `--tokens 1 10 100 --ways files` shows how the cost
grows. Each row is a process of its own. CPU time is that of all processes and threads; the peak of memory is that of
the driver. `python -m benchmarks.shards --paper` prints what the cost model says of clusters (decision 9).
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from pitmanyor.corpus import Corpus, Stream
from pitmanyor.models import lda
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.chain import Chain
from pitmanyor.sampling.sweeps import FEWEST
from pitmanyor.shards.cut import SHARD_TOKENS
from pitmanyor.shards.on_dask import FEW, GROUP, as_client
from pitmanyor.shards.sharded import bounds_of, empty_state, in_files, in_memory, on_dask
from pitmanyor.shards.sharded_chain import COSTS, ShardedChain
from pitmanyor.state import new_state

WAYS = ("plain", "memory", "files", "1 worker", "2 workers")
WORDS, TOPICS, LENGTH = 20_000, 100, 25  # of a post
WARM, TIMED = 2, 4  # sweeps
PART = 5_000_000  # tokens that are drawn at a time


def posts(n_tokens: int) -> Corpus:
    """Posts of 25 tokens about three of 100 topics each, whose words are Zipf's."""
    rng, weight = np.random.default_rng(1), 1.0 / np.arange(1, WORDS // TOPICS + 1)
    words = np.empty(n_tokens // LENGTH * LENGTH, np.int32)
    for start in range(0, len(words), PART):
        n = min(PART, len(words) - start) // LENGTH
        topics = rng.integers(TOPICS, size=(n, 3))[np.arange(n)[:, None], rng.integers(3, size=(n, LENGTH))]
        rank = np.searchsorted(np.cumsum(weight / weight.sum()), rng.random((n, LENGTH)))
        words[start : start + n * LENGTH] = (rank * TOPICS + topics).reshape(-1) % WORDS
    stream = Stream(words, np.arange(len(words) // LENGTH + 1, dtype=np.int64) * LENGTH)
    return Corpus(tuple(map(str, range(WORDS))), MappingProxyType({"word": stream}))


def chain_of(way: str, corpus: Corpus, home: Path, client: Any) -> Chain:
    graph, how = lda(TOPICS), {"seed": 1, "passes": 2}
    if way == "plain":
        return Chain(new_state(compile_plan(graph, corpus)), **how)  # type: ignore[arg-type]
    bounds = bounds_of(graph, corpus)
    state = empty_state(graph, corpus, bounds[0])
    given = (state, corpus, *bounds)
    if way == "memory":
        held = in_memory(*given)
    else:
        held = in_files(*given, home) if client is None else on_dask(*given, home, client)
    return ShardedChain(state, held, **how)  # type: ignore[arg-type]


def spent(client: Any) -> float:
    """CPU seconds of this process and of all workers."""
    return time.process_time() + (sum(client.run(time.process_time).values()) if client else 0.0)


def measure(way: str, place: Path, home: Path, client: Any = None) -> dict[str, float]:
    chain = chain_of(way, Corpus.load(place, mapped=True), home, client)
    started = spent(client)
    chain.initialise(TOPICS)
    seated = spent(client) - started
    for _ in range(WARM):
        chain.step()
    cpu, wall = spent(client), time.perf_counter()
    for _ in range(TIMED):
        chain.step()
    found = {"cpu": (spent(client) - cpu) / TIMED, "wall": (time.perf_counter() - wall) / TIMED, "seated": seated}
    found["log_joint"] = chain.measures.log_joint
    found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return found | {name: float(np.mean(chain.trace[name][-TIMED:])) for name in chain.trace if name.startswith(COSTS)}


def child(way: str, place: Path) -> None:
    with TemporaryDirectory(dir=place.parent) as home:
        if "worker" not in way:
            print(json.dumps(measure(way, place, Path(home))))
            return
        with as_client("local", int(way[0])) as client:
            print(json.dumps(measure(way, place, Path(home), client)))


def rows(millions: list[float], ways: list[str]) -> Iterator[str]:
    yield "| M tokens | way | CPU s per sweep | ns per token | s | MB sent, received | s at the driver | peak, GB |"
    yield "|---:|---|---:|---:|---:|---:|---:|---:|"
    for n in millions:
        joints = set()
        with TemporaryDirectory() as home:
            place = Path(home) / "corpus.safetensors"
            subprocess.run([sys.executable, "-m", __spec__.name, "--draw", str(n), "--child", place], check=True)
            for way in ways:
                command = [sys.executable, "-m", __spec__.name, "--ways", way, "--child", place]
                said = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
                joints.add(said["log_joint"])
                yield f"| {n:g} | {way} | {_row(said, n)} |"
        if len(joints) > 1:
            raise AssertionError(f"these ways are not the same chain: {joints}")


def _row(said: dict[str, float], millions: float) -> str:
    bytes_ = [f"{said.get(f'{COSTS}bytes_{way}', 0.0) / 1e6:.1f}" for way in ("sent", "received")]
    driver = f"{said[f'{COSTS}seconds_at_the_driver']:.2f}" if f"{COSTS}seconds_at_the_driver" in said else ""
    per_token = said["cpu"] / millions * 1e3
    return (
        f"{said['cpu']:.2f} | {per_token:.0f} | {said['wall']:.2f} | {', '.join(bytes_)} | {driver} | "
        f"{said['peak'] / 1e9:.2f}"
    )


class Size(NamedTuple):
    """A corpus and a model of it."""

    tokens: float
    words: float
    topics: float


SIZES = {
    "100 M": Size(1e8, 5e4, 500),
    "PubMed, 768 M": Size(768e6, 141e3, 1_000),
    "10 G": Size(1e10, 5e5, 2_000),
}
PER_TOKEN, PER_CELL = 200e-9, 4e-9  # core seconds per token; the driver's seconds per count
BYTES = 2  # of a count on its way to the driver; most counts of one shard take one byte
PER_ANCHOR = 2e-6  # the driver's seconds per token of an anchor
DISTINCT = 0.5  # pairs of a word and a topic that occur in a shard, per token
CORES, BANDWIDTH = 8, 1e9  # of a worker; bytes per second


def on_paper(size: Size, n_workers: int) -> tuple[float, float, float]:
    """Seconds of a sweep: of workers of 8 cores, of the network, of the driver.

    Every worker reads the vectors once, counts are added by eights, and the driver takes the last one or two sums.
    Splits and merges are left out.
    """
    cells, parts = size.words * size.topics, size.tokens / SHARD_TOKENS
    compute, received, pairs = size.tokens * PER_TOKEN / (n_workers * CORES), 0.0, SHARD_TOKENS * DISTINCT
    while parts > FEW:  # every part of a level goes to the worker that adds it up, as pairs of 8 bytes or as all cells
        received += parts * min(8 * pairs, BYTES * cells) / n_workers
        parts, pairs = np.ceil(parts / GROUP), pairs * GROUP
    anchors = FEWEST * size.tokens * PER_ANCHOR
    received *= 1 - 1 / n_workers  # the rest is there already
    last = parts * min(8 * pairs, BYTES * cells)
    return compute, (4 * cells + received + last) / BANDWIDTH, cells * PER_CELL + anchors


def paper() -> Iterator[str]:
    yield "| corpus | workers | s computing | s on the way | s at the driver | s per sweep |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, size in SIZES.items():
        for n in (1, 4, 16, 64):
            parts = on_paper(size, n)
            yield f"| {name} | {n} | " + " | ".join(f"{x:.1f}" for x in (*parts, sum(parts))) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", nargs="+", type=float, default=[4.0], help="millions of tokens")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--paper", action="store_true")
    parser.add_argument("--draw", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.draw:
        posts(int(given.draw * 1e6)).save(given.child)
    elif given.child:
        child(given.ways[0], given.child)
    else:
        for row in paper() if given.paper else rows(given.tokens, given.ways):
            print(row, flush=True)


if __name__ == "__main__":
    main()
