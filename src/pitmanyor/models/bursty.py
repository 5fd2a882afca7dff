"""Burstiness: a word that came once in a document comes again (Buntine and Mishra 2014).

Under every emit node phi of the graph a document gets its own copy of each topic's words,

    phi_burst_dk ~ PYP(a, b, phi_k)                one for every document d and topic k
    w_dn         ~ Discrete(phi_burst_{d, z_dn})

and the stream emits from the copy. The second time a word comes it sits at the document's own table, at no
cost to phi_k: the topic counts in how many documents a word comes more than how often.
"""

from __future__ import annotations

from dataclasses import replace

from pitmanyor.errors import GraphError
from pitmanyor.graph import Beta, Gamma, Graph
from pitmanyor.graph.values import PRIOR, WORD_DISCOUNT


def bursty(
    graph: Graph,
    *,
    discount: float | Beta = WORD_DISCOUNT,
    concentration: float | Gamma = PRIOR,
) -> Graph:
    """A new graph with a node `<emit>_burst` per document and topic under the emit node of every stream.

    Streams that emit from one node share its burst node.

    >>> from pitmanyor.models import hdp_lda
    >>> bursty(hdp_lda())
    g = Graph()
    g.gem("mu")
    g.pyp("theta", base="mu", plate="document")
    g.dirichlet("phi", over="vocabulary", plate="topic")
    g.pyp("phi_burst", base="phi", plate=("document", "topic"))
    g.tokens("word", topic="theta", emit="phi_burst")
    """
    if not graph.streams:
        raise GraphError("this graph has no token stream, so nothing in it can be bursty; add one with tokens(...)")
    g = Graph.from_parts(graph.nodes)
    for stream in graph.streams:
        emit = graph[stream.emit]
        if emit.local:
            raise GraphError(
                f"the stream {stream.name!r} emits from {emit.name!r}, which is per document already, so it is bursty "
                "as it stands; make the graph bursty before adding such a node, or leave it"
            )
    for emit_name in dict.fromkeys(stream.emit for stream in graph.streams):
        plate = ("document", "topic")
        g.pyp(f"{emit_name}_burst", base=emit_name, plate=plate, discount=discount, concentration=concentration)
    streams = [replace(stream, emit=f"{stream.emit}_burst") for stream in graph.streams]
    return Graph.from_parts(g.nodes, streams, graph.link_sets)
