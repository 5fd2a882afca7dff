"""Customers as they travel: only what was counted, in a byte or two each, or as a list where most of them are zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.restaurant.arrays import CUSTOMERS
from pitmanyor.shards.step import Counts, Shared, no_counts

Array = NDArray[Any]


class Packed(NamedTuple):
    """Integers as a sum: the lower bytes of all of them, or zeros, and what these lack at some places."""

    size: int
    kind: np.dtype[Any]
    low: Array | None
    at: Array  # distinct places
    more: Array

    def add_to(self, whole: Array) -> None:
        if not whole.flags.c_contiguous:
            raise ValueError("counts that are not contiguous")
        flat = whole.reshape(-1)
        if self.low is not None:
            flat += self.low
        flat[self.at] += self.more  # places are distinct


PackedCounts = tuple[Packed, ...]  # rows of shared nodes one after the other, totals, leaves by node


def pack(values: Array) -> Packed:
    """The same integers in fewer bytes: places and values of those that are not 0, or one or two bytes of all of them.

    With bytes, the rest of those that need more is listed by place. Integers that fit none of these are all listed. The
    result keeps nothing else of `values` in memory.

    >>> pack(np.array([0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0])).at
    array([2], dtype=uint32)
    >>> packed = pack(np.array([1, 2, 700] + 9 * [3]))
    >>> packed.low[:4], packed.at, packed.more
    (array([  1,   2, 188,   3], dtype=uint8), array([2], dtype=uint32), array([512]))
    """
    flat = np.ascontiguousarray(values).reshape(-1)
    places = np.dtype(np.uint32 if flat.size < 2**32 else np.int64)
    each = places.itemsize + flat.itemsize
    if np.count_nonzero(flat) * each <= flat.size:
        at = np.flatnonzero(flat)
        return Packed(flat.size, flat.dtype, None, at.astype(places), flat[at])
    for kind in (np.uint8, np.uint16):
        low = flat.astype(kind)
        beyond = flat != low
        if np.count_nonzero(beyond) * each <= flat.size:
            at = np.flatnonzero(beyond)
            return Packed(flat.size, flat.dtype, low, at.astype(places), flat[at] - low[at])
    return Packed(flat.size, flat.dtype, flat, np.zeros(0, places), np.zeros(0, flat.dtype))


def pack_counts(shared: Shared, counts: Counts) -> PackedCounts:
    rows = [pack(counts.customers[rows, CUSTOMERS]) for rows in _rows(shared)]
    return (*rows, pack(counts.totals[:, CUSTOMERS]), *(pack(counts.leaves[i]) for i in sorted(counts.leaves)))


def add_packed(parts: Sequence[PackedCounts]) -> PackedCounts:
    """The sums of counts, in any order."""
    out = []
    for of_one in zip(*parts, strict=True):
        whole = np.zeros(of_one[0].size, of_one[0].kind)
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
