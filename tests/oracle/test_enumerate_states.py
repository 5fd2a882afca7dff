"""The count pmf against brute force over seatings, and its total mass."""

import math
from itertools import product

import pytest

from oracle.enumerate_states import enumerate_states, posterior
from oracle.pmf import stirling
from oracle.seatings import seating_probabilities
from oracle.states import State, make_state, total_variation, totals
from oracle.toys import TOYS, finite_topics, own_vocabularies, single_parent, three_layers
from pitmanyor.corpus import Corpus


@pytest.mark.parametrize("toy", TOYS)
def test_enumeration_agrees_with_brute_force_over_seatings(toy):
    graph, corpus = TOYS[toy]()
    states = enumerate_states(graph, corpus)
    exact = seating_probabilities(graph, corpus)
    assert len(set(states)) == len(states)
    assert set(states) == set(exact)
    for state in states:
        assert math.exp(state.log_weight) == pytest.approx(exact[state], rel=1e-11, abs=0)
    mass = sum(exact.values())
    mine = dict(zip(states, posterior(states), strict=True))
    assert total_variation(mine, {state: p / mass for state, p in exact.items()}) < 1e-13


@pytest.mark.parametrize("make", [single_parent, three_layers, finite_topics])
def test_all_data_sets_together_have_probability_one(make):
    graph, _ = make()
    total = 0.0
    for words in product("xy", repeat=3):
        corpus = Corpus.from_tokens([words[:2], words[2:]], vocabulary=["x", "y"])
        total += sum(math.exp(state.log_weight) for state in enumerate_states(graph, corpus))
    assert total == pytest.approx(1.0, abs=1e-13)


def test_all_data_sets_over_own_vocabularies_have_probability_one():
    graph, _ = own_vocabularies()
    total = 0.0
    for first, second, tag in product("xy", "xy", ["#a", "#b", "#c"]):
        corpus = Corpus.from_tokens(
            {"word": [[first, second]], "tag": [[tag]]}, vocabulary=["x", "y", "#a", "#b", "#c"]
        )
        states = enumerate_states(graph, corpus, sizes={"word": 2, "tag": 3})
        total += sum(math.exp(state.log_weight) for state in states)
    assert total == pytest.approx(1.0, abs=1e-13)


def test_stirling_numbers_without_discount_count_permutations_by_cycles():
    assert [stirling(4, t, 0.0) for t in range(6)] == [0, 6, 11, 6, 1, 0]


def test_states_are_renumbered_by_first_appearance_and_lose_empty_counts():
    graph, _ = single_parent()
    counts = {
        ("theta", (0,), 7): (1, 1, (1,)),
        ("theta", (0,), 2): (1, 1, (1,)),
        ("phi", (7,), 2): (1, 1, ()),
        ("mu", (), 5): (0, 0, ()),
    }
    state = make_state(graph, [7, 2], counts)
    assert state.topics == (0, 1)
    assert dict(state.counts) == {
        ("theta", (0,), 0): (1, 1, (1,)),
        ("theta", (0,), 1): (1, 1, (1,)),
        ("phi", (0,), 2): (1, 1, ()),
    }
    assert state == State((0, 1), state.counts, log_weight=3.0)
    assert totals(graph, state) == [2, 0, 0, 2, 2, 1, 1]  # topics, then mu, theta, phi


def test_finite_topics_keep_their_labels():
    graph, _ = finite_topics()
    assert make_state(graph, [1, 0], {("mu", (), 1): (1, 0, ())}).topics == (1, 0)
