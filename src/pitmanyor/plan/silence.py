"""Graphs of links alone: a stream without a token stands in for the text, so that everything else is as ever."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pitmanyor.corpus import Corpus, Stream
from pitmanyor.graph import Graph

TOPICS, WORDS, STREAM = "_quiet", "_mute", "_silence"  # internal names


def silenced(graph: Graph, corpus: Corpus) -> tuple[Graph, Corpus]:
    """A graph that has links only, with documents that say nothing, and the corpus without its words."""
    node = graph[graph.link_sets[0].between]
    while node.parents:
        node = graph[node.parents[0]]
    full = graph.copy()
    full.pyp(TOPICS, base=node.name, plate="document", discount=0.0, concentration=1.0)
    full.dirichlet(WORDS, over="vocabulary", plate="topic", concentration=1.0)
    full.tokens(STREAM, topic=TOPICS, emit=WORDS)
    empty = Stream(np.zeros(0, np.int32), np.zeros(corpus.n_documents + 1, np.int64))
    return full, replace(corpus, vocabulary=corpus.vocabulary[:1], streams={STREAM: empty})


def is_silent(graph: Graph) -> bool:
    return any(stream.name == STREAM for stream in graph.streams)
