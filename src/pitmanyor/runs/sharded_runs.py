"""Runs over shards: of a corpus larger than memory, or on a cluster. Their results are those of a run in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph
from pitmanyor.machine import process_tag, remove_abandoned
from pitmanyor.room import room
from pitmanyor.runs.advance import Run, default_threads, new_chain
from pitmanyor.runs.chain_settings import Settings
from pitmanyor.shards.budget import Wanted, parse_memory, refuse_if_over, shard_size
from pitmanyor.shards.on_dask import as_client
from pitmanyor.shards.sharded import bounds_of, empty_state, in_files, on_dask
from pitmanyor.shards.sharded_chain import ShardedChain
from pitmanyor.state import State

SHARDS = ".shards-"


class Bounds(NamedTuple):
    """Where shards are swept: within so many bytes of this process, or on the workers of a client."""

    memory: int | None
    client: Any
    home: Path  # of working files; all workers must see it
    chains: int = 1  # of the fit, which come one after the other

    @property
    def corpus(self) -> Path | None:
        """Where a corpus is put that is read, if memory is bounded."""
        return None if self.memory is None else self.home / "corpus.safetensors"


@contextmanager
def working_place(memory: str | int | None, client: Any, near: Path | None) -> Iterator[Bounds]:
    """A directory for working files, which is removed in the end, and a client if one is asked for."""
    n_bytes = None if memory is None else parse_memory(memory)
    remove_abandoned(near or Path(gettempdir()), SHARDS)
    with TemporaryDirectory(prefix=SHARDS + process_tag(), dir=near, ignore_cleanup_errors=True) as home:
        if client is None:
            yield Bounds(n_bytes, None, Path(home))
        else:
            with as_client(client) as connected:
                yield Bounds(n_bytes, connected, Path(home))


class Prepared(NamedTuple):
    """The empty state of a driver, and where its corpus is cut."""

    state: State
    corpus: Corpus
    bounds: NDArray[np.int64]
    has_tokens: NDArray[np.bool_]


def prepare(corpus: Corpus, graph: Graph, asked: Settings, where: Bounds) -> Prepared:
    """Cut a corpus, and make the state of its model without its tokens."""
    bounds, has_tokens = bounds_of(graph, corpus, shard_size(where.memory))
    state = empty_state(graph, corpus, bounds, max_topics=asked.max_topics, rule=asked.sampler.rule)
    return Prepared(state, corpus, bounds, has_tokens)


def new_sharded_run(ready: Prepared, graph: Graph, settings: Settings, threads: int | None, where: Bounds) -> Run:
    """A run over shards that has not begun."""
    state, sampler = ready.state, settings.sampler
    wanted = Wanted(settings.start.topics, len(settings.kept), sampler.moves, where.chains)
    refuse_if_over(where.memory or room(), state, wanted)
    sharded = in_files(*ready, where.home) if where.client is None else on_dask(*ready, where.home, where.client)
    chain = ShardedChain(
        state,
        sharded,
        seed=settings.seed,
        chain=settings.chain,
        kind=sampler.kind,
        collapsed_first=sampler.collapsed_first or 0,
        anchors=sampler.anchors,
        passes=sampler.passes,
        n_threads=threads or default_threads(state.plan.n_tokens),
        moves=sampler.moves,
    )
    return Run(graph, settings, chain)


def in_one_piece(run: Run, threads: int | None) -> Run:
    """The same run as if it had been in memory; documents are read from files as they are asked for."""
    if not isinstance(run.chain, ShardedChain):
        return run
    chain = new_chain(run.chain.whole(), run.settings, threads)
    chain.started, chain.n_sweeps, chain.trace = run.chain.started, run.chain.n_sweeps, run.chain.trace
    chain.rate, chain.measures = run.chain.rate, run.chain.measures
    return replace(run, chain=chain)
