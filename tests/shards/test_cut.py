"""Where a corpus is cut."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitmanyor.errors import PlanError
from pitmanyor.shards.cut import cut


@given(st.lists(st.integers(0, 20), min_size=1, max_size=60), st.integers(1, 50))
def test_every_document_is_in_one_shard_and_shards_are_no_larger_than_one_document_makes_them(lengths, size):
    bounds = cut(np.array(lengths), size)
    assert bounds[0] == 0 and bounds[-1] == len(lengths) and (np.diff(bounds) > 0).all()
    for start, stop in zip(bounds[:-1], bounds[1:], strict=True):
        assert sum(lengths[start:stop]) < size + max(lengths) + 1


@given(st.lists(st.integers(0, 20), min_size=1, max_size=60), st.integers(1, 50))
def test_documents_that_are_added_change_no_cut_before_them(lengths, size):
    before, after = cut(np.array(lengths), size), cut(np.array([*lengths, 7, 0, 7]), size)
    assert (after[: len(before) - 1] == before[:-1]).all()


def test_a_shard_has_a_token():
    with pytest.raises(PlanError, match="not 0"):
        cut(np.array([1, 2]), 0)
