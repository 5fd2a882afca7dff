"""Topic columns: more room for births, and a tidy order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.arrays import DOOR, N_COLUMNS, N_LIVE
from pitmanyor.kernels.refresh import move_topics, refresh_all
from pitmanyor.kernels.seating import open_door
from pitmanyor.state.layout import build_layout
from pitmanyor.state.state import State, new_desks, new_scratch, padded

BY_COUNT = ("customers", "tables", "stay", "open")
BY_REST = ("n_customers", "n_tables", "gain", "scale", "concentration")


def grow(state: State, columns: int) -> None:
    """Make room for at least so many topic columns; counts stay where they were."""
    old, new = state.layout, build_layout(state.plan, padded(max(columns, state.capacity * 3 // 2)))
    net, (n_counts, n_rests, n_to, n_to_rests) = state.net, new.sizes
    fields: dict[str, NDArray[Any]] = {"row": new.row, "rest": new.rest, "to_row": new.to_row, "to_rest": new.to_rest}
    for name in BY_COUNT + BY_REST:
        size = n_counts if name in BY_COUNT else n_rests
        fields[name] = np.zeros(size, getattr(net, name).dtype)
    fields["open"] += 1
    fields["to"] = np.zeros(max(n_to, 1), net.to.dtype)
    for name in ("n_to", "weight"):
        fields[name] = np.zeros(max(n_to_rests, 1), getattr(net, name).dtype)
    for a, b in zip(old.blocks, new.blocks, strict=True):
        for name in BY_COUNT:
            _copy(getattr(net, name)[a.rows], fields[name][b.rows], a.n_cells)
        for name in BY_REST:
            _copy(getattr(net, name)[a.rests], fields[name][b.rests], a.n_instances)
        values = fields["concentration"][b.rests].reshape(b.n_instances, b.own)
        values[:, a.own :] = values[:, a.own - 1 : a.own]
        if a.n_parents:
            _copy(net.to[a.to_rows], fields["to"][b.to_rows], a.n_cells)
            _copy(net.n_to[a.to_rests], fields["n_to"][b.to_rests], a.n_instances)
    fields["live"] = np.zeros(new.capacity, np.int64)
    fields["live"][: len(net.live)] = net.live
    state.layout = new
    state.net = net._replace(**fields)
    state.desks = new_desks(state.plan, new.capacity, len(state.desks.topic))
    state.topics, state.words, state.visit = new_scratch(state.plan, new.capacity, net.stay.dtype)
    refresh_all(state.net, state.tables)


def _copy(old: NDArray[Any], new: NDArray[Any], n_rows: int) -> None:
    rows = old.reshape(n_rows, -1)
    new.reshape(n_rows, -1)[:, : rows.shape[1]] = rows


def arrange(state: State, first: NDArray[np.bool_]) -> int:
    """Relabel topics so that the live ones among `first` come first, the other live ones next; returns how many.

    Only columns that must move do, by swaps, so that a sweep in which nothing changed costs nothing.
    """
    net = state.net
    n_live, n_columns = int(net.status[N_LIVE]), int(net.status[N_COLUMNS])
    live = net.live[:n_columns] == 1
    rank = np.where(live & first[:n_columns], 0, np.where(live, 1, 2))
    n_first = int((rank == 0).sum())
    wanted = np.repeat([0, 1, 2], [n_first, n_live - n_first, n_columns - n_live])
    source = np.arange(n_columns)
    for target in np.flatnonzero(rank != wanted):
        if rank[target] == wanted[target]:
            continue
        candidates = np.flatnonzero((rank == wanted[target]) & (rank != wanted))
        other = int(candidates[-1])
        rank[[target, other]] = rank[[other, target]]
        source[[target, other]] = source[[other, target]]
    if (source != np.arange(n_columns)).any():
        place = np.empty(n_columns, np.int32)
        place[source] = np.arange(n_columns, dtype=np.int32)
        moved = np.flatnonzero(source != np.arange(n_columns))
        move_topics(net, moved, source[moved], state.text.topic, place)
    if state.plan.n_topics is None:
        net.status[N_COLUMNS] = n_live
        net.status[DOOR] = -1
        open_door(net)
    return n_first
