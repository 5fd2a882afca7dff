"""Which topics are large, at all sizes of corpora."""

import numpy as np
import pytest

from pitmanyor.state.topic_sizes import effective_number, is_large, least_share, least_tokens


@pytest.mark.parametrize(
    ("n_tokens", "least"), [(100, 0.5), (9_000, 45), (10_000, 50), (30_001, 50), (50_000, 50), (1_000_000, 1_000)]
)
def test_the_threshold_by_the_size_of_the_corpus(n_tokens, least):
    assert least_tokens(n_tokens) == pytest.approx(least) and least_share(n_tokens) == pytest.approx(least / n_tokens)


def test_a_topic_at_the_threshold_is_large_and_one_below_is_not():
    for n_tokens in (12_345, 30_001, 49_999):
        sizes = np.array([50, 49, n_tokens - 99])
        assert is_large(sizes).tolist() == [True, False, True]
    assert is_large(np.array([0, 3])).tolist() == [False, True]  # an empty topic is never large
    assert is_large(np.zeros(2, np.int64)).tolist() == [False, False]


def test_many_topics_of_a_large_corpus_all_count():
    assert is_large(np.full(900, 2_000)).all()  # no more than 200 could hold half a percent


def test_the_effective_number_is_that_of_equal_topics_and_ignores_empty_ones():
    assert effective_number(np.array([7] * 20 + [0])) == pytest.approx(20.0)
    assert 1.0 < effective_number(np.array([1000, 1, 1])) < 1.1
    assert effective_number(np.zeros(3)) == 1.0
