"""Vectors drawn given a seating: transforms, moments, and the posterior means that restaurants have."""

from random import Random

import numpy as np
import pytest

from oracle.toys import diamond
from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph, mix
from pitmanyor.simulation import Plates, Restaurants
from pitmanyor.simulation.vectors import break_sticks, dirichlet, log_tilted_stable, pitman_yor

BASE = np.array([0.6, 0.3, 0.1, 0.0])
FOUR = 4.0  # standard errors


def off(values, expected):
    """How many standard errors the mean of the rows is from what it should be; the largest."""
    error = values.std(axis=0) / np.sqrt(len(values))
    return float((np.abs(values.mean(axis=0) - expected) / np.maximum(error, 1e-12)).max())


@pytest.mark.parametrize("a", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("m", [1e-3, 0.8, 7.3])
def test_tilted_stable_has_its_transform(a, m):
    """E[e^(-sJ)] = exp(m - m (1 + s)^a)."""
    s, rng = np.array([0.1, 1.0, 10.0]), np.random.default_rng(1)
    masses = np.exp(log_tilted_stable(np.full(20_000, np.log(m)), a, rng))
    assert off(np.exp(-s * masses[:, None]), np.exp(m - m * (1 + s) ** a)) < FOUR


@pytest.mark.parametrize(("a", "b"), [(0.0, 0.7), (0.3, 2.0), (0.7, 0.1), (0.5, 40.0), (0.5, 1e-9)])
def test_pitman_yor_has_its_mean_and_covariance(a, b):
    """E = base; covariances (diag(base) - base base') (1 - a)/(1 + b)."""
    rng = np.random.default_rng(2)
    drawn = np.array([pitman_yor(BASE, a, b, rng) for _ in range(4_000)])
    assert np.allclose(drawn.sum(axis=1), 1) and not drawn[:, 3].any()
    assert off(drawn[:, :3], BASE[:3]) < FOUR
    products = (drawn - BASE)[:, :3, None] * (drawn - BASE)[:, None, :3]
    spread = (np.diag(BASE) - np.outer(BASE, BASE))[:3, :3] * (1 - a) / (1 + b)
    assert off(products.reshape(-1, 9), spread.ravel()) < FOUR


@pytest.mark.parametrize(("a", "b"), [(0.0, 3.0), (0.4, 1.0)])
def test_broken_sticks_have_the_means_of_their_order(a, b):
    rng = np.random.default_rng(3)
    drawn = [break_sticks(a, b, rng) for _ in range(3_000)]
    assert all(abs(sticks.sum() - 1) < 1e-9 and (sticks[-1] < 1e-3 or len(sticks) == 1001) for sticks in drawn)
    shares = (1 - a) / (1 + b + a * np.arange(3))  # E of each stick that is broken off what is left
    means = shares * np.cumprod(np.append(1.0, 1 - shares[:-1]))
    assert off(np.array([sticks[:3] for sticks in drawn]), means) < FOUR


def test_tiny_shapes_leave_one_topic_and_none_is_lost():
    drawn = dirichlet(np.array([0.0, 1e-308, 1e-12, 1e-12]), np.random.default_rng(1))
    assert drawn.max() == drawn.sum() == 1.0 and drawn[0] == 0.0


def seated(graph, labels, n_tokens):
    """Restaurants after so many tokens in each of three documents."""
    houses = Restaurants(graph, Plates.labelled(3, labels), {"vocabulary": range(4)}, rng=Random(3))
    for d in range(3):
        for stream in graph.streams:
            for _ in range(n_tokens):
                houses.seat(stream.topic, d)
    return houses


def finite() -> Graph:
    g = Graph()
    mu = g.dirichlet("mu", over=4, concentration=2.0)
    nu = g.pyp("nu", base=mu, plate="author", discount=0.4, concentration=1.5)
    place = g.pyp("place", base=mu, plate="venue", discount=0.0, concentration=1.0)
    circle = g.pyp("circle", base=mix(nu, place), plate="author", discount=0.7, concentration=0.5)
    g.tokens("word", topic=circle, emit=g.dirichlet("phi", over="vocabulary", plate="topic"))
    return g


def test_given_the_seats_vectors_have_the_mean_of_the_restaurants():
    houses = seated(finite(), {"author": "aba", "venue": "xyx"}, 4)
    rng = np.random.default_rng(4)
    names = ["mu", "nu", "place", "circle"]
    drawn = [houses.vectors(names, rng) for _ in range(1_000)]
    for name in names:
        for key, mean in houses.mean(name).items():
            assert off(np.array([vectors[name][key] for vectors in drawn]), mean) < FOUR


def test_under_a_gem_topics_that_nobody_spoke_of_come_last():
    graph, _ = diamond()
    houses = seated(graph, {"author": "aba"}, 3)
    known = len(houses.customers()["mu0"][()])
    rng = np.random.default_rng(5)
    drawn = [houses.vectors(["nu"], rng)["nu"] for _ in range(600)]
    for key, mean in houses.mean("nu").items():
        rows = np.array([np.append(vectors[key][:known], vectors[key][known:].sum()) for vectors in drawn])
        assert off(rows, mean) < FOUR


def test_instances_that_nobody_visited_have_vectors_too():
    houses = Restaurants(finite(), Plates.labelled(2, {"author": "ab", "venue": "xx"}), {}, rng=Random(1))
    houses.seat("circle", 0)
    assert list(houses.vectors(["nu"], np.random.default_rng(1))["nu"]) == [(0,), (1,)]
    assert list(houses.customers()["circle"]) == [(0,)]


def test_a_concentration_without_end_is_refused():
    with pytest.raises(PlanError, match="cannot be drawn at a concentration of 1e\\+09; take a concentration below"):
        pitman_yor(BASE, 0.5, 1e9, np.random.default_rng(1))
