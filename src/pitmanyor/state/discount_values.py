"""Discounts of a state, and all that follows them: Stirling ratios, terms of small counts, terms of shared counts."""

from __future__ import annotations

from collections.abc import Mapping

from pitmanyor.kernels.documents.general.scratch import fill_terms
from pitmanyor.kernels.numbers.stirling import StirlingTables, only, refill
from pitmanyor.kernels.restaurant.arrays import DISCOUNT, RULE, TABLE
from pitmanyor.kernels.restaurant.refresh import refresh_occupied, refresh_restaurants
from pitmanyor.kernels.restaurant.seating import open_door
from pitmanyor.state.state import State, new_terms


def discount_of(state: State, name: str) -> float:
    """The discount that a node has now."""
    return float(state.net.reals[state.plan.index[name], DISCOUNT])


def set_discounts(state: State, discounts: Mapping[int, float]) -> None:
    """Let nodes have other discounts. Each must be a sampled one: nodes with fixed ones share their Stirling tables."""
    net = state.net
    for i, a in discounts.items():
        if i not in state.plan.sampled_discounts:
            raise ValueError(f"the discount of {state.plan.nodes[i].name!r} is fixed")
        net.reals[i, DISCOUNT] = a
        refill(state.tables, int(net.nodes[i, TABLE]), a)
        _refill_terms(state, int(net.nodes[i, TABLE]))
        if not state.plan.nodes[i].local:
            block, cells = state.layout.blocks[i], state.plan.cells.of(i)
            refresh_occupied(net, state.tables, state.terms, i, cells.start, cells.stop)
            refresh_restaurants(net, i, block.rest, block.to_rest, block.n_instances * block.own)
    open_door(net)


def take_discounts(state: State, other: State) -> None:
    """Let nodes have the discounts that they have in another state, if they are sampled there as well."""
    plan, known = state.plan, {other.plan.nodes[i].name for i in other.plan.sampled_discounts}
    names = {i: plan.nodes[i].name for i in plan.sampled_discounts}
    set_discounts(state, {i: discount_of(other, name) for i, name in names.items() if name in known})


def _refill_terms(state: State, index: int) -> None:
    """Terms of small counts under the discount of one Stirling table, in place."""
    small, tables = state.terms.small, only(state.tables, index)
    fill_terms(small[index : index + 1], tables, tables.discount, int(state.net.status[RULE]))
    state.terms.flat.reshape(small.shape)[index] = small[index]


def stirling_discounts(state: State) -> list[float]:
    """The discount that each Stirling table is for."""
    out = list(state.plan.discounts)
    for i in state.plan.sampled_discounts:
        out[state.plan.stirling_table[i]] = float(state.net.reals[i, DISCOUNT])
    return out


def restore_tables(state: State, tables: StirlingTables) -> None:
    """Take up tables for the discounts that a stored state has, and the terms that go with them."""
    state.tables = tables
    if state.plan.sampled_discounts:
        state.terms = new_terms(state.plan, state.net, tables)
