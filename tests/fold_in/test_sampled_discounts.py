"""New documents are folded in under the discounts that the fitted state has."""

import numpy as np
import pytest

from pitmanyor import Beta, Graph, fit, models, simulate
from pitmanyor.fold_in import Way
from pitmanyor.fold_in.predict import predict
from pitmanyor.fold_in.shares import infer
from pitmanyor.plan import compile_plan
from pitmanyor.results.posterior import Posterior
from pitmanyor.runs.states import DISCOUNTS, pack, unpack
from pitmanyor.state import new_state
from pitmanyor.state.discount_values import discount_of

GRAPHS: dict[str, Graph] = {
    "one node": models.hpyp(),
    "several nodes": models.tntm().without("follows"),
    "own words": models.bursty(models.hpyp()),
}
WAYS = [Way("gibbs", 8, 1, 1), Way("paper", 2, 1, 1)]


@pytest.fixture(scope="module", params=GRAPHS)
def twins(request) -> tuple[Posterior, Posterior]:
    """A state whose discounts were sampled, and the same counts in a graph where they are numbers."""
    graph = GRAPHS[request.param].set("*", discount=Beta(2, 2))
    known = graph.set("*", concentration=2.0)
    corpus = simulate(known, documents=25, tokens=8, groups={"author": 3}, vocabulary=12, seed=1).corpus
    state = fit(graph, corpus, sweeps=12, seed=1, max_topics=4).state
    for node in graph.nodes:
        assert discount_of(state, node.name) != 0.5
        graph = graph.set(node.name, discount=discount_of(state, node.name))
    arrays = {name: values for name, values in pack(state).items() if name != DISCOUNTS}
    other = unpack(new_state(compile_plan(graph, corpus), max_topics=4), arrays)
    return Posterior(state, 0.0), Posterior(other, 0.0)


def test_means_are_those_of_the_discounts_there_are(twins):
    for node in twins[0].state.plan.nodes:
        one, other = (twin.mean(node.name) for twin in twins)
        assert np.array_equal(one, other), node.name


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.completion)
def test_shares_are_those_of_the_discounts_there_are(twins, way):
    corpus = twins[0].state.plan.corpus
    one, other = (infer(twin, corpus, way).shares for twin in twins)
    assert np.array_equal(one, other)


def test_predictions_are_those_of_the_discounts_there_are(twins):
    corpus = twins[0].state.plan.corpus
    one, other = (predict(twin, corpus, corpus, "word", WAYS[0]) for twin in twins)
    assert np.array_equal(one, other)
