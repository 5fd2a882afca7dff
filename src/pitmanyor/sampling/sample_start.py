"""The start of a chain over a large corpus: topics are searched for in a sample of its documents.

The other documents are then seated one after the other, each given those before it. A start may be chosen in any way:
the chain is exact from wherever it starts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph
from pitmanyor.plan import Plan, compile_plan
from pitmanyor.seeds import Seed, generator

Ints = NDArray[np.int64]
SAMPLED = 2_000_000  # tokens; larger corpora are sampled


def is_sampled(plan: Plan) -> bool:
    """Is this corpus too large to be searched as a whole?"""
    return plan.n_tokens > SAMPLED


def pick_sample(graph: Graph, corpus: Corpus, n_tokens: int, seed: Seed) -> Ints:
    """Documents with about as many tokens as a search takes; every stream that has tokens has some in them."""
    rng = generator(seed, purposes.START_SEARCH)
    chosen = rng.random(corpus.n_documents) < SAMPLED / n_tokens
    for stream in graph.streams:
        lengths = np.diff(corpus.streams[stream.name].offsets)
        if lengths.any() and not lengths[chosen].any():
            chosen[np.argmax(lengths)] = True
    return np.flatnonzero(chosen)


def plan_of_sample(graph: Graph, corpus: Corpus, documents: Ints) -> Plan:
    """The plan of these documents, without links."""
    return compile_plan(Graph.from_parts(graph.nodes, graph.streams), corpus.subset(documents))
