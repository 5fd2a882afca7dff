"""Plates made concrete: which instances a node has, and which one each document belongs to."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.errors import GraphError
from pitmanyor.graph import Graph, Node


@dataclass(frozen=True, eq=False)
class Instances:
    """The instances of a node's grouping plates (author, day...): labels, and the instance of every document."""

    labels: tuple[Hashable, ...]
    of_document: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)


def groupings(node: Node) -> tuple[str, ...]:
    return tuple(plate for plate in node.plate if plate not in ("document", "topic"))


def find_instances(graph: Graph, corpus: Corpus) -> dict[str, Instances]:
    """Instances of every node; a local node counts as one instance, filled anew for each document."""
    return {node.name: _instances(graph, node, corpus) for node in graph.nodes}


def check_plates(graph: Graph, instances: dict[str, Instances]) -> None:
    """A GraphError if the plate of a shared node does not determine that of its parents."""
    for node in graph.nodes:
        for name in () if node.local else node.parents:
            parent_instance(node, graph[name], instances)


def _instances(graph: Graph, node: Node, corpus: Corpus) -> Instances:
    names = groupings(node)
    for name in names:
        if name not in corpus.groups:
            have = ", ".join(map(repr, corpus.groups)) or "none"
            how = "author=" if name == "author" else f"groups=[{name!r}]"
            raise GraphError(
                f"{_who(graph, node, name)} has no {name} column (it has: {have}); if the data have one, pass {how}"
            )
    if node.local or not names:
        return Instances(((),), np.zeros(corpus.n_documents, np.int64))
    if len(names) == 1:  # the same as below, several times as fast
        grouping = corpus.groups[names[0]]
        used, of_document = np.unique(grouping.codes, return_inverse=True)
        return Instances(tuple(grouping.labels[code] for code in used), of_document.astype(np.int64))
    codes = np.stack([corpus.groups[name].codes for name in names])
    unique, of_document = np.unique(codes, axis=1, return_inverse=True)
    columns = [[corpus.groups[name].labels[code] for code in row] for name, row in zip(names, unique, strict=True)]
    return Instances(tuple(zip(*columns, strict=True)), of_document.reshape(-1).astype(np.int64))


def _who(graph: Graph, node: Node, missing: str) -> str:
    """'eta' is per document but its base 'nu' is per author, and this corpus ..."""
    for child in graph.nodes:
        if node.name in child.parents and missing not in child.plate:
            plate = " x ".join(child.plate) or "global"
            return f"{child.name!r} is per {plate} but its base {node.name!r} is per {missing}, and this corpus"
    return f"{node.name!r} is per {' x '.join(node.plate)}, and this corpus"


def parent_instance(child: Node, parent: Node, instances: dict[str, Instances]) -> NDArray[np.int64]:
    """For each instance of a shared child the instance of its parent, which the child's plate must determine."""
    ours, theirs = instances[child.name], instances[parent.name]
    found = np.zeros(len(ours), np.int64)
    found[ours.of_document] = theirs.of_document
    odd = np.flatnonzero(found[ours.of_document] != theirs.of_document)
    if odd.size:
        i = int(ours.of_document[odd[0]])
        first, other = theirs.labels[found[i]], theirs.labels[int(theirs.of_document[odd[0]])]
        raise GraphError(
            f"{child.name!r} is per {' x '.join(child.plate) or 'nothing (global)'} but its base {parent.name!r} "
            f"is per {' x '.join(parent.plate)}, and one does not determine the other: {ours.labels[i]!r} "
            f"comes with both {first!r} and {other!r}. "
            f"Put {' and '.join(groupings(parent))} into the plate of {child.name!r} too"
        )
    return found
