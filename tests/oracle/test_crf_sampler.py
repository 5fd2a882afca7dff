"""The sampler with explicit seating against enumeration."""

from collections import Counter

import numpy as np
import pytest

from oracle.crf_sampler import Franchise, run
from oracle.enumerate_states import enumerate_states, posterior
from oracle.states import total_variation, totals
from oracle.toys import TOYS, two_parents
from pitmanyor.corpus import Corpus


def batch_z(rows, exact, n_batches=40):
    """z scores of the means of a chain, errors from the means of its batches; constant columns must be exact."""
    batches = np.array([batch.mean(axis=0) for batch in np.array_split(rows, n_batches)])
    error = batches.std(axis=0, ddof=1) / np.sqrt(n_batches)
    away = batches.mean(axis=0) - exact
    assert np.all(np.abs(away[error == 0]) < 1e-9)
    return away[error > 0] / error[error > 0]


@pytest.mark.parametrize(
    "toy", ["three_layers", "two_parents_long", "diamond_two_authors", "author_words", "finite_topics"]
)
def test_long_run_means_match_the_enumerated_posterior(toy):
    """Some 50 means in all, |z| < 4 from 40 batches: another seed would fail about once in a hundred runs."""
    graph, corpus = two_parents() if toy == "two_parents_long" else TOYS[toy]()
    if toy == "two_parents_long":  # many tables in one restaurant, for the mixing to matter
        corpus = Corpus.from_tokens([["x", "x", "y", "x"]], groups={"author": ["ann"]}, vocabulary=["x", "y"])
    states = enumerate_states(graph, corpus)
    exact = posterior(states) @ np.array([totals(graph, state) for state in states])
    assert np.abs(batch_z(run(Franchise(graph, corpus, seed=5), 5000), exact)).max() < 4


def test_long_run_state_frequencies_match_the_enumerated_posterior():
    graph, corpus = TOYS["single_parent"]()
    states = enumerate_states(graph, corpus)
    exact = dict(zip(states, posterior(states), strict=True))
    franchise = Franchise(graph, corpus, seed=3)
    seen: Counter = Counter()
    n = 8000
    for _ in range(n):
        franchise.sweep()
        seen[franchise.state()] += 1
    assert set(seen) <= set(states)
    # Independent draws would give about 0.03; the chain is somewhat correlated.
    assert total_variation({state: count / n for state, count in seen.items()}, exact) < 0.05
