"""Splits and merges leave the enumerated posterior exactly as it is: pi P = pi for the real code (maths 4)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernels import exact
from kernels.documents.exact import Chain
from oracle.toys import TOYS
from pitmanyor.sampling.split_merge import IN_TURN, LAUNCH_FIRST, Kernel, SplitMerge, Tally

pytestmark = pytest.mark.nojit


class Draws:
    """A generator whose uniforms are symbolic."""

    def random(self) -> Any:
        return exact.uniform(0, 0)


class Moves(Chain):
    """Transition matrices of one split or merge."""

    def move(self, kernel: Kernel, starts: list[int]) -> csr_array:
        moves = SplitMerge(self.state)

        def update() -> None:
            moves._index(self.state)
            moves._try(self.state, kernel, (0, 0, 0, 0), Draws(), Tally())

        return self._matrix([self._from(self.states[i], None, update) for i in starts])


@pytest.mark.parametrize("toy", ["single_parent"])
@pytest.mark.parametrize("kernel", [IN_TURN, LAUNCH_FIRST], ids=["in_turn", "launch_first"])
def test_posterior_stays(toy: str, kernel: Kernel) -> None:
    chain = Moves(TOYS[toy](), "clamp")
    matrix = chain.move(kernel, list(range(len(chain.states))))
    print(len(chain.states), matrix.nnz)
    assert np.abs(matrix.sum(axis=1) - 1.0).max() < 1e-12
    assert chain.error(matrix) < 1e-12
