"""Graphs of baselines that are not ready models: hashtags as words, and links without text."""

from __future__ import annotations

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import GraphError
from pitmanyor.graph import Graph
from pitmanyor.models import tntm


@checked_call()
def merged(graph: Graph, stream: str = "hashtag") -> Graph:
    """The graph of one stream with another stream as additional tokens, with the same topics and words.

    This is the model of both streams merged into one; they keep their names, so that each can be scored separately.

    Parameters
    ----------
    graph
        A graph with one stream.
    stream
        Name of the additional stream.

    >>> from pitmanyor.models import hdp_lda
    >>> merged(hdp_lda())
    g = Graph()
    g.gem("mu")
    g.pyp("theta", base="mu", plate="document")
    g.dirichlet("phi", over="vocabulary", plate="topic")
    g.tokens("hashtag", topic="theta", emit="phi")
    g.tokens("word", topic="theta", emit="phi")
    """
    if len(graph.streams) != 1:
        names = ", ".join(repr(one.name) for one in graph.streams) or "none"
        raise GraphError(f"merged() takes a graph of one stream, such as models.hdp_lda(); this one has {names}")
    (own,) = graph.streams
    left = Graph.from_parts(graph.nodes)
    left.tokens(stream, topic=own.topic, emit=own.emit)
    return Graph.from_parts(left.nodes, (*left.streams, own), graph.link_sets)


@checked_call()
def network_alone() -> Graph:
    """The random function network model: the TNTM's authors and followers without text. It needs a number of topics.

    >>> " ".join(network_alone().names)
    'mu0 nu follows'
    """
    whole = tntm()
    return Graph.from_parts([whole["mu0"], whole["nu"]], (), whole.link_sets)
