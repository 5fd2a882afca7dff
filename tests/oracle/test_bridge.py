"""The bridge between the sampler's arrays and the oracle's states, there and back."""

import numpy as np
import pytest

from oracle.bridge import lay, load, state_of
from oracle.enumerate_states import enumerate_states
from oracle.toys import TOYS
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.sweeps import initialise
from pitmanyor.state import new_state


@pytest.mark.parametrize("toy", TOYS)
def test_every_state_comes_back_from_the_arrays(toy):
    graph, corpus = TOYS[toy]()
    states = enumerate_states(graph, corpus)
    loaded = load(compile_plan(graph, corpus), states[0])
    for target in states[:: max(1, len(states) // 300)]:
        lay(loaded, target)
        assert state_of(loaded) == target


@pytest.mark.parametrize("toy", TOYS)
def test_what_the_sampler_makes_is_a_state_and_loads_to_the_same_arrays(toy):
    graph, corpus = TOYS[toy]()
    plan = compile_plan(graph, corpus)
    possible = set(enumerate_states(graph, corpus))
    made, again = (new_state(plan, precision=np.float64) for _ in range(2))
    initialise(made, (3, 0, 0))
    target = state_of(made)
    assert target in possible
    lay(again, target)
    assert state_of(again) == target
    # the same up to a permutation of the columns, since labels may differ
    assert sorted(made.net.counts.tolist()) == sorted(again.net.counts.tolist())
    assert sorted(made.net.totals.tolist()) == sorted(again.net.totals.tolist())
