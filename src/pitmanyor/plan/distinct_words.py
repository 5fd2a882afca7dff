"""A simpler model for the first steps of a bursty one: no words of a document's own, every word once in a document.

While topics take shape, a document's own words explain whatever comes twice in it, and a word that has come three times
changes its topic only if all three tokens do. Without repetitions neither stands in the way, and the topics of the
distinct words are a good start for all tokens.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus, Stream
from pitmanyor.graph import Graph
from pitmanyor.plan.plan import Plan, compile_plan


def distinct_words_plan(plan: Plan) -> Plan | None:
    """The plan of the simpler model; None if no word-side node of the graph is local, or if one has several parents."""
    graph = plan.graph
    own = [node for node in graph.nodes if node.local and node.side == "word"]
    if not own or any(len(node.parents) != 1 for node in own):
        return None
    return compile_plan(_without_own_words(graph), _distinct(plan.corpus, [stream.name for stream in graph.streams]))


def _without_own_words(graph: Graph) -> Graph:
    """Streams emit from the nearest node that is not local, and links are left out."""
    streams = []
    for stream in graph.streams:
        emit = graph[stream.emit]
        while emit.local:
            emit = graph[emit.parents[0]]
        streams.append(replace(stream, emit=emit.name))
    return Graph.from_parts([node for node in graph.nodes if not (node.local and node.side == "word")], streams)


def _distinct(corpus: Corpus, names: list[str]) -> Corpus:
    streams = dict(corpus.streams)
    for name in names:
        stream, n_words = corpus.streams[name], len(corpus.vocabulary)
        found = np.unique(stream.documents.astype(np.int64) * n_words + stream.words)
        offsets = np.searchsorted(found, np.arange(corpus.n_documents + 1) * n_words)
        streams[name] = Stream((found % n_words).astype(stream.words.dtype), offsets)
    return replace(corpus, streams=streams)


def topics_of_all(plan: Plan, distinct: Plan, topics: NDArray[np.int32]) -> NDArray[np.int64]:
    """A topic for every token of a plan, from those of its distinct words."""
    return np.asarray(topics[np.searchsorted(_keys(distinct), _keys(plan))], np.int64)


def _keys(plan: Plan) -> NDArray[np.int64]:
    """A number for each (document, stream, word), in the order of the tokens."""
    order = plan.order
    units = np.repeat(np.arange(len(order.first) - 1), np.diff(order.first))
    return np.asarray(units * len(plan.corpus.vocabulary) + order.word, np.int64)
