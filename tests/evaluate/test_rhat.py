"""R-hat of chains that agree, drift or stand apart, and against that of arviz-stats."""

from importlib import import_module

import numpy as np
import pytest

from pitmanyor.evaluate.rhat import rhat


def test_near_one_for_noise_and_large_for_chains_apart():
    noise = np.random.default_rng(1).normal(size=(3, 400))
    assert rhat(noise) == pytest.approx(1.0, abs=0.02)
    assert rhat(noise[:2] + np.array([[0.0], [5.0]])) > 1.5
    assert rhat(noise[:2] * np.array([[1.0], [9.0]])) > 1.2  # the same mean, and not the same spread
    assert rhat(np.linspace(0, 10, 400)[None]) > 1.5  # one chain that drifts
    assert rhat(np.stack([np.zeros(10), np.ones(10)])) == np.inf
    assert rhat(np.zeros((2, 10))) == 1.0
    assert np.isnan(rhat(np.zeros((2, 3))))


@pytest.mark.parametrize("shape", [(2, 10), (4, 101)])
def test_it_is_that_of_arviz(shape):
    stats = import_module("arviz_stats.base").array_stats
    walks = np.random.default_rng(2).normal(size=shape).cumsum(axis=1)
    for values in (walks, np.round(walks)):  # the second has ties
        assert rhat(values) == pytest.approx(float(stats.rhat(values)), abs=1e-9)
