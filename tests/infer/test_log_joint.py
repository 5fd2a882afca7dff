"""The log joint against the oracle's probability of the same state (maths 1)."""

import numpy as np
import pytest

from oracle.bridge import state_of
from oracle.enumerate_states import enumerate_states
from oracle.toys import TOYS
from pitmanyor.infer.concentrations import Measures
from pitmanyor.infer.sweeps import collapsed, initialise
from pitmanyor.plan import compile_plan
from pitmanyor.state import new_state


@pytest.mark.parametrize("toy", TOYS)
def test_log_joint_is_the_log_pmf_of_the_state(toy):
    graph, corpus = TOYS[toy]()
    weights = {state: state.log_weight for state in enumerate_states(graph, corpus)}
    state = new_state(compile_plan(graph, corpus), precision=np.float64)
    measures = Measures(state)
    initialise(state, (1, 0, 0))
    seen = set()
    for sweep in range(1, 21):
        collapsed(state, np.arange(corpus.n_documents), (1, 0, sweep))
        measures.take(state, (1, 0, sweep))
        now = state_of(state)
        seen.add(now)
        assert measures.log_joint == pytest.approx(weights[now], abs=1e-10)
    assert len(seen) > 3
