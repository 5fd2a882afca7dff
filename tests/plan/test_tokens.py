"""Vocabularies of nodes, and the order in which tokens are visited."""

import re

import pytest

from oracle.toys import own_vocabularies
from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph, uniform
from pitmanyor.models import hpyp
from pitmanyor.plan import compile_plan
from pitmanyor.plan.tokens import vocabularies

TEXT = {"tag": [["#a"], [], ["#b", "#a"]], "word": [["y", "x", "y"], ["x"], []]}


def two_streams(word_over: str = "word", tag_over: str = "tag") -> Graph:
    g = Graph()
    theta = g.pyp("theta", base=g.gem("mu"), plate="document")
    phi = g.pyp("phi", base=uniform(word_over), plate="topic")
    psi = g.dirichlet("psi", over=tag_over, plate="topic")
    g.tokens("word", topic=theta, emit=phi)
    g.tokens("tag", topic=theta, emit=psi)
    return g


def test_a_stream_of_its_own_words_sees_no_others():
    graph, corpus = own_vocabularies()
    found = {name: [corpus.vocabulary[w] for w in words] for name, words in vocabularies(graph, corpus).items()}
    assert found == {"phi": ["x", "y"], "psi": ["#a", "#b"]}


def test_a_child_has_the_words_of_its_root():
    corpus = Corpus.from_tokens([["x"]], vocabulary=["x", "y", "z"])
    found = vocabularies(hpyp(), corpus)
    assert {name: words.tolist() for name, words in found.items()} == {"gamma": [0, 1, 2], "phi": [0, 1, 2]}


def test_tokens_go_by_document_then_stream_then_word():
    plan = compile_plan(two_streams(), Corpus.from_tokens(TEXT))
    order = plan.order
    assert order.document.tolist() == [0, 0, 0, 0, 1, 2, 2]
    assert order.stream.tolist() == [0, 0, 0, 1, 0, 1, 1]
    assert order.word.tolist() == [0, 1, 1, 0, 0, 0, 1]
    assert order.source.tolist() == [1, 0, 2, 0, 3, 2, 1]
    assert order.first.tolist() == [0, 3, 4, 5, 5, 5, 7]


def test_the_last_word_of_a_document_comes_before_the_first_of_the_next():
    order = compile_plan(two_streams(), Corpus.from_tokens({"tag": [["#b"], ["#a"]], "word": [["y"], ["x"]]})).order
    assert order.document.tolist() == [0, 0, 1, 1]
    assert order.word.tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("graph", "documents", "message"),
    [
        (
            two_streams(),
            {"word": [["x"]], "tag": [[]]},
            "'psi' is over the words of stream 'tag', and that stream holds no token in this corpus; "
            "use \"vocabulary\", or fit graph.without('tag')",
        ),
        (
            two_streams(),
            {"word": [[]], "tag": [["x"]]},
            "'phi' is over the words of stream 'word', and that stream holds no token in this corpus",
        ),
        (
            two_streams("vocabulary", "vocabulary"),
            {"word": [["x"]]},
            "the graph has tokens 'tag', and this corpus has no such stream (it has: 'word')",
        ),
        (
            two_streams("vocabulary", "tag"),
            {"word": [["x"]], "hashtag": [["x"]]},
            "'psi' is over the words of stream 'tag', and this corpus has no such stream (it has: 'word', 'hashtag'); "
            'use "vocabulary" for all words of the corpus',
        ),
        (
            hpyp(),
            {"word": [[]], "tag": [["x"]]},
            "the streams of this graph hold no token in this corpus",
        ),
    ],
)
def test_streams_that_do_not_fit_are_refused(graph, documents, message):
    with pytest.raises(PlanError, match=re.escape(message)):
        compile_plan(graph, Corpus.from_tokens(documents))
