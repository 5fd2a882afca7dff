"""Posterior means against the paper's recursion written out count by count (maths 5)."""

from functools import partial

import numpy as np
import pytest

from oracle.bridge import local_counts, shared_counts
from oracle.instances import instance, n_dishes, parent_instance
from oracle.toys import TOYS
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.sweeps import collapsed, initialise
from pitmanyor.state import State, new_state
from pitmanyor.state.means import counts_of, mean, mixing
from pitmanyor.state.topic_columns import arrange

NEW = -1


def arranged(toy: str, seed: int = 3) -> State:
    graph, corpus = TOYS[toy]()
    state = new_state(compile_plan(graph, corpus))
    initialise(state, (seed, 0, 0), 2)
    collapsed(state, np.arange(corpus.n_documents), (seed, 0, 1))
    arrange(state, np.ones(state.capacity, bool))
    return state


def plain_mean(state: State, counts: dict, name: str, key: tuple[int, ...], dish: int) -> float:
    """The mean of one dish at one instance, from the root down."""
    graph, corpus = state.plan.graph, state.plan.corpus
    node = graph[name]
    a, b = node.discount, float(node.concentration)
    mine = {place[2]: count for place, count in counts.items() if place[:2] == (name, key)}
    c, t, to = mine.get(dish, (0, 0, ()))
    n_customers, n_tables = (sum(count[i] for count in mine.values()) for i in (0, 1))
    if node.kind == "gem":
        return (b + a * n_tables if dish == NEW else c - a) / (b + n_customers)
    if node.kind == "dirichlet":
        return (c + b / n_dishes(graph, corpus, node)) / (b + n_customers)
    base = 1.0 / n_dishes(graph, corpus, node) if not node.parents else 0.0
    sent = [sum(count[2][i] for count in mine.values()) for i in range(len(node.parents))]
    prior = node.mix_prior or (0.0,) * len(node.parents)
    for i, parent in enumerate(node.parents):
        share = (prior[i] + sent[i]) / (sum(prior) + n_tables) if node.mix_prior else (node.mix_weights or (1.0,))[i]
        above = parent_instance(corpus, node, key, graph[parent])
        base += share * plain_mean(state, counts, parent, above, dish)
    return (c - a * t + (b + a * n_tables) * base) / (b + n_customers)


def rows_of(state: State, name: str):
    """(row of the mean, instance) of every document and topic."""
    node, n_topics = state.plan.graph[name], state.n_topics
    of_document = state.plan.instances[name].of_document
    for d in range(state.plan.n_documents):
        row = d if node.local else int(of_document[d])
        for k in range(n_topics if node.per_topic else 1):
            key = instance(state.plan.corpus, node.plate, d, k if node.per_topic else None)
            yield (row * n_topics + k if node.per_topic else row), key


@pytest.mark.parametrize("toy", TOYS)
def test_means_are_the_recursion(toy):
    state = arranged(toy)
    counts = local_counts(state) | shared_counts(state)
    for node in state.plan.nodes:
        values = mean(state, node.name)
        dishes = list(range(state.n_topics)) if node.side == "topic" else state.plan.words[node.name].tolist()
        if node.side == "topic" and state.plan.n_topics is None:
            dishes.append(NEW)
        assert values.shape[1] == len(dishes)
        rows = dict(rows_of(state, node.name))
        assert sorted(rows) == list(range(len(values)))
        for row, key in rows.items():
            expected = list(map(partial(plain_mean, state, counts, node.name, key), dishes))
            assert values[row] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("toy", TOYS)
def test_rows_sum_to_one(toy):
    state = arranged(toy)
    for node in state.plan.nodes:
        assert mean(state, node.name).sum(axis=1) == pytest.approx(1.0)
        assert mean(state, node.name, "renormalise").sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("toy", ["three_layers", "diamond"])
def test_the_slot_of_new_topics_is_kept_dropped_or_taken_out_at_the_root(toy):
    state = arranged(toy)
    for node in (node for node in state.plan.nodes if node.side == "topic"):
        keep, discard, again = (mean(state, node.name, how) for how in ("keep", "discard", "renormalise"))
        assert np.array_equal(discard, keep[:, :-1])
        assert again.shape == discard.shape
        assert (again > discard).all()
    root = mean(state, state.plan.nodes[0].name, "discard")
    assert mean(state, state.plan.nodes[0].name, "renormalise") == pytest.approx(root / root.sum())


def test_mixing_weights_are_urn_means_or_the_fixed_ones():
    learned, fixed = arranged("two_parents"), arranged("fixed_mix")
    theta = learned.plan.graph["theta"]
    counts = counts_of(learned, "theta")
    assert counts.to.sum(axis=1).tolist() == counts.tables.sum(axis=1).tolist()
    expected = (counts.to + [0.7, 1.6]) / (2.3 + counts.to.sum(axis=1, keepdims=True))
    assert mixing(theta, counts) == pytest.approx(expected)
    assert mixing(fixed.plan.graph["theta"], counts_of(fixed, "theta")).tolist() == [[0.3, 0.7]] * 3
