"""The links that show the shape of a network: of each node the few between nodes with the same neighbours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
OF_EACH = 3  # links that every node keeps at least
ANSWERED = 1.5  # times as strong


class Backbone(NamedTuple):
    """Pairs of nodes, the strongest first, and their strengths; `strength` is at most 1."""

    pairs: Ints
    strength: Floats


def backbone(n: int, links: Ints, of_each: int = OF_EACH) -> Backbone:
    """The pairs to draw of n nodes: the strongest of every node, and those that hold each component together.

    The strength of a pair says how much more its nodes' neighbours overlap than their numbers of links suggest: the
    cosine of their rows of the network, where a neighbour counts for less the more links it has (as in Nick et al. 2013
    and Nocaj et al. 2015, who keep the links of a hairball that are embedded best). Links both ways count 1.5 times.
    The spanning forest of the strongest pairs is kept, so that what was connected stays so.

    Parameters
    ----------
    n
        Number of nodes.
    links
        Links as pairs of node numbers, from and to.
    of_each
        Number of pairs that every node keeps.
    """
    linked = np.zeros((n, n), bool)
    linked[links[:, 0], links[:, 1]] = True
    np.fill_diagonal(linked, False)
    joined = linked | linked.T
    first, second = np.nonzero(np.triu(joined))
    strength = _overlap(joined)[first, second]
    both = linked[first, second] & linked[second, first]
    strength = np.asarray(strength * np.where(both, ANSWERED, 1.0), np.float64)
    order = np.argsort(-strength, kind="stable")
    pairs, strength = np.stack([first, second], axis=1)[order], strength[order] / max(strength.max(initial=0.0), 1e-12)
    kept = _best_of_each(n, pairs, of_each) | _forest(n, pairs)
    return Backbone(pairs[kept], strength[kept])


def _overlap(joined: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Cosines of the rows, each node a neighbour of its own, columns over the root of their sums."""
    rows = joined.astype(np.float32)
    np.fill_diagonal(rows, 1.0)
    rows /= np.sqrt(rows.sum(axis=0))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows @ rows.T)


def _best_of_each(n: int, pairs: Ints, of_each: int) -> NDArray[np.bool_]:
    """Which pairs, in this order, are among the first of either node."""
    kept, had = np.zeros(len(pairs), bool), [0] * n
    for i, (a, b) in enumerate(pairs.tolist()):
        if had[a] < of_each or had[b] < of_each:
            kept[i] = True
            had[a] += 1
            had[b] += 1
    return kept


def _forest(n: int, pairs: Ints) -> NDArray[np.bool_]:
    """Which pairs, in this order, join two parts that were not connected (Kruskal)."""
    kept, parent = np.zeros(len(pairs), bool), list(range(n))

    def root(a: int) -> int:
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        return a

    for i, (a, b) in enumerate(pairs.tolist()):
        one, other = root(a), root(b)
        if one != other:
            kept[i], parent[one] = True, other
    return kept
