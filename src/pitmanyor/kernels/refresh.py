"""Recompute from the counts everything that scoring reads."""

from __future__ import annotations

from numba import njit

from pitmanyor.kernels.seating import open_door, refresh_count, refresh_restaurant


@njit(cache=True)
def refresh_cells(net, tables, start, stop):
    """Cells start..stop-1 with their restaurants, in all columns."""
    capacity = len(net.live)
    for cell in range(start, stop):
        node = net.node[cell]
        if net.local[node]:
            continue
        for k in range(capacity if net.wide[node] else 1):
            refresh_count(net, tables, node, net.row[cell] + k)
        if cell > start and net.rest[cell] == net.rest[cell - 1]:
            continue  # cells are sorted by instance: this restaurant is done
        for k in range(capacity if net.rest_wide[node] else 1):
            refresh_restaurant(net, node, net.rest[cell] + k, net.to_rest[cell] + k * net.n_parents[node])


@njit(cache=True)
def refresh_all(net, tables):
    refresh_cells(net, tables, 0, len(net.node))
    open_door(net)
