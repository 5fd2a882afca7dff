"""The log joint against the oracle's probability of the same state (maths 1)."""

import pytest

from oracle.bridge import state_of
from oracle.enumerate_states import enumerate_states
from oracle.toys import TOYS
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.concentrations import Measures
from pitmanyor.sampling.sweeps import Sweeper, initialise
from pitmanyor.state import new_state
from precisions import PRECISION, ROUNDING

pytestmark = pytest.mark.nojit


@pytest.mark.parametrize("sweep", ["collapsed", "mixed"])
@pytest.mark.parametrize("toy", TOYS)
def test_log_joint_is_the_log_pmf_of_the_state(toy, sweep):
    graph, corpus = TOYS[toy]()
    weights = {state: state.log_weight for state in enumerate_states(graph, corpus)}
    state = new_state(compile_plan(graph, corpus), precision=PRECISION)
    measures, sweeper = Measures(state), Sweeper(state, sweep, anchors=0.3)
    initialise(state, (1, 0, 0))
    seen = set()
    for n in range(1, 61):
        sweeper.step(state, (1, 0, n))
        measures.take(state, (1, 0, n))
        now = state_of(state)
        seen.add(now)
        assert measures.log_joint == pytest.approx(weights[now], abs=ROUNDING)
    assert len(seen) > 3
