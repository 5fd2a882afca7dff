"""Graphs whose word side has several shapes: two parents, two streams, words per author."""

from __future__ import annotations

from pitmanyor.graph import Graph, mix, uniform


def two_word_parents() -> Graph:
    """Words mix a narrow node and one per topic."""
    g = Graph()
    theta = g.pyp("theta", base=g.gem("mu"), plate="document")
    gamma = g.pyp("gamma", base=uniform("vocabulary"))
    wide = g.pyp("wide", base=gamma, plate="topic")
    g.tokens("word", topic=theta, emit=g.pyp("phi", base=mix(gamma, wide), plate="topic"))
    return g


def two_streams(*, shared: bool) -> Graph:
    """Two streams that emit from one node, or each from its own with its own words; one has a leaf of topics shared."""
    g = Graph()
    nu = g.pyp("nu", base=g.gem("mu"), plate="author")
    theta = g.pyp("theta", base=nu, plate="document")
    phi = g.pyp("phi", base=uniform("vocabulary" if shared else "word"), plate="topic", discount=0)
    g.tokens("word", topic=theta, emit=phi)
    g.tokens("tag", topic=nu, emit=phi if shared else g.pyp("psi", base=uniform("tag"), plate="topic"))
    return g


def author_words(*, also_emits: bool) -> Graph:
    """Words per author and topic; the node above may emit a stream itself, and then is no leaf."""
    g = Graph()
    theta = g.pyp("theta", base=g.gem("mu"), plate="document")
    phi = g.pyp("phi", base=g.pyp("gamma", base=uniform("vocabulary")), plate="topic")
    g.tokens("word", topic=theta, emit=g.pyp("own", base=phi, plate=("author", "topic")))
    if also_emits:
        g.tokens("tag", topic=theta, emit=phi)
    return g
