"""mix, uniform, and what else may be a base."""

import pytest

from pitmanyor.errors import GraphError
from pitmanyor.graph import Graph, Mix, Uniform, mix, uniform
from pitmanyor.graph.bases import base_fields


def test_mix_learns_its_weights_by_default() -> None:
    assert mix("a", "b", "c") == Mix(("a", "b", "c"), (1.0, 1.0, 1.0), None)
    assert mix("a", "b", prior=(2, 1)).prior == (2.0, 1.0)


def test_mix_takes_nodes_and_names() -> None:
    g = Graph()
    mu = g.gem("mu")
    assert mix(mu, "nu").parents == ("mu", "nu")


def test_mix_with_fixed_weights_has_no_prior() -> None:
    assert mix("a", "b", weights=[0.25, 0.75]) == Mix(("a", "b"), None, (0.25, 0.75))


def test_mix_refuses_nonsense() -> None:
    with pytest.raises(GraphError, match=r"mix\('a'\): a mixture needs at least two parents"):
        mix("a")
    with pytest.raises(GraphError, match="names 'a' twice; give it once, with a larger prior or weight"):
        mix("a", "b", "a")
    with pytest.raises(GraphError, match="both a prior and weights"):
        mix("a", "b", prior=2.0, weights=(0.5, 0.5))
    with pytest.raises(GraphError, match="declare a pyp node with it as base and mix that node"):
        mix("a", uniform())  # type: ignore[arg-type]


def test_uniform_is_over_words() -> None:
    assert uniform() == Uniform("vocabulary")
    assert uniform("hashtag") == Uniform("hashtag")
    with pytest.raises(GraphError, match="for a fixed number of topics declare a dirichlet node"):
        uniform(20)  # type: ignore[arg-type]


def test_a_base_is_spelt_out_as_fields() -> None:
    assert base_fields("x", "mu", {}) == (("mu",), None, None, None)
    assert base_fields("x", uniform("tag"), {}) == ((), "tag", None, None)
    assert base_fields("x", mix("a", "b", prior=3), {}) == (("a", "b"), None, (3.0, 3.0), None)


def test_a_node_of_another_graph_is_no_base() -> None:
    other, g = Graph(), Graph()
    foreign = other.gem("mu", discount=0)
    g.gem("mu", discount=0.5)
    with pytest.raises(GraphError, match="'mu' given for 'nu' belongs to another graph"):
        g.pyp("nu", base=foreign)


def test_other_things_are_no_base() -> None:
    with pytest.raises(GraphError, match="'nu' has base=3, but a base is a node, its name, mix"):
        Graph().pyp("nu", base=3)  # type: ignore[arg-type]
