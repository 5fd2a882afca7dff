"""Concentrations of topics of their own (`concentration_per="instance"`) against enumeration, each integrated out.

Some 40 means that can vary, |z| < 4.5 from 50 batches: other seeds would fail once in three thousand runs.
"""

import numpy as np
import pytest

from oracle.own import exact_means, per_author_and_topic, per_topic, run
from oracle.runs import z_scores
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Gamma, Graph, uniform
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION, CUSTOMERS, SHAPE
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.concentrations import Measures, concentration_of, sample_concentrations
from pitmanyor.sampling.sweeps import initialise
from pitmanyor.state import State, new_state

N_SWEEPS, LARGEST = 4_000, 4.5


@pytest.mark.parametrize("sweep", ["collapsed", "mixed"])
@pytest.mark.parametrize("make", [per_topic, per_author_and_topic])
def test_births_alone_bring_the_right_concentrations(make, sweep):
    """Concentrations are never updated: a topic keeps the one it was born with, wherever its column moves."""
    toy = make()
    assert np.abs(z_scores(run(toy, sweep, N_SWEEPS, update=False), exact_means(toy))).max() < LARGEST


@pytest.mark.parametrize("make", [per_topic, per_author_and_topic])
def test_births_and_updates_together_have_the_exact_means(make):
    toy = make()
    assert np.abs(z_scores(run(toy, "mixed", N_SWEEPS, update=True), exact_means(toy))).max() < LARGEST


def test_a_topic_born_with_what_its_column_held_is_caught():
    """Planted: no draw at a birth."""

    def no_draw(state: State) -> None:
        state.net.reals[:, SHAPE] = 0.0

    toy = per_topic()
    rows = run(toy, "collapsed", N_SWEEPS, update=False, change=no_draw)
    means = rows[:, 0], rows[:, 6]  # topics and tables of phi: what the concentrations do to the rest
    z = z_scores(np.stack(means, axis=1), exact_means(toy)[[0, 6]])
    assert np.abs(z).max() > 6


def test_concentrations_are_told_of_live_topics_only():
    graph, corpus = per_topic()
    state = new_state(compile_plan(graph, corpus))
    initialise(state, (4, 0, 0), n_topics=9)
    rests = state.layout.blocks[state.plan.index["phi"]].rests
    seated = state.net.totals[rests, CUSTOMERS] > 0
    assert not seated[: state.n_topics].all()  # or this shows nothing
    assert concentration_of(state, "phi").tolist() == state.net.rests[CONCENTRATION, rests][seated].tolist()


def test_an_author_without_tokens_has_a_concentration_drawn_from_the_prior():
    """Words per author and topic have no cells for somebody who wrote none."""
    g = Graph()
    mu = g.dirichlet("mu", over=3, concentration=0.8)
    theta = g.pyp("theta", base=mu, plate="document", discount=0.0, concentration=1.0)
    words = g.pyp("w", base=uniform("vocabulary"), plate=("author", "topic"), discount=0.0, concentration=Gamma(2, 1))
    g.tokens("word", topic=theta, emit=words)
    corpus = Corpus.from_tokens([["x", "y"], []], {"author": ["ann", "bob"]}, vocabulary=["x", "y", "z"])
    state = new_state(compile_plan(g.set("w", concentration_per="instance"), corpus))
    initialise(state, (1, 0, 0))
    measures, drawn = Measures(state), []
    for sweep in range(300):
        measures.take(state, (1, 0, sweep))
        sample_concentrations(state, measures, (1, 0, sweep))
        drawn.append(concentration_of(state, "w").reshape(2, -1)[1].copy())
    assert np.mean(drawn) == pytest.approx(2.0, abs=0.2) and np.var(drawn) == pytest.approx(2.0, abs=0.5)
