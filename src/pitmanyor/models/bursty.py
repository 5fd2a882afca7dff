"""Burstiness: a word that has occurred in a document becomes more likely to occur again (Buntine and Mishra 2014).

Below every emit node phi of the graph, each document gets its own copy of the words of each topic,

    phi_burst_dk ~ PYP(a, b, phi_k)                one for every document d and topic k
    w_dn         ~ Discrete(phi_burst_{d, z_dn})

and the stream emits from the copy. A repeated word usually sits at a table of the document's own and adds no customer
to phi_k, so the topic learns in how many documents a word occurs more than how often.
"""

from __future__ import annotations

from dataclasses import replace

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import GraphError
from pitmanyor.graph import Beta, Gamma, Graph
from pitmanyor.graph.values import PRIOR, WORD_DISCOUNT


@checked_call(error=GraphError)
def bursty(
    graph: Graph,
    *,
    discount: float | Beta = WORD_DISCOUNT,
    concentration: float | Gamma = PRIOR,
) -> Graph:
    """Add burstiness to a model: a node `<emit>_burst` per document and topic below the emit node of every stream.

    Streams that emit from the same node share its burst node.

    Parameters
    ----------
    graph
        Any graph with token streams.
    discount
        Discount of the new nodes: a number, or a `Beta` prior.
    concentration
        Concentration of the new nodes: a number, or a `Gamma` prior.

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
