"""Which pairs are linked, which are not, and which are unobserved."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Counts = NDArray[np.uint8]
LINKED, APART, UNSEEN = 1, 0, 2


class Ends(NamedTuple):
    """Links as pairs of instances, and pairs that are held out (linked or not)."""

    sources: Ints
    targets: Ints
    hidden: Ints  # (pair, 2)


class Observed(NamedTuple):
    """`pairs[i, j]` is LINKED, APART or UNSEEN. An undirected set has its pairs below the diagonal."""

    pairs: Counts
    directed: bool

    @property
    def n_pairs(self) -> int:
        return int((self.pairs != UNSEEN).sum())

    @property
    def n_links(self) -> int:
        return int((self.pairs == LINKED).sum())

    def both_ways(self) -> tuple[Counts, Counts]:
        """How many of the observed pairs (i, j) and (j, i) are linked, and how many are not; symmetric."""
        out = []
        for what in (LINKED, APART):
            seen = (self.pairs == what).astype(np.uint8)
            both = seen + seen.T
            np.fill_diagonal(both, np.diag(seen))
            out.append(both)
        return out[0], out[1]


def observe(n_instances: int, ends: Ends, *, directed: bool, self_links: bool) -> Observed:
    """All pairs of n instances: those in `ends` are linked, hidden ones are unseen, and all others are apart.

    >>> ends = Ends(np.array([0, 2]), np.array([1, 0]), np.array([[1, 2]]))
    >>> observe(3, ends, directed=True, self_links=False).pairs
    array([[2, 1, 0],
           [0, 2, 2],
           [1, 0, 2]], dtype=uint8)
    """
    pairs = np.full((n_instances, n_instances), APART, np.uint8)
    sources, targets = _ends(ends.sources, ends.targets, directed)
    pairs[sources, targets] = LINKED
    hidden = np.asarray(ends.hidden, np.int64).reshape(-1, 2)
    pairs[_ends(hidden[:, 0], hidden[:, 1], directed)] = UNSEEN
    if not directed:
        pairs[np.triu_indices(n_instances, 1)] = UNSEEN
    if not self_links:
        np.fill_diagonal(pairs, UNSEEN)
    return Observed(pairs, directed)


def _ends(sources: Ints, targets: Ints, directed: bool) -> tuple[Ints, Ints]:
    return (sources, targets) if directed else (np.maximum(sources, targets), np.minimum(sources, targets))
