"""The assignment problem against scipy and against all permutations."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from pitmanyor.evaluate.assignment import assign


@pytest.mark.parametrize("seed", range(60))
def test_the_sum_is_that_of_scipy(seed):
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 15, 2)
    values = rng.random(shape) if seed % 2 else rng.integers(-2, 3, shape).astype(float)  # with ties, and below zero
    rows, columns = assign(values)
    best = linear_sum_assignment(values, maximize=True)
    assert values[rows, columns].sum() == pytest.approx(values[best].sum(), abs=1e-9)
    assert (np.diff(rows) > 0).all() and len(set(columns.tolist())) == len(columns) == min(shape)


def test_the_sum_is_the_largest_of_all():
    values = np.random.default_rng(0).random((5, 5))
    rows, columns = assign(values)
    assert values[rows, columns].sum() == pytest.approx(
        max(sum(values[i, p[i]] for i in range(5)) for p in itertools.permutations(range(5)))
    )


def test_nothing_is_matched_with_nothing():
    assert [part.tolist() for part in assign(np.zeros((0, 3)))] == [[], []]
    assert [part.tolist() for part in assign(np.zeros((3, 0)))] == [[], []]
