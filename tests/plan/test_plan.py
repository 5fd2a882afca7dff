"""compile_plan as a whole: sizes it tells, and graphs it refuses."""

import pytest

from oracle.toys import finite_topics, three_layers
from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph, mix
from pitmanyor.plan import compile_plan


def test_sizes_and_discounts():
    plan = compile_plan(*three_layers())
    assert (plan.n_topics, plan.n_tokens, plan.n_documents) == (None, 4, 2)
    assert plan.discounts == [0.2, 0.4, 0.5, 0.6, 0.7]
    assert compile_plan(*finite_topics()).n_topics == 2


def test_a_graph_of_links_alone_has_documents_that_say_nothing():
    g = Graph()
    g.links("follows", between=g.pyp("nu", base=g.gem("mu"), plate="author"))
    plan = compile_plan(g, Corpus.from_tokens([["x"]], groups={"author": ["ann"]}))
    assert plan.n_tokens == 0 and plan.n_documents == 1
    assert set(g.names) < set(plan.graph.names)


def test_more_document_nodes_than_a_walk_code_holds_are_refused():
    g = Graph()
    mu = g.gem("mu")
    below = g.pyp("first", base=mu, plate="document")
    for i in range(16):
        below = g.pyp(f"next{i}", base=mix(mu, below), plate="document")
    g.tokens("word", topic=below, emit=g.dirichlet("phi", over="vocabulary", plate="topic"))
    plan = compile_plan(g, Corpus.from_tokens([["x"]]))
    with pytest.raises(PlanError, match="need 33 bits a token for their walks, and there are 32"):
        plan.shift_and_mask()
