"""The collapsed sweep for documents with one node draws what the general one draws, to the byte."""

import numba
import numpy as np
import pytest

from pitmanyor import Corpus, Graph, models, simulate, uniform
from pitmanyor.kernels.monitor.log_joint import ZETA
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.sweeps import Sweeper, initialise
from pitmanyor.state import State, new_state
from pitmanyor.state.engines import Engine, General, OneNode


def two_streams() -> Graph:
    g = Graph()
    mu = g.gem("mu", discount=0.3, concentration=2.0)
    theta = g.pyp("theta", base=mu, plate="document", discount=0.4, concentration=1.0)
    gamma = g.pyp("gamma", base=uniform("vocabulary"), concentration=1.0)
    g.tokens("word", topic=theta, emit=g.pyp("phi", base=gamma, plate="topic", concentration=2.0))
    own = g.pyp("own", base="phi", plate=("author", "topic"), concentration=1.0)
    g.tokens("tag", topic=theta, emit=own)
    return g


def author_words() -> Graph:
    """Words per author and topic, and the first of all nodes local: places of cells are no cells."""
    g = Graph()
    theta = g.dirichlet("theta", over=3, plate="document", concentration=0.8)
    g.tokens("word", topic=theta, emit=g.dirichlet("own", over="vocabulary", plate=("author", "topic")))
    return g


POWER_LAWS = {"topic_discount": 0.5, "word_discount": 0.7}
MODELS = {
    "hpyp": lambda: models.hpyp(**POWER_LAWS, concentration=1.0),
    "hdp_lda": lambda: models.hdp_lda(concentration=2.0),
    "lda": lambda: models.lda(6, concentration=2.0),
    "author_topic": lambda: models.author_topic(**POWER_LAWS, concentration=1.0),
    "two_streams": two_streams,
    "author_words": author_words,
    "bursty hpyp": lambda: models.bursty(models.hpyp(**POWER_LAWS, concentration=1.0), discount=0.7, concentration=0.7),
    "bursty hdp_lda": lambda: models.bursty(models.hdp_lda(concentration=2.0), discount=0.0, concentration=3.0),
    "bursty lda": lambda: models.bursty(models.lda(6, concentration=2.0), concentration=0.5),
    "bursty author_topic": lambda: models.bursty(
        models.author_topic(**POWER_LAWS, concentration=1.0), concentration=1.0
    ),
    "bursty two_streams": lambda: models.bursty(two_streams(), discount=0.5, concentration=0.8),
}


def corpus_for(graph: Graph) -> Corpus:
    return simulate(graph, documents=12, tokens=9, groups={"author": 3}, vocabulary=7, seed=4).corpus


def run(graph: Graph, corpus: Corpus, *, engine: type[Engine]) -> State:
    # without the compiler in double precision; with it in single, as users run it (and compiled only once)
    precision = np.float64 if numba.config.DISABLE_JIT else np.float32
    state = new_state(compile_plan(graph, corpus), precision=precision)
    assert isinstance(state.engine, OneNode)
    state.engine = engine(state.plan)
    initialise(state, (5, 0, 0))
    sweeper = Sweeper(state, "collapsed")
    for number in range(1, 7):
        sweeper.step(state, (5, 0, number))
    return state


@pytest.mark.nojit
@pytest.mark.parametrize("name", MODELS)
def test_its_collapsed_sweep_gives_the_same_bytes(name: str) -> None:
    graph = MODELS[name]()
    corpus = corpus_for(graph)
    one_node, general = (run(graph, corpus, engine=kind) for kind in (OneNode, General))
    assert one_node.text.topic.tobytes() == general.text.topic.tobytes()
    assert one_node.text.code.tobytes() == general.text.code.tobytes()
    assert one_node.net.counts.tobytes() == general.net.counts.tobytes()
    # but for auxiliaries of a Dirichlet, whose topics they visit in another order
    ours, theirs = (state.text.measures[..., :ZETA] for state in (one_node, general))
    rounding = 1e-9 if ours.dtype == np.float64 else 2 * np.finfo(np.float32).eps  # of how they are stored
    np.testing.assert_allclose(ours, theirs, rtol=rounding)


@pytest.mark.nojit
def test_other_shapes_do_not_fit() -> None:
    tntm, one_node = models.tntm().without("follows"), models.hpyp()
    one_node.tokens("tag", topic="theta", emit="phi")
    for graph in (tntm, models.bursty(tntm), models.bursty(one_node)):
        truth = simulate(graph, documents=2, tokens=2, groups={"author": 1}, vocabulary=3, seed=1)
        assert not OneNode.fits(compile_plan(graph, truth.corpus))
