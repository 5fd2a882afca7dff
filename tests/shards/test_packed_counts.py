"""Counts that travel packed are the counts that were packed, whatever their size and layout."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from pitmanyor.shards import packed_counts as module
from pitmanyor.shards.packed_counts import Packed, add_packed, bytes_of, pack

N = 4_000
LARGEST = {"one byte": 255, "two bytes": 65_535, "more": 2**31 - 1}
SHARE = {"listed": 0.01, "dense": 0.9}  # of the counts that are not 0
# Edits of `pack`, each of which changes counts beyond a limit.
BUGS = {
    "a list of bytes": ("at.astype(places), flat[at])", "at.astype(places), flat[at].astype(np.uint8))"),
    "a list of two bytes": ("at.astype(places), flat[at])", "at.astype(places), flat[at].astype(np.uint16))"),
    "bytes without the rest": ("flat[at] - low[at])", "flat[at] * 0)"),
    "a rest of one byte": ("flat[at] - low[at])", "(flat[at] - low[at]).astype(np.uint8))"),
    "two bytes at most": ("flat[at] - low[at])", "np.minimum(flat[at], 65_535) - low[at])"),
    "a rest that counts twice": ("flat[at] - low[at])", "flat[at])"),
    "a rest elsewhere": ("low, at.astype(places)", "low, (at - 1).astype(places)"),
}
LIMITS = [254, 255, 256, 257, 511, 512, 65_534, 65_535, 65_536, 65_537, 2**24, 2**31 - 1]


def counts_of(share: str, largest: str, kind: type = np.int32) -> np.ndarray:
    """Small counts, some of which are 0, and a few as large as can be."""
    rng = np.random.default_rng(5)
    counts = np.where(rng.random(N) < SHARE[share], rng.integers(1, 200, N), 0).astype(kind)
    limits = [limit for limit in LIMITS if limit <= LARGEST[largest]]
    counts[rng.choice(N, len(limits), replace=False)] = limits
    return counts


def unpacked(packed: Packed, like: np.ndarray) -> np.ndarray:
    whole = np.zeros_like(like)
    packed.add_to(whole)
    return whole


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("largest", LARGEST)
@pytest.mark.parametrize("share", SHARE)
def test_what_is_unpacked_was_packed(share, largest, kind):
    counts = counts_of(share, largest, kind)
    packed = pack(counts)
    assert (packed.low is None) == (share == "listed")
    assert bytes_of(packed) < 1.1 * N < counts.nbytes
    np.testing.assert_array_equal(unpacked(packed, counts), counts)


@pytest.mark.parametrize("most", [300, 70_000])
def test_counts_most_of_which_are_large(most):
    """Those above 255 take two bytes, and those above 65,535 travel as they are."""
    counts = np.random.default_rng(6).integers(most // 2, most, N).astype(np.int32)
    counts[0] = 2**31 - 1
    packed = pack(counts)
    assert packed.low is not None and packed.low.dtype == (np.uint16 if most == 300 else np.int32)
    np.testing.assert_array_equal(unpacked(packed, counts), counts)


def test_a_column_of_a_table_is_packed_without_the_table():
    table = np.random.default_rng(7).integers(70_000, 2**31 - 1, (N, 2)).astype(np.int32)
    packed = pack(table[:, 0])
    np.testing.assert_array_equal(unpacked(packed, table[:, 0].copy()), table[:, 0])
    assert packed.low is not None and not np.shares_memory(packed.low, table)


def test_sums_of_counts_cross_the_limits():
    parts = [counts_of("dense", "two bytes"), *(np.full(N, n, np.int32) for n in (1, 200, 70_000))]
    (packed,) = add_packed([(pack(part),) for part in parts])
    np.testing.assert_array_equal(unpacked(packed, parts[0]), sum(parts))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (3, 4)])
def test_no_counts(shape):
    """Leaves have no columns while no topic is held."""
    nothing = np.zeros(shape, np.int32)
    assert unpacked(pack(nothing), nothing).shape == shape
    (packed,) = add_packed([(pack(nothing),), (pack(nothing),)])
    assert bytes_of(packed) == 0


@pytest.mark.parametrize("bug", BUGS)
def test_counts_that_a_bug_loses_are_missed(bug):
    """The comparison above fails for each of these."""
    right, wrong = BUGS[bug]
    source = inspect.getsource(module.pack)
    assert source.count(right) == 1
    scope = dict(vars(module))
    exec(source.replace(right, wrong), scope)
    cases = [counts_of(share, "more") for share in SHARE]
    assert any((unpacked(scope["pack"](counts), counts) != counts).any() for counts in cases)
