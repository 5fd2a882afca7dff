"""Checks of the finished graph: something is observed, nothing is idle, and all nodes share one set of topics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pitmanyor.errors import GraphError

if TYPE_CHECKING:
    from pitmanyor.graph.graph import Graph


def lineage(graph: Graph, names: Iterable[str]) -> set[str]:
    """The named nodes and all their ancestors."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(graph[name].parents)
    return found


def text_needs(graph: Graph) -> set[str]:
    """The nodes that some token stream needs."""
    return lineage(graph, (name for stream in graph.streams for name in (stream.topic, stream.emit)))


def needs(graph: Graph) -> set[str]:
    """The nodes that some token stream or link set needs."""
    return text_needs(graph) | lineage(graph, (links.between for links in graph.link_sets))


def check_graph(graph: Graph) -> None:
    if not graph.streams and not graph.link_sets:
        raise GraphError("this graph observes nothing: add a stream with tokens(name, topic=..., emit=...)")
    needed = needs(graph)
    idle = [node.name for node in graph.nodes if node.name not in needed]
    if idle:
        listed = ", ".join(map(repr, idle))
        raise GraphError(f"no stream and no link set needs {listed}; remove what is idle with prune(), or connect it")
    _check_topics(graph)


def _check_topics(graph: Graph) -> None:
    """Raise unless all topic distributions share one set of topics: one gem, or finite roots of the same size."""
    gems = [node for node in graph.nodes if node.kind == "gem"]
    finite = [node for node in graph.nodes if node.kind == "dirichlet" and node.side == "topic"]
    if len(gems) > 1:
        listed = " and ".join(repr(node.name) for node in gems)
        raise GraphError(
            f"the topics have more than one root, {listed}, so a topic of one would not exist in the other; keep "
            "one gem and put the others on it with pyp"
        )
    if gems and finite:
        raise GraphError(
            f"{gems[0].name!r} has infinitely many topics and {finite[0].name!r} has {finite[0].over}; let all topic "
            "nodes descend from the gem, or all from dirichlet nodes over the same number of topics"
        )
    for node in finite:
        if node.over != finite[0].over:
            raise GraphError(
                f"{finite[0].name!r} is over {finite[0].over} topics and {node.name!r} over {node.over}; "
                "all finite roots need the same number"
            )
