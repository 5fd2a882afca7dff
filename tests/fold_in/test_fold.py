"""Documents folded in over vectors that leave every topic a chance, against the enumeration of all seatings."""

from dataclasses import replace

import numpy as np
import pytest

from exact_shares import Document
from pitmanyor import Corpus, models
from pitmanyor.fold_in.fold import Fixed, fold_network, fold_plain
from pitmanyor.graph import Graph, mix, uniform
from pitmanyor.kernels.documents.fold_in.fold_one_node import Sweeps
from pitmanyor.plan import Plan, compile_plan

TOPICS = 3
COPIES = 40_000  # of the document: chains that know nothing of each other


def deep(discount: float, weights: list[float] | None = None) -> Graph:
    """A leaf that mixes three parents, and a leaf beside it: one's walks change what the other's nodes rest on."""
    g = Graph()
    mu = g.gem("mu")
    nu = g.pyp("nu", base=mu)
    eta = g.pyp("eta", base=nu, plate="document", discount=discount)
    spot = g.pyp("spot", base=eta, plate="document", discount=discount)
    other = g.pyp("other", base=mix(eta, mu), plate="document", discount=discount)
    mixed = mix(eta, other, nu, weights=weights) if weights else mix(eta, other, nu)
    theta = g.pyp("theta", base=mixed, plate="document", discount=discount)
    phi = g.pyp("phi", base=uniform("vocabulary"), plate="topic")
    g.tokens("place", topic=spot, emit=phi)
    g.tokens("word", topic=theta, emit=phi)
    return g


def diary() -> Graph:
    """Words and hashtags of one node: what a document said in one stream it says again in the other."""
    g = models.hpyp(topic_discount=0.3)
    tag = replace(g.streams[0], name="hashtag")
    return models.bursty(Graph.from_parts(g.nodes, [tag, *g.streams]), discount=0.4)


def sketch(shared: bool = True) -> Graph:
    """Own words without discount, over words that are no topic's or over none, beside a stream of shared ones."""
    g = Graph()
    theta = g.pyp("theta", base=g.gem("mu"), plate="document")
    base = g.pyp("gamma", base=uniform("vocabulary")) if shared else uniform("vocabulary")
    own = g.pyp("own", base=base, plate=("document", "topic"), discount=0)
    g.tokens("word", topic=theta, emit=own)
    g.tokens("hashtag", topic=theta, emit=g.pyp("phi", base=uniform("vocabulary"), plate="topic"))
    return g


GRAPHS = {
    "hpyp": models.hpyp(topic_discount=0.3),
    "hdp_lda": models.hdp_lda(),
    "lda": models.lda(TOPICS),
    "tntm": models.tntm(topic_discount=0.5).without("follows"),
    "tntm without discounts": models.tntm(topic_discount=0.0).without("follows"),
    "deep": deep(0.6),
    "fixed mixing": deep(0.3, [0.5, 0.3, 0.2]),
    "bursty": models.bursty(models.hpyp(topic_discount=0.3), discount=0.4),
    "bursty tntm": models.bursty(models.tntm(topic_discount=0.5).without("follows"), discount=0.6),
    "bursty together": diary(),
    "own words over no topic's": sketch(),
}
PLAIN = ("hpyp", "hdp_lda", "lda")
TOKENS = (("place", 1), ("place", 1), ("hashtag", 0), ("hashtag", 1), ("word", 0), ("word", 1))
MORE = tuple(("word", w) for w in (0, 0, 0, 0, 1, 1))  # where there is one node, tables of several customers


def toy(name: str) -> Document:
    graph, rng = GRAPHS[name], np.random.default_rng(3)
    vectors = {}
    for node in graph.nodes:
        if not node.local:
            size = TOPICS if node.side == "topic" else 2
            vectors[node.name] = rng.dirichlet(np.full(size, 3.0), TOPICS if node.per_topic else None)
    streams = {stream.name for stream in graph.streams}
    tokens = MORE if name in (*PLAIN, "bursty") else tuple((s, w) for s, w in TOKENS if s in streams)
    return Document(graph, vectors, {node.name: 1.0 for node in graph.nodes if node.local}, tokens)


def local_discounts(plan: Plan) -> dict[str, float]:
    return {node.name: float(node.discount) for node in plan.nodes if node.local}  # type: ignore[arg-type]


