"""Every declaration that says something impossible is refused on the spot, with a sentence that teaches."""

from collections.abc import Callable

import pytest

from pitmanyor.errors import GraphError
from pitmanyor.graph import Graph, Links, Node, Tokens, mix, uniform
from pitmanyor.graph.checks import checked_node, in_order


@pytest.fixture
def g() -> Graph:
    g = Graph()
    g.gem("mu")
    g.pyp("nu", base="mu", plate="author")
    g.pyp("theta", base="nu", plate="document")
    g.pyp("gamma", base=uniform())
    g.pyp("phi", base="gamma", plate="topic")
    g.dirichlet("tag", over="hashtag", plate="topic")
    return g


REFUSED: dict[str, tuple[Callable[[Graph], object], str]] = {
    "unknown parent": (lambda g: g.pyp("x", base="xi"), "the base 'xi' of 'x' is not a node .*declare it first"),
    "both sides": (
        lambda g: g.pyp("x", base=mix("mu", "gamma")),
        "mixes 'mu', a distribution over topics, with 'gamma'",
    ),
    "two vocabularies": (
        lambda g: g.pyp("x", base=mix("phi", "tag"), plate="topic"),
        "different vocabularies, 'hashtag' and 'vocabulary'",
    ),
    "global on document": (lambda g: g.pyp("x", base="theta"), "'x' is global but its base 'theta' is per document"),
    "author on document": (
        lambda g: g.pyp("x", base="theta", plate="author"),
        "'x' is per author but its base 'theta' is per document.*add 'document' to its plate",
    ),
    "global on topic": (lambda g: g.pyp("x", base="phi"), "'x' is global but its base 'phi' is per topic"),
    "document on topic": (lambda g: g.pyp("x", base="phi", plate="document"), "add 'topic' to its plate"),
    "global on author": (lambda g: g.pyp("x", base="nu"), "'x' is global but its base 'nu' is per author"),
    "topics per topic": (
        lambda g: g.pyp("x", base="mu", plate="topic"),
        "over topics and cannot be repeated per topic",
    ),
    "finite topics per topic": (
        lambda g: g.dirichlet("x", over=5, plate=("author", "topic")),
        "over topics and cannot be repeated per topic",
    ),
    "stream without topics": (
        lambda g: g.tokens("word", topic="gamma", emit="phi"),
        "'word' has topic='gamma', a distribution over words",
    ),
    "stream without words": (
        lambda g: g.tokens("word", topic="theta", emit="nu"),
        "'word' has emit='nu', a distribution over topics",
    ),
    "stream on nothing": (lambda g: g.tokens("word", topic="zeta", emit="phi"), "topic='zeta', which is not a node"),
    "words of another stream": (
        lambda g: g.tokens("word", topic="theta", emit="tag"),
        "over the words of 'hashtag'; .* or 'word', its own",
    ),
    "links on nothing": (lambda g: g.links("follows", between="xi"), "between 'xi', which is not a node"),
    "links of words": (lambda g: g.links("follows", between="phi"), "a distribution over words; take one over topics"),
    "links without group": (lambda g: g.links("follows", between="mu"), "'mu', which is global; links join"),
    "links of documents": (lambda g: g.links("cites", between="theta"), "'theta', which is per document; links join"),
    "kernel": (
        lambda g: g.links("follows", between="nu", kernel="rbf"),  # type: ignore[arg-type]
        "kernel='rbf'; the kernels are 'similarity', 'pair', 'blocks' and 'traits'",
    ),
    "popularity of similarity": (
        lambda g: g.links("follows", between="nu", popularity=True),
        'popularity=True and kernel=\'similarity\'; it is a part of kernel="blocks" and kernel="traits"',
    ),
    "noise of blocks": (
        lambda g: g.links("follows", between="nu", kernel="blocks", noise=0.5),
        'kernel="blocks", which has no noise; leave it out',
    ),
    "length of traits": (
        lambda g: g.links("follows", between="nu", kernel="traits", length=0.5),
        'kernel="traits", which has no length; leave it out',
    ),
    "traits without direction": (
        lambda g: g.links("follows", between="nu", kernel="traits", directed=False),
        "give every link in both directions, with directed=True",
    ),
    "answers without direction": (
        lambda g: g.links("follows", between="nu", kernel="blocks", reciprocity=True, directed=False),
        "undirected, so none of them answers another",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(g: Graph, case: str) -> None:
    declare, message = REFUSED[case]
    before = g.copy()
    with pytest.raises(GraphError, match=message):
        declare(g)
    assert g == before  # a refused declaration leaves no trace


def test_a_document_determines_every_grouping(g: Graph) -> None:
    assert g.pyp("x", base="nu", plate="document").parents == ("nu",)


def test_nesting_of_groups_is_left_to_the_corpus(g: Graph) -> None:
    g.pyp("party", base="mu", plate="party")
    assert g.pyp("member", base="party", plate="author").plate == ("author",)


def test_a_word_node_may_be_crossed(g: Graph) -> None:
    own = g.pyp("own", base="phi", plate=("topic", "author"))
    assert own.plate == ("author", "topic") and own.side == "word"


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (
            Node("x", "gem", "topic", plate=("author",)),
            "is a gem with plate author, .* a pyp per author with it as base",
        ),
        (Node("x", "gem", "topic", parents=("mu",)), "is a gem, .* has no base"),
        (Node("x", "dirichlet", "topic"), "is a dirichlet, which is a root: say what it is `over`"),
        (Node("x", "dirichlet", "word", over="vocabulary", discount=0.5), "is a dirichlet and has no discount"),
        (Node("x", "pyp", "topic"), "is a pyp without a base"),
        (Node("x", "pyp", "word", over="vocabulary", parents=("mu",)), "both parents and a vocabulary of its own"),
        (Node("x", "crp", "topic"), "is of kind 'crp'; the kinds are"),  # type: ignore[arg-type]
        (Node("x", "pyp", "topic", ("mu",), mix_prior=(1.0,)), "the base of 'x' is not a mixture"),
        (Node("x", "pyp", "topic", ("mu", "mu"), mix_prior=(1.0, 1.0)), "names 'mu' twice"),
        (Node("x", "pyp", "topic", ("mu", "mu1")), "mixes 2 parents and needs either a prior or fixed weights"),
    ],
)
def test_ready_made_nodes_are_checked_too(node: Node, message: str) -> None:
    earlier = {"mu": Node("mu", "gem", "topic"), "mu1": Node("mu1", "pyp", "topic", ("mu",))}
    with pytest.raises(GraphError, match=message):
        checked_node(node, earlier)


