"""Scratch of several threads: what one writes must not lie in a line of memory that another reads."""

import numpy as np
import pytest

from pitmanyor.state.scratch_arrays import LINES, apart


@pytest.mark.parametrize("kind", [np.int32, np.uint32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 32, 33, 1000])
def test_numbers_of_two_threads_share_no_line(size, kind):
    made = apart(3, (2, size), kind, 5)
    width = np.dtype(kind).itemsize
    assert made.shape[:2] == (3, 2) and made.shape[2] >= size and made.flags.c_contiguous
    assert np.all(made == 5) and made.dtype == kind
    last_of_one, first_of_next = made.strides[1] + (size - 1) * width, made.strides[0]
    assert first_of_next - last_of_one >= LINES
