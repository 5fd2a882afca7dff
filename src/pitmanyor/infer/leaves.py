"""Which word nodes are leaves, their tokens by cell, and their cells in runs of like work (see kernels/leaves.py)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.leaves import Leaves, Rows, index_tokens
from pitmanyor.kernels.vectors import CHUNK
from pitmanyor.plan import Plan
from pitmanyor.state.layout import Block
from pitmanyor.state.state import State

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LeafCells:
    """One leaf's cells in runs, none across two instances."""

    bounds: Ints
    instances: Ints  # (instance, 2): its first run and the one after its last
    sends: bool  # one parent, and a cell of it for each cell here: runs cannot meet there

    def rows(self, block: Block) -> Rows:
        """The runs with scratch for the columns there are now."""
        n_runs = len(self.bounds) - 1
        work = np.zeros((n_runs, 2, block.width + 1), np.int32)
        partial = np.empty((n_runs, block.width * (1 + block.n_parents)), np.int64)
        return Rows(self.bounds, self.instances, self.sends, work, partial)


@dataclass(frozen=True, eq=False)
class LeafIndex:
    """The leaves of a plan by node, and their tokens by cell."""

    nodes: dict[int, LeafCells]
    tokens: Leaves


def find_leaves(state: State) -> LeafIndex:
    plan = state.plan
    names = leaf_names(plan)
    streams = np.array([stream.emit in names for stream in plan.graph.streams], np.int64)
    n_tokens = sum(len(plan.corpus.streams[s.name].words) for s in plan.graph.streams if s.emit in names)
    n_cells = int(plan.cells.first[-1])
    tokens = Leaves(np.zeros(n_cells + 2, np.int64), np.empty(n_tokens, np.int32), streams)
    index_tokens(state.text, state.words, tokens)
    tokens = tokens._replace(first=tokens.first[:-1])
    return LeafIndex({plan.index[name]: _runs(plan, plan.index[name], tokens.first) for name in names}, tokens)


def leaf_names(plan: Plan) -> list[str]:
    """Shared word nodes per topic that emit tokens and are nobody's parent."""
    parents = {name for node in plan.nodes for name in node.parents}
    emit = {stream.emit for stream in plan.graph.streams}
    return [n.name for n in plan.nodes if n.name in emit - parents and n.per_topic and not n.local]


def _runs(plan: Plan, index: int, first: Ints) -> LeafCells:
    """Runs of some CHUNK cells, fewer where the words are common, so that threads share the work evenly."""
    cells = plan.cells.of(index)
    n_tokens = np.diff(first[cells.start : cells.stop + 1])
    work = np.cumsum(n_tokens + n_tokens.mean())  # passing over a cell's columns costs as much as its tokens
    run = np.searchsorted(work, np.arange(1, len(work) // CHUNK + 1) * work[-1] / max(len(work) // CHUNK, 1))
    starts = np.flatnonzero(np.diff(plan.cells.instance[cells], prepend=-1))
    bounds = np.unique(np.concatenate([starts, run[run < len(work)], [len(work)]]))
    place = np.searchsorted(bounds, np.append(starts, len(work)))
    sends = len(starts) == 1 and len(plan.nodes[index].parents) == 1
    return LeafCells(bounds + cells.start, np.stack([place[:-1], place[1:]], axis=1), sends)
