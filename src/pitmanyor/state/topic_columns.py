"""Topic columns: more room for births, and a tidy order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.restaurant.arrays import (
    CONCENTRATION,
    DOOR,
    GEM_CELL,
    LOCAL,
    N_COLUMNS,
    N_LIVE,
    ROW,
    SPARE_ROW,
    UNPACKED,
)
from pitmanyor.kernels.restaurant.refresh import move_topics, refresh_all
from pitmanyor.kernels.restaurant.seating import open_door
from pitmanyor.state.cell_counts import pairs_of, set_pairs
from pitmanyor.state.layout import spare_rows
from pitmanyor.state.memory import larger_layout
from pitmanyor.state.scratch_arrays import new_document_scratch, new_scratch
from pitmanyor.state.state import State

NO_SWAPS = np.zeros((0, 2), np.int64)


def grow(state: State, columns: int, exact: bool = False) -> None:
    """Make room for so many topic columns or more; counts stay where they were. Refused before memory runs out."""
    old, new = state.layout, larger_layout(state, columns, exact)
    net, (n_counts, n_rests, n_to, n_to_rests) = state.net, new.sizes
    fresh = net._replace(
        nodes=net.nodes.copy(),
        cells=new.cells,
        counts=np.zeros((n_counts, 2), np.int32),
        to=np.zeros(max(n_to, 1), np.int32),
        totals=np.zeros((n_rests, 2), np.int64),
        n_to=np.zeros(max(n_to_rests, 1), np.int64),
        stay=np.zeros(n_counts, net.stay.dtype),
        open=np.ones(n_counts, net.open.dtype),
        rests=np.ones((3, n_rests)),
        weight=np.zeros(max(n_to_rests, 1)),
        packed=np.zeros((new.n_entries, 3), np.int32),
        packed_first=new.packed_first,
        status=np.append(net.status, np.zeros(new.capacity - old.capacity, np.int64)),
    )
    fresh.nodes[:, SPARE_ROW], fresh.nodes[:, UNPACKED] = spare_rows(new.blocks), -1
    packed = {i: pairs_of(state, i) for i, block in enumerate(new.blocks) if block.n_rows != block.n_cells}
    for i, (a, b) in enumerate(zip(old.blocks, new.blocks, strict=True)):
        for f in range(2):
            if i not in packed:
                _copy(net.counts[a.rows, f], fresh.counts[b.rows, f], a.n_cells)
            _copy(net.totals[a.rests, f], fresh.totals[b.rests, f], a.n_instances)
        if a.n_parents:
            _copy(net.to[a.to_rows], fresh.to[b.to_rows], a.n_cells)
            _copy(net.n_to[a.to_rests], fresh.n_to[b.to_rests], a.n_instances)
        was = net.rests[CONCENTRATION, a.rests].reshape(a.n_instances, a.own)
        values = fresh.rests[CONCENTRATION, b.rests].reshape(b.n_instances, b.own)
        values[:, : a.own], values[:, a.own :] = was, was[:, -1:]
    state.layout, state.net = new, fresh
    for i, pairs in packed.items():
        set_pairs(state, i, pairs)
    state.terms = state.terms._replace(cells=fresh.cells[state.plan.cells.first[:-1][net.nodes[:, LOCAL] == 1]])
    state.document_scratch = new_document_scratch(state.plan, new.capacity, 1)
    if state.engine.own_collapsed:
        state.scratch = state.engine.scratch(state.plan, new.capacity, 1, net.stay.dtype)
    state.topics, state.words, state.visit = new_scratch(state.plan, new.capacity, net.stay.dtype)
    refresh_all(state.net, state.tables)


def _copy(old: NDArray[Any], new: NDArray[Any], n_rows: int) -> None:
    """Old rows into the first columns of wider new ones; both may be views of one column of a table."""
    width, wider = len(old) // n_rows, len(new) // n_rows
    for column in range(width):
        new[column::wider] = old[column::width]


def arrange(state: State, first: NDArray[np.bool_]) -> int:
    """Relabel topics so that the live ones among `first` come first, the other live ones next; returns how many."""
    return relabel(state, first)[0]


def relabel(state: State, first: NDArray[np.bool_]) -> tuple[int, NDArray[np.int32] | None]:
    """The same, with the new label of every topic; None where they stay as they are.

    Only columns that must move do, by swaps, so that a sweep in which nothing changed costs nothing.
    """
    net = state.net
    n_live, n_columns = int(net.status[N_LIVE]), int(net.status[N_COLUMNS])
    live = net.live[:n_columns] == 1
    rank = np.where(live & first[:n_columns], 0, np.where(live, 1, 2))
    n_first = int((rank == 0).sum())
    wanted = np.repeat([0, 1, 2], [n_first, n_live - n_first, n_columns - n_live])
    swaps = _swaps(rank, wanted) if (rank != wanted).any() else NO_SWAPS
    if net.status[DOOR] >= 0:  # the weight of a new topic does not move: another column will be the door
        net.stay[net.cells[net.status[GEM_CELL], ROW] + net.status[DOOR]] = 0.0
    place: NDArray[np.int32] | None = None
    if len(swaps):
        source, place = np.arange(n_columns, dtype=np.int32), np.empty(n_columns, np.int32)
        for i, j in swaps:
            source[i], source[j] = source[j], source[i]
        place[source] = np.arange(n_columns, dtype=np.int32)
        move_topics(net, swaps, state.text.topic, place)
    if state.plan.n_topics is None:
        net.status[N_COLUMNS] = n_live
        net.status[DOOR] = -1
        open_door(net)
    return n_first, place


def _swaps(rank: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pairs of columns that change places, one after the other, to bring the ranks into the order that is wanted."""
    rank, found = rank.copy(), []
    wrong = [list(np.flatnonzero((rank == r) & (wanted != r))) for r in range(3)]
    for target in np.flatnonzero(rank != wanted):
        need = wanted[target]
        while rank[target] != need:
            other = wrong[need].pop()
            if rank[other] != need or wanted[other] == need:
                continue  # it has been seen to since
            rank[target], rank[other] = need, rank[target]
            if rank[other] != wanted[other]:
                wrong[rank[other]].append(other)
            found.append((target, other))
    return np.array(found, np.int64).reshape(-1, 2)
