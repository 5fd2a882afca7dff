"""What only the finished graph can show."""

import pytest

from pitmanyor.errors import GraphError
from pitmanyor.graph import Graph, uniform
from pitmanyor.models import tntm


def _words(g: Graph) -> None:
    g.dirichlet("phi", over="vocabulary", plate="topic")


def test_a_graph_must_observe_something() -> None:
    g = Graph()
    g.gem("mu")
    with pytest.raises(GraphError, match="observes nothing: add a stream with tokens"):
        g.validate()


def test_idle_nodes_are_named_and_pruned() -> None:
    g = Graph()
    mu = g.gem("mu")
    g.pyp("idle", base=mu)
    g.pyp("idler", base="idle")
    _words(g)
    g.tokens("word", topic=mu, emit="phi")
    with pytest.raises(GraphError, match=r"needs 'idle', 'idler'; remove what is idle with prune\(\)"):
        g.validate()
    pruned = g.prune()
    pruned.validate()
    assert pruned.names == ("mu", "phi", "word") and "idle" in g


def test_topics_have_one_root() -> None:
    g = Graph()
    one, two = g.gem("one"), g.gem("two")
    _words(g)
    g.tokens("word", topic=one, emit="phi")
    g.tokens("tag", topic=two, emit="phi")
    with pytest.raises(GraphError, match="more than one root, 'one' and 'two'"):
        g.validate()


def test_topics_are_all_finite_or_all_infinite() -> None:
    g = Graph()
    g.gem("mu")
    g.dirichlet("theta", over=5, plate="document")
    _words(g)
    g.tokens("word", topic="mu", emit="phi")
    g.tokens("tag", topic="theta", emit="phi")
    with pytest.raises(GraphError, match="'mu' has infinitely many topics and 'theta' has 5"):
        g.validate()


def test_finite_roots_have_one_size() -> None:
    g = Graph()
    g.dirichlet("theta", over=5, plate="document")
    g.dirichlet("theta_tag", over=6, plate="document")
    _words(g)
    g.tokens("word", topic="theta", emit="phi")
    g.tokens("tag", topic="theta_tag", emit="phi")
    with pytest.raises(GraphError, match="'theta' is over 5 topics and 'theta_tag' over 6"):
        g.validate()


def test_finite_roots_of_one_size_are_fine() -> None:
    g = Graph()
    g.dirichlet("theta", over=5, plate="document")
    g.dirichlet("theta_tag", over=5)
    _words(g)
    g.tokens("word", topic="theta", emit="phi")
    g.tokens("tag", topic="theta_tag", emit="phi")
    g.validate()


def test_a_stream_may_have_its_own_words() -> None:
    g = Graph()
    g.gem("mu")
    g.pyp("phi", base=uniform("word"), plate="topic")
    g.tokens("word", topic="mu", emit="phi")
    g.validate()


def test_own_words_go_with_their_stream() -> None:
    g = Graph()
    g.gem("mu")
    g.pyp("phi", base=uniform("vocabulary"), plate="topic")
    g.pyp("chi", base=uniform("mention"), plate="topic")
    g.tokens("word", topic="mu", emit="phi")
    g.tokens("mention", topic="mu", emit="chi")
    g.validate()
    kept = g.without("mention")
    kept.validate()
    assert kept.names == ("mu", "phi", "word")


def test_links_alone_are_a_model() -> None:
    network = tntm().without("word").without("hashtag")
    network.validate()
    assert network.names == ("mu0", "nu", "follows")
