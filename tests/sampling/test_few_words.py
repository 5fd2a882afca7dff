"""Nodes that keep cells for the words that occur alone: the same walks as with cells for all."""

from unittest.mock import patch

import numpy as np
import pytest

from oracle.invariants import check
from oracle.runs import few_tags, five_documents
from pitmanyor.models import bursty, hpyp, tntm
from pitmanyor.plan import compile_plan
from pitmanyor.results.posterior import Posterior
from pitmanyor.sampling.sweeps import Sweeper, initialise
from pitmanyor.state import State, new_state

# by the kernels that sweep them: a graph, a corpus, and the node with few words
TAGS, WORDS = few_tags()[1], five_documents(unused="abcd")[1]
CASES = {
    "topic nodes": (few_tags()[0], TAGS, "psi_tag"),
    "topic nodes with own words": (bursty(tntm().without("follows")), TAGS, "psi_tag"),
    "one node": (hpyp(), WORDS, "phi"),
    "one node with own words": (bursty(hpyp()), WORDS, "phi"),
}


def swept(case: str, sweep: str, seldom: float) -> State:
    graph, corpus, node = CASES[case]
    with patch("pitmanyor.plan.cells.SELDOM", seldom):
        plan = compile_plan(graph, corpus)
        assert (node in plan.cells.slot) == (seldom > 0)
    state = new_state(plan)
    initialise(state, (1, 0, 0))
    sweeper = Sweeper(state, sweep, anchors=0.5)
    for i in range(20):
        sweeper.step(state, (1, 0, i + 1))
        check(state)
    return state


@pytest.mark.parametrize("case", CASES)
def test_collapsed_sweeps_leave_the_same_walks_and_means(case):
    few, all_words = (swept(case, "collapsed", seldom) for seldom in (0.5, 0.0))
    assert np.array_equal(few.text.topic, all_words.text.topic)
    assert np.array_equal(few.text.code, all_words.text.code)
    means = [Posterior(state, 0.0).mean(CASES[case][2]) for state in (few, all_words)]
    assert np.array_equal(*means) and means[0].shape[1] == len(CASES[case][1].vocabulary)


@pytest.mark.parametrize("case", CASES)
def test_mixed_sweeps_keep_the_counts_in_order(case):
    swept(case, "mixed", 0.5)
