"""Restaurants: the word step given topics, means, concentrations."""

import math
from collections import Counter

import numpy as np
import pytest

from oracle.enumerate_states import enumerate_states
from oracle.simulated import counts_of, flat
from oracle.toys import bursty, own_vocabularies, three_layers, two_parents
from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.graph import Gamma
from pitmanyor.simulation import Restaurants, simulate


@pytest.mark.parametrize("make", [three_layers, bursty])
def test_words_drawn_given_topics_match_the_exact_conditional(make):
    """Words and word-side counts given the topics (0, 0), (0): their exact law, over all data sets."""
    graph, _ = make()
    word_side = {node.name for node in graph.nodes if node.side == "word"}
    topics = {"word": [[0, 0], [0]]}
    exact: Counter = Counter()
    for a, b, c in ((a, b, c) for a in "xy" for b in "xy" for c in "xy"):
        corpus = Corpus.from_tokens([[a, b], [c]], vocabulary=["x", "y"])
        for state in enumerate_states(graph, corpus):
            if state.topics == (0, 0, 0):
                counts = frozenset((p, n) for p, n in state.counts.items() if p[0] in word_side)
                exact[tuple("xy".index(w) for w in (a, b, c)), counts] += math.exp(state.log_weight)
    mass = sum(exact.values())
    houses = Restaurants.of(graph, Corpus.from_tokens([["x", "x"], ["x"]], vocabulary=["x", "y"]), seed=1)
    n = 4000
    seen: Counter = Counter()
    for _ in range(n):
        words = houses.draw_words(topics)
        seen[flat(graph, words), frozenset(counts_of(houses).items())] += 1
    assert set(seen) <= set(exact)
    for cell, p in exact.items():
        p /= mass
        assert abs(seen[cell] - n * p) < 4.5 * math.sqrt(n * p * (1 - p)) + 3


def test_drawing_words_leaves_the_topic_side_alone():
    graph, _ = three_layers()
    drawn = simulate(graph, documents=5, tokens=10, vocabulary=6, seed=3)
    before = drawn.customers
    drawn.restaurants.draw_words(drawn.topics)
    after = drawn.customers
    assert before["mu"] == after["mu"]
    assert before["theta"] == after["theta"]
    assert before["phi"] != after["phi"]
    assert {k: sum(v.values()) for k, v in before["phi"].items()} == {
        k: sum(v.values()) for k, v in after["phi"].items()
    }


def test_means_of_topic_nodes_go_from_root_to_leaf():
    """mu, nu, common and theta of the two-parent toy by the formulas of maths 5, urn weights included."""
    graph, _ = two_parents()
    drawn = simulate(graph, documents=4, tokens=9, groups={"author": "abab"}, vocabulary=3, seed=11)

    def mean(name, key, base):
        node, k = graph[name], np.zeros(drawn.n_topics + 1)
        t = k.copy()
        for dish, n in drawn.customers[name][key].items():
            k[dish], t[dish] = n, drawn.tables[name][key][dish]
        a, b = node.discount, node.concentration
        return (k - a * t + (b + a * t.sum()) * base) / (b + k.sum())

    mu = mean("mu", (), np.eye(drawn.n_topics + 1)[-1])
    nu = mean("nu", (1,), mu)
    common = mean("common", (), mu)
    to = np.sum(list(drawn.tables_to["theta"][3,].values()), axis=0)
    rho = (np.array([0.7, 1.6]) + to) / (2.3 + to.sum())
    theta = mean("theta", (3,), rho[0] * nu + rho[1] * common)
    assert theta.sum() == pytest.approx(1.0)
    assert drawn.mean("mu")[()] == pytest.approx(mu)
    assert drawn.mean("nu")[1,] == pytest.approx(nu)
    assert drawn.mean("theta")[3,] == pytest.approx(theta)


def test_means_of_word_nodes_keep_to_their_vocabulary():
    graph, _ = own_vocabularies()
    drawn = simulate(graph, documents=2, tokens=5, vocabulary={"word": 2, "tag": 3}, seed=2)
    for (topic,), mean in drawn.mean("phi").items():
        customers, tables = drawn.customers["phi"][topic,], drawn.tables["phi"][topic,]
        total = sum(customers.values()) + 0.7
        for word in range(2):
            old = customers.get(word, 0) - 0.6 * tables.get(word, 0)
            assert mean[word] == pytest.approx((old + (0.7 + 0.6 * sum(tables.values())) / 2) / total)
        assert np.all(mean[2:] == 0)
    for mean in drawn.mean("psi").values():
        assert mean[:2].sum() == 0
        assert mean.sum() == pytest.approx(1.0)


def test_concentrations_given_by_hand_are_used():
    graph, corpus = three_layers()
    assert Restaurants.of(graph, corpus, {"nu": 9.5}, seed=1).concentrations["nu"] == 9.5


def test_concentrations_by_instance_fall_back_on_the_prior_only():
    graph, corpus = three_layers()
    houses = Restaurants.of(graph, corpus, {"theta": {(0,): 2.0}}, seed=1)
    houses.seat("theta", 0)
    with pytest.raises(PlanError, match=r"no concentration is given for instance \(1,\) of 'theta'"):
        houses.seat("theta", 1)
    open_prior = graph.set("theta", concentration=Gamma(2.0, 1.0), concentration_per="instance")
    houses = Restaurants.of(open_prior, corpus, {"theta": {(0,): 2.0}}, seed=1)
    houses.seat("theta", 1)
    assert set(houses.concentrations["theta"]) == {(0,), (1,)}
