"""Graph: the language in which models are declared, a dozen lines for a network of Pitman-Yor nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from pitmanyor.call_checks import checked_methods
from pitmanyor.errors import GraphError
from pitmanyor.graph import draw, edits, store, text
from pitmanyor.graph.bases import Base
from pitmanyor.graph.checks import checked_links, in_order
from pitmanyor.graph.declarations import Declarations
from pitmanyor.graph.nodes import Links, Node, Tokens
from pitmanyor.graph.validate import check_graph


@checked_methods(GraphError)
class Graph(Declarations):
    """A network of Pitman-Yor nodes with token streams and links.

    A declaration returns the node, so that it can be the base of the next one. Edits (`without`, `rebase`, `set`,
    `prune`) return new graphs. Graphs are equal if they declare the same things, in any order. A graph that has been
    hashed (put into a set or a dict) is frozen.

    >>> g = Graph()
    >>> mu = g.gem("mu")
    >>> theta = g.pyp("theta", base=mu, plate="document")
    >>> phi = g.dirichlet("phi", over="vocabulary", plate="topic")
    >>> _ = g.tokens("word", topic=theta, emit=phi)
    >>> g.validate()
    >>> g
    g = Graph()
    g.gem("mu")
    g.pyp("theta", base="mu", plate="document")
    g.dirichlet("phi", over="vocabulary", plate="topic")
    g.tokens("word", topic="theta", emit="phi")
    """

    @classmethod
    def from_parts(cls, nodes: Iterable[Node], streams: Iterable[Tokens] = (), links: Iterable[Links] = ()) -> Graph:
        """Make a graph of existing nodes, streams and link sets, each of which is checked.

        Parameters
        ----------
        nodes
            Nodes, in any order.
        streams
            Token streams.
        links
            Link sets.
        """
        graph = cls()
        for node in in_order(nodes):
            graph._add(node)
        for stream in streams:
            graph.tokens(stream.name, topic=stream.topic, emit=stream.emit)
        for item in links:
            graph._check_free("link set", item.name)
            graph._links[item.name] = checked_links(item, graph._nodes)
        return graph

    # ------------------------------------------------------------------ reading

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes, parents before children, otherwise in the order of declaration."""
        return tuple(self._nodes.values())

    @property
    def streams(self) -> tuple[Tokens, ...]:
        """All token streams."""
        return tuple(self._streams.values())

    @property
    def link_sets(self) -> tuple[Links, ...]:
        """All link sets."""
        return tuple(self._links.values())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of everything that is declared: nodes, then streams, then link sets."""
        return (*self._nodes, *self._streams, *self._links)

    @property
    def by_name(self) -> Mapping[str, Node]:
        """The nodes by name (read-only)."""
        return MappingProxyType(self._nodes)

    def __getitem__(self, name: str) -> Node:
        if not isinstance(name, str) or name not in self._nodes:
            known = ", ".join(map(repr, self._nodes)) or "none"
            raise GraphError(f"this graph has no node {name!r}; its nodes are {known}")
        return self._nodes[name]

    def parents(self, name: str) -> tuple[Node, ...]:
        """The parents of a node."""
        return tuple(self._nodes[parent] for parent in self[name].parents)

    def children(self, name: str) -> tuple[Node, ...]:
        """The nodes that have this one as a base."""
        self[name]
        return tuple(node for node in self.nodes if name in node.parents)

    def validate(self) -> None:
        """Raise a GraphError if the finished graph is not a valid model. `fit` calls this first."""
        check_graph(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return (self._nodes, self._streams, self._links) == (other._nodes, other._streams, other._links)

    def __hash__(self) -> int:
        self._hashed = True
        return hash(tuple(frozenset(part.values()) for part in (self._nodes, self._streams, self._links)))

    def __repr__(self) -> str:
        return text.declaration(self)

    def copy(self) -> Graph:
        """An equal graph that can be extended."""
        return Graph.from_parts(self.nodes, self.streams, self.link_sets)

    # ------------------------------------------------------------------ editing, storing, drawing

    def without(self, name: str) -> Graph:
        """A new graph without a node, stream or link set, and without all that depends on it or served it alone."""
        return edits.without(self, name)

    def rebase(self, name: str, base: Base) -> Graph:
        """A new graph in which a pyp has another base. Nodes that are no longer needed are removed.

        Parameters
        ----------
        name
            Name of the node.
        base
            As in `pyp`.
        """
        return edits.rebase(self, name, base)

    def set(self, pattern: str, **fields: Any) -> Graph:
        """A new graph with changed fields of nodes or of a link set, such as `set("*", discount=0)`.

        Parameters
        ----------
        pattern
            Name of a node or of a link set, or a shell-style pattern for nodes.
        fields
            Of nodes `discount`, `concentration`, `concentration_per`, `plate`, `mix_prior` or `mix_weights`; of links
            whatever `links` takes, such as `popularity=False`.
        """
        return edits.set_fields(self, pattern, fields)

    def prune(self) -> Graph:
        """A new graph without the nodes that no stream and no link set needs."""
        return edits.prune(self)

    def to_dict(self) -> dict[str, Any]:
        """The graph as lists, dicts, strings and numbers, ready for JSON."""
        return store.to_dict(self)

    @classmethod
    def from_dict(cls, data: object) -> Graph:
        """The graph that `to_dict` described."""
        return cls.from_parts(*store.read_parts(data))

    def to_dot(self) -> str:
        """The graph in Graphviz's DOT language."""
        return draw.to_dot(self)

    def to_svg(self) -> str:
        """A plate diagram as a self-contained SVG."""
        return draw.to_svg(self)

    def _repr_html_(self) -> str:
        return self.to_svg()

    def _repr_svg_(self) -> str:
        return self.to_svg()
