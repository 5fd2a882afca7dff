"""Recompute from the counts everything that scoring reads."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.arrays import (
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
from pitmanyor.kernels.jit import allocating_kernel, inner, kernel
from pitmanyor.kernels.seating import open_door, refresh_count, refresh_restaurant


@inner
def refresh_cells(net, tables, start, stop):
    """Cells start..stop-1 with their restaurants, in all columns."""
    capacity = len(net.status) - LIVE
    for cell in range(start, stop):
        node = net.cells[cell, NODE]
        if net.nodes[node, LOCAL]:
            continue
        for k in range(capacity if net.nodes[node, WIDE] else 1):
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


@kernel
def refresh_all(net, tables):
    refresh_cells(net, tables, 0, len(net.cells))
    open_door(net)


@inner
def _permute(values, start, step, columns, sources, work):
    """values[start + step * columns[j] + (0..step-1)] takes what stood at sources[j]."""
    for j in range(len(columns)):
        for p in range(step):
            work[j * step + p] = values[start + sources[j] * step + p]
    for j in range(len(columns)):
        for p in range(step):
            values[start + columns[j] * step + p] = work[j * step + p]


@inner
def _filled(net, cell, columns, sources, pairs):
    """The moves that change something in a cell, into `pairs`, and how many: from empty to empty there is nothing."""
    row, n = net.cells[cell, ROW], 0
    for j in range(len(columns)):
        pairs[0, n], pairs[1, n] = columns[j], sources[j]
        n += (net.counts[row + columns[j], CUSTOMERS] | net.counts[row + sources[j], CUSTOMERS]) != 0
    return n


@allocating_kernel
def move_topics(net, columns, sources, topic, place):
    """Relabel topics: column columns[j] takes what stood in sources[j]; a token's topic k becomes place[k]."""
    n_most = 1
    for node in range(len(net.nodes)):
        n_most = max(n_most, net.nodes[node, N_PARENTS])
    work, pairs = np.empty(len(columns) * n_most), np.empty((2, len(columns) + 1), np.int64)
    for cell in range(len(net.cells)):
        node = net.cells[cell, NODE]
        if net.nodes[node, LOCAL]:
            continue
        n_parents = net.nodes[node, N_PARENTS] if net.nodes[node, N_PARENTS] > 1 else 0
        n = _filled(net, cell, columns, sources, pairs) if net.nodes[node, WIDE] else 0
        if n > 0:
            row, to, source = net.cells[cell, ROW], pairs[0, :n], pairs[1, :n]
            _permute(net.counts[:, CUSTOMERS], row, 1, to, source, work)
            _permute(net.counts[:, TABLES], row, 1, to, source, work)
            _permute(net.stay, row, 1, to, source, work)
            _permute(net.open, row, 1, to, source, work)
            _permute(net.to, net.cells[cell, TO_ROW], n_parents, to, source, work)
        if net.nodes[node, REST_WIDE] and not (cell > 0 and net.cells[cell, REST] == net.cells[cell - 1, REST]):
            rest = net.cells[cell, REST]
            _permute(net.totals[:, CUSTOMERS], rest, 1, columns, sources, work)
            _permute(net.totals[:, TABLES], rest, 1, columns, sources, work)
            for f in range(3):
                _permute(net.rests[f], rest, 1, columns, sources, work)
            _permute(net.n_to, net.cells[cell, TO_REST], n_parents, columns, sources, work)
            _permute(net.weight, net.cells[cell, TO_REST], n_parents, columns, sources, work)
    _permute(net.status, LIVE, 1, columns, sources, work)
    for token in range(len(topic)):
        if topic[token] >= 0:
            topic[token] = place[topic[token]]
