"""A restaurant that seats customers one by one from the prior (maths 1), in plain Python without kernels.

A customer of a node with discount a and concentration b takes an existing dish k with probability
(c_k - a t_k)/(b + C), or opens a table with probability (b + a T)/(b + C). The table is a customer of one parent, which
selects the dish.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pitmanyor.graph import Node

Means = dict[int, NDArray[np.float64]]


class Restaurant:
    """The counts of one instance of a node; `seats` has every customer's dish in order of arrival."""

    __slots__ = (
        "concentration",
        "customers",
        "discount",
        "n_tables_to",
        "node",
        "parents",
        "seats",
        "tables",
        "tables_to",
    )

    def __init__(self, node: Node, parents: tuple[Restaurant, ...], concentration: float, discount: float) -> None:
        self.node = node
        self.parents = parents
        self.concentration = concentration
        self.discount = discount
        self.seats: list[int] = []
        self.customers: dict[int, int] = {}
        self.tables: dict[int, int] = {}
        self.tables_to: dict[int, list[int]] = {}
        self.n_tables_to = [0] * len(parents)

    def old_dish(self, uniform: Callable[[], float]) -> int | None:
        """An existing dish, or None for a new table.

        A random customer is copied with probability c_k/(b + C), and a share a t_k/c_k of the copies opens a table
        instead. Over all dishes this leaves (c_k - a t_k)/(b + C) for dish k and (b + a T)/(b + C) for a new table.
        """
        at = uniform() * (self.concentration + len(self.seats))
        if at >= len(self.seats):
            return None
        dish = self.seats[int(at)]
        if self.discount and uniform() * self.customers[dish] < self.discount * self.tables[dish]:
            return None
        return dish

    def choose_parent(self, uniform: Callable[[], float]) -> int:
        """The parent of a new table: r_i = (lambda_i + T_to[i])/(sum lambda + T), or the fixed weights."""
        if len(self.parents) < 2:
            return 0
        weights = self.mix_weights()
        left = uniform() * sum(weights)
        for i, weight in enumerate(weights[:-1]):
            left -= weight
            if left < 0:
                return i
        return len(weights) - 1

    def mix_weights(self) -> list[float]:
        """Unnormalised weights of the parents."""
        if self.node.mix_weights is not None:
            return list(self.node.mix_weights)
        prior = self.node.mix_prior or (1.0,) * len(self.parents)
        return [base + tables for base, tables in zip(prior, self.n_tables_to, strict=True)]

    def sit(self, dish: int) -> None:
        self.seats.append(dish)
        self.customers[dish] = self.customers.get(dish, 0) + 1

    def open(self, dish: int, parent: int) -> None:
        """Open a table. A Dirichlet has no tables; those of a root go to no parent."""
        self.sit(dish)
        if self.node.kind == "dirichlet":
            return
        self.tables[dish] = self.tables.get(dish, 0) + 1
        if self.parents:
            self.tables_to.setdefault(dish, [0] * len(self.parents))[parent] += 1
            self.n_tables_to[parent] += 1


def posterior_mean(
    house: Restaurant, base_of_root: Callable[[Restaurant], NDArray[np.float64]], known: Means
) -> NDArray[np.float64]:
    """The mean of a node given the seating, from root to leaf (maths 5); `known` caches computed means."""
    if id(house) not in known:
        if house.parents:
            weights = house.mix_weights() if len(house.parents) > 1 else [1.0]
            means = [posterior_mean(parent, base_of_root, known) for parent in house.parents]
            base = np.average(means, axis=0, weights=weights)
        else:
            base = base_of_root(house)
        discount = house.discount
        out = (house.concentration + discount * sum(house.tables.values())) * base
        for dish, customers in house.customers.items():
            out[dish] += customers - discount * house.tables.get(dish, 0)
        known[id(house)] = out / (house.concentration + len(house.seats))
    return known[id(house)]
