"""Recompute from the counts everything that scoring reads."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.jit import inner, kernel
from pitmanyor.kernels.seating import open_door, refresh_count, refresh_restaurant


@inner
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


@kernel
def refresh_all(net, tables):
    refresh_cells(net, tables, 0, len(net.node))
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


@kernel
def move_topics(net, columns, sources, topic, place):
    """Relabel topics: column columns[j] takes what stood in sources[j]; a token's topic k becomes place[k]."""
    n_most = 1
    for node in range(len(net.kind)):
        n_most = max(n_most, net.n_parents[node])
    work = np.empty(len(columns) * n_most)
    for cell in range(len(net.node)):
        node = net.node[cell]
        if net.local[node]:
            continue
        n_parents = net.n_parents[node] if net.n_parents[node] > 1 else 0
        if net.wide[node]:
            row = net.row[cell]
            _permute(net.customers, row, 1, columns, sources, work)
            _permute(net.tables, row, 1, columns, sources, work)
            _permute(net.stay, row, 1, columns, sources, work)
            _permute(net.open, row, 1, columns, sources, work)
            _permute(net.to, net.to_row[cell], n_parents, columns, sources, work)
        if net.rest_wide[node] and not (cell > 0 and net.rest[cell] == net.rest[cell - 1]):
            rest = net.rest[cell]
            _permute(net.n_customers, rest, 1, columns, sources, work)
            _permute(net.n_tables, rest, 1, columns, sources, work)
            _permute(net.gain, rest, 1, columns, sources, work)
            _permute(net.scale, rest, 1, columns, sources, work)
            _permute(net.concentration, rest, 1, columns, sources, work)
            _permute(net.n_to, net.to_rest[cell], n_parents, columns, sources, work)
            _permute(net.weight, net.to_rest[cell], n_parents, columns, sources, work)
    _permute(net.live, 0, 1, columns, sources, work)
    for token in range(len(topic)):
        if topic[token] >= 0:
            topic[token] = place[topic[token]]
