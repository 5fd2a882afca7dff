"""A topic in proportion to a product of two rows is found by vectors: block by block, and then within the block."""

import numpy as np
import pytest

from outside import outside
from pitmanyor.kernels.documents.product_sums import dot, pick_product, pick_uncached

pick, pick_anew, sum_up = outside(pick_product), outside(pick_uncached), outside(dot)


def rows(n_topics: int, kind: type) -> tuple[np.ndarray, int, np.ndarray]:
    """Two rows, one after the other, with zeros: single topics, a block, the first and the last."""
    rng, width = np.random.default_rng(n_topics), -(-n_topics // 16) * 16
    values = np.zeros((3, width), kind)
    values[1:, :n_topics] = rng.gamma(0.3, size=n_topics), rng.gamma(1.0, size=n_topics)
    values[1, :n_topics:7] = 0.0
    values[2, 16:32] = 0.0
    values[1, n_topics - 3 :] = 0.0
    return values.reshape(-1), width, (values[1] * values[2])[:n_topics]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n_topics", [9, 40, 300, 320])
def test_every_topic_is_found_where_it_lies(n_topics, kind):
    values, width, weights = rows(n_topics, kind)
    ends, blocks = np.cumsum(weights.astype(np.float64)), np.zeros(width // 16)
    assert sum_up(values, width, 2 * width, n_topics, blocks) == pytest.approx(ends[-1], rel=1e-6)
    for k in np.flatnonzero(weights > 1e-4 * ends[-1]):
        for share in (0.01, 0.5, 0.99):
            x = ends[k] - share * weights[k]
            assert pick(values, width, 2 * width, blocks, x, n_topics) == k
            assert pick_anew(values, width, 2 * width, x, n_topics) == k


@pytest.mark.parametrize("n_topics", [9, 40, 300, 320])
def test_rounding_never_finds_a_topic_without_weight(n_topics):
    values, width, weights = rows(n_topics, np.float32)
    ends, blocks = np.cumsum(weights.astype(np.float64)), np.zeros(width // 16)
    total = sum_up(values, width, 2 * width, n_topics, blocks)
    for x in (0.0, *ends, np.nextafter(total, 9.0), 2 * total, 1e300):
        assert weights[pick(values, width, 2 * width, blocks, x, n_topics)] > 0.0
        assert weights[pick_anew(values, width, 2 * width, x, n_topics)] > 0.0
