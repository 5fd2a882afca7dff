"""Splits and merges on random models: every invariant holds after them, and a refusal leaves no trace."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numba import config

from oracle.bridge import state_of
from oracle.enumerate_states import enumerate_states
from oracle.invariants import check
from oracle.random_models import models
from oracle.toys import TOYS
from pitmanyor.kernels.restaurant.arrays import CUSTOMERS
from pitmanyor.sampling import move_choices
from pitmanyor.sampling.concentrations import Measures
from pitmanyor.sampling.split_merge import IN_TURN, LAUNCH_FIRST, Kernel, Proposal, SplitMerge
from pitmanyor.sampling.sweeps import collapsed, initialise
from pitmanyor.state import State
from precisions import PRECISION, ROUNDING
from sampling.test_invariants import small_state

pytestmark = pytest.mark.nojit
N_EXAMPLES = 120 if config.DISABLE_JIT else 300
N_MOVES = 6
PRECISIONS = [np.float32, np.float64] if config.DISABLE_JIT else [np.float32]
KERNELS = {"in_turn": IN_TURN, "launch_first": LAUNCH_FIRST}
random_models = given(
    model=models(),
    rule=st.sampled_from(["clamp", "paper", "singleton"]),
    precision=st.sampled_from(PRECISIONS),
    cap=st.sampled_from([None, 3]),
    kernel=st.sampled_from(sorted(KERNELS)),
    seed=st.integers(0, 2**32),
)
many_examples = settings(
    max_examples=N_EXAMPLES, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def begin(model, rule, precision, cap, seed) -> State:
    """A state of up to three topics after a sweep."""
    graph, corpus = model
    finite = not any(node.kind == "gem" for node in graph.nodes)
    state = small_state(graph, corpus, rule=rule, precision=precision, max_topics=None if finite else cap)
    initialise(state, (seed, 0, 0), n_topics=3)
    collapsed(state, np.arange(corpus.n_documents), (seed, 0, 1))
    return state


def proposed(moves: SplitMerge, state: State, kernel: Kernel, rng: np.random.Generator, number: int) -> Proposal | None:
    """A split or a merge, whichever comes up."""
    moves.index(state)
    selection = moves.select(state, rng, splits=rng.random() < 0.5)
    return None if selection is None else moves.propose(state, kernel, selection, (1, 0, 2, number))


def bytes_of(state: State) -> dict[str, bytes]:
    """Of all that a sweep reads; a topic without tokens may have drawn other concentrations of its own."""
    net, text = state.net, state.text
    found = {name: getattr(text, name).tobytes() for name in ("topic", "code", "concentration", "measures")}
    names = ("counts", "to", "totals", "n_to", "stay", "open", "weight", "status")
    found |= {name: getattr(net, name).tobytes() for name in names}
    return found | {"rests": net.rests[:, net.totals[:, CUSTOMERS] > 0].tobytes()}


@many_examples
@random_models
def test_accepted_moves_keep_every_invariant(model, rule, precision, cap, kernel, seed):
    state = begin(model, rule, precision, cap, seed)
    moves, rng = SplitMerge(state), np.random.Generator(np.random.Philox(seed))
    for number in range(N_MOVES):
        proposal = proposed(moves, state, KERNELS[kernel], rng, number)
        if proposal is not None:
            assert np.isfinite(proposal.log_alpha)
            moves.accept(state, proposal, (1, 0, 2, number))
            check(state)
    collapsed(state, np.arange(state.plan.n_documents), (seed, 0, 3))  # sweeps can go on from there
    check(state)


@many_examples
@random_models
def test_refused_moves_leave_every_byte_as_it_was(model, rule, precision, cap, kernel, seed):
    state = begin(model, rule, precision, cap, seed)
    moves, rng = SplitMerge(state), np.random.Generator(np.random.Philox(seed))
    moves.index(state)  # which may make room
    before = bytes_of(state)
    for number in range(N_MOVES):
        proposal = proposed(moves, state, KERNELS[kernel], rng, number)
        if proposal is not None:
            moves.refuse(state, proposal)
            after = bytes_of(state)
            assert not [name for name in before if before[name] != after[name]]
            check(state)


@pytest.mark.parametrize("toy", TOYS)
def test_the_log_joint_after_moves_is_the_log_pmf_of_the_state(toy):
    graph, corpus = TOYS[toy]()
    weights = {state: state.log_weight for state in enumerate_states(graph, corpus)}
    state = small_state(graph, corpus, precision=PRECISION)
    initialise(state, (1, 0, 0), n_topics=2)
    moves, rng, measures, seen = SplitMerge(state), np.random.Generator(np.random.Philox(1)), Measures(state), set()
    for number in range(30):
        proposal = proposed(moves, state, IN_TURN, rng, number)
        if proposal is not None:
            moves.accept(state, proposal, (1, 0, 2, number))
            measures.take(state, (1, 0, 2))
            seen.add(state_of(state))
            assert measures.log_joint == pytest.approx(weights[state_of(state)], abs=ROUNDING)
    assert len(seen) > 3


def test_no_topic_is_merged_with_itself():
    """Probabilities may add up to a little less than one, and a uniform may be as large as that."""

    class Largest:
        def random(self):
            return 1.0 - 2.0**-53

    p = np.array([1e6, 1e6, 1.0, 0.0]) / 2000001.0
    assert move_choices._pick_from(Largest(), p) == 2
