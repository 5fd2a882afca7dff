"""Selecting documents by masks and indices, and stratified splits."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import CorpusError
from pitmanyor.seeds import checked


def indices(documents: Sequence[int] | Sequence[bool] | NDArray[Any], n_documents: int) -> NDArray[np.int64]:
    """Convert a mask or indices to indices."""
    given = np.asarray(documents)
    if given.ndim != 1:
        raise CorpusError(f"documents must be a flat list of indices or a mask, not of shape {given.shape}")
    if given.dtype == bool:
        if len(given) != n_documents:
            raise CorpusError(f"the mask has {len(given)} entries for {n_documents} documents; give one for each")
        return np.flatnonzero(given)
    if len(given) and not np.issubdtype(given.dtype, np.integer):
        raise CorpusError(f"documents must be integers or a mask of booleans, not {given.dtype}")
    chosen = given.astype(np.int64)
    wrong = chosen[(chosen < 0) | (chosen >= n_documents)]
    if len(wrong):
        raise CorpusError(f"there is no document {wrong[0]}: they are numbered 0 to {n_documents - 1}")
    return chosen


def split(
    n_documents: int, test: float | int, groups: NDArray[np.int32] | None, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sorted indices for training and testing.

    Documents are shuffled, sorted by group if there are groups, and selected at even steps from a random start, so that
    the number is exact up to rounding, within every group too.
    """
    if isnan(test):
        raise CorpusError("test must be a share or a number of documents, not nan")
    n_test = round(test * n_documents) if isinstance(test, float) else int(test)
    if not 0 < n_test < n_documents:
        raise CorpusError(
            f"test={test} leaves {n_documents - n_test} documents for training and {n_test} for testing of "
            f"{n_documents}; give a share between 0 and 1, or a number of documents, so that both have some"
        )
    rng = np.random.default_rng(checked(seed))
    order = rng.permutation(n_documents)
    if groups is not None:
        order = order[np.argsort(groups[order], kind="stable")]
    start = int(rng.integers(n_documents))
    steps = (np.arange(n_documents + 1, dtype=np.int64) * n_test + start) // n_documents
    held = np.sort(order[np.diff(steps) > 0])
    return np.setdiff1d(np.arange(n_documents), held), held
