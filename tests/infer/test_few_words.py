"""Nodes that keep cells for the words that occur alone: the same walks as with cells for all."""

from unittest.mock import patch

import numpy as np
import pytest

from oracle.invariants import check
from oracle.runs import few_tags
from pitmanyor.infer.sweeps import Sweeper, initialise
from pitmanyor.models import bursty, tntm
from pitmanyor.plan import compile_plan
from pitmanyor.posterior import Posterior
from pitmanyor.state import State, new_state

GRAPHS = {"diamond": few_tags()[0], "bursty": bursty(tntm().without("follows"))}


def swept(graph, sweep: str, seldom: float) -> State:
    with patch("pitmanyor.plan.cells.SELDOM", seldom):
        plan = compile_plan(graph, few_tags()[1])
        assert ("psi_tag" in plan.cells.slot) == (seldom > 0)
    state = new_state(plan)
    initialise(state, (1, 0, 0))
    sweeper = Sweeper(state, sweep, anchors=0.5)
    for i in range(20):
        sweeper.step(state, (1, 0, i + 1))
        check(state)
    return state


@pytest.mark.parametrize("name", GRAPHS)
def test_collapsed_sweeps_leave_the_same_walks_and_means(name):
    few, all_words = (swept(GRAPHS[name], "collapsed", seldom) for seldom in (0.5, 0.0))
    assert np.array_equal(few.text.topic, all_words.text.topic)
    assert np.array_equal(few.text.code, all_words.text.code)
    means = [Posterior(state, 0.0).mean("psi_tag") for state in (few, all_words)]
    assert np.array_equal(*means) and means[0].shape[1] == 5


@pytest.mark.parametrize("name", GRAPHS)
def test_mixed_sweeps_keep_the_counts_in_order(name):
    swept(GRAPHS[name], "mixed", 0.5)
