"""Cells: the rows of counts of every node, and the parent cells of each (see kernels/restaurant/arrays.py)."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitmanyor.graph import Graph, Node
from pitmanyor.plan.instances import Instances, groupings, parent_instance
from pitmanyor.plan.tokens import TokenOrder

Ints = NDArray[np.int64]
SELDOM = 0.5  # a node whose tokens have less than this share of its words keeps cells for those alone


@dataclass(frozen=True, eq=False)
class Cells:
    """Cell ranges of the nodes; for every cell its instance, its word (word side, else -1) and its parent cells."""

    first: Ints  # (node + 1)
    instance: Ints
    word: Ints
    parent_first: Ints
    parent: Ints
    listed: NDArray[np.int32]  # (slot, token), or (slot, word) where an instance is not a matter of the token
    slot: dict[str, int]  # of the sparse nodes

    def of(self, index: int) -> slice:
        return slice(int(self.first[index]), int(self.first[index + 1]))


def is_sparse(graph: Graph, node: Node, order: TokenOrder, n_words: int) -> bool:
    """Are cells kept only for the (instance, word) pairs that occur? What has none is a rest of its vectors (maths 4).

    So it is with every shared word node on a grouping plate, and with one per topic whose tokens have few of its words,
    such as that of hashtags over the vocabulary of all words. A shared child looks for cells of all words.
    """
    if node.side != "word" or node.local:
        return False
    if groupings(node):
        return True
    is_parent = any(node.name in child.parents and not child.local for child in graph.nodes)
    if not node.per_topic or node.kind != "pyp" or is_parent:
        return False
    n_seen = np.count_nonzero(np.bincount(order.word[_reaches(graph, node, order)]))
    return bool(0 < n_seen < SELDOM * n_words)


def _reaches(graph: Graph, node: Node, order: TokenOrder) -> NDArray[np.bool_]:
    """The tokens that can reach a word node."""
    streams = [s for s, stream in enumerate(graph.streams) if node.name in lineage(graph, stream.emit)]
    return np.isin(order.stream, streams)


def build_cells(graph: Graph, instances: dict[str, Instances], order: TokenOrder, n_words: dict[str, int]) -> Cells:
    own: list[tuple[Ints, Ints]] = []
    slot: dict[str, int] = {}
    lists: list[NDArray[np.int64]] = []
    first = [0]
    for node in graph.nodes:
        if is_sparse(graph, node, order, n_words.get(node.name, 0)):
            instance, word, index = _pairs(graph, node, instances, order, n_words[node.name])
            slot[node.name] = len(lists)
            lists.append(np.where(index >= 0, index + first[-1], -1))
        elif node.local:
            instance, word = np.zeros(1, np.int64), np.full(1, -1)
        elif node.side == "topic":
            instance = np.arange(len(instances[node.name]))
            word = np.full(len(instance), -1)
        else:
            word = np.arange(n_words[node.name])
            instance = np.zeros(len(word), np.int64)
        own.append((instance.astype(np.int64), word.astype(np.int64)))
        first.append(first[-1] + len(instance))
    firsts = np.array(first, np.int64)
    parent_first, parent = _parents(graph, instances, own, firsts, n_words, slot)
    return Cells(
        first=firsts,
        instance=np.concatenate([instance for instance, _ in own]),
        word=np.concatenate([word for _, word in own]),
        parent_first=parent_first,
        parent=parent,
        listed=_stack(lists),
        slot=slot,
    )


def _pairs(
    graph: Graph, node: Node, instances: dict[str, Instances], order: TokenOrder, n_words: int
) -> tuple[Ints, Ints, Ints]:
    """The (instance, word) pairs of tokens that can reach `node`; and the pair of each token, or word (-1: none)."""
    reach = _reaches(graph, node, order)
    key = instances[node.name].of_document[order.document[reach]] * n_words + order.word[reach]
    pairs, inverse = np.unique(key, return_inverse=True)
    index = np.full(len(order.word) if groupings(node) else n_words, -1, np.int64)
    index[reach if groupings(node) else order.word[reach]] = inverse.reshape(-1)
    return pairs // n_words, pairs % n_words, index


def _stack(lists: list[Ints]) -> NDArray[np.int32]:
    out = np.full((len(lists), max(map(len, lists), default=1)), -1, np.int32)
    for row, values in zip(out, lists, strict=True):
        row[: len(values)] = values
    return out


def lineage(graph: Graph, name: str) -> set[str]:
    """A node and all its ancestors."""
    found = {name}
    for node in reversed(graph.nodes):
        if node.name in found:
            found.update(node.parents)
    return found


def _parents(
    graph: Graph,
    instances: dict[str, Instances],
    own: list[tuple[Ints, Ints]],
    first: Ints,
    n_words: dict[str, int],
    sparse: Container[str],
) -> tuple[Ints, Ints]:
    """Parent cells of every shared cell in CSR form (local cells have none here: theirs depend on the document)."""
    index = {node.name: i for i, node in enumerate(graph.nodes)}
    counts, blocks = [], []
    for i, node in enumerate(graph.nodes):
        instance, word = own[i]
        columns = []
        for name in () if node.local else node.parents:
            j, parent = index[name], graph[name]
            above = parent_instance(node, parent, instances)[instance]
            if parent.side == "topic":
                columns.append(first[j] + above)
            elif name in sparse:
                keys = own[j][0] * n_words[name] + own[j][1]
                columns.append(first[j] + np.searchsorted(keys, above * n_words[name] + word))
            else:
                columns.append(first[j] + word)
        counts.append(np.full(len(instance), len(columns), np.int64))
        if columns:
            blocks.append(np.stack(columns, axis=1).reshape(-1))
    parent_first = np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64)
    return parent_first, (np.concatenate(blocks) if blocks else np.zeros(0, np.int64)).astype(np.int64)
