"""States as arrays, and back, bit for bit.

Most counts of a large model are zero, and a zero count has stay 0 and open 1: only the others are stored. All that
scoring reads is stored as it is, though counts would give it again: a Stirling ratio from a table that has grown since
may differ in its last bit.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.graph.values import LEAST_DISCOUNT, MOST_DISCOUNT
from pitmanyor.kernels.numbers.stirling import StirlingTables, shaped_tables
from pitmanyor.kernels.restaurant.arrays import (
    CUSTOMERS,
    DISCOUNT,
    DISH,
    DOOR,
    GEM_CELL,
    LIVE,
    LOCAL,
    MASK,
    MAX_TOPICS,
    N_COLUMNS,
    N_LIVE,
    N_PARENTS,
    RULE,
)
from pitmanyor.kernels.restaurant.arrays import SHIFT as SHIFTED
from pitmanyor.state import State
from pitmanyor.state.cell_counts import pack_rows
from pitmanyor.state.stirling_sizes import MOST_BYTES
from pitmanyor.state.topic_columns import grow

Array = NDArray[Any]
DENSE = ("to", "totals", "n_to", "rests", "weight", "status")
TOKENS = ("topic", "code", "concentration", "measures")
NETWORK = "network/"  # the unknowns of links, by their names
ENTRIES = "packed"  # counts of cells without a row, if there are any
LOWEST_LOG, LARGEST_UNKNOWN = 1e303, 1e6  # a mass whose shape is 1e-300 may have a logarithm of -7.5e302
DISCOUNTS = "discounts"  # of the nodes that sample theirs, if there are any


def pack(state: State) -> dict[str, Array]:
    """All that changes, by name."""
    net, text = state.net, state.text
    pack_rows(state)
    stay = net.stay[: len(net.counts)]  # rows that threads keep lie behind
    at = np.flatnonzero(net.counts.any(axis=1) | (stay != 0) | (net.open != 1))
    out: dict[str, Array] = {"at": at, "counts": net.counts[at], "stay": net.stay[at], "open": net.open[at]}
    out |= {name: getattr(net, name) for name in DENSE}
    if len(net.packed_first):
        out[ENTRIES] = net.packed
    out |= {f"{NETWORK}{name}": values for name, values in state.network.items()}
    if state.plan.sampled_discounts:
        out[DISCOUNTS] = net.reals[state.plan.sampled_discounts, DISCOUNT]
    return out | {name: getattr(text, name) for name in TOKENS}


def unpack(empty: State, arrays: Mapping[str, Array]) -> State:
    """The state that was packed. `empty` is a new state of the same plan; a ValueError if they do not fit."""
    state = with_columns(empty, arrays["status"])
    _check_shapes(state, arrays)
    check_values(state, arrays)
    net, n_counts = state.net, state.layout.sizes[0]
    counts, stay = np.zeros((n_counts, 2), np.int32), np.zeros(n_counts, net.stay.dtype)
    opened = np.ones(n_counts, net.open.dtype)
    for whole, part in ((counts, "counts"), (stay, "stay"), (opened, "open")):
        whole[arrays["at"]] = arrays[part]
    dense = {name: arrays[name] for name in DENSE}
    reals = net.reals.copy()
    if state.plan.sampled_discounts:
        reals[state.plan.sampled_discounts, DISCOUNT] = arrays[DISCOUNTS]
    if len(net.packed_first):
        dense |= {ENTRIES: arrays[ENTRIES], "cells": net.cells.copy()}
    state.net = net._replace(nodes=net.nodes.copy(), reals=reals, counts=counts, stay=stay, open=opened, **dense)
    state.text = state.text._replace(**{name: arrays[name] for name in TOKENS})
    state.network = {name.removeprefix(NETWORK): values for name, values in arrays.items() if name.startswith(NETWORK)}
    return state


def with_columns(empty: State, status: Array) -> State:
    """A copy of an empty state with as many topic columns as a status tells of; a ValueError if it can have none."""
    state, capacity = copy.copy(empty), _capacity(status)
    if capacity > state.capacity:
        grow(state, capacity)  # a new bundle of arrays: `empty` stays as it is
    if capacity != state.capacity:
        raise ValueError(f"{capacity} topic columns, which no state of this model has")
    return state


def n_columns(arrays: Mapping[str, Array]) -> int:
    """How many topics a packed state has, in or out of use."""
    _capacity(arrays["status"])
    return int(arrays["status"][N_LIVE])


def table_shapes(tables: StirlingTables) -> list[list[int]]:
    return [[int(rows), int(columns)] for rows, columns in zip(tables.n_rows, tables.n_cols, strict=True)]


def build_shapes(
    discounts: Sequence[float], shapes: Sequence[Sequence[int]], least: Sequence[Sequence[int]]
) -> StirlingTables:
    """Stirling tables of the given shapes: they grow with the counts of all sweeps so far, so sizes are stored.

    least: the shapes with which they start.
    """
    if len(shapes) != len(discounts) or not all(len(shape) == 2 for shape in shapes):
        raise ValueError("Stirling tables for other discounts")
    if (np.array(shapes, np.int64) < np.array(least)).any():
        raise ValueError("Stirling tables smaller than the first ones")
    if sum(rows * columns for rows, columns in shapes) * 8 > 4 * MOST_BYTES:
        raise ValueError("Stirling tables larger than any")
    if any(columns > rows for rows, columns in shapes):
        raise ValueError("Stirling tables of impossible shapes")
    return shaped_tables(discounts, [(rows, columns) for rows, columns in shapes])


def _capacity(status: Array) -> int:
    if status.ndim != 1 or status.dtype != np.int64 or len(status) <= LIVE:
        raise ValueError("status of no state")
    return len(status) - LIVE


def _check_shapes(state: State, arrays: Mapping[str, Array]) -> None:
    n_counts, n_rests, n_to, n_to_rests = state.layout.sizes
    n_set = len(arrays["at"])
    net, text = state.net, state.text
    wanted = {
        "at": ((n_set,), np.dtype(np.int64)),
        "counts": ((n_set, 2), net.counts.dtype),
        "stay": ((n_set,), net.stay.dtype),
        "open": ((n_set,), net.open.dtype),
        "to": ((max(n_to, 1),), net.to.dtype),
        "totals": ((n_rests, 2), net.totals.dtype),
        "n_to": ((max(n_to_rests, 1),), net.n_to.dtype),
        "rests": ((3, n_rests), net.rests.dtype),
        "weight": ((max(n_to_rests, 1),), net.weight.dtype),
    } | {name: (getattr(text, name).shape, getattr(text, name).dtype) for name in TOKENS}
    if state.plan.sampled_discounts:
        wanted[DISCOUNTS] = ((len(state.plan.sampled_discounts),), np.dtype(np.float64))
    if len(net.packed_first):
        wanted[ENTRIES] = ((state.layout.n_entries, 3), net.packed.dtype)
    check_names(arrays, {*wanted, "status"})
    for name, (shape, dtype) in wanted.items():
        if (arrays[name].shape, arrays[name].dtype) != (shape, dtype):
            raise ValueError(f"{name} has shape {arrays[name].shape} where {shape} is due")
    check_places(arrays["at"], n_counts)


def check_names(arrays: Mapping[str, Array], wanted: set[str]) -> None:
    """No array is missing and none is unknown; those of a network are compared elsewhere."""
    if other := {name for name in arrays if not name.startswith(NETWORK)} ^ wanted:
        raise ValueError(f"{', '.join(sorted(other))}: missing, or unknown")


def check_places(at: Array, n_counts: int) -> None:
    """Places of counts, in order."""
    if len(at) and (at[0] < 0 or at[-1] >= n_counts or np.any(at[1:] <= at[:-1])):
        raise ValueError("places of counts that are none")


def check_values(state: State, arrays: Mapping[str, Array]) -> None:
    """What kernels index with must be in range: they do not look."""
    status, live = arrays["status"], arrays["status"][LIVE:]
    fixed = [MAX_TOPICS, GEM_CELL, RULE]
    if not np.array_equal(status[fixed], state.net.status[fixed]):
        raise ValueError("status of another model")
    n_live, n_columns = int(status[N_LIVE]), int(status[N_COLUMNS])
    if not (np.isin(live, (0, 1)).all() and live.sum() == n_live == live[:n_live].sum()):
        raise ValueError("live topics that are not the first columns")
    if not (n_live <= n_columns <= state.capacity and -1 <= status[DOOR] < state.capacity):
        raise ValueError("more topics than columns")
    _check_tokens(state, arrays["topic"], arrays["code"], n_live)
    if state.plan.sampled_discounts and not _are_discounts(arrays[DISCOUNTS]):
        raise ValueError("a discount out of range")
    counted = [arrays[name] for name in ("counts", "to", "totals", "n_to", ENTRIES) if name in arrays]
    if any(part.size and part.min() < 0 for part in counted):
        raise ValueError("a count below zero")
    if ENTRIES in arrays and (arrays[ENTRIES][arrays[ENTRIES][:, CUSTOMERS] > 0, DISH] >= n_live).any():
        raise ValueError("counts of a topic that is not there")
    check_unknowns(arrays)


def _are_discounts(values: Array) -> bool:
    return bool(((values >= LEAST_DISCOUNT) & (values <= MOST_DISCOUNT)).all())


def check_unknowns(arrays: Mapping[str, Array]) -> None:
    """Those of a network are numbers that a chain may reach; logs may be far below zero."""
    for name, part in arrays.items():
        if name.startswith(NETWORK):
            least = -LOWEST_LOG if "log_" in name else -LARGEST_UNKNOWN
            if part.dtype != np.float64 or not ((part >= least) & (part <= LARGEST_UNKNOWN)).all():
                raise ValueError("unknowns of a network that are no numbers, or out of range")
            if name == f"{NETWORK}log_mu" and abs(np.logaddexp.reduce(part, initial=-np.inf)) > 1e-6:
                raise ValueError("shares of topics that do not add up")


def check_tokens(state: State, topic: Array, code: Array) -> None:
    """Topics and walks of some tokens of a state must be in range; a ValueError if they are not."""
    _check_tokens(state, topic, code, int(state.net.status[N_LIVE]))


def _check_tokens(state: State, topic: Array, code: Array, n_live: int) -> None:
    code = code.astype(np.int64)
    if len(topic) and (topic.min() < 0 or topic.max() >= n_live):
        raise ValueError("a token of a topic that is not there")
    for row in state.net.nodes[state.net.nodes[:, LOCAL] == 1]:
        if (((code >> row[SHIFTED]) & row[MASK]) > max(row[N_PARENTS], 1)).any():
            raise ValueError("a walk to a parent that is not there")
