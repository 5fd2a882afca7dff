"""The explicit sweep leaves the law of a document given the shared vectors exactly as it is (maths 4).

pi P = pi for the real code of all engines, with tokens of topics that may move and of one that may not.
"""

import numpy as np
import pytest

from kernels.documents.exact_explicit import N_HELD, DocumentChain
from kernels.documents.test_mutants import binomial_ratios_dropped
from oracle.toys import Toy, bursty, bursty_layers, diamond, three_layers, two_parents
from pitmanyor import models
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph

pytestmark = pytest.mark.nojit

RULES = ("clamp", "paper", "singleton")


def with_text(graph: Graph, first: list[str]) -> Toy:
    """The document to be visited, and one more that holds topics."""
    groups = {"author": ["ann", "ann"]}
    return graph, Corpus.from_tokens([first, ["y", "x", "x", "y"]], groups=groups, vocabulary=["x", "y"])


def posts(graph: Graph) -> Toy:
    """A hashtag and a word, over the TNTM's three local nodes."""
    documents = {"hashtag": [["x"], ["y"]], "word": [["x"], ["y", "x"]]}
    return graph, Corpus.from_tokens(documents, groups={"author": ["ann", "ann"]}, vocabulary=["x", "y"])


def two_layers() -> Graph:
    """A local node below another: a token that leaves the lower one alone leaves A of the upper one as it is."""
    g = Graph()
    mu = g.gem("mu", discount=0.3, concentration=1.2)
    eta = g.pyp("eta", base=mu, plate="document", discount=0.4, concentration=0.9)
    theta = g.pyp("theta", base=eta, plate="document", discount=0.5, concentration=0.7)
    phi = g.dirichlet("phi", over="vocabulary", plate="topic", concentration=1.6)
    g.tokens("word", topic=theta, emit=phi)
    return g


def three_topics() -> Graph:
    """LDA's shape below the document too: a Dirichlet as local root."""
    g = Graph()
    theta = g.dirichlet("theta", over=3, plate="document", concentration=1.4)
    phi = g.dirichlet("phi", over="vocabulary", plate="topic", concentration=1.6)
    g.tokens("word", topic=theta, emit=phi)
    return g


def bursty_streams() -> Toy:
    """A node per document and topic for each of two streams, one of them over words per author."""
    g = bursty()[0]
    own = g.dirichlet("own", over="vocabulary", plate=("author", "topic"), concentration=1.9)
    tags = g.pyp("tag_burst", base=own, plate=("document", "topic"), discount=0.2, concentration=0.8)
    g.tokens("hashtag", topic="theta", emit=tags)
    return posts(g)


def few_own_words() -> Graph:
    """Topics that have few of the document's own words weigh less than topics that it does not hold."""
    g = bursty_layers()[0].set("eta", discount=0.9, concentration=5.0).set("theta", discount=0.9, concentration=3.0)
    return g.set("burst", discount=0.1, concentration=0.2)


def bursty_words() -> Toy:
    """Words of the document's own below two layers of topics, and hashtags that have none."""
    g = bursty_layers()[0]
    tags = g.dirichlet("tags", over="vocabulary", plate="topic", concentration=1.9)
    g.tokens("hashtag", topic="eta", emit=tags)
    return posts(g)


