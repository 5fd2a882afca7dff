"""Plates made concrete: instances, their parents, and plates that do not fit a corpus."""

import re

import pytest

from pitmanyor.corpus import Corpus
from pitmanyor.errors import GraphError
from pitmanyor.graph import Graph
from pitmanyor.models import tntm
from pitmanyor.plan import compile_plan
from pitmanyor.plan.instances import find_instances, groupings, parent_instance

GROUPS = {"author": ["ann", "bob", "ann", "cy"], "party": ["red", "blue", "red", "red"]}
CORPUS = Corpus.from_tokens([["x"], ["y"], ["y", "x"], ["x"]], groups=GROUPS)


def layered(below: str | tuple[str, ...], above: str | tuple[str, ...]) -> Graph:
    """A gem, a node on the plate `above`, a node on the plate `below`, documents."""
    g = Graph()
    mu = g.gem("mu")
    upper = g.pyp("upper", base=mu, plate=above)
    lower = g.pyp("lower", base=upper, plate=below)
    theta = g.pyp("theta", base=lower, plate="document")
    g.tokens("word", topic=theta, emit=g.dirichlet("phi", over="vocabulary", plate="topic"))
    return g


def test_instances_of_a_grouping_a_crossing_a_global_and_a_local_node():
    instances = find_instances(layered(("author", "party"), "author"), CORPUS)
    assert instances["upper"].labels == ("ann", "bob", "cy")
    assert instances["upper"].of_document.tolist() == [0, 1, 0, 2]
    assert instances["lower"].labels == (("ann", "red"), ("bob", "blue"), ("cy", "red"))
    assert instances["lower"].of_document.tolist() == [0, 1, 0, 2]
    for name in ("mu", "theta", "phi"):
        assert instances[name].labels == ((),)
        assert instances[name].of_document.tolist() == [0, 0, 0, 0]


def test_groupings_leave_out_documents_and_topics():
    g = layered("author", "party")
    g.pyp("own", base="phi", plate=("author", "topic"))
    assert [groupings(g[name]) for name in ("mu", "lower", "theta", "phi", "own")] == [
        (),
        ("author",),
        (),
        (),
        ("author",),
    ]


def test_the_author_determines_the_party():
    graph = layered("author", "party")
    instances = find_instances(graph, CORPUS)
    above = parent_instance(graph["lower"], graph["upper"], instances)
    parties = [instances["upper"].labels[i] for i in above]
    assert dict(zip(instances["lower"].labels, parties, strict=True)) == {"ann": "red", "bob": "blue", "cy": "red"}


def test_a_party_does_not_determine_the_author():
    message = (
        "'lower' is per party but its base 'upper' is per author, and one does not determine the other: 'red' comes "
        "with both 'cy' and 'ann'. Put author into the plate of 'lower' too"
    )
    with pytest.raises(GraphError, match=re.escape(message)):
        compile_plan(layered("party", "author"), CORPUS)


def test_a_missing_column_is_told_from_the_child_that_needs_it():
    corpus = Corpus.from_tokens({"word": [["x"]], "hashtag": [["x"]]}, groups={"day": [1]})
    message = (
        "'eta' is per document but its base 'nu' is per author, and this corpus has no author column (it has: 'day')"
    )
    with pytest.raises(GraphError, match=re.escape(message)):
        compile_plan(tntm().without("follows"), corpus)


def test_a_missing_column_of_a_node_without_such_a_child():
    g = Graph()
    nu = g.pyp("nu", base=g.gem("mu"), plate="author")
    g.tokens("word", topic=nu, emit=g.dirichlet("phi", over="vocabulary", plate="topic"))
    message = "'nu' is per author, and this corpus has no author column (it has: none)"
    with pytest.raises(GraphError, match=re.escape(message)):
        compile_plan(g, Corpus.from_tokens([["x"]]))
