"""Documents folded in over vectors that leave every topic a chance, against the enumeration of all seatings."""

from dataclasses import replace

import numba
import numpy as np
import pytest

from exact_shares import Document
from pitmanyor import Corpus, models
from pitmanyor.fold_in import Way
from pitmanyor.fold_in.fixed_vectors import Vectors, fix_vectors
from pitmanyor.fold_in.shares import _gibbs
from pitmanyor.graph import Graph, mix, uniform
from pitmanyor.kernels.documents.fold_sweeps import Sweeps
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.explicit_sweep import Explicit, LeafMeans
from pitmanyor.state import State, new_state
from pitmanyor.state.engines import ClusterNodes, General, TopicNodes

TOPICS = 3
COPIES = 40_000  # of the document: chains that know nothing of each other


def deep(discount: float, weights: list[float] | None = None, n_parents: int = 2) -> Graph:
    """A leaf that mixes parents, and a leaf beside it: one's walks change what the other's nodes rest on."""
    g = Graph()
    mu = g.gem("mu")
    nu = g.pyp("nu", base=mu)
    eta = g.pyp("eta", base=nu, plate="document", discount=discount)
    spot = g.pyp("spot", base=eta, plate="document", discount=discount)
    other = g.pyp("other", base=mix(eta, mu), plate="document", discount=discount)
    parents = (eta, other, nu)[:n_parents]
    mixed = mix(*parents, weights=weights) if weights else mix(*parents)
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


def sketch() -> Graph:
    """Own words without discount over words that are no topic's, beside a stream of shared ones."""
    g = Graph()
    theta = g.pyp("theta", base=g.gem("mu"), plate="document")
    base = g.pyp("gamma", base=uniform("vocabulary"))
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
    "fixed mixing": deep(0.3, [0.6, 0.4]),
    "bursty": models.bursty(models.hpyp(topic_discount=0.3), discount=0.4),
    "bursty lda": models.bursty(models.lda(TOPICS), discount=0.4),
    "bursty tntm": models.bursty(models.tntm(topic_discount=0.5).without("follows"), discount=0.6),
}
OTHERS = {  # swept by the general engine
    "three parents": deep(0.6, n_parents=3),
    "bursty together": diary(),
    "own words over no topic's": sketch(),
}
ONE_NODE = ("hpyp", "hdp_lda", "lda", "bursty", "bursty lda")
CLUSTERS = [name for name in GRAPHS if not name.startswith("bursty")]
FOLDED = [*((name, "own engine") for name in GRAPHS), *((name, "topic nodes") for name in ONE_NODE)]
TOKENS = (("place", 1), ("place", 1), ("hashtag", 0), ("hashtag", 1), ("word", 0), ("word", 1))
MORE = tuple(("word", w) for w in (0, 0, 0, 0, 1, 1))  # where there is one node, tables of several customers


def toy(name: str) -> Document:
    graph, rng = (GRAPHS | OTHERS)[name], np.random.default_rng(3)
    vectors = {}
    for node in graph.nodes:
        if not node.local:
            size = TOPICS if node.side == "topic" else 2
            vectors[node.name] = rng.dirichlet(np.full(size, 3.0), TOPICS if node.per_topic else None)
    streams = {stream.name for stream in graph.streams}
    tokens = MORE if name in ONE_NODE else tuple((s, w) for s, w in TOKENS if s in streams)
    return Document(graph, vectors, {node.name: 1.0 for node in graph.nodes if node.local}, tokens)


def state_of(document: Document, copies: int) -> tuple[State, Vectors]:
    """Copies of a document that have no topics yet, over its vectors."""
    names = [stream.name for stream in document.graph.streams]
    words = {s: [["xy"[w] for t, w in document.tokens if t == s]] * copies for s in names}
    corpus = Corpus.from_tokens(words, groups={"author": ["ann"] * copies}, vocabulary=["x", "y"])
    state = new_state(compile_plan(document.graph, corpus))
    vectors = {n: v[None] if v.ndim > 1 else v[None, None] for n, v in document.vectors.items()}
    fix_vectors(state, vectors, TOPICS, document.concentrations)
    return state, vectors


def found(
    document: Document,
    sweeps: int,
    leaf: str = "theta",
    by_chance: bool = False,
    kept: int = 1,
    engine: str = "own engine",
) -> np.ndarray:
    state, _ = state_of(document, COPIES)
    engines = {"own engine": state.engine, "topic nodes": TopicNodes(state.plan), "clusters": ClusterNodes(state.plan)}
    stream = [one.topic for one in document.graph.streams].index(leaf)
    numba.set_num_threads(1)
    explicit = Explicit(state, 1, engines[engine])
    return explicit.fold(state, stream, Sweeps(*(sweeps, sweeps - kept) * 2, 1, by_chance)).shares


def exact(document: Document) -> np.ndarray:
    """As the kernels have a Dirichlet: a process without discount over a uniform base."""
    if not document.graph["theta"].parents:
        g = Graph()
        g.pyp("theta", base=g.pyp("even", base=g.gem("mu")), plate="document", discount=0)
        emit = g.pyp("phi", base=uniform("vocabulary"), plate="topic")
        if (own := document.graph.streams[0].emit) != "phi":
            emit = g.pyp(own, base=emit, plate=("document", "topic"), discount=document.graph[own].discount)
        g.tokens("word", topic="theta", emit=emit)
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