def test_the_side_follows_from_the_roots() -> None:
    wrong = Node("gamma", "pyp", "topic", over="vocabulary")
    assert checked_node(wrong, {}).side == "word"


def test_in_order_puts_parents_first_and_keeps_the_rest() -> None:
    a, b, c = Node("a", "pyp", "topic", ("c",)), Node("b", "gem", "topic"), Node("c", "pyp", "topic", ("b",))
    d = Node("d", "pyp", "word", over="vocabulary")
    assert [node.name for node in in_order([a, b, c, d])] == ["b", "c", "a", "d"]


def test_in_order_refuses_circles() -> None:
    a, b = Node("a", "pyp", "topic", ("b",)), Node("b", "pyp", "topic", ("a",))
    with pytest.raises(GraphError, match="the bases of 'a', 'b' form a cycle"):
        in_order([Node("mu", "gem", "topic"), a, b])


def test_from_parts_checks_streams_and_links() -> None:
    mu = Node("mu", "gem", "topic")
    with pytest.raises(GraphError, match="emit='phi', which is not a node"):
        Graph.from_parts([mu], [Tokens("word", "mu", "phi")])
    with pytest.raises(GraphError, match="links join the instances of one grouping"):
        Graph.from_parts([mu], [], [Links("follows", "mu")])
