"""Authors with their topics and links as GEXF or GraphML, for Gephi, Cytoscape, networkx and igraph."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np

from pitmanyor.call_checks import checked_call
from pitmanyor.export.edges import edges_of
from pitmanyor.files import atomic_write
from pitmanyor.results.fitting import Fit
from pitmanyor.topics import author_shares, view

Element = ElementTree.Element
GEXF, GRAPHML = "http://www.gexf.net/1.2draft", "http://graphml.graphdrawing.org/xmlns"
ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # not allowed in XML 1.0
Value = str | int | float
Values = dict[str, Value]


@dataclass(frozen=True)
class AuthorGraph:
    """Authors as nodes with attributes, and links as edges. All nodes have the same attributes.

    The graph is undirected if all its links are. Few tools read mixed graphs, so undirected links beside directed ones
    are written in both directions.
    """

    names: list[str]
    values: list[Values]
    edges: list[tuple[int, int, Values]]
    directed: bool

    @property
    def kind(self) -> str:
        return "directed" if self.directed else "undirected"


@checked_call()
def author_graph(fit: Fit) -> AuthorGraph:
    """Authors with their number of documents, main topic and topic proportions; links with affinity and probability."""
    shown = view(fit)
    labels, shares = author_shares(fit)
    folded = shown.fold(shares)
    corpus = fit.state.plan.corpus
    group = corpus.groups["author"]
    posts = dict(zip(group.labels, np.bincount(group.codes, minlength=len(group.labels)).tolist(), strict=True))
    values: list[Values] = []
    for i, label in enumerate(labels):
        best = int(folded[i].argmax())
        about: Values = {"documents": posts[label], "topic": shown.topics[best]}
        about["topic_name"] = shown.names[best]
        values.append(about | {f"topic_{topic}": float(folded[i, k]) for k, topic in enumerate(shown.topics)})
    edges, directed = _edges(fit, {label: i for i, label in enumerate(labels)})
    return AuthorGraph([str(label) for label in labels], values, edges, directed)


def _edges(fit: Fit, place: dict[Hashable, int]) -> tuple[list[tuple[int, int, Values]], bool]:
    """The links between authors, and whether they are directed."""
    both_ways = {links.name for links in fit.graph.link_sets if not links.directed}
    found = edges_of(fit)
    directed = not found or any(edge.links not in both_ways for edge in found)
    edges: dict[tuple[str, int, int], Values] = {}  # an undirected link may be listed in both directions
    for edge in found:
        said: Values = {"links": edge.links, "affinity": edge.affinity}
        if edge.probability is not None:
            said["probability"] = edge.probability
        a, b = place[edge.source], place[edge.target]
        if edge.links in both_ways:
            a, b = min(a, b), max(a, b)
            if directed:
                edges[edge.links, b, a] = said
        edges[edge.links, a, b] = said
    return [(a, b, said) for (_, a, b), said in edges.items()], directed


@checked_call()
def write_gexf(fit: Fit, path: str | os.PathLike[str]) -> None:
    """Write the authors of a fit with their topics and links as GEXF 1.2.

    Parameters
    ----------
    fit
        A fit with authors.
    path
        File to write.
    """
    graph = author_graph(fit)
    root = Element("gexf", xmlns=GEXF, version="1.2")
    body = ElementTree.SubElement(root, "graph", defaultedgetype=graph.kind, mode="static")
    keys = {}
    for what, values in (("node", graph.values), ("edge", [edge[2] for edge in graph.edges])):
        keys[what] = _keys(values)
        declared = ElementTree.SubElement(body, "attributes", {"class": what})
        for i, (title, kind) in enumerate(keys[what].items()):
            ElementTree.SubElement(declared, "attribute", id=str(i), title=title, type=kind)
    nodes = ElementTree.SubElement(body, "nodes")
    for i, name in enumerate(graph.names):
        _gexf_values(
            ElementTree.SubElement(nodes, "node", id=str(i), label=_clean(name)), graph.values[i], keys["node"]
        )
    edges = ElementTree.SubElement(body, "edges")
    for i, (a, b, said) in enumerate(graph.edges):
        edge = ElementTree.SubElement(edges, "edge", id=str(i), source=str(a), target=str(b), type=graph.kind)
        _gexf_values(edge, said, keys["edge"])
    _write(root, path)


@checked_call()
def write_graphml(fit: Fit, path: str | os.PathLike[str]) -> None:
    """Write the authors of a fit with their topics and links as GraphML.

    Parameters
    ----------
    fit
        A fit with authors.
    path
        File to write.
    """
    graph = author_graph(fit)
    root = Element("graphml", xmlns=GRAPHML)
    nodes = [_with_label(name, said) for name, said in zip(graph.names, graph.values, strict=True)]
    ids: dict[str, dict[str, str]] = {}
    for what, values in (("node", nodes), ("edge", [edge[2] for edge in graph.edges])):
        ids[what] = {}
        for i, (name, kind) in enumerate(_keys(values).items()):
            ids[what][name] = f"{what[0]}{i}"
            named = {"id": ids[what][name], "for": what, "attr.name": name, "attr.type": kind}
            ElementTree.SubElement(root, "key", named)
    body = ElementTree.SubElement(root, "graph", edgedefault=graph.kind)
    for i, said in enumerate(nodes):
        _graphml_values(ElementTree.SubElement(body, "node", id=str(i)), said, ids["node"])
    for a, b, said in graph.edges:
        _graphml_values(ElementTree.SubElement(body, "edge", source=str(a), target=str(b)), said, ids["edge"])
    _write(root, path)


def _with_label(name: str, said: Values) -> Values:
    return {"label": name, **said}


def _keys(values: list[Values]) -> dict[str, str]:
    """The names of attributes, and their types in XML."""
    kinds = {str: "string", int: "long", float: "double"}
    return {name: kinds[type(value)] for said in values for name, value in said.items()}


def _gexf_values(element: Element, said: Values, keys: dict[str, str]) -> None:
    order = {name: str(i) for i, name in enumerate(keys)}
    values = ElementTree.SubElement(element, "attvalues")
    for name, value in said.items():
        ElementTree.SubElement(values, "attvalue", {"for": order[name], "value": _clean(value)})


def _graphml_values(element: Element, said: Values, ids: dict[str, str]) -> None:
    for name, value in said.items():
        ElementTree.SubElement(element, "data", key=ids[name]).text = _clean(value)


def _clean(value: Value) -> str:
    return ILLEGAL.sub("\ufffd", str(value))


def _write(root: Element, path: str | os.PathLike[str]) -> None:
    ElementTree.indent(root)
    with atomic_write(path) as file:
        file.write(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")
