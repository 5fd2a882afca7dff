"""Pairs of instances for links that are sums over all pairs: those with a link and those that are hidden (maths 6)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.network.block_events import GONE, HALF_GONE, UNKNOWN, Dyads, Hidden
from pitmanyor.network.observed import Ends

Ints = NDArray[np.int64]


class Sparse(NamedTuple):
    """The observed links of n instances. Ordered pairs (i, j) are codes i n + j, sorted.

    An undirected set has its pairs below the diagonal.
    """

    n: int
    directed: bool
    linked: Ints
    hidden: Ints

    def status(self, i: Ints, j: Ints) -> NDArray[np.uint8]:
        """1 if i is linked to j, 0 if not, UNKNOWN if that is hidden."""
        if not self.directed:
            i, j = np.maximum(i, j), np.minimum(i, j)
        code = i * self.n + j
        out = _among(code, self.linked).astype(np.uint8)
        out[_among(code, self.hidden)] = UNKNOWN
        return out


def _among(codes: Ints, all_codes: Ints) -> NDArray[np.bool_]:
    """Which codes are among sorted ones."""
    if not len(all_codes):
        return np.zeros(len(codes), bool)
    at = np.minimum(np.searchsorted(all_codes, codes), len(all_codes) - 1)
    return np.asarray(all_codes[at] == codes)


def sparse(n: int, ends: Ends, *, directed: bool) -> Sparse:
    """Links without those of an instance to itself, and without hidden ones.

    >>> ends = Ends(np.array([0, 2, 1]), np.array([1, 0, 1]), np.array([[2, 0], [1, 2]]))
    >>> sparse(3, ends, directed=True).status(np.array([0, 2, 1]), np.array([1, 0, 0])).tolist()
    [1, 2, 0]
    """
    hidden = np.asarray(ends.hidden, np.int64).reshape(-1, 2)
    out = []
    for i, j in ((ends.sources, ends.targets), (hidden[:, 0], hidden[:, 1])):
        if not directed:
            i, j = np.maximum(i, j), np.minimum(i, j)
        out.append(np.unique((np.asarray(i, np.int64) * n + j)[np.asarray(i != j)]))
    return Sparse(n, directed, out[0][~_among(out[0], out[1])], out[1])


def dyads_of(links: Sparse) -> Dyads:
    """Every pair that has an observed link, once."""
    i, j = links.linked // links.n, links.linked % links.n
    codes = np.unique(np.maximum(i, j) * links.n + np.minimum(i, j))
    first, second = codes // links.n, codes % links.n
    back = links.status(second, first) if links.directed else np.full(len(first), UNKNOWN, np.uint8)
    return Dyads(first, second, links.status(first, second), back)


def hidden_of(links: Sparse) -> Hidden:
    """Hidden pairs by instance, and what of their exposure is left: with answers the other direction tells of both."""
    i, j = links.hidden // links.n, links.hidden % links.n
    one, other = np.concatenate([i, j]), np.concatenate([j, i])
    codes = np.unique(one * links.n + other)
    one, other = codes // links.n, codes % links.n
    out, back = (links.status(x, y) == UNKNOWN for x, y in ((one, other), (other, one)))
    start = np.searchsorted(one, np.arange(links.n + 1)).astype(np.int64)
    if not links.directed:
        gone = np.where(out, GONE, 0).astype(np.uint8)
        return Hidden(start, other, gone, gone)
    kinds = [
        np.where(this, np.where(that, GONE, HALF_GONE), 0).astype(np.uint8) for this, that in ((out, back), (back, out))
    ]
    return Hidden(start, other, *kinds)
