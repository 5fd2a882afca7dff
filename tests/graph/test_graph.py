"""Declaring, reading and comparing graphs."""

import pytest

from pitmanyor.errors import GraphError
from pitmanyor.graph import Gamma, Graph, Node, mix, uniform
from pitmanyor.models import hpyp, tntm


def test_declaring_returns_the_node() -> None:
    g = Graph()
    mu = g.gem("mu", discount=0, concentration=2)
    assert mu == Node("mu", "gem", "topic", discount=0.0, concentration=2.0)
    theta = g.pyp("theta", base=mu, plate="document", concentration_per="instance")
    assert theta.parents == ("mu",) and theta.local and theta.concentration_per == "instance"
    assert g["theta"] is theta


def test_defaults() -> None:
    g = Graph()
    assert g.gem("mu").discount == 0.0
    assert g.pyp("nu", base="mu").discount == 0.0
    assert g.pyp("gamma", base=uniform()).discount == 0.5
    phi = g.pyp("phi", base="gamma", plate="topic")
    assert (phi.discount, phi.concentration, phi.concentration_per) == (0.5, Gamma(0.1, 0.1), "layer")
    assert g.pyp("both", base=mix("gamma", "phi"), plate="topic").discount == 0.5


def test_a_dirichlet_is_over_words_or_topics() -> None:
    g = Graph()
    phi = g.dirichlet("phi", over="vocabulary", plate="topic", concentration=50)
    theta = g.dirichlet("theta", over=20, plate="document")
    assert (phi.side, phi.over, phi.discount) == ("word", "vocabulary", 0.0)
    assert (theta.side, theta.over, theta.plate) == ("topic", 20, ("document",))


def test_links_keep_their_options() -> None:
    g = Graph()
    nu = g.pyp("nu", base=g.gem("mu"), plate="author")
    links = g.links("knows", between=nu, directed=False, kernel="pair", intercept=True, self_links=True)
    assert g.link_sets == (links,)
    assert (links.directed, links.kernel, links.intercept, links.self_links) == (False, "pair", True, True)


@pytest.mark.parametrize("again", ["mu", "word", "follows"])
def test_names_are_unique_across_nodes_streams_and_links(again: str) -> None:
    g = Graph()
    nu = g.pyp("nu", base=g.gem("mu"), plate="author")
    g.tokens("word", topic=nu, emit=g.dirichlet("phi", over="vocabulary", plate="topic"))
    g.links("follows", between=nu)
    message = f"already has a '{again}'"
    with pytest.raises(GraphError, match=message):
        g.gem(again)
    with pytest.raises(GraphError, match=message):
        g.tokens(again, topic="nu", emit="phi")
    with pytest.raises(GraphError, match=message):
        g.links(again, between="nu")


def test_reading() -> None:
    g = tntm()
    assert [node.name for node in g.parents("theta")] == ["eta", "theta_tag"]
    assert [node.name for node in g.children("gamma")] == ["psi_tag", "psi"]
    assert [stream.name for stream in g.streams] == ["hashtag", "word"]
    assert "eta" in g and "word" in g and "follows" in g and "phi" not in g
    assert g.names[-3:] == ("hashtag", "word", "follows")
    assert g.by_name["eta"] is g["eta"]
    with pytest.raises(GraphError, match="no node 'follows'; its nodes are 'mu0'"):
        g["follows"]
    with pytest.raises(GraphError, match="no node 'phi'"):
        g.children("phi")


def test_nodes_come_in_topological_order_after_any_edit() -> None:
    g = Graph()
    g.gem("mu")
    g.pyp("early", base="mu")
    g.pyp("late", base="mu")
    moved = g.rebase("early", "late")
    assert [node.name for node in moved.nodes] == ["mu", "late", "early"]


def test_graphs_compare_by_what_they_say_not_by_order() -> None:
    one, other = Graph(), Graph()
    one.gem("mu")
    one.pyp("gamma", base=uniform())
    other.pyp("gamma", base=uniform())
    other.gem("mu")
    assert one == other and hash(one) == hash(other)
    assert hpyp() == hpyp() and hpyp() != hpyp(topic_discount=0.1) and hpyp() != "hpyp"
    assert len({hpyp(), hpyp(), tntm()}) == 2


def test_a_copy_goes_its_own_way() -> None:
    g = hpyp()
    copy = g.copy()
    copy.pyp("extra", base="nu")
    assert "extra" not in g and copy != g


def test_a_graph_used_as_a_key_cannot_change() -> None:
    g = hpyp()
    seen = {g}
    with pytest.raises(GraphError, match=r"in use as a key .* add 'extra' to its copy\(\)"):
        g.pyp("extra", base="nu")
    assert g in seen
    assert "extra" in [node.name for node in _with_extra(g.copy()).nodes]


def _with_extra(g: Graph) -> Graph:
    g.pyp("extra", base="nu")
    return g
