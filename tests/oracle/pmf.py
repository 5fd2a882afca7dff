"""The count pmf of one restaurant (maths 1), in plain Python."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache

from pitmanyor.graph import Node

# customers, tables, tables sent to each parent (empty for a root)
Count = tuple[int, int, tuple[int, ...]]


@cache
def stirling(c: int, t: int, a: float) -> float:
    """S(c + 1, t) = S(c, t - 1) + (c - t a) S(c, t), S(0, 0) = 1."""
    if c == 0 or t == 0 or t > c:
        return float(c == 0 and t == 0)
    return stirling(c - 1, t - 1, a) + (c - 1 - t * a) * stirling(c - 1, t, a)


def log_rising(x: float, step: float, n: int) -> float:
    """log of x (x + step) ... (x + (n - 1) step)."""
    return sum(math.log(x + i * step) for i in range(n))


def log_pmf(node: Node, counts: Mapping[int, Count], n_dishes: int | None) -> float:
    """log probability of the counts of one instance, its base included when it is a root.

    f without the binomials, times t!/prod t_to! for each dish, times the mixing of the parents.
    """
    a, b = node.discount, node.concentration
    assert isinstance(b, float | int), f"{node.name!r}: the oracle needs a fixed concentration"
    n_customers = sum(count[0] for count in counts.values())
    n_tables = sum(count[1] for count in counts.values())
    out = -log_rising(b, 1.0, n_customers)
    if node.kind == "dirichlet":
        assert n_dishes is not None
        return out + sum(log_rising(b / n_dishes, 1.0, count[0]) for count in counts.values())
    out += log_rising(b, a, n_tables)
    for customers, tables, tables_to in counts.values():
        out += math.log(stirling(customers, tables, a))
        if tables_to:
            out += math.lgamma(tables + 1) - sum(math.lgamma(to + 1) for to in tables_to)
    if node.kind == "pyp" and not node.parents:
        assert n_dishes is not None
        out -= n_tables * math.log(n_dishes)
    return out + _log_mix(node, [sum(to) for to in zip(*(count[2] for count in counts.values()), strict=True)])


def _log_mix(node: Node, n_tables_to: list[int]) -> float:
    if len(node.parents) < 2:
        return 0.0
    if node.mix_weights is not None:
        return sum(n * math.log(w) for n, w in zip(n_tables_to, node.mix_weights, strict=True) if n)
    assert node.mix_prior is not None
    out = -log_rising(sum(node.mix_prior), 1.0, sum(n_tables_to))
    return out + sum(log_rising(prior, 1.0, n) for prior, n in zip(node.mix_prior, n_tables_to, strict=True))


def possible_counts(node: Node, customers: int) -> Iterator[Count]:
    """Every count that one dish with so many customers can have."""
    if node.kind == "dirichlet":
        yield customers, 0, ()
    elif node.kind == "gem":
        yield customers, 1, ()
    elif not node.parents:
        yield from ((customers, tables, ()) for tables in range(1, customers + 1))
    else:
        for tables in range(1, customers + 1):
            yield from ((customers, tables, to) for to in _compositions(tables, len(node.parents)))


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in _compositions(total - first, parts - 1))
