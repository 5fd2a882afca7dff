"""Recompute from the counts everything that scoring reads."""

from __future__ import annotations

from numba import prange

from pitmanyor.kernels.restaurant.arrays import (
    CUSTOMERS,
    LIVE,
    LOCAL,
    N_PARENTS,
    NODE,
    REST,
    REST_WIDE,
    ROW,
    TABLES,
    TO_REST,
    TO_ROW,
    WIDE,
)
from pitmanyor.kernels.restaurant.count_terms import refresh_count, refresh_restaurant, refresh_small
from pitmanyor.kernels.restaurant.packed_rows import is_packed, n_counts, relabel_entries
from pitmanyor.kernels.restaurant.seating import open_door
from pitmanyor.kernels.runtime.jit import inlined, inner, kernel, spread


@inner
def refresh_cells(net, tables, start, stop):
    """Cells start..stop-1 with their restaurants, in all columns."""
    capacity = len(net.status) - LIVE
    for cell in range(start, stop):
        node = net.cells[cell, NODE]
        if net.nodes[node, LOCAL]:
            continue
        for k in range(n_counts(net, cell, capacity)):
            refresh_count(net, tables, node, net.cells[cell, ROW] + k)
        if cell > start and net.cells[cell, REST] == net.cells[cell - 1, REST]:
            continue  # cells are sorted by instance: this restaurant is done
        for k in range(capacity if net.nodes[node, REST_WIDE] else 1):
            refresh_restaurant(
                net, node, net.cells[cell, REST] + k, net.cells[cell, TO_REST] + k * net.nodes[node, N_PARENTS]
            )


@kernel
def refresh_restaurants(net, node, rest, to_rest, size):
    """The `size` restaurants of one node, after its concentrations changed."""
    for j in range(size):
        refresh_restaurant(net, node, rest + j, to_rest + j * net.nodes[node, N_PARENTS])


@inner
def _refresh_row(net, tables, terms, node, cell):
    row = net.cells[cell, ROW]
    for k in range(n_counts(net, cell, len(net.status) - LIVE)):
        if net.counts[row + k, CUSTOMERS] > 0:
            refresh_small(net, tables, terms, node, row + k)


@spread
def refresh_occupied(net, tables, terms, node, start, stop):
    """The counts of one node, cells start..stop-1, after its discount changed, except for those without customers."""
    for cell in prange(start, stop):
        _refresh_row(net, tables, terms, node, cell)


@kernel
def refresh_all(net, tables):
    refresh_cells(net, tables, 0, len(net.cells))
    open_door(net)


@inlined
def _swap(values, start, step, i, j):
    """Exchange what stands at columns i and j, `step` numbers each."""
    for p in range(step):
        x, y = start + i * step + p, start + j * step + p
        values[x], values[y] = values[y], values[x]


@inner
def _swap_counts(net, cell, n_parents, swaps):
    """Columns of a cell's row; from empty to empty there is nothing to move."""
    row, to_row = net.cells[cell, ROW], net.cells[cell, TO_ROW]
    counts = net.counts[row : row + len(net.status) - LIVE]
    for s in range(len(swaps)):
        i, j = swaps[s, 0], swaps[s, 1]
        if (counts[i, CUSTOMERS] | counts[j, CUSTOMERS]) != 0:
            _swap(net.counts[:, CUSTOMERS], row, 1, i, j)
            _swap(net.counts[:, TABLES], row, 1, i, j)
            _swap(net.stay, row, 1, i, j)
            _swap(net.open, row, 1, i, j)
            _swap(net.to, to_row, n_parents, i, j)


@inner
def _swap_restaurants(net, cell, n_parents, swaps):
    rest, to_rest = net.cells[cell, REST], net.cells[cell, TO_REST]
    for s in range(len(swaps)):
        i, j = swaps[s, 0], swaps[s, 1]
        _swap(net.totals[:, CUSTOMERS], rest, 1, i, j)
        _swap(net.totals[:, TABLES], rest, 1, i, j)
        for f in range(3):
            _swap(net.rests[f], rest, 1, i, j)
        _swap(net.n_to, to_rest, n_parents, i, j)
        _swap(net.weight, to_rest, n_parents, i, j)


@kernel
def move_topics(net, swaps, topic, place):
    """Relabel topics: the columns of each pair change places, one pair after the other; topic k becomes place[k]."""
    for cell in range(len(net.cells)):
        node = net.cells[cell, NODE]
        if net.nodes[node, LOCAL]:
            continue
        n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
        if is_packed(net, cell):
            relabel_entries(net, cell, place)
        elif net.nodes[node, WIDE]:
            _swap_counts(net, cell, n_parents, swaps)
        if net.nodes[node, REST_WIDE] and not (cell > 0 and net.cells[cell, REST] == net.cells[cell - 1, REST]):
            _swap_restaurants(net, cell, n_parents, swaps)
    for s in range(len(swaps)):
        _swap(net.status, LIVE, 1, swaps[s, 0], swaps[s, 1])
    for token in range(len(topic)):
        if topic[token] >= 0:
            topic[token] = place[topic[token]]
