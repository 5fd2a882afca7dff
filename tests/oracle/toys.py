"""Toy models for exact tests: a graph with fixed concentrations and a corpus of a few tokens.

Discounts and concentrations differ from node to node, so that no two of them can be mixed up unseen.
"""

from __future__ import annotations

from collections.abc import Callable

from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph, mix, uniform

Toy = tuple[Graph, Corpus]


def single_parent(discounts: bool = True) -> Toy:
    """gem -> theta per document; phi per topic over the uniform vocabulary."""
    a = 1.0 if discounts else 0.0
    g = Graph()
    mu = g.gem("mu", discount=0.3 * a, concentration=0.9)
    theta = g.pyp("theta", base=mu, plate="document", discount=0.5 * a, concentration=1.3)
    phi = g.pyp("phi", base=uniform("vocabulary"), plate="topic", discount=0.7 * a, concentration=0.6)
    g.tokens("word", topic=theta, emit=phi)
    return g, Corpus.from_tokens([["x", "x"], ["x", "y"]], vocabulary=["x", "y", "z"])


def three_layers(discounts: bool = True) -> Toy:
    """The paper's generic model: gem -> nu -> theta per document; gamma -> phi per topic."""
    a = 1.0 if discounts else 0.0
    g = Graph()
    mu = g.gem("mu", discount=0.2 * a, concentration=1.1)
    nu = g.pyp("nu", base=mu, discount=0.4 * a, concentration=0.8)
    theta = g.pyp("theta", base=nu, plate="document", discount=0.6 * a, concentration=1.5)
    gamma = g.pyp("gamma", base=uniform("vocabulary"), discount=0.5 * a, concentration=0.7)
    phi = g.pyp("phi", base=gamma, plate="topic", discount=0.7 * a, concentration=1.2)
    g.tokens("word", topic=theta, emit=phi)
    return g, Corpus.from_tokens([["x", "x"], ["x", "y"]], vocabulary=["x", "y"])


def two_parents(weights: tuple[float, float] | None = None, discounts: bool = True) -> Toy:
    """theta per document mixes a node per author and a global one, with learned or fixed weights."""
    a = 1.0 if discounts else 0.0
    g = Graph()
    mu = g.gem("mu", discount=0.3 * a, concentration=0.8)
    nu = g.pyp("nu", base=mu, plate="author", discount=0.4 * a, concentration=1.4)
    common = g.pyp("common", base=mu, discount=0.2 * a, concentration=0.6)
    base = mix(nu, common, prior=(0.7, 1.6)) if weights is None else mix(nu, common, weights=weights)
    theta = g.pyp("theta", base=base, plate="document", discount=0.5 * a, concentration=0.9)
    phi = g.pyp("phi", base=uniform("vocabulary"), plate="topic", discount=0.6 * a, concentration=1.1)
    g.tokens("word", topic=theta, emit=phi)
    groups = {"author": ["ann", "bob", "ann"]}
    return g, Corpus.from_tokens([["x", "x"], ["x"], ["y"]], groups=groups, vocabulary=["x", "y"])


def fixed_mix() -> Toy:
    return two_parents(weights=(0.3, 0.7))


def diamond(discounts: bool = True, authors: int = 1) -> Toy:
    """The TNTM's text part: two streams, and eta reached by two walks from theta. Two authors: some 6,400 states."""
    a = 1.0 if discounts else 0.0
    g = Graph()
    mu0 = g.gem("mu0", discount=0.3 * a, concentration=0.9)
    mu1 = g.pyp("mu1", base=mu0, discount=0.2 * a, concentration=1.2)
    nu = g.pyp("nu", base=mu0, plate="author", discount=0.4 * a, concentration=0.7)
    eta = g.pyp("eta", base=nu, plate="document", discount=0.1 * a, concentration=1.5)
    theta_tag = g.pyp(
        "theta_tag", base=mix(mu1, eta, prior=(0.8, 1.3)), plate="document", discount=0.5 * a, concentration=0.6
    )
    theta = g.pyp(
        "theta", base=mix(eta, theta_tag, prior=(1.4, 0.6)), plate="document", discount=0.6 * a, concentration=1.1
    )
    gamma = g.pyp("gamma", base=uniform("vocabulary"), discount=0.5 * a, concentration=0.8)
    psi_tag = g.pyp("psi_tag", base=gamma, plate="topic", discount=0.3 * a, concentration=1.3)
    psi = g.pyp("psi", base=gamma, plate="topic", discount=0.7 * a, concentration=0.5)
    g.tokens("hashtag", topic=theta_tag, emit=psi_tag)
    g.tokens("word", topic=theta, emit=psi)
    documents = {"hashtag": [["x"], []][:authors], "word": [["x", "x"], ["y"]][:authors]}
    return g, Corpus.from_tokens(documents, groups={"author": ["ann", "bob"][:authors]}, vocabulary=["x", "y"])


def bursty() -> Toy:
    """A node per document and topic under phi: words come in bursts."""
    g = Graph()
    mu = g.gem("mu", discount=0.3, concentration=0.9)
    theta = g.pyp("theta", base=mu, plate="document", discount=0.5, concentration=1.3)
    phi = g.pyp("phi", base=uniform("vocabulary"), plate="topic", discount=0.6, concentration=0.7)
    burst = g.pyp("burst", base=phi, plate=("document", "topic"), discount=0.4, concentration=1.1)
    g.tokens("word", topic=theta, emit=burst)
    return g, Corpus.from_tokens([["x", "x", "x"], ["x", "y"]], vocabulary=["x", "y"])


