"""Graph: the little language in which a model is said, a dozen lines for a network of Pitman-Yor nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from pitmanyor.errors import GraphError
from pitmanyor.graph import draw, edits, store, text
from pitmanyor.graph.bases import Base, base_fields
from pitmanyor.graph.checks import checked_links, checked_node, checked_stream, in_order
from pitmanyor.graph.nodes import Beta, Gamma, Kernel, Links, Node, Share, Tokens
from pitmanyor.graph.validate import check_graph
from pitmanyor.graph.values import PRIOR, TOPIC_DISCOUNT, WORD_DISCOUNT, as_name


class Graph:
    """A network of Pitman-Yor nodes, the token streams that hang on it and the links between its groups.

    Declaring a node returns it, so that it can be the base of the next. Edits (`without`, `rebase`, `set`,
    `prune`) return new graphs. Graphs are values: they compare equal when they declare the same things, in
    whatever order. A graph that has been hashed (put into a set or a dict) takes no more declarations.

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

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._streams: dict[str, Tokens] = {}
        self._links: dict[str, Links] = {}
        self._hashed = False

    # ------------------------------------------------------------------ declaring

    def gem(self, name: str, *, discount: float | Beta = TOPIC_DISCOUNT, concentration: float | Gamma = PRIOR) -> Node:
        """The root of infinitely many topics: GEM(discount, concentration)."""
        return self._add(Node(name, "gem", "topic", discount=discount, concentration=concentration))

    def pyp(
        self,
        name: str,
        *,
        base: Base,
        plate: str | tuple[str, ...] | None = None,
        discount: float | Beta | None = None,
        concentration: float | Gamma = PRIOR,
        share: Share = "layer",
    ) -> Node:
        """PYP(discount, concentration, base), once for every instance of the plate.

        The discount is 0 over topics and 0.5 over words unless given. A number is fixed; a Beta is a prior, and one
        discount for all instances is sampled. A number as concentration is fixed; a Gamma is a prior, with one
        concentration for all instances (`share="layer"`) or one for each (`share="node"`).
        """
        fields = base_fields(name, base, self._nodes)
        over_words = fields.over is not None or any(
            self._nodes[parent].side == "word" for parent in fields.parents if parent in self._nodes
        )
        default = WORD_DISCOUNT if over_words else TOPIC_DISCOUNT
        node = Node(
            name,
            "pyp",
            "word" if over_words else "topic",
            plate=plate,  # type: ignore[arg-type]  # made canonical by checked_node
            discount=default if discount is None else discount,
            concentration=concentration,
            share=share,
            **fields._asdict(),
        )
        return self._add(node)

    def dirichlet(
        self,
        name: str,
        *,
        over: str | int,
        plate: str | tuple[str, ...] | None = None,
        concentration: float | Gamma = PRIOR,
        share: Share = "layer",
    ) -> Node:
        """A symmetric Dirichlet of TOTAL concentration b, b/n for each of n dishes; always a root.

        It is over words when `over` is "vocabulary" or the name of a stream, over that many topics when it is an int.
        """
        side = "topic" if isinstance(over, int) else "word"
        node = Node(name, "dirichlet", side, (), over, plate, 0.0, concentration, share)  # type: ignore[arg-type]
        return self._add(node)

    def tokens(self, name: str, *, topic: Node | str, emit: Node | str) -> Tokens:
        """A stream of observed tokens: each draws a topic from `topic`, then a word from `emit`."""
        self._check_free("token stream", name)
        stream = checked_stream(Tokens(name, self._name(topic), self._name(emit)), self._nodes)
        self._streams[name] = stream
        return stream

    def links(
        self,
        name: str,
        *,
        between: Node | str,
        directed: bool = True,
        kernel: Kernel = "similarity",
        intercept: bool = False,
        self_links: bool = False,
        signal: float = 1.0,
        length: float = 1.0,
        noise: float = 1.0,
    ) -> Links:
        """Observed links between the instances of a node over topics, such as authors who follow each other.

        Their scores are a Gaussian process with the scale `signal`, the `length` and the `noise` (s, l and sigma of
        the paper). `kernel="similarity"`: over the cosine of two instances, around that cosine; `"pair"`: over the
        pair of their vectors, around 0. `intercept=True` suits sparse networks. An instance has no link to itself
        unless `self_links=True`.
        """
        self._check_free("link set", name)
        links = Links(name, self._name(between), directed, kernel, intercept, self_links, signal, length, noise)
        self._links[name] = checked_links(links, self._nodes)
        return self._links[name]

    @classmethod
    def from_parts(cls, nodes: Iterable[Node], streams: Iterable[Tokens] = (), links: Iterable[Links] = ()) -> Graph:
        """A graph of ready values; every one is checked as if it were declared, parents first."""
        graph = cls()
        for node in in_order(nodes):
            graph._add(node)
        for stream in streams:
            graph.tokens(stream.name, topic=stream.topic, emit=stream.emit)
        for item in links:
            graph._check_free("link set", item.name)
            graph._links[item.name] = checked_links(item, graph._nodes)
        return graph

    def _add(self, node: Node) -> Node:
        self._check_free("node", node.name)
        node = checked_node(node, self._nodes)
        self._nodes[node.name] = node
        return node

    def _check_free(self, what: str, name: str) -> None:
        if self._hashed:
            raise GraphError(
                f"this graph is in use as a key and can no longer change; add {name!r} to its copy() instead"
            )
        if as_name(what, name) in self:
            raise GraphError(f"this graph already has a {name!r}; nodes, streams and link sets need names of their own")

    @staticmethod
    def _name(node: Node | str) -> str:
        return node.name if isinstance(node, Node) else node

    # ------------------------------------------------------------------ reading

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes, parents before children, otherwise as declared."""
        return tuple(self._nodes.values())

    @property
    def streams(self) -> tuple[Tokens, ...]:
        return tuple(self._streams.values())

    @property
    def link_sets(self) -> tuple[Links, ...]:
        return tuple(self._links.values())

    @property
    def names(self) -> tuple[str, ...]:
        """Everything declared: nodes, then streams, then link sets."""
        return (*self._nodes, *self._streams, *self._links)

    @property
    def by_name(self) -> Mapping[str, Node]:
        """The nodes by name, read-only."""
        return MappingProxyType(self._nodes)

    def __getitem__(self, name: str) -> Node:
        if name not in self._nodes:
            known = ", ".join(map(repr, self._nodes)) or "none"
            raise GraphError(f"this graph has no node {name!r}; its nodes are {known}")
        return self._nodes[name]

    def __contains__(self, name: object) -> bool:
        """Whether a node, a stream or a link set has this name."""
        return name in self._nodes or name in self._streams or name in self._links

    def parents(self, name: str) -> tuple[Node, ...]:
        return tuple(self._nodes[parent] for parent in self[name].parents)

    def children(self, name: str) -> tuple[Node, ...]:
        self[name]
        return tuple(node for node in self.nodes if name in node.parents)

    def validate(self) -> None:
        """Check what only the finished graph can show; whoever compiles a graph calls this first."""
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
        """An equal graph that takes declarations of its own."""
        return Graph.from_parts(self.nodes, self.streams, self.link_sets)

    # ------------------------------------------------------------------ editing, storing, drawing

    def without(self, name: str) -> Graph:
        """A new graph without a node, stream or link set, and without what cannot stand or is idle without it."""
        return edits.without(self, name)

    def rebase(self, name: str, base: Base) -> Graph:
        """A new graph in which a pyp stands on another base; what nothing needs any more goes."""
        return edits.rebase(self, name, base)

    def set(self, pattern: str, **fields: Any) -> Graph:
        """A new graph with fields of all nodes that match the pattern changed: `set("*", discount=0)`."""
        return edits.set_fields(self, pattern, fields)

    def prune(self) -> Graph:
        """A new graph without the nodes that no stream and no link set needs."""
        return edits.prune(self)

    def to_dict(self) -> dict[str, Any]:
        """The graph as plain lists, dicts, strings and numbers, ready for JSON."""
        return store.to_dict(self)

    @classmethod
    def from_dict(cls, data: object) -> Graph:
        """The graph that `to_dict` described."""
        return cls.from_parts(*store.read_parts(data))

    def to_dot(self) -> str:
        """The graph in Graphviz's language."""
        return draw.to_dot(self)

    def to_svg(self) -> str:
        """A plate diagram as a self-contained SVG."""
        return draw.to_svg(self)

    def _repr_html_(self) -> str:
        return self.to_svg()

    def _repr_svg_(self) -> str:
        return self.to_svg()
