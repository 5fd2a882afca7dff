"""Geweke's joint test of sweeps, concentrations and discounts together, for every ready model.

Some 1,000 means in all, |z| < 4 with errors from batches: a right sampler under other seeds would fail about once in
thirty runs of this file.
"""

from functools import cache
from unittest.mock import patch

import numpy as np
import pytest

from oracle.geweke import Shape, marginal, successive
from oracle.runs import errors, z_scores
from pitmanyor.graph import Beta, Gamma, Graph
from pitmanyor.kernels.monitor.log_joint import OMEGA
from pitmanyor.models import author_topic, bursty, hdp_lda, hpyp, lda, tntm
from pitmanyor.sampling import concentrations, discounts
from pitmanyor.sampling.discounts import Opened, statistics_of
from pitmanyor.state import discount_values

N_STEPS, LARGEST = 3_000, 4.0
MODELS: dict[str, Graph] = {
    "lda": lda(3),
    "hdp_lda": hdp_lda(),
    "hpyp": hpyp(),
    "author_topic": author_topic(),
    "tntm": tntm().without("follows"),
    "tntm without mu1": tntm().without("follows").rebase("theta_tag", "eta"),
    "bursty": bursty(hpyp()),
    "bursty tntm": bursty(tntm().without("follows")),
    "hpyp, discounts": hpyp().set("*", discount=Beta(1, 1)),
    "tntm, discounts": tntm().without("follows").set("*", discount=Beta(1, 2)),
    "bursty, discounts": bursty(hpyp()).set("*", discount=Beta(1, 1)),
}


def shape_of(model: str) -> Shape:
    return Shape(MODELS[model].set("*", concentration=Gamma(2, 1)), n_tokens=2 if "tntm" in model else 3)


@cache
def prior_of(model: str):
    return errors(marginal(shape_of(model), 2 * N_STEPS, seed=1))


def worst(model: str, sweep: str, n_steps: int = N_STEPS) -> float:
    prior, error = prior_of(model)
    return float(np.abs(z_scores(successive(shape_of(model), sweep, n_steps, seed=2), prior, error)).max())


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("sweep", ["collapsed", "mixed"])
def test_prior_and_chain_have_the_same_means(model, sweep):
    assert worst(model, "explicit" if (model, sweep) == ("lda", "mixed") else sweep) < LARGEST


@pytest.mark.parametrize("forgotten", ["tables", "customers"])
def test_shared_concentrations_without_part_of_their_likelihood_are_caught(forgotten):
    right = concentrations.log_likelihood_of_sizes

    def wrong(a, b, sizes):
        return right(a, b, sizes._replace(**{forgotten: np.zeros((0, 2), np.int64)}))

    with patch.object(concentrations, "log_likelihood_of_sizes", wrong):
        assert worst("hpyp", "collapsed") > 4.5


def test_concentrations_without_omega_are_caught():
    """Planted: the rate of a concentration's Gamma is the prior's. Dirichlets have theirs by auxiliary variables."""
    right = concentrations._draw

    def draw(rng, prior, values):
        values = values.copy()
        values[:, OMEGA] = 0.0
        return right(rng, prior, values)

    with patch.object(concentrations, "_draw", draw):
        assert worst("lda", "collapsed") > 4.5


def without_stirling_numbers(seatings, opened):
    given = statistics_of(seatings, opened)
    return given._replace(more=np.zeros_like(given.more))


def without_tables(seatings, opened):
    return statistics_of(seatings, Opened(*(part[:0] for part in opened)))


@pytest.mark.parametrize("wrong", [without_stirling_numbers, without_tables])
def test_discounts_without_one_of_their_terms_are_caught(wrong):
    """Planted: S(c, t) at more than one table, or (b|a)_T, is left out of the likelihood."""
    with patch.object(discounts, "statistics_of", wrong):
        assert worst("hpyp, discounts", "collapsed") > 6


@pytest.mark.parametrize("forgotten", ["refill", "_refill_terms"])
def test_stirling_ratios_and_terms_that_do_not_follow_are_caught(forgotten):
    """Planted: the table of ratios, or that of the terms of small counts, stays that of the first discount."""
    with patch.object(discount_values, forgotten, lambda *_: None):
        assert worst("hpyp, discounts", "collapsed", 3 * N_STEPS) > 4.5
