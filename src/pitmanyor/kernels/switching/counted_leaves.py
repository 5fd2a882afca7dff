"""Up, for leaves whose tokens are elsewhere (leaf_tables.py has the rest).

Tokens are counted by cell and topic where they are, the counts of all parts of a corpus are added, and tables are drawn
from the sums.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from pitmanyor.kernels.restaurant.arrays import NODE
from pitmanyor.kernels.runtime.jit import dealt, inner, n_dealt, spread
from pitmanyor.kernels.switching.leaf_tables import leaf_row, leaf_totals


@inner
def _count_run(tokens, leaves, cells, bits, out):
    """The tokens of the cells of a run, by topic. Topics beyond the columns of `out` are left out."""
    (topic, code), (start, stop, low), n_held = tokens, cells, np.uint64(out.shape[1])
    for cell in range(start, stop):
        row = out[cell - low]
        for j in range(leaves.first[cell], leaves.first[cell + 1]):
            token = np.uint64(leaves.token[np.uint64(j)])
            k = np.uint64(topic[token])
            if k < n_held:
                row[k] += np.int32(bits == 0 or (code[token] & bits) != 0)


@spread
def count_cells(tokens, leaves, bounds, bits, out):
    """Add a leaf's customers by cell and topic to `out`; the cells of run r are bounds[r]..bounds[r + 1] - 1."""
    n_runs = len(bounds) - 1
    for turn in prange(n_dealt(n_runs)):
        r = dealt(turn, n_runs)
        if r < n_runs:
            _count_run(tokens, leaves, (bounds[r], bounds[r + 1], bounds[0]), bits, out)


@inner
def _up_run(franchise, family, fresh, r, rows, scalars, seed):
    partial, found, low = rows.partial[r], rows.work[r, 1], rows.bounds[0]
    partial[:] = 0
    for cell in range(rows.bounds[r], rows.bounds[r + 1]):
        leaf_row(franchise, family, cell, scalars, rows, (fresh[cell - low], found), partial, seed)


@spread
def up_counted_leaf(franchise, family, fresh, rows, scalars, seed):
    """Counts, tables and terms of a leaf from its customers by cell and held topic, which are zero afterwards."""
    n_runs = len(rows.bounds) - 1
    for turn in prange(n_dealt(n_runs)):
        r = dealt(turn, n_runs)
        if r < n_runs:
            _up_run(franchise, family, fresh, r, rows, scalars, seed)
    net = franchise.net
    node = net.cells[rows.bounds[0], NODE]
    for j in prange(len(rows.instances)):
        first, last = rows.instances[j, 0], rows.instances[j, 1]
        leaf_totals(net, node, rows.bounds[first], first, last, rows.partial, rows.n_held)
