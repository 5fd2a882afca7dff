"""Customers as they travel: only what was counted, and as a list of places where that is smaller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.restaurant.arrays import CUSTOMERS
from pitmanyor.shards.step import Counts, Shared, no_counts

Array = NDArray[Any]


class Packed(NamedTuple):
    """Integers, most of which may be zero: all of them, or those that are not, with their places."""

    size: int
    at: NDArray[np.uint32] | None
    values: Array

    def add_to(self, whole: Array) -> None:
        if self.at is None:
            whole += self.values.reshape(whole.shape)
        else:
            flat = whole.reshape(-1)
            if not np.shares_memory(flat, whole):
                raise ValueError("counts that are not contiguous")
            flat[self.at] += self.values  # places are distinct


PackedCounts = tuple[Packed, ...]  # rows of shared nodes one after the other, totals, leaves by node


def pack(values: Array) -> Packed:
    """The smaller of two ways to say the same integers.

    >>> pack(np.array([0, 0, 7, 0, 0, 0])).at
    array([2], dtype=uint32)
    """
    flat = values.reshape(-1)
    at = np.flatnonzero(flat)
    if flat.size < 2**32 and len(at) * (flat.itemsize + 4) < flat.nbytes:
        return Packed(flat.size, at.astype(np.uint32), flat[at])
    return Packed(flat.size, None, flat.copy())


def pack_counts(shared: Shared, counts: Counts) -> PackedCounts:
    rows = [pack(counts.customers[rows, CUSTOMERS]) for rows in _rows(shared)]
    return (*rows, pack(counts.totals[:, CUSTOMERS]), *(pack(counts.leaves[i]) for i in sorted(counts.leaves)))


def add_packed(parts: Sequence[PackedCounts]) -> PackedCounts:
    """The sums of counts, in any order."""
    out = []
    for of_one in zip(*parts, strict=True):
        whole = np.zeros(of_one[0].size, of_one[0].values.dtype)
        for part in of_one:
            part.add_to(whole)
        out.append(pack(whole))
    return tuple(out)


def unpack_counts(shared: Shared, parts: Sequence[PackedCounts]) -> Counts:
    """Counts as the driver takes them, summed over all parts."""
    counts, slices = no_counts(shared), _rows(shared)
    for part in parts:
        for rows, packed in zip(slices, part, strict=False):
            column = np.zeros(packed.size, np.int32)
            packed.add_to(column)
            counts.customers[rows, CUSTOMERS] += column
        totals = np.zeros(len(counts.totals), np.int64)
        part[len(slices)].add_to(totals)
        counts.totals[:, CUSTOMERS] += totals
        for i, packed in zip(sorted(counts.leaves), part[len(slices) + 1 :], strict=True):
            packed.add_to(counts.leaves[i])
    return counts


def _rows(shared: Shared) -> list[slice]:
    """The counts of shared nodes that are no leaves."""
    nodes, blocks = shared.state.plan.nodes, shared.state.layout.blocks
    return [blocks[i].rows for i, node in enumerate(nodes) if not node.local and i not in shared.leaves]


def bytes_of(value: object) -> int:
    """Bytes of all arrays in nested tuples."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    return sum(map(bytes_of, value)) if isinstance(value, tuple | list) else 0
