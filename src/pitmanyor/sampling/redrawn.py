"""What documents need to draw the vectors of packed words again (kernels: redrawn_rows.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.numbers.stable_row_draws import LANES, Lanes
from pitmanyor.kernels.switching.redrawn_rows import KEPT_ROWS, Drawn, Kept, prepare
from pitmanyor.kernels.switching.topic_vectors import Family, Vectors
from pitmanyor.sampling.leaves import chunk_size
from pitmanyor.seeds import Seed
from pitmanyor.state.cell_counts import is_packed
from pitmanyor.state.scratch_arrays import apart
from pitmanyor.state.state import NOT_PACKED, State

WORD = 2**64 - 1


class RedrawnRows:
    """Scratch, per thread, for rows that are drawn again; made anew when the columns grow."""

    def __init__(self, n_threads: int) -> None:
        self.n_threads, self.capacity = n_threads, 0
        self.kept = Kept(*(np.zeros((n_threads, 0), np.int64) for _ in range(2)))
        self.lanes = _new_lanes(n_threads)

    def after(self, state: State, vectors: Vectors, family: Family, n_held: int, seed: Seed) -> tuple[Any, ...]:
        """What kernels take while word nodes are vectors; nothing if no cell is packed."""
        plan, blocks = state.plan, state.layout.blocks
        packed = [i for i in range(len(blocks)) if is_packed(state, i)]
        if not packed:
            return NOT_PACKED
        self._make_room(state)
        first, stop = plan.cells.first[:-1], plan.cells.first[1:]
        chunks = [chunk_size(int(n)) for n in stop - first]  # a packed node has one instance
        shape = (len(blocks), state.capacity)
        drawn = Drawn(
            *family,
            log_g=vectors.log_g,
            scale=vectors.scale,
            shift=vectors.shift,
            counter=vectors.counter,
            cells=np.stack([first, stop, chunks], axis=1),
            first_row=np.array([block.row for block in blocks]),
            empty=np.zeros((shape[0], shape[1] + 1), np.int64),
            power=np.zeros(shape, np.int32),
            fraction=np.zeros(shape, np.float32),
            seed=np.array([number & WORD for number in seed], np.uint64),
            n_held=n_held,
        )
        for i in packed:
            prepare(state.net, drawn, i)
        return drawn, self.kept, self.lanes

    def _make_room(self, state: State) -> None:
        """Rows behind the counts: kernels find all vectors in one array."""
        n_counts, size = state.layout.sizes[0], KEPT_ROWS * state.capacity
        if len(state.net.stay) < n_counts + self.n_threads * size:
            stay = np.zeros(n_counts + self.n_threads * size, state.net.stay.dtype)
            stay[:n_counts] = state.net.stay[:n_counts]
            state.net = state.net._replace(stay=stay)
        thread, first = np.arange(self.n_threads), most_rows(state)
        start = np.stack([n_counts + thread * size, first + thread * KEPT_ROWS], axis=1)
        self.kept = Kept(apart(self.n_threads, KEPT_ROWS, np.int64, -1), start)


def forget_rows(state: State) -> None:
    """Have rows drawn again even if threads keep them: their sums are not known."""
    for kept in state.redrawn[1:2]:
        if isinstance(kept, Kept):
            kept.cell[:] = -1


def most_rows(state: State) -> int:
    """Rows of the node that has most."""
    return max(block.n_rows for block in state.layout.blocks)


def n_numbers(state: State, n_threads: int) -> int:
    """By how many numbers documents know rows of words: those that have one, and those that threads keep."""
    packed = any(is_packed(state, i) for i in range(len(state.layout.blocks)))
    return most_rows(state) + (n_threads * KEPT_ROWS if packed else 0)


def _new_lanes(n_threads: int) -> Lanes:
    def floats() -> NDArray[np.float32]:
        return apart(n_threads, LANES, np.float32)

    def ints() -> NDArray[np.int32]:
        return apart(n_threads, LANES, np.int32)

    none = np.zeros((n_threads, 0), np.int32), np.zeros((n_threads, 0), np.float32)
    return Lanes(
        *none, floats(), ints(), ints(), ints(), floats(), ints(), ints(), floats(), floats(), floats(), floats()
    )
