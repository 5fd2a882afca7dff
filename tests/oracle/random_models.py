"""Random models with random small corpora, for tests of what must hold of any."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from pitmanyor.corpus import Corpus
from pitmanyor.graph import Beta, Gamma, Graph, Node, mix, uniform

TOPIC_PLATES = [(), ("author",), ("author", "day"), ("document",)]
WORD_PLATES = [(), ("topic",), ("author", "topic"), ("document", "topic"), ("document",)]
DISCOUNTS = [0.0, 0.3, 0.5, 0.7, Beta(2, 1)]
CONCENTRATIONS = [0.4, 1.5, Gamma(2, 1)]
Plate = tuple[str, ...]


def _fits(plate: Plate, parent: Node) -> bool:
    """Can a node on this plate stand on the parent?"""
    return all(name in plate or ("document" in plate and name != "topic") for name in parent.plate)


@st.composite
def _base(draw: st.DrawFn, able: list[str], most: int) -> object:
    parents = draw(st.lists(st.sampled_from(able), min_size=1, max_size=most, unique=True))
    if len(parents) == 1:
        return parents[0]
    if draw(st.booleans()):
        return mix(*parents, prior=tuple(draw(st.sampled_from([0.5, 1.0, 2.0])) for _ in parents))
    return mix(*parents, weights=tuple(1 / len(parents) for _ in parents))


def _add(draw: st.DrawFn, g: Graph, name: str, side: str, plates: list[Plate], most: int) -> None:
    """A pyp on nodes of the side that are there already, on so many of them at most."""
    plate = draw(st.sampled_from(plates))
    able = [node.name for node in g.nodes if node.side == side and _fits(plate, node) and node.over != "tag"]
    if able:
        per_instance = set(plate) != {"document", "topic"} and draw(st.booleans())
        g.pyp(
            name,
            base=draw(_base(able, most)),
            plate=plate,
            discount=draw(st.sampled_from(DISCOUNTS)),
            concentration=draw(st.sampled_from(CONCENTRATIONS)),
            concentration_per="instance" if per_instance else "layer",
        )


@st.composite
def graphs(draw: st.DrawFn, n_streams: int) -> Graph:
    g = Graph()
    if draw(st.booleans()):
        g.gem("mu", discount=draw(st.sampled_from(DISCOUNTS)), concentration=draw(st.sampled_from(CONCENTRATIONS)))
    else:
        g.dirichlet("mu", over=3, plate=draw(st.sampled_from(TOPIC_PLATES)), concentration=0.8)
    for i in range(draw(st.integers(0, 4))):
        _add(draw, g, f"t{i}", "topic", TOPIC_PLATES, 3)
    plate = draw(st.sampled_from(WORD_PLATES[:3]))
    if draw(st.booleans()):
        g.pyp(
            "w", base=uniform("vocabulary"), plate=plate, discount=draw(st.sampled_from(DISCOUNTS)), concentration=1.2
        )
    else:
        g.dirichlet("w", over="vocabulary", plate=plate, concentration=1.4)
    for i in range(draw(st.integers(0, 2))):
        _add(draw, g, f"w{i}", "word", WORD_PLATES, 2)
    topics = [node.name for node in g.nodes if node.side == "topic"]
    words = [node.name for node in g.nodes if node.side == "word"]
    g.tokens("word", topic=draw(st.sampled_from(topics)), emit=draw(st.sampled_from(words)))
    if n_streams == 2:
        emit = draw(st.sampled_from([*words, "own"]))
        if emit == "own":
            g.pyp("own", base=uniform("tag"), plate="topic", concentration=0.9)
        g.tokens("tag", topic=draw(st.sampled_from(topics)), emit=emit)
    return g.prune()


@st.composite
def own_word_graphs(draw: st.DrawFn, n_streams: int) -> Graph:
    """Topics of each document in one to three layers, and words of its own for the first stream at least."""
    g = Graph()
    g.gem("mu", discount=draw(st.sampled_from(DISCOUNTS)), concentration=draw(st.sampled_from(CONCENTRATIONS)))
    for i in range(draw(st.integers(0, 2))):
        _add(draw, g, f"s{i}", "topic", TOPIC_PLATES[:3], 2)
    local = [f"t{i}" for i in range(draw(st.integers(1, 3)))]
    for name in local:
        _add(draw, g, name, "topic", [("document",)], 2)
    for stream in ("word", "tag")[:n_streams]:
        plate = draw(st.sampled_from([("topic",), ("author", "topic")]))
        emit = g.dirichlet(f"{stream}_phi", over="vocabulary", plate=plate, concentration=1.4)
        if stream == "word" or draw(st.booleans()):
            plate, discount = ("document", "topic"), draw(st.sampled_from(DISCOUNTS))
            emit = g.pyp(f"{stream}_own", base=emit, plate=plate, discount=discount, concentration=0.9)
        g.tokens(stream, topic=draw(st.sampled_from(local)), emit=emit)
    return g.prune()


@st.composite
def models(draw: st.DrawFn, graphs: Callable[[int], st.SearchStrategy[Graph]] = graphs) -> tuple[Graph, Corpus]:
    """A valid graph and a corpus of up to four documents of up to six tokens a stream."""
    n_streams, n_documents = draw(st.integers(1, 2)), draw(st.integers(1, 4))
    tokens = st.lists(st.sampled_from(["x", "x", "y", "z"]), max_size=6)
    documents = {name: [draw(tokens) for _ in range(n_documents)] for name in ("word", "tag")[:n_streams]}
    for texts in documents.values():
        texts[0] = [*texts[0], "x"]  # no stream without a token
    groups = {name: [draw(st.sampled_from("ab")) for _ in range(n_documents)] for name in ("author", "day")}
    corpus = Corpus.from_tokens(documents, groups=groups, vocabulary=["x", "y", "z"])
    return draw(graphs(n_streams)), corpus
