"""Drawings are well formed, complete and stay inside their frame."""

import re
import xml.etree.ElementTree as ET

import pytest

from pitmanyor.graph import Graph, mix
from pitmanyor.graph.draw import _split
from pitmanyor.models import author_topic, bursty, hdp_lda, lda, tntm

SVG = "{http://www.w3.org/2000/svg}"
GRAPHS = {"lda": lda(5), "hdp": hdp_lda(), "author": author_topic(), "tntm": tntm(), "bursty": bursty(tntm())}


@pytest.fixture(params=GRAPHS)
def graph(request: pytest.FixtureRequest) -> Graph:
    return GRAPHS[request.param]


def test_every_name_and_edge_is_drawn(graph: Graph) -> None:
    root = ET.fromstring(graph.to_svg())
    titles = [title.text or "" for title in root.iter(f"{SVG}title")]
    for node in graph.nodes:
        assert any(f'("{node.name}"' in title for title in titles)
    for item in (*graph.streams, *graph.link_sets):
        assert item.name in titles
    n_edges = sum(len(node.parents) for node in graph.nodes) + 3 * len(graph.streams) + len(graph.link_sets)
    assert len(list(root.iter(f"{SVG}line"))) == n_edges


def test_everything_is_inside_the_frame(graph: Graph) -> None:
    root = ET.fromstring(graph.to_svg())
    x, y, width, height = map(float, root.attrib["viewBox"].split())
    for rect in root.iter(f"{SVG}rect"):
        left, top = float(rect.attrib["x"]), float(rect.attrib["y"])
        assert x <= left and left + float(rect.attrib["width"]) <= x + width + 0.1
        assert y <= top and top + float(rect.attrib["height"]) <= y + height + 0.1


def test_plates_are_labelled() -> None:
    labels = [t.text for t in ET.fromstring(bursty(tntm()).to_svg()).iter(f"{SVG}text") if t.get("class") == "label"]
    assert sorted(filter(None, labels)) == ["author", "document", "each hashtag", "each word", "topic", "topic"]


def test_mixed_edges_tell_their_weight() -> None:
    g = Graph()
    g.gem("mu")
    g.pyp("nu", base="mu")
    g.pyp("theta", base=mix("mu", "nu", weights=(0.25, 0.75)), plate="document")
    titles = [t.text for t in ET.fromstring(g.to_svg()).iter(f"{SVG}title")]
    assert "nu in the mixture of theta: weight 0.75" in titles
    assert tntm().to_svg().count("weight learned") == 4


def test_a_notebook_shows_the_drawing_and_its_style_stays_inside() -> None:
    assert tntm()._repr_svg_() == tntm().to_svg()
    style = ET.fromstring(tntm().to_svg()).find(f"{SVG}style")
    assert style is not None and style.text
    rules = [rule for rule in style.text.split("}") if rule.strip()]
    assert rules and all(rule.startswith(".pitmanyor-graph ") for rule in rules)


def test_an_empty_graph_has_a_drawing() -> None:
    assert ET.fromstring(Graph().to_svg()).tag == f"{SVG}svg"
    assert Graph().to_dot().startswith("digraph {")


def test_plates_with_odd_names_are_escaped() -> None:
    g = Graph()
    g.pyp("nu", base=g.gem("mu"), plate='<a> & "b"')
    ET.fromstring(g.to_svg())
    assert 'label="<a> & \\"b\\""' in g.to_dot()


@pytest.mark.parametrize(
    ("name", "parts"),
    [("mu0", ("μ", "0")), ("theta_tag", ("θ", "tag")), ("psi_tag_burst", ("ψ", "tag burst")), ("word", ("word", ""))],
)
def test_greek_names_become_symbols(name: str, parts: tuple[str, str]) -> None:
    assert _split(name) == parts


def test_dot_has_clusters_edges_and_balanced_braces() -> None:
    dot = bursty(tntm()).to_dot()
    assert dot.count("{") == dot.count("}")
    assert 'subgraph cluster_document_x_topic { label="topic";' in dot
    assert 'subgraph cluster_author { label="author";' in dot
    edges = re.findall(r'"(\w+)" -> "(\w+)"', dot)
    assert ("mu1", "theta_tag") in edges and ("psi_burst", "word") in edges and ("nu", "follows") in edges
    assert len(edges) == len(set(edges)) == 16
