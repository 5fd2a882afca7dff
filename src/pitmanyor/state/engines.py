"""Engines: how the documents of a model are swept. Which one a model has is decided here and nowhere else.

All of them sample the same law. `General` takes any graph and is the reference that the others are checked against;
`OneNode` and `TopicNodes` are quicker where they fit. Words may be the document's own in each (burstiness).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pitmanyor.graph.nodes import Node
from pitmanyor.kernels.documents.clusters.cluster_folding import fold_clusters
from pitmanyor.kernels.documents.fold_sweeps import Fold
from pitmanyor.kernels.documents.general.collapsed import collapsed_sweep
from pitmanyor.kernels.documents.general.explicit import ListScratch, explicit_sweep
from pitmanyor.kernels.documents.one_node.collapsed import one_node_collapsed_sweep
from pitmanyor.kernels.documents.one_node.explicit import one_node_sweep
from pitmanyor.kernels.documents.one_node.folding import fold_one_node
from pitmanyor.kernels.documents.one_node.scratch import NOT_SUMMED
from pitmanyor.kernels.documents.product_sums import Sums
from pitmanyor.kernels.documents.sweep_arrays import SweepArrays
from pitmanyor.kernels.documents.topic_nodes.explicit import topic_nodes_sweep
from pitmanyor.kernels.documents.topic_nodes.folding import fold_topic_nodes
from pitmanyor.kernels.restaurant.shared import Franchise
from pitmanyor.plan import Plan
from pitmanyor.seeds import Seed
from pitmanyor.state.scratch_arrays import (
    new_active_topics,
    new_clusters,
    new_document_scratch,
    new_node_rows,
    new_own_words,
)

if TYPE_CHECKING:
    from pitmanyor.state.state import State

LONGEST = 2_000  # tokens of a new document that is seen as clusters: its scratch is tokens by topics
Scratch = tuple[Any, ...]  # bundles of arrays that an engine's kernels write on


class Work(NamedTuple):
    """What an explicit sweep is to do: how often to update the documents' tokens among the first `n_held` topics."""

    documents: NDArray[np.int64]
    n_held: int
    seed: Seed
    passes: int


class Engine(ABC):
    """The sweeps of a shape of documents."""

    own_collapsed = False  # has it a collapsed sweep of its own, or the general one?
    folds = False  # does it fold new documents in?
    unpacks = False  # do its sweeps take packed counts of words?

    def __init__(self, plan: Plan) -> None:
        self.has_own_words = any(node.local and node.side == "word" for node in plan.nodes)

    @staticmethod
    @abstractmethod
    def fits(plan: Plan) -> bool:
        """Are the documents of a plan of this shape?"""

    @abstractmethod
    def scratch(self, plan: Plan, capacity: int, n_threads: int, precision: DTypeLike) -> Scratch:
        """What the sweeps write on, for a number of topic columns and threads."""

    @abstractmethod
    def explicit(self, state: State, scratch: Scratch, sums: Sums, work: Work) -> None:
        """Update the documents' tokens given the shared vectors."""

    def fold(self, state: State, scratch: Scratch, sums: Sums, fold: Fold) -> None:
        """Add means of a leaf, up to a factor, of documents without topics over fixed vectors; a row per document."""
        raise NotImplementedError

    def collapsed(self, state: State, documents: NDArray[np.int64], start: int, seed: Seed) -> int:
        """Update the documents' tokens from the `start`-th on, all nodes being counts; where it stopped for columns."""
        arrays = counted_arrays_of(state, state.document_scratch)
        return int(collapsed_sweep(arrays, documents, start, seed))


class General(Engine):
    """Any graph."""

    @staticmethod
    def fits(plan: Plan) -> bool:
        return True

    def scratch(self, plan: Plan, capacity: int, n_threads: int, precision: DTypeLike) -> Scratch:
        n_topic, n_word = plan.topic_walks.longest, plan.word_walks.longest
        lists = ListScratch(
            np.zeros((n_threads, 3, n_topic + 1), np.int64),
            np.zeros((n_threads, 3, n_word + 1), np.int64),
            np.zeros((n_threads, (n_topic + 1) * (n_word + 1))),
        )
        return new_document_scratch(plan, capacity, n_threads), lists

    def explicit(self, state: State, scratch: Scratch, sums: Sums, work: Work) -> None:
        rows, lists = scratch
        explicit_sweep(arrays_of(state, rows, (), sums), lists, *work)