@pytest.mark.parametrize(("name", "engine"), FOLDED)
def test_the_last_of_many_sweeps_has_the_law_of_the_posterior(name, engine):
    """First and second moments over 40,000 chains: their standard errors are below 0.001."""
    document = toy(name)
    assert worst_error(found(document, 30, engine=engine), exact(document)) < 4.5


@pytest.mark.parametrize(("name", "engine"), FOLDED)
def test_chances_of_topics_have_the_means_of_the_topics_drawn_and_less_noise(name, engine):
    """Of the expectation of a mean, first moments are the same, and second ones smaller."""
    document = toy(name)
    soft, (mean, square) = found(document, 30, by_chance=True, engine=engine), exact(document)
    assert worst_mean(soft, mean) < 4.5
    assert ((soft / soft.sum(axis=1, keepdims=True)).var(axis=0) < 0.9 * (square - mean**2)).all()


@pytest.mark.parametrize("name", ["hpyp", "bursty", "tntm", "bursty tntm"])
def test_chances_are_summed_over_the_sweeps_that_are_kept(name):
    """Slots come and go meanwhile, and what their topics have by chance stays with the topics."""
    document = toy(name)
    few, many = (found(document, sweeps, by_chance=True, kept=kept) for sweeps, kept in ((30, 1), (38, 9)))
    assert many.sum(axis=1).mean() == pytest.approx(9 * few.sum(axis=1).mean(), rel=0.02)
    assert worst_mean(many, exact(document)[0]) < 4.5


@pytest.mark.parametrize("name", CLUSTERS)
@pytest.mark.parametrize("by_chance", [False, True])
def test_clusters_have_the_means_of_the_posterior_and_less_noise_than_topics(name, by_chance):
    """Labels are summed out: means given the seats and chances both have the mean of the posterior."""
    document = toy(name)
    rows, (mean, square) = found(document, 30, by_chance=by_chance, engine="clusters"), exact(document)
    assert worst_mean(rows, mean) < 4.5
    assert ((rows / rows.sum(axis=1, keepdims=True)).var(axis=0) < 0.9 * (square - mean**2)).all()


@pytest.mark.parametrize("name", ["hpyp", "lda", "tntm", "deep"])
def test_clusters_over_several_sweeps(name):
    """Clusters come and go meanwhile, and what their topics have stays with the topics. Eight sweeps are in batches."""
    document = toy(name)
    few, many = (found(document, n, by_chance=True, kept=k, engine="clusters") for n, k in ((30, 1), (38, 8)))
    assert many.sum(axis=1).mean() == pytest.approx(8 * few.sum(axis=1).mean(), rel=0.02)
    assert worst_mean(many, exact(document)[0]) < 4.5


@pytest.mark.parametrize(("name", "leaf"), [("tntm", "theta_tag"), ("deep", "spot")])
def test_a_leaf_that_no_token_of_the_document_is_of(name, leaf):
    """The topics of hashtags that a draft does not have yet: by its words alone."""
    document = toy(name)
    document = replace(document, tokens=tuple(token for token in document.tokens if token[0] == "word"))
    assert worst_error(found(document, 30, leaf), document.moments(leaf)) < 4.5
    assert worst_mean(found(document, 30, leaf, engine="clusters"), document.moments(leaf)[0]) < 4.5


@pytest.mark.parametrize("name", OTHERS)
def test_documents_of_any_other_shape_are_swept_by_the_general_engine(name):
    document = toy(name)
    state, vectors = state_of(document, 2_000)
    assert isinstance(state.engine, General) and not state.engine.folds
    rows = _gibbs(state, vectors, "theta", Way("gibbs", 40, 1, 1))
    error = rows.std(axis=0) / np.sqrt(len(rows))
    assert (np.abs(rows.mean(axis=0) - exact(document)[0]) < 4.5 * error).all()
    assert error.max() < 0.005


def folded(document: Document, sweeps: int, n_threads: int) -> LeafMeans:
    state, _ = state_of(document, 2_000)
    stream = [one.topic for one in document.graph.streams].index("theta")
    numba.set_num_threads(n_threads)
    explicit = Explicit(state, n_threads, ClusterNodes(state.plan))
    return explicit.fold(state, stream, Sweeps(*(sweeps, sweeps // 4) * 2, 1, True))


@pytest.mark.parametrize("name", ["hpyp", "tntm"])
def test_standard_errors_of_clusters_are_by_how_much_runs_differ(name):
    """Over 2,000 runs, each with batches long enough to know little of each other."""
    rows, errors = folded(toy(name), 400, 1)
    rows = rows / rows.sum(axis=1, keepdims=True)
    assert np.sqrt((errors.astype(float) ** 2).mean(axis=0)) == pytest.approx(rows.std(axis=0), rel=0.15)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="one thread is all there is")
@pytest.mark.parametrize("name", ["hpyp", "tntm"])
def test_clusters_have_the_same_bytes_on_any_number_of_threads(name):
    one, two = (folded(toy(name), 8, n_threads) for n_threads in (1, 2))
    assert one.shares.tobytes() == two.shares.tobytes() and one.errors.tobytes() == two.errors.tobytes()