def found(
    name: str, document: Document, sweeps: int, leaf: str = "theta", by_chance: bool = False, kept: int = 1
) -> np.ndarray:
    names = [stream.name for stream in document.graph.streams]
    words = {s: [["xy"[w] for t, w in document.tokens if t == s]] * COPIES for s in names}
    corpus = Corpus.from_tokens(words, groups={"author": ["ann"] * COPIES}, vocabulary=["x", "y"])
    plan = compile_plan(document.graph, corpus)
    vectors = {n: v[None] if v.ndim > 1 else v[None, None] for n, v in document.vectors.items()}
    fixed, how = (
        Fixed(vectors, dict(document.concentrations), local_discounts(plan), TOPICS),
        Sweeps(*(sweeps, sweeps - kept) * 2, 1, by_chance),
    )
    if name in PLAIN:
        return fold_plain(plan, fixed, how, 1)
    return fold_network(plan, fixed, leaf, how, 1)


def exact(document: Document) -> np.ndarray:
    """As the kernels have a Dirichlet: a process without discount over a uniform base."""
    if not document.graph["theta"].parents:
        g = Graph()
        g.pyp("theta", base=g.pyp("even", base=g.gem("mu")), plate="document", discount=0)
        phi = g.pyp("phi", base=uniform("vocabulary"), plate="topic")
        g.tokens("word", topic="theta", emit=phi)
        vectors = {"even": np.full(TOPICS, 1 / TOPICS), "phi": document.vectors["phi"]}
        document = Document(g, vectors, document.concentrations, document.tokens)
    return document.moments("theta")


def worst_error(rows: np.ndarray, moments: np.ndarray) -> float:
    """The largest error of first and second moments, in standard errors."""
    rows = rows / rows.sum(axis=1, keepdims=True)
    seen = np.stack([rows.mean(axis=0), (rows**2).mean(axis=0)])
    spread = np.stack([rows.std(axis=0), (rows**2).std(axis=0)]) / np.sqrt(COPIES)
    return float(np.abs((seen - moments) / spread).max())


def worst_mean(rows: np.ndarray, mean: np.ndarray) -> float:
    """The largest error of the means, in standard errors. Tables are not by chance, so sums of rows differ a little."""
    rows = rows / rows.sum(axis=1).mean()
    return float(np.abs((rows.mean(axis=0) - mean) / (rows.std(axis=0) / np.sqrt(COPIES))).max())


@pytest.mark.parametrize("name", GRAPHS)
def test_the_last_of_many_sweeps_has_the_law_of_the_posterior(name):
    """First and second moments over 40,000 chains: their standard errors are below 0.001."""
    document = toy(name)
    assert worst_error(found(name, document, 30), exact(document)) < 4.5


@pytest.mark.parametrize("name", GRAPHS)
def test_chances_of_topics_have_the_means_of_the_topics_drawn_and_less_noise(name):
    """Of the expectation of a mean, first moments are the same, and second ones smaller."""
    document = toy(name)
    soft, (mean, square) = found(name, document, 30, by_chance=True), exact(document)
    assert worst_mean(soft, mean) < 4.5
    assert ((soft / soft.sum(axis=1, keepdims=True)).var(axis=0) < 0.9 * (square - mean**2)).all()


@pytest.mark.parametrize("name", ["hpyp", "tntm", "bursty tntm"])
def test_chances_are_summed_over_the_sweeps_that_are_kept(name):
    """Slots come and go meanwhile, and what their topics have by chance stays with the topics."""
    document = toy(name)
    few, many = (found(name, document, sweeps, by_chance=True, kept=kept) for sweeps, kept in ((30, 1), (38, 9)))
    assert many.sum(axis=1).mean() == pytest.approx(9 * few.sum(axis=1).mean(), rel=0.02)
    assert worst_mean(many, exact(document)[0]) < 4.5


@pytest.mark.parametrize(("name", "leaf"), [("tntm", "theta_tag"), ("deep", "spot")])
def test_a_leaf_that_no_token_of_the_document_is_of(name, leaf):
    """The topics of hashtags that a draft does not have yet: by its words alone."""
    document = toy(name)
    document = replace(document, tokens=tuple(token for token in document.tokens if token[0] == "word"))
    assert worst_error(found(name, document, 30, leaf), document.moments(leaf)) < 4.5


@pytest.mark.parametrize("name", ["bursty tntm", "own words over no topic's"])
def test_topics_that_are_weighed_one_by_one(name, monkeypatch):
    """As if every draw of a topic for a document's own words had been refused too often."""
    monkeypatch.setattr("pitmanyor.fold_in.fold.TRIES", 0)
    document = toy(name)
    assert worst_error(found(name, document, 30), exact(document)) < 4.5


def test_own_words_over_none_are_over_all_words_alike():
    over = toy("own words over no topic's")
    over = replace(over, vectors={**over.vectors, "gamma": np.full(2, 0.5)})
    alone = replace(over, graph=sketch(shared=False), vectors={n: v for n, v in over.vectors.items() if n != "gamma"})
    one, other = (found("", document, 5) for document in (over, alone))
    assert one.tobytes() == other.tobytes()