class OneNode(Engine):
    """One document node, the leaf of every stream, over one shared parent or none.

    Streams emit from shared nodes per topic, or each from its own node per document and topic over such a node.
    """

    own_collapsed = True
    folds = True
    unpacks = True

    @staticmethod
    def fits(plan: Plan) -> bool:
        emits = [plan.graph[s.emit] for s in plan.graph.streams]
        local = [node for node in plan.nodes if node.local and node not in emits]
        if len(local) != 1 or local[0].side != "topic" or len(local[0].parents) > 1:
            return False
        own = all(_is_own(plan, node) for node in emits) and len({node.name for node in emits}) == len(emits)
        return all(s.topic == local[0].name for s in plan.graph.streams) and (
            own or all(node.per_topic and not node.local for node in emits)
        )

    def scratch(self, plan: Plan, capacity: int, n_threads: int, precision: DTypeLike) -> Scratch:
        active = new_active_topics(plan, capacity, n_threads, precision)
        return active, new_own_words(plan, capacity, n_threads, precision)

    def explicit(self, state: State, scratch: Scratch, sums: Sums, work: Work) -> None:
        one_node_sweep(self._arrays(state, scratch, sums), *work)

    def fold(self, state: State, scratch: Scratch, sums: Sums, fold: Fold) -> None:
        fold_one_node(self._arrays(state, scratch, sums), fold)

    def _arrays(self, state: State, scratch: Scratch, sums: Sums) -> SweepArrays:
        active, own = scratch
        active.stamp[:] = NOT_SUMMED
        return arrays_of(state, active, own if self.has_own_words else (), sums)

    def collapsed(self, state: State, documents: NDArray[np.int64], start: int, seed: Seed) -> int:
        arrays = counted_arrays_of(state, *state.scratch)
        return int(one_node_collapsed_sweep(arrays, documents, start, seed))


class TopicNodes(Engine):
    """Document nodes with two parents at most, one of them the leaf of every stream.

    A stream emits from a shared node per topic, or from its own node per document and topic over such a node.
    """

    folds = True
    unpacks = True

    @staticmethod
    def fits(plan: Plan) -> bool:
        local = {node.name: node for node in plan.nodes if node.local}
        emits = [plan.graph[s.emit] for s in plan.graph.streams]
        own = [node.name for node in emits if node.local]
        return (
            all(s.topic in local for s in plan.graph.streams)
            and all(len(node.parents) <= 2 for node in local.values())
            and {node.name for node in local.values() if node.side == "word"} == set(own)
            and len(set(own)) == len(own)
            and all(_is_own(plan, node) if node.local else node.per_topic for node in emits)
        )

    def scratch(self, plan: Plan, capacity: int, n_threads: int, precision: DTypeLike) -> Scratch:
        node_rows = new_node_rows(plan, capacity, n_threads, precision)
        return node_rows, new_own_words(plan, capacity, n_threads, precision) if self.has_own_words else ()

    def explicit(self, state: State, scratch: Scratch, sums: Sums, work: Work) -> None:
        topic_nodes_sweep(self._arrays(state, scratch, sums), *work)

    def fold(self, state: State, scratch: Scratch, sums: Sums, fold: Fold) -> None:
        fold_topic_nodes(self._arrays(state, scratch, sums), fold)

    def _arrays(self, state: State, scratch: Scratch, sums: Sums) -> SweepArrays:
        rows, own = scratch
        rows.sums[:] = NOT_SUMMED
        return arrays_of(state, rows, own, sums)


class ClusterNodes(TopicNodes):
    """As `TopicNodes` with words that are all shared; new documents are clusters of tokens, their topics summed out."""

    @staticmethod
    def fits(plan: Plan) -> bool:
        return TopicNodes.fits(plan) and not any(plan.graph[s.emit].local for s in plan.graph.streams)

    def scratch(self, plan: Plan, capacity: int, n_threads: int, precision: DTypeLike) -> Scratch:
        most = min(plan.longest, LONGEST)
        node_rows = new_node_rows(plan, capacity, n_threads, precision, most)
        return node_rows, new_clusters(plan, capacity, n_threads, precision, most)

    def fold(self, state: State, scratch: Scratch, sums: Sums, fold: Fold) -> None:
        """As `TopicNodes.fold`, with standard errors, of documents of up to LONGEST tokens."""
        rows, clusters = scratch
        rows.sums[:] = NOT_SUMMED
        fold_clusters(arrays_of(state, rows, (), sums), clusters, fold)


def arrays_of(state: State, scratch: Any, own: Any = (), sums: Any = ()) -> SweepArrays:
    """What a sweep given the shared vectors reads and writes."""
    franchise = Franchise(state.net, state.tables, state.terms)
    return SweepArrays(franchise, state.text, state.topics, state.words, scratch, own, sums, (), state.redrawn)


def counted_arrays_of(state: State, scratch: Any, own: Any = ()) -> SweepArrays:
    """What a collapsed sweep reads and writes."""
    return arrays_of(state, scratch, own)._replace(visit=state.visit)


def _is_own(plan: Plan, node: Node) -> bool:
    """A word node per document and topic over one shared node per topic."""
    if not (node.local and node.per_topic and len(node.parents) == 1):
        return False
    parent = plan.graph[node.parents[0]]
    return parent.per_topic and not parent.local


def engine_of(plan: Plan) -> Engine:
    """The quickest engine there is for the documents of a plan."""
    kinds: tuple[type[Engine], ...] = (OneNode, TopicNodes, General)
    return next(kind(plan) for kind in kinds if kind.fits(plan))
