"""More columns, other columns: the same state."""

import numpy as np
import pytest

from oracle.bridge import state_of
from oracle.invariants import check
from oracle.toys import TOYS
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.concentrations import concentration_of
from pitmanyor.sampling.sweeps import collapsed, initialise
from pitmanyor.state import State, new_state
from pitmanyor.state.topic_columns import arrange, grow


def swept(toy: str, n_topics: int | None = None, seed: int = 5) -> State:
    """A toy after a few collapsed sweeps."""
    graph, corpus = TOYS[toy]()
    state = new_state(compile_plan(graph, corpus))
    initialise(state, (seed, 0, 0), n_topics)
    for sweep in range(1, 3):
        collapsed(state, np.arange(corpus.n_documents), (seed, 0, sweep))
    return state


@pytest.mark.parametrize("toy", [name for name in TOYS if name != "finite_topics"])
def test_growing_keeps_counts_and_invariants(toy):
    state = swept(toy)
    before, capacity = state_of(state), state.capacity
    topics, code = state.text.topic.copy(), state.text.code.copy()
    grow(state, capacity + 1)
    assert state.capacity >= capacity * 3 // 2
    assert state.capacity % 16 == 0
    assert state_of(state) == before
    assert np.array_equal(state.text.topic, topics) and np.array_equal(state.text.code, code)
    check(state)
    collapsed(state, np.arange(state.plan.n_documents), (5, 0, 9))
    check(state)


def test_growing_keeps_concentrations_and_gives_new_columns_one_too():
    graph, corpus = TOYS["three_layers"]()
    state = new_state(compile_plan(graph, corpus))
    old = state.layout.blocks[state.plan.index["phi"]].rests
    state.net.rests[CONCENTRATION, old] = np.arange(1.0, state.capacity + 1)
    grow(state, state.capacity + 1)
    new = state.net.rests[CONCENTRATION, state.layout.blocks[state.plan.index["phi"]].rests]
    n = old.stop - old.start
    assert new[:n].tolist() == list(range(1, n + 1)) and (new[n:] == n).all()
    assert concentration_of(state, "nu").tolist() == [0.8]


@pytest.mark.parametrize("toy", ["single_parent", "two_parents", "diamond_two_authors", "bursty", "author_words"])
def test_arranging_moves_columns_and_nothing_else(toy):
    for seed in range(6):
        state = swept(toy, n_topics=6, seed=seed)
        before, live = state_of(state), np.flatnonzero(state.net.live)
        wanted = np.zeros(state.capacity, bool)
        wanted[live[::2]] = True
        tokens = np.flatnonzero(wanted[state.text.topic])
        assert arrange(state, wanted) == len(live[::2])
        assert state_of(state) == before
        check(state)
        assert np.flatnonzero(state.net.live).tolist() == list(range(len(live)))
        now_first = np.flatnonzero(state.text.topic < len(live[::2]))
        assert np.array_equal(now_first, tokens)


def test_arranging_what_is_in_order_touches_nothing():
    state = swept("single_parent")
    arrange(state, np.ones(state.capacity, bool))
    counts, topics = state.net.counts.copy(), state.text.topic.copy()
    arrange(state, np.ones(state.capacity, bool))
    assert np.array_equal(state.net.counts, counts) and np.array_equal(state.text.topic, topics)
