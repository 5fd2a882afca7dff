"""Graphs as plain data for JSON, and back. A graph is data, not code, so there is no pickle. Errors name the place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pitmanyor.errors import GraphError
from pitmanyor.graph.nodes import Beta, Gamma, Links, Node, Tokens

if TYPE_CHECKING:
    from pitmanyor.graph.graph import Graph

FORMAT = "pitmanyor.graph"
VERSION = 3
_KINDS = ("gem", "pyp", "dirichlet")
_NODE = (
    "name", "kind", "parents", "over", "plate", "discount", "concentration", "concentration_per", "mix_prior",
    "mix_weights",
)  # fmt: skip
_STREAM = ("name", "topic", "emit")
_LINKS = (
    "name", "between", "directed", "kernel", "intercept", "self_links", "signal", "length", "noise", "popularity",
    "reciprocity",
)  # fmt: skip


def to_dict(graph: Graph) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "nodes": [_node_dict(node) for node in graph.nodes],
        "streams": [{key: getattr(stream, key) for key in _STREAM} for stream in graph.streams],
        "links": [{key: getattr(links, key) for key in _LINKS} for links in graph.link_sets],
    }


def _node_dict(node: Node) -> dict[str, Any]:
    data = {key: getattr(node, key) for key in _NODE}
    if isinstance(node.concentration, Gamma):
        data["concentration"] = {"shape": node.concentration.shape, "rate": node.concentration.rate}
    if isinstance(node.discount, Beta):
        data["discount"] = {"alpha": node.discount.alpha, "beta": node.discount.beta}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in data.items()}


def read_parts(data: object) -> tuple[list[Node], list[Tokens], list[Links]]:
    """The nodes, streams and link sets of stored data, which `Graph.from_parts` checks."""
    top = _fields(data, "the graph", ("format", "version", "nodes", "streams", "links"))
    if top["format"] != FORMAT or top["version"] != VERSION:
        raise GraphError(
            f"the data is {top['format']!r} version {top['version']!r}, but this release reads {FORMAT!r} "
            f"version {VERSION}; read it with the release of pitmanyor that wrote it"
        )
    nodes = [_read_node(item, place) for place, item in _items(top, "nodes")]
    streams = [_read_stream(item, place) for place, item in _items(top, "streams")]
    links = [_read_links(item, place) for place, item in _items(top, "links")]
    return nodes, streams, links


def _fields(data: object, place: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise GraphError(f"{place} must be an object with the keys {', '.join(keys)}, not {data!r}")
    missing = [key for key in keys if key not in data]
    unknown = [key for key in data if key not in keys]
    if missing or unknown:
        wrong = f"lacks {', '.join(missing)}" if missing else f"has the unknown key {unknown[0]!r}"
        raise GraphError(f"{place} {wrong}; its keys are {', '.join(keys)}")
    return data


def _items(top: Mapping[str, Any], key: str) -> list[tuple[str, object]]:
    if not isinstance(top[key], list | tuple):
        raise GraphError(f"{key} must be a list, not {top[key]!r}")
    return [(f"{key}[{i}]", item) for i, item in enumerate(top[key])]


def _read_node(data: object, place: str) -> Node:
    fields = dict(_fields(data, place, _NODE))
    if fields["kind"] not in _KINDS:
        raise GraphError(f"{place}.kind is {fields['kind']!r}; the kinds are {', '.join(_KINDS)}")
    for key in ("parents", "plate"):
        fields[key] = _list_of(fields[key], str, f"{place}.{key}", "names")
    for key in ("mix_prior", "mix_weights"):
        if fields[key] is not None:
            fields[key] = _list_of(fields[key], (int, float), f"{place}.{key}", "numbers")
    if isinstance(fields["concentration"], Mapping):
        prior = _fields(fields["concentration"], f"{place}.concentration", ("shape", "rate"))
        fields["concentration"] = Gamma(prior["shape"], prior["rate"])
    if isinstance(fields["discount"], Mapping):
        prior = _fields(fields["discount"], f"{place}.discount", ("alpha", "beta"))
        fields["discount"] = Beta(prior["alpha"], prior["beta"])
    return Node(side="topic", **fields)  # the side follows from the parents and is set when the node is checked


def _list_of(data: object, kind: type | tuple[type, ...], place: str, what: str) -> tuple[Any, ...]:
    if not isinstance(data, list | tuple) or not all(isinstance(item, kind) for item in data):
        raise GraphError(f"{place} must be a list of {what}, not {data!r}")
    return tuple(data)


def _read_stream(data: object, place: str) -> Tokens:
    fields = _fields(data, place, _STREAM)
    return Tokens(*(_typed(fields, key, str, place) for key in _STREAM))


def _read_links(data: object, place: str) -> Links:
    fields = _fields(data, place, _LINKS)
    number = (int, float)
    numbers = (number, number, number)
    kinds: tuple[type | tuple[type, ...], ...] = (str, str, bool, str, bool, bool, *numbers, bool, bool)
    return Links(*(_typed(fields, key, kind, place) for key, kind in zip(_LINKS, kinds, strict=True)))


def _typed(fields: Mapping[str, Any], key: str, kind: type | tuple[type, ...], place: str) -> Any:
    if not isinstance(fields[key], kind):
        what = "name" if kind is str else "truth value" if kind is bool else "number"
        raise GraphError(f"{place}.{key} must be a {what}, not {fields[key]!r}")
    return fields[key]
