"""Effective sample sizes against those of arviz-stats."""

import math
from importlib import import_module

import numpy as np
import pytest

from pitmanyor.evaluate.effective_size import effective_size


def chains_of(seed):
    """Independent, sticky or alternating chains; some with a trend, or of whole numbers."""
    rng = np.random.default_rng(seed)
    n_chains, n = int(rng.integers(1, 5)), int(rng.integers(8, 300))
    values, keep = rng.normal(size=(n_chains, n)), (-0.6, 0.0, 0.5, 0.95)[seed % 4]
    for t in range(1, n):
        values[:, t] += keep * values[:, t - 1]
    values += seed % 3 * np.arange(n) / n
    return np.round(values) if seed % 5 == 0 else values


@pytest.mark.parametrize("seed", range(40))
def test_they_are_those_of_arviz(seed):
    stats = import_module("arviz_stats.base").array_stats
    values = chains_of(seed)
    assert effective_size(values) == pytest.approx(float(stats.ess(values, method="bulk")), rel=1e-9)


def test_what_has_none_is_not_a_number():
    assert math.isnan(effective_size(np.ones((2, 20)))) and math.isnan(effective_size(np.arange(3.0)[None]))