def bursty_layers() -> Toy:
    """Words in bursts below two layers of topics in each document."""
    g = Graph()
    mu = g.gem("mu", discount=0.3, concentration=1.2)
    eta = g.pyp("eta", base=mu, plate="document", discount=0.4, concentration=0.9)
    theta = g.pyp("theta", base=eta, plate="document", discount=0.5, concentration=0.7)
    phi = g.dirichlet("phi", over="vocabulary", plate="topic", concentration=1.6)
    burst = g.pyp("burst", base=phi, plate=("document", "topic"), discount=0.4, concentration=1.1)
    g.tokens("word", topic=theta, emit=burst)
    return g, Corpus.from_tokens([["x", "x"], ["x", "y"]], vocabulary=["x", "y"])


def author_words() -> Toy:
    """Words per author and topic; topics per author, with no node per document at all."""
    g = Graph()
    mu = g.gem("mu", discount=0.2, concentration=1.2)
    nu = g.pyp("nu", base=mu, plate="author", discount=0.5, concentration=0.8)
    phi = g.dirichlet("phi", over="vocabulary", plate="topic", concentration=1.7)
    own = g.pyp("own", base=phi, plate=("author", "topic"), discount=0.6, concentration=0.9)
    g.tokens("word", topic=nu, emit=own)
    documents = [["x", "y"], ["x"], ["x", "x"]]
    return g, Corpus.from_tokens(documents, groups={"author": ["ann", "bob", "ann"]}, vocabulary=["x", "y"])


def nested_groups() -> Toy:
    """nu per author over a node per party: the author determines the party through the documents."""
    g = Graph()
    mu = g.gem("mu", discount=0.2, concentration=1.2)
    party = g.pyp("party_topics", base=mu, plate="party", discount=0.3, concentration=0.7)
    nu = g.pyp("nu", base=party, plate="author", discount=0.5, concentration=0.9)
    phi = g.dirichlet("phi", over="vocabulary", plate="topic", concentration=1.7)
    g.tokens("word", topic=nu, emit=phi)
    groups = {"author": ["ann", "bob", "cal"], "party": ["red", "red", "blue"]}
    return g, Corpus.from_tokens([["x"], ["x", "y"], ["x"]], groups=groups, vocabulary=["x", "y"])


def dirichlet_words() -> Toy:
    """HDP-LDA: phi is a symmetric Dirichlet."""
    g = Graph()
    mu = g.gem("mu", discount=0.0, concentration=0.9)
    theta = g.pyp("theta", base=mu, plate="document", discount=0.0, concentration=1.3)
    phi = g.dirichlet("phi", over="vocabulary", plate="topic", concentration=1.6)
    g.tokens("word", topic=theta, emit=phi)
    return g, Corpus.from_tokens([["x", "x"], ["x", "y"]], vocabulary=["x", "y", "z"])


def finite_topics(discount: float = 0.4) -> Toy:
    """Two topics under a finite root, as in LDA; the second layer makes the root a parent too."""
    g = Graph()
    mu = g.dirichlet("mu", over=2, concentration=1.4)
    theta = g.pyp("theta", base=mu, plate="document", discount=discount, concentration=0.8)
    phi = g.dirichlet("phi", over="vocabulary", plate="topic", concentration=1.6)
    g.tokens("word", topic=theta, emit=phi)
    return g, Corpus.from_tokens([["x", "y"], ["x"]], vocabulary=["x", "y"])


def own_vocabularies() -> Toy:
    """Two streams, each with its own words."""
    g = Graph()
    mu = g.gem("mu", discount=0.3, concentration=0.9)
    theta = g.pyp("theta", base=mu, plate="document", discount=0.5, concentration=1.3)
    phi = g.pyp("phi", base=uniform("word"), plate="topic", discount=0.6, concentration=0.7)
    psi = g.dirichlet("psi", over="tag", plate="topic", concentration=1.1)
    g.tokens("word", topic=theta, emit=phi)
    g.tokens("tag", topic=theta, emit=psi)
    return g, Corpus.from_tokens({"word": [["x", "y"], ["x"]], "tag": [["#a"], ["#b"]]})


TOYS: dict[str, Callable[[], Toy]] = {
    "single_parent": single_parent,
    "single_parent_no_discount": lambda: single_parent(discounts=False),
    "three_layers": three_layers,
    "three_layers_no_discount": lambda: three_layers(discounts=False),
    "two_parents": two_parents,
    "two_parents_no_discount": lambda: two_parents(discounts=False),
    "fixed_mix": fixed_mix,
    "diamond": diamond,
    "diamond_no_discount": lambda: diamond(discounts=False),
    "diamond_two_authors": lambda: diamond(authors=2),
    "bursty": bursty,
    "bursty_layers": bursty_layers,
    "author_words": author_words,
    "nested_groups": nested_groups,
    "dirichlet_words": dirichlet_words,
    "finite_topics": finite_topics,
    "own_vocabularies": own_vocabularies,
}
