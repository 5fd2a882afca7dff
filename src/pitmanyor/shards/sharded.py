"""A corpus cut into shards, and the empty state of a model of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.graph import Beta, Graph
from pitmanyor.kernels.switching.leaf_tables import Leaves
from pitmanyor.sampling.leaves import tokens_by_cell
from pitmanyor.shards.broadcast import save_outline
from pitmanyor.shards.cut import SHARD_TOKENS, cut, document_lengths
from pitmanyor.shards.in_memory import Holder, InMemory
from pitmanyor.shards.on_dask import OnDask
from pitmanyor.shards.outline import Outline, draw_outline
from pitmanyor.shards.shard import read_shard
from pitmanyor.shards.shard_files import InFiles, write_shards
from pitmanyor.shards.step import Shard
from pitmanyor.state.some_documents import take
from pitmanyor.state.state import START, Rule, State, new_state

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sharded:
    """Where the shards of a corpus are, and what the driver has to know of all of them."""

    holder: Holder
    bounds: Ints  # shard i has the documents bounds[i]..bounds[i + 1] - 1
    has_tokens: NDArray[np.bool_]  # by document
    tokens: Leaves  # how many tokens every cell of a leaf has; not where they are
    corpus: Corpus
    home: Path | None  # the directory of their files, if they are in files


def refuse_unshardable(graph: Graph) -> None:
    """A PlanError for what shards cannot do."""
    if graph.link_sets:
        raise PlanError(
            f"links {graph.link_sets[0].name!r}: a corpus in shards has no network yet; fit graph.without("
            f"{graph.link_sets[0].name!r}), or fit in memory"
        )
    for node in graph.nodes:
        if node.local and isinstance(node.discount, Beta):
            raise PlanError(
                f"node {node.name!r}: a discount of documents cannot be sampled in shards yet; fix it, such as by "
                f"graph.set({node.name!r}, discount=0.5), or fit in memory"
            )


def empty_state(
    graph: Graph, corpus: Corpus, bounds: Ints, *, max_topics: int | None = None, rule: Rule = "clamp"
) -> State:
    """The state of a driver: all restaurants, and no document."""
    refuse_unshardable(graph)
    outline = draw_outline(graph, corpus, bounds)
    state = new_state(outline, max_topics=max_topics, rule=rule)
    nobody = take(outline, state.text, np.zeros(0, np.int64))
    own = len(state.text.concentration)
    state.text = nobody._replace(concentration=np.full((own, corpus.n_documents), START["topic"]))
    return state


def bounds_of(graph: Graph, corpus: Corpus, size: int = SHARD_TOKENS) -> tuple[Ints, NDArray[np.bool_]]:
    """Where a corpus is cut, and which documents have tokens."""
    lengths = document_lengths(corpus, [stream.name for stream in graph.streams if stream.name in corpus.streams])
    return cut(lengths, size), lengths > 0


def read_shards(state: State, corpus: Corpus, bounds: Ints) -> Iterator[Shard]:
    """The shards one after the other."""
    for start, stop in zip(bounds[:-1], bounds[1:], strict=True):
        text = read_shard(state, corpus, int(start), int(stop))
        corpus.release()
        yield Shard(text, tokens_by_cell(state.over(text)))


def in_memory(state: State, corpus: Corpus, bounds: Ints, has_tokens: NDArray[np.bool_]) -> Sharded:
    """All shards of a corpus in memory."""
    shards = list(read_shards(state, corpus, bounds))
    assert isinstance(state.plan, Outline)
    tokens = count_tokens([one.leaves for one in shards])
    return Sharded(InMemory(state.plan, shards), bounds, has_tokens, tokens, corpus, None)


def in_files(state: State, corpus: Corpus, bounds: Ints, has_tokens: NDArray[np.bool_], home: Path) -> Sharded:
    """All shards of a corpus in a directory; one of them is in memory at a time."""
    files, tokens = write_shards(state, home, read_shards(state, corpus, bounds))
    return Sharded(InFiles(files, len(bounds) - 1), bounds, has_tokens, tokens, corpus, home)


def on_dask(
    state: State, corpus: Corpus, bounds: Ints, has_tokens: NDArray[np.bool_], home: Path, client: Any
) -> Sharded:
    """All shards of a corpus on the workers of a cluster; `home` is a directory that all of them see."""
    save_outline(state, home)
    files, tokens = write_shards(state, home, read_shards(state, corpus, bounds))
    return Sharded(OnDask(client, files, len(bounds) - 1), bounds, has_tokens, tokens, corpus, home)


def count_tokens(parts: list[Leaves]) -> Leaves:
    """The tokens of every cell in all parts together, without saying where they are."""
    return parts[0]._replace(first=np.sum([part.first for part in parts], axis=0), token=np.zeros(0, np.int32))