TOYS = {
    "one node": lambda: with_text(three_layers()[0], ["x", "x"]),
    "one node, no discount": lambda: with_text(three_layers(discounts=False)[0], ["x", "y"]),
    "two layers": lambda: with_text(two_layers(), ["x", "x"]),
    "two layers, two words": lambda: with_text(two_layers(), ["x", "y"]),
    "two parents": lambda: with_text(two_parents()[0], ["x", "x"]),
    "two parents, no discount": lambda: with_text(two_parents(discounts=False)[0], ["x", "y"]),
    "fixed mix": lambda: with_text(two_parents(weights=(0.3, 0.7))[0], ["x", "x"]),
    "tntm": lambda: posts(diamond()[0]),
    "tntm, no discount": lambda: posts(diamond(discounts=False)[0]),
    "local root": lambda: with_text(three_topics(), ["x", "y", "x"]),
    "bursty": lambda: with_text(bursty()[0], ["x", "x"]),
    "bursty, two words": lambda: with_text(bursty()[0], ["x", "y"]),
    "bursty, local root": lambda: with_text(models.bursty(three_topics(), discount=0.6, concentration=0.7), ["x", "x"]),
    "bursty, two streams": bursty_streams,
    "bursty, two layers": lambda: with_text(bursty_layers()[0], ["x", "x"]),
    "bursty, two parents": lambda: with_text(
        models.bursty(two_parents()[0], discount=0.4, concentration=0.8), ["x", "x"]
    ),
    "bursty tntm": lambda: posts(models.bursty(diamond()[0], discount=0.3, concentration=0.8)),
    "bursty words": bursty_words,
    "bursty, few own words": lambda: with_text(few_own_words(), ["x", "x"]),
    "three tokens": lambda: with_text(three_layers()[0], ["x", "x", "y"]),
}
# where the other engines fit: that of topic nodes everywhere; that of one node where there is one over one
# parent, and own words, if there are any, in all streams
OWN_WORDS = ("bursty", "bursty, two words", "bursty, local root", "bursty, two streams")
ONE_NODE = ("one node", "one node, no discount", "local root", "three tokens", *OWN_WORDS)
BY_TOKEN = [name for name in TOYS if name not in ("two parents", "local root")]


def engines_of(toy: str) -> list[str]:
    return ["general", "topic nodes", *["one node"] * (toy in ONE_NODE)]


# whole visits of the others have too many branches to follow from every state; those of own words are many
WHOLE = [
    (toy, engine, rule)
    for toy in ("bursty", "one node", "two layers", "two parents", "local root")
    for engine in engines_of(toy)
    for rule in (RULES[:1] if toy in OWN_WORDS and engine != "general" else RULES)
]


def check_visit(chain: DocumentChain, rule: str) -> None:
    """pi P = pi; held topics, and no others, can be reached by tokens that have held ones."""
    matrix = chain.visit(range(len(chain.states)))
    assert np.abs(matrix.sum(axis=1) - 1).max() < 1e-12
    assert chain.error(matrix) < 1e-12
    for i, (topics, _) in enumerate(chain.states):
        ends = {chain.states[j][0] for j in matrix[[i]].nonzero()[1]}
        for end in ends:
            assert all(old == new if old >= N_HELD else new < N_HELD for old, new in zip(topics, end, strict=True))
        assert rule == "paper" or len(ends) == N_HELD ** sum(k < N_HELD for k in topics)


@pytest.mark.parametrize(("toy", "engine", "rule"), WHOLE)
def test_visiting_a_document_leaves_its_law_as_it_is(toy, engine, rule):
    check_visit(DocumentChain(TOYS[toy](), rule, engine), rule)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("toy", BY_TOKEN)
def test_updating_a_token_leaves_the_law_as_it_is_and_tokens_make_a_visit(toy, rule):
    chain = DocumentChain(TOYS[toy](), rule)
    expected = np.eye(len(chain.states))
    for token in sorted(chain.tokens):
        matrix = chain.token_update(token)
        assert chain.error(matrix) < 1e-12
        expected = expected @ matrix.toarray()
    starts = np.unique(np.linspace(0, len(chain.states) - 1, 4).astype(int)).tolist()
    for engine in engines_of(toy):
        rows = DocumentChain(TOYS[toy](), rule, engine).visit(starts).toarray()
        assert np.abs(rows - expected[starts]).max() < 1e-13


TWICE = [
    *[("one node", k) for k in engines_of("one node")],
    ("bursty", "general"),
    *[("bursty, two words", k) for k in ("topic nodes", "one node")],
]


@pytest.mark.parametrize(("toy", "engine"), TWICE)
def test_two_passes_are_one_visit_after_the_other(toy, engine):
    chain = DocumentChain(TOYS[toy](), "clamp", engine)
    once = chain.visit(range(len(chain.states)))
    starts = np.unique(np.linspace(0, len(chain.states) - 1, 3).astype(int)).tolist()
    assert np.abs((chain.visit(starts, 2) - once[starts] @ once).toarray()).max() < 1e-13


def test_a_planted_bug_is_caught():
    with binomial_ratios_dropped():
        chain = DocumentChain(TOYS["three tokens"](), "clamp")
        assert chain.error(chain.token_update(chain.tokens[0])) > 1e-6
