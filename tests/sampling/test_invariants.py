"""Invariants after initialisation and after every collapsed or mixed sweep, on random models."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numba import config

from oracle.invariants import check
from oracle.random_models import models, own_word_graphs
from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph
from pitmanyor.kernels.numbers.stirling import build_tables
from pitmanyor.kernels.restaurant.arrays import DOOR, GAIN, N_LIVE
from pitmanyor.kernels.restaurant.small_terms import SMALL_CUSTOMERS, SMALL_TABLES
from pitmanyor.models import hpyp, lda
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.explicit_sweep import Explicit
from pitmanyor.sampling.sweeps import Sweeper, collapsed, initialise
from pitmanyor.state import State, new_state
from pitmanyor.state.engines import TopicNodes

pytestmark = pytest.mark.nojit
N_EXAMPLES = 100 if config.DISABLE_JIT else 300
N_MIXED = 30 if config.DISABLE_JIT else 100
# users run single precision; double would cost a minute of compilation here, and none with the JIT off
MIXED_PRECISIONS = [np.float32, np.float64] if config.DISABLE_JIT else [np.float32]


def small_state(graph: Graph, corpus: Corpus, **options) -> State:
    """A new state; its Stirling tables end where small counts do, since filling them takes long without the JIT."""
    with patch(
        "pitmanyor.state.stirling_sizes.build_tables",
        lambda discounts, *_: build_tables(discounts, SMALL_CUSTOMERS, SMALL_TABLES),
    ):
        return new_state(compile_plan(graph, corpus), **options)


@settings(max_examples=N_EXAMPLES, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    model=models(),
    rule=st.sampled_from(["clamp", "paper", "singleton"]),
    precision=st.sampled_from(MIXED_PRECISIONS),
    cap=st.sampled_from([None, 1, 2]),
    dealt=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_collapsed_sweeps_keep_every_invariant(model, rule, precision, cap, dealt, seed):
    graph, corpus = model
    finite = not any(node.kind == "gem" for node in graph.nodes)
    state = small_state(graph, corpus, rule=rule, precision=precision, max_topics=None if finite else cap)
    initialise(state, (seed, 0, 0), n_topics=min(cap or 3, 3) if dealt else None)
    check(state)
    order = np.random.Generator(np.random.Philox(seed))
    for sweep in range(1, 4):
        collapsed(state, order.permutation(corpus.n_documents), (seed, 0, sweep))
        check(state)


@settings(max_examples=N_MIXED, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    model=models(),
    rule=st.sampled_from(["clamp", "paper", "singleton"]),
    precision=st.sampled_from(MIXED_PRECISIONS),
    seed=st.integers(0, 2**32),
)
def test_mixed_sweeps_keep_every_invariant(model, rule, precision, seed):
    state = small_state(*model, rule=rule, precision=precision)
    initialise(state, (seed, 0, 0))
    sweeper = Sweeper(state, "mixed", anchors=0.5)
    for sweep in range(1, 6):
        sweeper.step(state, (seed, 0, sweep))
        check(state)


@settings(max_examples=N_MIXED, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    model=models(own_word_graphs),
    rule=st.sampled_from(["clamp", "paper", "singleton"]),
    precision=st.sampled_from(MIXED_PRECISIONS),
    seed=st.integers(0, 2**32),
)
def test_mixed_sweeps_of_own_words_keep_every_invariant(model, rule, precision, seed):
    """As topics on a node_rows, of one document node too."""
    state = small_state(*model, rule=rule, precision=precision)
    initialise(state, (seed, 0, 0))
    sweeper = Sweeper(state, "mixed", anchors=0.5, passes=2)
    sweeper.explicit = Explicit(state, 1, TopicNodes(state.plan))
    assert TopicNodes.fits(state.plan) and sweeper.explicit.engine.has_own_words
    for sweep in range(1, 6):
        sweeper.step(state, (seed, 0, sweep))
        check(state)


def test_more_topics_than_columns_make_room():
    """Every token starts as a topic of its own: columns must grow, and all but a few topics die."""
    words = [f"w{i}" for i in range(40)]
    corpus = Corpus.from_tokens([words[:20], words[20:]])
    state = small_state(hpyp(concentration=1.0), corpus)
    initialise(state, (1, 0, 0), n_topics=45)
    check(state)
    assert state.capacity > 45
    for sweep in range(1, 4):
        collapsed(state, np.arange(2), (1, 0, sweep))
        check(state)
    assert state.n_topics < 20


@pytest.mark.parametrize(
    ("field", "place"),
    [("counts", (0, 0)), ("totals", (0, 0)), ("stay", 0), ("rests", (GAIN, 0)), ("status", N_LIVE), ("status", DOOR)],
)
def test_the_checker_sees_a_wrong_array(field, place):
    state = small_state(hpyp(concentration=1.0), Corpus.from_tokens([["x", "x", "y"], ["y"]]))
    initialise(state, (1, 0, 0))
    check(state)
    getattr(state.net, field)[place] += 1
    with pytest.raises(AssertionError):
        check(state)


@pytest.mark.parametrize("finite", [True, False])
def test_starting_with_more_topics_than_there_may_be_is_refused(finite):
    graph = lda(3) if finite else hpyp()
    state = small_state(graph, Corpus.from_tokens([["x"]]), max_topics=None if finite else 3)
    with pytest.raises(PlanError, match="at most 3"):
        initialise(state, (1, 0, 0), n_topics=4)


def test_the_checker_sees_a_wrong_walk():
    state = small_state(hpyp(concentration=1.0), Corpus.from_tokens([["x", "x", "y"], ["y"]]))
    initialise(state, (1, 0, 0))
    state.text.code[0] ^= 1
    with pytest.raises(AssertionError):
        check(state)
