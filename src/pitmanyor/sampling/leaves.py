"""Which word nodes are leaves, their tokens by cell, and their cells in runs of like work (kernels: leaf_tables.py)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.restaurant.arrays import SHIFT
from pitmanyor.kernels.switching.leaf_tables import Leaves, Rows, index_tokens
from pitmanyor.plan import Plan
from pitmanyor.plan.emitters import find_emitters
from pitmanyor.state.layout import Block
from pitmanyor.state.state import State

Ints = NDArray[np.int64]
CHUNK = 64  # cells of a word-side node summed together: fixed, so that no number of threads changes a sum
MOST_CHUNKS = 2048  # of an instance: there are sums over topics for each


def chunk_size(n_cells: int) -> int:
    """How many cells of an instance are summed together."""
    return CHUNK * max(-(-n_cells // (CHUNK * MOST_CHUNKS)), 1)


@dataclass(frozen=True, eq=False)
class LeafCells:
    """One leaf's cells in runs, none across two instances."""

    bounds: Ints
    instances: Ints  # (instance, 2): its first run and the one after its last
    bits: int  # of a token's walk that leads here; 0: all do
    parent: int | None  # the node to whose counts tables are added, and from which they are taken, as rows are visited

    def rows(self, block: Block, n_held: int) -> Rows:
        """The runs with scratch for the columns there are now."""
        n_runs, sends = len(self.bounds) - 1, self.parent is not None
        work = np.zeros((n_runs, 2, block.width + 1), np.int32)
        partial = np.empty((n_runs, n_held * (1 + block.n_parents)), np.int64)
        return Rows(self.bounds, self.instances, sends, np.uint32(self.bits), work, partial, n_held)


@dataclass(frozen=True, eq=False)
class LeafIndex:
    """The leaves of a plan by node, and their tokens by cell."""

    nodes: dict[int, LeafCells]
    tokens: Leaves

    @property
    def parents(self) -> set[int]:
        """Nodes whose customers are all tables of leaves, which take them off and add them by themselves."""
        return {leaf.parent for leaf in self.nodes.values() if leaf.parent is not None}


def find_leaves(state: State) -> LeafIndex:
    return arrange_leaves(state, tokens_by_cell(state))


def _bits_of_walks(state: State) -> dict[str, int]:
    """The nodes by which leaves emit, and the bits of a token's walk that lead from there to the leaf; 0: all do."""
    plan, shift = state.plan, state.net.nodes[:, SHIFT]
    leaves = find_emitters(plan)
    return {emit: 0 if emit == name else 1 << int(shift[plan.index[emit]]) for name, emit in leaves.items()}


def tokens_by_cell(state: State) -> Leaves:
    """The tokens of a state's text that leaves emit, by their cells."""
    plan, bits = state.plan, _bits_of_walks(state)
    is_leaf = np.array([stream.emit in bits for stream in plan.graph.streams], np.int64)
    sizes = np.diff(state.text.first).reshape(-1, len(is_leaf)).sum(axis=0)
    tokens = Leaves(
        np.zeros(int(plan.cells.first[-1]) + 2, np.int64),
        np.empty(int(sizes @ is_leaf), np.int32),
        is_leaf,
        np.array([bits.get(stream.emit, 0) for stream in plan.graph.streams], np.uint32),
    )
    index_tokens(state.text, state.words, tokens)
    return tokens._replace(first=tokens.first[:-1])


def arrange_leaves(state: State, tokens: Leaves) -> LeafIndex:
    """The leaves, their cells in runs; only how many tokens a cell has is asked of `tokens`."""
    plan, bits = state.plan, _bits_of_walks(state)
    nodes = {
        plan.index[name]: _runs(plan, plan.index[name], bits[emit], tokens.first)
        for name, emit in find_emitters(plan).items()
    }
    senders = {plan.nodes[i].name for i, leaf in nodes.items() if leaf.parent is not None}
    for i, leaf in nodes.items():
        if leaf.parent is not None and not _has_only(plan, leaf.parent, senders):
            nodes[i] = replace(leaf, parent=None)
    return LeafIndex(nodes, tokens)


def _has_only(plan: Plan, parent: int, children: set[str]) -> bool:
    """Do all customers of a node come from these children?"""
    name = plan.nodes[parent].name
    below = {node.name for node in plan.nodes if name in node.parents}
    return below <= children and all(stream.emit != name for stream in plan.graph.streams)


def _runs(plan: Plan, index: int, bits: int, first: Ints) -> LeafCells:
    """Runs of some cells, fewer where the words are common, so that threads share the work evenly."""
    cells = plan.cells.of(index)
    n_tokens = np.diff(first[cells.start : cells.stop + 1])
    work = np.cumsum(n_tokens + n_tokens.mean())  # passing over a cell's columns costs as much as its tokens
    n_runs = len(work) // chunk_size(len(work))
    run = np.searchsorted(work, np.arange(1, n_runs + 1) * work[-1] / max(n_runs, 1))
    starts = np.flatnonzero(np.diff(plan.cells.instance[cells], prepend=-1))
    bounds = np.unique(np.concatenate([starts, run[run < len(work)], [len(work)]]))
    place = np.searchsorted(bounds, np.append(starts, len(work)))
    parents = plan.nodes[index].parents
    # with one instance no two cells have the same parent, so runs cannot meet there
    parent = plan.index[parents[0]] if len(starts) == len(parents) == 1 else None
    return LeafCells(bounds + cells.start, np.stack([place[:-1], place[1:]], axis=1), bits, parent)
