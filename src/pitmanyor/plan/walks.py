"""The lists of positions that tokens walk through: one per context (topic side), one per stream (word side)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitmanyor.graph import Graph
from pitmanyor.kernels.restaurant.arrays import AS_IS, AT_LISTED_WORD, AT_TOKEN, AT_WORD
from pitmanyor.plan.cells import Cells, lineage
from pitmanyor.plan.instances import Instances, groupings

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Walks:
    """Lists in CSR form (see kernels.arrays.Side), without their scratch."""

    first: Ints
    cell: Ints
    mode: Ints
    par_first: Ints
    par: Ints
    n_shared: Ints

    @property
    def longest(self) -> int:
        return int(np.diff(self.first).max())


def topic_walks(graph: Graph, instances: dict[str, Instances], cells: Cells) -> tuple[Walks, NDArray[np.int32], Ints]:
    """Topic-side lists, the list of each document, and the leaf's position per (list, stream).

    A context is a distinct set of shared ancestors: documents of one author have one context.
    """
    index = {node.name: i for i, node in enumerate(graph.nodes)}
    nodes = [node for node in graph.nodes if node.side == "topic"]
    nodes.sort(key=lambda node: node.local)  # stable: parents stay before children
    place = {node.name: pos for pos, node in enumerate(nodes)}
    shared = [node for node in nodes if not node.local]
    ids = (
        np.stack([cells.first[index[node.name]] + instances[node.name].of_document for node in shared])
        if shared
        else (np.zeros((0, len(next(iter(instances.values())).of_document)), np.int64))
    )
    contexts, of_document = (
        np.unique(ids, axis=1, return_inverse=True)
        if shared
        else (np.zeros((0, 1), np.int64), np.zeros(ids.shape[1], np.int64))
    )
    n_contexts = contexts.shape[1]
    scratch = np.array([cells.first[index[node.name]] for node in nodes if node.local], np.int64)
    cell = np.concatenate([contexts.T, np.tile(scratch, (n_contexts, 1))], axis=1)
    parents = [[place[name] for name in node.parents] for node in nodes]
    leaf = np.tile([place[stream.topic] for stream in graph.streams], (n_contexts, 1))
    walks = Walks(
        first=np.arange(n_contexts + 1) * len(nodes),
        cell=cell.reshape(-1).astype(np.int64),
        mode=np.zeros(cell.size, np.int64),
        par_first=np.concatenate([[0], np.cumsum(np.tile([len(p) for p in parents], n_contexts))]).astype(np.int64),
        par=np.tile(np.array([p for ps in parents for p in ps], np.int64), n_contexts),
        n_shared=np.full(n_contexts, len(shared), np.int64),
    )
    return walks, of_document.reshape(-1).astype(np.int32), leaf.astype(np.int64)


def word_walks(graph: Graph, cells: Cells) -> tuple[Walks, Ints]:
    """Word-side lists, one per stream, the emitting node last; and which streams share local nodes."""
    index = {node.name: i for i, node in enumerate(graph.nodes)}
    first, cell, mode, counts, n_shared = [0], list[int](), list[int](), list[int](), list[int]()
    par, local = list[int](), list[set[str]]()
    for stream in graph.streams:
        names = lineage(graph, stream.emit)
        nodes = [node for node in graph.nodes if node.name in names]
        nodes.sort(key=lambda node: node.local)
        place = {node.name: pos for pos, node in enumerate(nodes)}
        for node in nodes:
            slot = cells.slot.get(node.name)
            cell.append(int(cells.first[index[node.name]]) if slot is None else slot)
            listed = AT_TOKEN if groupings(node) else AT_LISTED_WORD
            mode.append(AS_IS if node.local else AT_WORD if slot is None else listed)
            counts.append(len(node.parents))
            par.extend(place[name] for name in node.parents)
        first.append(first[-1] + len(nodes))
        n_shared.append(sum(not node.local for node in nodes))
        local.append({node.name for node in nodes if node.local})
    walks = Walks(
        first=np.array(first, np.int64),
        cell=np.array(cell, np.int64),
        mode=np.array(mode, np.int64),
        par_first=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        par=np.array(par, np.int64),
        n_shared=np.array(n_shared, np.int64),
    )
    return walks, np.array([[bool(a & b) for b in local] for a in local], np.int64)
