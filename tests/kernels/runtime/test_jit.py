"""Work is dealt to threads so that none has all of what costs most."""

import numpy as np
import pytest

from pitmanyor.kernels.runtime.jit import HANDS, dealt, kernel, n_dealt


@kernel
def _deal(n, out):
    for turn in range(n_dealt(n)):
        out[turn] = dealt(turn, n)


def pieces(n):
    out = np.full((n + HANDS - 1) // HANDS * HANDS, -1)
    _deal(n, out)
    return out


@pytest.mark.parametrize("n", [0, 1, 5, 31, 32, 33, 64, 157, 1000])
def test_every_piece_has_one_turn(n):
    turns = pieces(n)
    assert len(np.unique(turns)) == len(turns)
    assert sorted(turns[turns < n]) == list(range(n))


@pytest.mark.parametrize("threads", [2, 4, 8, 32])
def test_pieces_in_a_row_go_to_different_threads(threads):
    thread = np.empty(160, int)
    for i, run in enumerate(np.array_split(pieces(157), threads)):
        thread[run] = i
    rounds = thread.reshape(-1, threads)
    assert (np.sort(rounds, axis=1) == np.arange(threads)).all()
