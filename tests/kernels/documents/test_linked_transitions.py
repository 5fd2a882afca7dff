"""With a network: the text's Gibbs step given linked vectors leaves the law of a document as it is (maths 6).

The law is enumerated from the network's own vectors: posts by the second of two authors, topics of a finite root.
"""

from unittest.mock import patch

import numpy as np
import pytest

from kernels.documents.exact_explicit import N_LIVE, LinkedChain
from oracle.toys import Toy, diamond, two_parents
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph
from pitmanyor.sampling.joining import finite
from pitmanyor.sampling.switching import Switch

pytestmark = pytest.mark.nojit

EXACT = 1e-12  # total variation


def linked(graph: Graph, documents: dict[str, list[list[str]]]) -> Toy:
    """Bob's post is visited; Ann has another, and they follow each other."""
    g = graph.copy()
    g.links("follows", between="nu")
    links = {"follows": [("ann", "bob"), ("bob", "ann")]}
    return finite(g, N_LIVE), Corpus.from_tokens(documents, {"author": ["bob", "ann"]}, links, vocabulary=["x", "y"])


def tntm() -> Toy:
    return linked(diamond()[0], {"hashtag": [["x"], ["y"]], "word": [["x"], ["y", "x"]]})


def mixed(discounts: bool) -> Toy:
    return linked(two_parents(discounts=discounts)[0], {"word": [["x", "x"], ["y", "x"]]})


def one_word() -> Toy:
    return linked(two_parents()[0], {"word": [["x"], ["y", "x"]]})


@pytest.mark.parametrize(
    ("kernel", "discounts"), [("topic nodes", True), pytest.param("general", False, marks=pytest.mark.long)]
)
def test_visiting_a_post_leaves_its_law_as_it_is(kernel, discounts):
    chain = LinkedChain(mixed(discounts), "clamp", kernel)
    matrix = chain.visit(range(len(chain.states)))
    assert np.abs(matrix.sum(axis=1) - 1).max() < EXACT
    assert chain.distance(matrix) < EXACT


def test_updating_a_token_of_the_tntm_leaves_the_law_and_tokens_make_a_visit():
    chain = LinkedChain(tntm(), "clamp")
    expected = np.eye(len(chain.states))
    for token in sorted(chain.tokens):
        matrix = chain.token_update(token)
        assert chain.distance(matrix) < EXACT
        expected = expected @ matrix.toarray()
    starts = [0, len(chain.states) - 1]
    for kernel in ("general", "topic nodes"):
        rows = LinkedChain(tntm(), "clamp", kernel).visit(starts).toarray()
        assert np.abs(rows - expected[starts]).sum(axis=1).max() / 2 < EXACT


@pytest.mark.parametrize("rule", ["clamp", "paper", "singleton"])
@pytest.mark.parametrize("kernel", ["general", "topic nodes"])
def test_a_single_word_is_drawn_from_its_enumerated_law(kernel, rule):
    chain = LinkedChain(one_word(), rule, kernel)
    rows = chain.visit(range(len(chain.states))).toarray()
    assert np.abs(rows - chain.pi).sum(axis=1).max() / 2 < EXACT


def forgotten(right):
    """Linked nodes are drawn from counts like any other."""
    return lambda self, state, seed, given=None: right(self, state, seed)


def of_somebody_else(right):
    """Every author gets the vector of the next."""

    def down(self, state, seed, given=None):
        turned = {i: one._replace(vectors=np.roll(one.vectors, 1, axis=0)) for i, one in given.items()}
        right(self, state, seed, turned)

    return down


@pytest.mark.parametrize("bug", [forgotten, of_somebody_else])
def test_vectors_that_are_not_those_of_the_network_are_caught(bug):
    with patch.object(Switch, "down", bug(Switch.down)):
        chain = LinkedChain(one_word(), "clamp")
        assert chain.distance(chain.visit(range(len(chain.states)))) > 1e-3
