"""Chains of sweeps, splits and merges: against enumerated posteriors, and Geweke's joint test.

Some 400 means in all, from 50 batches each.
"""

from __future__ import annotations

import math
from unittest.mock import patch

import numpy as np
import pytest

from oracle import own, runs
from oracle.geweke import Shape, marginal, successive
from oracle.runs import errors, run_sweeps, z_scores
from pitmanyor.graph import Beta, Gamma, Graph
from pitmanyor.models import bursty, hpyp, lda, tntm
from pitmanyor.sampling import move_choices
from pitmanyor.sampling.split_merge import IN_TURN, LAUNCH_FIRST

N_SWEEPS, N_STEPS, LARGEST = 4_000, 3_000, 4.5
MANY = (IN_TURN, LAUNCH_FIRST) * 3  # moves after a sweep: they, not the sweep, must make the means
TOYS = {
    "layers": runs.layers,
    "two_authors": runs.two_authors,
    "shared_mix": runs.shared_mix,
    "finite_mix": runs.finite_mix,
    "five_documents": runs.five_documents,
    "diamond_authors": runs.diamond_authors,
}
OWN = {"per_topic": own.per_topic, "per_author_and_topic": own.per_author_and_topic}
MODELS: dict[str, Graph] = {
    "hpyp": hpyp(),
    "tntm": tntm().without("follows"),
    "bursty": bursty(hpyp()),
    "lda": lda(3),
    "hpyp, discounts": hpyp().set("*", discount=Beta(1, 1)),
}


def more_with_long(names, *always):
    return [pytest.param(name, marks=[pytest.mark.long] * (name not in always)) for name in names]


@pytest.mark.parametrize("toy", more_with_long(TOYS, "layers", "finite_mix", "diamond_authors"))
def test_long_runs_have_the_means_of_the_enumerated_posterior(toy):
    made = TOYS[toy]()
    rows = run_sweeps(made, "collapsed", N_SWEEPS, seed=1, kernels=MANY)
    assert np.abs(z_scores(rows, runs.exact_means(made))).max() < LARGEST


@pytest.mark.parametrize("update", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("toy", more_with_long(OWN, "per_topic"))
def test_a_topic_that_splits_off_has_the_right_concentrations(toy, update):
    toy = OWN[toy]()
    rows = own.run(toy, "collapsed", N_SWEEPS, update=update, kernels=MANY)
    assert np.abs(z_scores(rows, own.exact_means(toy))).max() < LARGEST


@pytest.mark.parametrize("model", more_with_long(MODELS, "hpyp", "tntm"))
def test_prior_and_chain_have_the_same_means(model):
    shape = Shape(MODELS[model].set("*", concentration=Gamma(2, 1)), n_tokens=2 if model == "tntm" else 3)
    prior, error = errors(marginal(shape, 2 * N_STEPS, seed=1))
    rows = successive(shape, "collapsed", N_STEPS, seed=2, kernels=MANY)
    assert np.abs(z_scores(rows, prior, error)).max() < LARGEST


def test_anchors_left_out_of_the_ratio_are_caught():
    """Planted: a split is weighed as if its anchors were given."""
    right, toy = move_choices._log_split, runs.five_documents()

    def wrong(state, kernel, n_topics, n):
        return right(state, kernel, n_topics, n) + math.log(n * (n - 1))

    with patch.object(move_choices, "_log_split", wrong):
        rows = run_sweeps(toy, "collapsed", N_SWEEPS, seed=1, kernels=MANY)
    assert np.abs(z_scores(rows, runs.exact_means(toy))).max() > 6
