"""A Plan is a graph and a corpus flattened for the kernels: offsets, parents, plates; no counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.graph import Beta, Graph, Node
from pitmanyor.graph.values import LEAST_DISCOUNT, MOST_DISCOUNT
from pitmanyor.kernels.restaurant.arrays import DIRICHLET, GEM, PYP
from pitmanyor.plan.cells import Cells, build_cells, lineage
from pitmanyor.plan.instances import Instances, check_plates, find_instances
from pitmanyor.plan.silence import is_silent, silenced
from pitmanyor.plan.tokens import TokenOrder, order_tokens, vocabularies
from pitmanyor.plan.walks import Walks, topic_walks, word_walks

KINDS = {"gem": GEM, "pyp": PYP, "dirichlet": DIRICHLET}
MAX_TOKENS = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything about a model and its data that no sweep changes.

    Cells and walks are made when they are first asked for: documents that are folded in have no use for them.
    """

    graph: Graph
    corpus: Corpus
    instances: dict[str, Instances]
    words: dict[str, NDArray[np.int64]]  # corpus word ids of every word-side node
    order: TokenOrder

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        return self.graph.nodes

    @cached_property
    def index(self) -> dict[str, int]:
        return {node.name: i for i, node in enumerate(self.nodes)}

    @cached_property
    def cells(self) -> Cells:
        return build_cells(self.graph, self.instances, self.order, {name: len(ids) for name, ids in self.words.items()})

    @cached_property
    def _topic_side(self) -> tuple[Walks, NDArray[np.int32], NDArray[np.int64]]:
        return topic_walks(self.graph, self.instances, self.cells)

    @cached_property
    def _word_side(self) -> tuple[Walks, NDArray[np.int64]]:
        return word_walks(self.graph, self.cells)

    @property
    def topic_walks(self) -> Walks:
        return self._topic_side[0]

    @property
    def context(self) -> NDArray[np.int32]:
        """The topic-side list of each document."""
        return self._topic_side[1]

    @property
    def leaf(self) -> NDArray[np.int64]:
        """(context, stream): where in its list the leaf stands."""
        return self._topic_side[2]

    @property
    def word_walks(self) -> Walks:
        return self._word_side[0]

    @property
    def partner(self) -> NDArray[np.int64]:
        """(stream, stream): do they share a local word node?"""
        return self._word_side[1]

    @property
    def n_topics(self) -> int | None:
        """The number of topics of a finite root, or None below a gem."""
        sizes = {node.over for node in self.nodes if isinstance(node.over, int)}
        return sizes.pop() if sizes else None

    @cached_property
    def discounts(self) -> list[float]:
        """What the Stirling tables start with: the distinct fixed discounts, then those of nodes that sample theirs."""
        fixed = sorted({node.discount for node in self.nodes if not isinstance(node.discount, Beta)})
        return fixed + [_start(self.nodes[i].discount) for i in self.sampled_discounts]

    @cached_property
    def sampled_discounts(self) -> list[int]:
        """Nodes whose discount has a prior: each has a Stirling table of its own."""
        return [i for i, node in enumerate(self.nodes) if isinstance(node.discount, Beta)]

    @cached_property
    def stirling_table(self) -> list[int]:
        """The number of every node's Stirling table."""
        n_fixed = len(self.discounts) - len(self.sampled_discounts)
        own = {i: n_fixed + turn for turn, i in enumerate(self.sampled_discounts)}
        return [
            own[i] if i in own else self.discounts.index(_start(node.discount)) for i, node in enumerate(self.nodes)
        ]

    @property
    def n_tokens(self) -> int:
        return len(self.order.word)

    @property
    def n_documents(self) -> int:
        return self.corpus.n_documents

    @property
    def has_all_tokens(self) -> bool:
        """Whether the token order is that of the corpus itself, and not an outline of it."""
        return True

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of every document."""
        return np.diff(self.order.first[:: len(self.graph.streams)])

    @property
    def longest(self) -> int:
        """Tokens of the longest document."""
        return int(self.lengths.max())

    @property
    def commonest(self) -> int:
        """Tokens of the commonest word."""
        return int(np.bincount(self.order.word, minlength=1).max())

    def lineage(self, name: str) -> set[str]:
        """A node and all its ancestors."""
        return lineage(self.graph, name)

    def shift_and_mask(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where a local node's digit stands in a token's walk code: 0 sits, i + 1 opened towards parent i."""
        shift, mask = np.zeros(len(self.nodes), np.int64), np.zeros(len(self.nodes), np.int64)
        used = 0
        for i, node in enumerate(self.nodes):
            if node.local and node.kind == "pyp":
                bits = max(len(node.parents), 1).bit_length()
                shift[i], mask[i] = used, (1 << bits) - 1
                used += bits
        if used > 32:
            raise PlanError(
                f"the document nodes of this graph need {used} bits a token for their walks, and there are 32; "
                "use fewer document nodes or fewer parents"
            )
        return shift, mask


def _start(discount: float | Beta) -> float:
    """Where a discount starts: at the mean of its prior, if it has one."""
    if not isinstance(discount, Beta):
        return discount
    return min(max(discount.alpha / (discount.alpha + discount.beta), LEAST_DISCOUNT), MOST_DISCOUNT)


def compile_plan(graph: Graph, corpus: Corpus) -> Plan:
    """Flatten a graph over a corpus; every way in which they do not fit each other is an error here."""
    graph.validate()
    if not graph.streams:
        graph, corpus = silenced(graph, corpus)
    if corpus.n_tokens > MAX_TOKENS:
        raise PlanError(f"{corpus.n_tokens:,} tokens are more than the {MAX_TOKENS:,} that counts can hold")
    instances = find_instances(graph, corpus)
    check_plates(graph, instances)
    words = vocabularies(graph, corpus)
    order = order_tokens(graph, corpus, words)
    if not len(order.word) and not is_silent(graph):
        raise PlanError("the streams of this graph hold no token in this corpus")
    return Plan(graph, corpus, instances, words, order)
