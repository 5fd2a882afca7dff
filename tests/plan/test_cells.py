"""Cells of counts: dense ones, those of pairs that occur, and their parents."""

import numpy as np

from oracle.toys import TOYS, author_words, nested_groups
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph, uniform
from pitmanyor.plan import compile_plan
from pitmanyor.plan.cells import lineage


def parents_of(plan, cell: int) -> list[int]:
    cells = plan.cells
    return cells.parent[cells.parent_first[cell] : cells.parent_first[cell + 1]].tolist()


def test_a_word_node_per_author_has_cells_only_for_the_pairs_that_occur():
    graph, corpus = author_words()  # ann: x y, x x; bob: x
    plan = compile_plan(graph, corpus)
    own = plan.cells.of(plan.index["own"])
    authors, words = plan.cells.instance[own].tolist(), plan.cells.word[own].tolist()
    assert list(zip(authors, words, strict=True)) == [(0, 0), (0, 1), (1, 0)]
    assert set(plan.cells.slot) == {"own"}


def test_a_node_whose_tokens_have_few_of_its_words_has_cells_for_those_alone():
    graph, _ = TOYS["diamond"]()
    documents = {"hashtag": [["x"], []], "word": [["x", "z"], ["y"]]}
    plan = compile_plan(graph, Corpus.from_tokens(documents, groups={"author": ["ann", "bob"]}))
    words = {name: plan.cells.word[plan.cells.of(plan.index[name])].tolist() for name in ("gamma", "psi_tag", "psi")}
    assert words == {"gamma": [0, 1, 2], "psi_tag": [plan.corpus.vocabulary.index("x")], "psi": [0, 1, 2]}
    found = plan.cells.listed[plan.cells.slot["psi_tag"]]  # by word
    x = plan.corpus.vocabulary.index("x")
    assert found[x] == plan.cells.of(plan.index["psi_tag"]).start and (np.delete(found, x) == -1).all()


def test_a_node_without_tokens_or_with_shared_children_has_cells_for_all_words():
    graph, _ = TOYS["diamond"]()
    documents = {"hashtag": [[], []], "word": [["x", "z"], ["y"]]}
    plan = compile_plan(graph, Corpus.from_tokens(documents, groups={"author": ["ann", "bob"]}))
    assert not plan.cells.slot
    g = Graph()
    theta = g.pyp("theta", base=g.gem("mu"), plate="document")
    upper = g.pyp("upper", base=uniform("vocabulary"), plate="topic")
    g.tokens("word", topic=theta, emit=g.pyp("lower", base=upper, plate="topic"))
    plan = compile_plan(g, Corpus.from_tokens([["x"], ["x"]], vocabulary=["x", "y", "z"]))
    assert set(plan.cells.slot) == {"lower"}


def test_every_token_finds_the_cell_of_its_author_and_word():
    graph, corpus = author_words()
    plan = compile_plan(graph, corpus)
    found = plan.cells.listed[plan.cells.slot["own"]]
    author = plan.instances["own"].of_document[plan.order.document]
    assert (plan.cells.instance[found] == author).all()
    assert (plan.cells.word[found] == plan.order.word).all()


def test_parents_of_sparse_cells_are_the_cells_of_their_words():
    plan = compile_plan(*author_words())
    own, phi = plan.cells.of(plan.index["own"]), int(plan.cells.first[plan.index["phi"]])
    for cell in range(own.start, own.stop):
        assert parents_of(plan, cell) == [phi + plan.cells.word[cell]]


def test_a_sparse_parent_is_found_by_pair():
    g = Graph()
    nu = g.pyp("nu", base=g.gem("mu"), plate="author")
    gamma = g.pyp("gamma", base=uniform("vocabulary"), plate="party")
    own = g.pyp("own", base=gamma, plate=("author", "topic"))
    g.tokens("word", topic=nu, emit=own)
    groups = {"author": ["ann", "bob", "cy"], "party": ["red", "blue", "red"]}
    plan = compile_plan(g, Corpus.from_tokens([["x", "z"], ["y"], ["z"]], groups=groups))
    party = {"ann": "red", "bob": "blue", "cy": "red"}
    cells = plan.cells
    for cell in range(cells.of(plan.index["own"]).start, cells.of(plan.index["own"]).stop):
        (above,) = parents_of(plan, cell)
        assert cells.word[above] == cells.word[cell]
        author = plan.instances["own"].labels[cells.instance[cell]]
        assert plan.instances["gamma"].labels[cells.instance[above]] == party[author]


def test_parents_of_groups_go_through_the_documents():
    plan = compile_plan(*nested_groups())
    party, nu = (int(plan.cells.first[plan.index[name]]) for name in ("party_topics", "nu"))
    labels = plan.instances["party_topics"].labels
    assert [labels[parents_of(plan, nu + i)[0] - party] for i in range(3)] == ["red", "red", "blue"]


def test_cells_are_dense_local_nodes_have_one_and_no_parents_of_their_own():
    for toy in TOYS.values():
        graph, corpus = toy()
        plan = compile_plan(graph, corpus)
        assert plan.cells.first[-1] == len(plan.cells.instance) == len(plan.cells.parent_first) - 1
        for i, node in enumerate(plan.nodes):
            cells = plan.cells.of(i)
            n_parents = np.diff(plan.cells.parent_first[cells.start : cells.stop + 1])
            if node.local:
                assert cells.stop - cells.start == 1 and not n_parents.any()
            else:
                assert (n_parents == len(node.parents)).all()


def test_lineage_is_a_node_and_all_above_it():
    graph, _ = TOYS["diamond"]()
    assert lineage(graph, "theta") == {"theta", "theta_tag", "eta", "nu", "mu1", "mu0"}
    assert lineage(graph, "mu1") == {"mu1", "mu0"}
