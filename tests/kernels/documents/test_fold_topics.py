"""A topic of a new document's token is found by vectors: block by block, and then within the block."""

from typing import NamedTuple

import numpy as np
import pytest

from outside import outside
from pitmanyor.fold_in.fold_rows import new_starts, stacked
from pitmanyor.kernels.documents.fold_in.fold_one_node import pick_topic, sum_topics

pick, sum_up = outside(pick_topic), outside(sum_topics)


class Table(NamedTuple):
    words: np.ndarray
    bases: np.ndarray


class Made(NamedTuple):
    sums: np.ndarray
    starts: np.ndarray


def tables(n_topics: int) -> tuple[Table, Made, np.ndarray]:
    """The second of two rows is of weights some of which are zero: single topics, a block, the first and the last."""
    rng = np.random.default_rng(n_topics)
    words, bases = rng.gamma(0.3, size=(2, n_topics)), rng.gamma(1.0, size=(2, n_topics))
    words[1, ::7] = 0.0
    bases[1, 16:32] = 0.0
    words[1, -3:] = 0.0
    table = Table(stacked([words]), stacked([bases]))
    made = Made(np.zeros(3), new_starts(1, 3, n_topics)[0])
    sum_up(table, made, 2, 1, 1)
    return table, made, table.words[1] * table.bases[1]


@pytest.mark.parametrize("n_topics", [9, 40, 300])
def test_every_topic_is_found_where_it_lies(n_topics):
    table, made, weights = tables(n_topics)
    ends = np.cumsum(weights.astype(np.float64))
    assert made.sums[2] == pytest.approx(ends[-1], rel=1e-6)
    for k in np.flatnonzero(weights > 1e-4 * ends[-1]):
        for share in (0.01, 0.5, 0.99):
            assert pick(table, made, 2, 1, 1, ends[k] - share * weights[k]) == k


@pytest.mark.parametrize("n_topics", [9, 40, 300])
def test_rounding_never_finds_a_topic_without_weight(n_topics):
    table, made, weights = tables(n_topics)
    ends = np.cumsum(weights.astype(np.float64))
    for x in (0.0, *ends, np.nextafter(made.sums[2], 9.0), 2 * made.sums[2], 1e300):
        assert weights[pick(table, made, 2, 1, 1, x)] > 0.0
