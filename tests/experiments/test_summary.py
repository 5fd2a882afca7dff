"""Means, deviations and paired tests, against scipy."""

import numpy as np
import pytest
from scipy import stats

from pitmanyor.experiments.summary import paired_p, summarise, two_sided


@pytest.mark.parametrize("freedom", range(1, 12))
def test_students_t_is_scipys(freedom):
    for t in (0.0, 0.1, -1.3, 2.5, 10.0, 80.0):
        assert two_sided(t, freedom) == pytest.approx(2 * stats.t.sf(abs(t), freedom), abs=1e-14)


def test_paired_test_is_scipys():
    rng = np.random.default_rng(1)
    for n in (2, 3, 5, 8):
        left, right = rng.normal(size=n), rng.normal(size=n)
        found = summarise(dict(enumerate(left)), dict(enumerate(right)))
        assert found.p == pytest.approx(stats.ttest_rel(left, right).pvalue, abs=1e-12)
        assert (found.n, found.mean, found.sd) == (n, pytest.approx(left.mean()), pytest.approx(left.std(ddof=1)))


def test_only_the_same_repeats_are_compared():
    left, right = {0: 1.0, 1: 2.0, 4: 9.0}, {1: 1.5, 4: 7.0, 5: 0.0}
    assert summarise(left, right).p == paired_p([0.5, 2.0])


def test_what_cannot_be_tested_has_no_p():
    assert paired_p([1.0]) is None and paired_p([]) is None
    assert paired_p([0.0, 0.0]) is None  # the same numbers: there is nothing to test
    assert paired_p([1.0, 1.0]) == 0.0
    assert summarise({0: 3.0}).sd is None
