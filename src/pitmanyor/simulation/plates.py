"""Which restaurant a token visits; a node has one for every instance of its plate."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from pitmanyor.corpus import Corpus, Grouping
from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph, Node

Key = tuple[int, ...]


class Plates:
    """The instances of every plate over a set of documents.

    An instance is a tuple with one entry for each name of the plate, in the plate's order: the number of the document,
    the label of the topic, or the code of the document's group label.
    """

    def __init__(self, n_documents: int, groups: Mapping[str, Grouping]) -> None:
        self.n_documents = n_documents
        self._groups = dict(groups)
        self._codes: dict[str, Sequence[int]] = {name: group.codes.tolist() for name, group in groups.items()}
        self._codes["document"] = range(n_documents)

    @classmethod
    def of(cls, corpus: Corpus) -> Plates:
        return cls(corpus.n_documents, corpus.groups)

    @classmethod
    def labelled(cls, n_documents: int, labels: Mapping[str, Sequence[Hashable]]) -> Plates:
        """Plates from one label per document, coded in order of appearance, as a corpus codes them."""
        groups = {}
        for name, values in labels.items():
            codes: dict[Hashable, int] = {}
            column = np.array([codes.setdefault(value, len(codes)) for value in values], np.int32)
            groups[name] = Grouping(tuple(codes), column)
        return cls(n_documents, groups)

    def key(self, plate: tuple[str, ...], document: int, topic: int) -> Key:
        """The instance of `plate` for a token of `document` with topic `topic`."""
        return tuple([topic if name == "topic" else self._codes[name][document] for name in plate])

    def check(self, graph: Graph) -> None:
        """Raise a PlanError if these documents cannot fill the plates of a graph."""
        for node in graph.nodes:
            for name in node.plate:
                if name != "topic" and name not in self._codes:
                    raise PlanError(
                        f"{node.name!r} is per {name}, but there is no {name!r} among the groups; "
                        f"give one label per document, groups={{{name!r}: [...]}}"
                    )
        for node in graph.nodes:
            if not node.local:
                for parent in node.parents:
                    self._check_nested(node, graph[parent])

    def _check_nested(self, child: Node, parent: Node) -> None:
        """Raise unless a shared node's plate determines its parent's instance: its tables go to one restaurant."""
        given = tuple(name for name in child.plate if name != "topic")
        for name in sorted(set(parent.plate) - set(child.plate) - {"topic", "document"}):
            seen: dict[Key, int] = {}
            labels = self._groups[name].labels
            for document in range(self.n_documents):
                code = self._codes[name][document]
                first = seen.setdefault(self.key(given, document, -1), code)
                if first != code:
                    what = " and ".join(given) or "the whole corpus"
                    raise PlanError(
                        f"{child.name!r} has the base {parent.name!r}, which is per {name}, but one instance of {what} "
                        f"has both {name} {labels[first]!r} and {labels[code]!r} (document {document}); "
                        f"nest the groups, or add {name!r} to the plate of {child.name!r}"
                    )
