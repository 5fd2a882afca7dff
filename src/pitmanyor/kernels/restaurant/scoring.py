"""Every table walk summed in one pass, for all topics at once (maths 2)."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.restaurant.arrays import (
    AT,
    BASE,
    BLOCK,
    GAIN,
    N_PARENTS,
    NODE,
    PARENTS,
    REST,
    REST_WIDE,
    ROW,
    SCALE,
    TO_REST,
    WIDE,
)
from pitmanyor.kernels.runtime.jit import inlined, inner

LARGEST_SCALE = 1e30  # of an empty restaurant (stay = 0) with a tiny concentration; single precision ends at 3e38


@inner
def score_side(net, side, entry, start, stop, n_columns):
    """Fill A(N, k) of positions start..stop-1, parents first. A narrow node fills column 0 alone."""
    for pos in range(start, stop):
        node = net.cells[side.scratch[AT, pos], NODE]
        if net.nodes[node, N_PARENTS] > 1:
            _mix_parents(net, side, entry, pos, n_columns)
        if net.nodes[node, WIDE] == 0:
            _score_narrow(net, side, entry, pos, node)
        elif net.nodes[node, REST_WIDE]:
            _score_by_column(net, side, entry, pos, node, n_columns)
        else:
            _score_row(net, side, entry, pos, node, n_columns)


@inner
def _mix_parents(net, side, entry, pos, n_columns):
    """Write sum_i r_i A(P_i, k) where A(N, k) will stand."""
    cell = side.scratch[AT, pos]
    node = net.cells[cell, NODE]
    n_parents = net.nodes[node, N_PARENTS]
    width = n_columns if net.nodes[node, WIDE] else 1
    step = n_parents * net.nodes[node, REST_WIDE]
    values = side.values
    for k in range(width):
        values[pos, k] = 0.0
    for i in range(n_parents):
        parent = side.par[side.entries[entry + pos, PARENTS] + i]
        wide = net.nodes[net.cells[side.scratch[AT, parent], NODE], WIDE]
        qt = net.cells[cell, TO_REST] + i
        for k in range(width):
            values[pos, k] += net.weight[qt + k * step] * values[parent, k * wide]


@inner
def _score_narrow(net, side, entry, pos, node):
    cell = side.scratch[AT, pos]
    i, q = net.cells[cell, ROW], net.cells[cell, REST]
    base = net.reals[node, BASE]
    if net.nodes[node, N_PARENTS] > 0:
        parent = side.par[side.entries[entry + pos, PARENTS]] if net.nodes[node, N_PARENTS] == 1 else pos
        base = float(side.values[parent, 0])
    side.values[pos, 0] = (net.stay[i] + net.rests[GAIN, q] * net.open[i] * base) * net.rests[SCALE, q]


@inner
def _score_row(net, side, entry, pos, node, n_columns):
    """A topic-side restaurant: its row is over the topics."""
    cell = side.scratch[AT, pos]
    row, q = net.cells[cell, ROW], net.cells[cell, REST]
    stay, opens = net.stay[row : row + n_columns], net.open[row : row + n_columns]
    out, kind = side.values[pos], net.stay.dtype.type
    scale = kind(min(net.rests[SCALE, q], LARGEST_SCALE))
    if net.nodes[node, N_PARENTS] == 0:
        gain = kind(net.rests[GAIN, q] * net.rests[SCALE, q] * net.reals[node, BASE])
        for k in range(n_columns):
            out[k] = stay[k] * scale + gain
    else:
        gain = kind(net.rests[GAIN, q] * net.rests[SCALE, q])
        parent = side.par[side.entries[entry + pos, PARENTS]] if net.nodes[node, N_PARENTS] == 1 else pos
        above = side.values[parent]
        for k in range(n_columns):
            out[k] = stay[k] * scale + gain * opens[k] * above[k]


@inner
def _score_by_column(net, side, entry, pos, node, n_columns):
    """A word's row over per-topic restaurants: each column has its own gain and scale."""
    cell = side.scratch[AT, pos]
    row, q = net.cells[cell, ROW], net.cells[cell, REST]
    stay, opens, out = net.stay[row : row + n_columns], net.open[row : row + n_columns], side.values[pos]
    gain, scale = net.rests[GAIN, q : q + n_columns], net.rests[SCALE, q : q + n_columns]
    parent = pos
    if net.nodes[node, N_PARENTS] == 1:
        parent = side.par[side.entries[entry + pos, PARENTS]]
    if net.nodes[node, N_PARENTS] == 0 or net.nodes[net.cells[side.scratch[AT, parent], NODE], WIDE] == 0:
        base = net.reals[node, BASE] if net.nodes[node, N_PARENTS] == 0 else float(side.values[parent, 0])
        for k in range(n_columns):
            out[k] = (stay[k] + gain[k] * base * opens[k]) * scale[k]
    else:
        above = side.values[parent]
        for k in range(n_columns):
            out[k] = (stay[k] + gain[k] * above[k] * opens[k]) * scale[k]


@inner
def fill_form(doc, side, n_shared, which, out, n_columns):
    """out[k] = A(leaf, k) of topics that no slot holds: the leaf's linear form over shared positions (maths 4)."""
    offset = doc.forms[which, 0]
    for k in range(n_columns):
        out[k] = offset
    for pos in range(n_shared):
        slope = doc.forms[which, 1 + pos]
        if slope != 0.0:
            for k in range(n_columns):
                out[k] += slope * side.values[pos, k]


@inner
def multiply(score, other, blocks, n_columns):
    """score *= other, with sums over blocks of columns; returns the total."""
    for k in range(n_columns):
        score[k] *= other[k]
    return sum_blocks(score, blocks, n_columns)


@inlined
def sum_blocks(score, blocks, n_columns):
    """Sums over blocks of columns, each in four lanes; returns their total."""
    total, n_whole = 0.0, n_columns // BLOCK
    for block in range(n_whole):
        first = np.uint64(block * BLOCK)
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for j in range(0, BLOCK, 4):
            k = first + np.uint64(j)
            a, b = a + score[k], b + score[k + np.uint64(1)]
            c, d = c + score[k + np.uint64(2)], d + score[k + np.uint64(3)]
        blocks[block] = (a + b) + (c + d)
        total += blocks[block]
    if n_columns > n_whole * BLOCK:
        part = 0.0
        for k in range(n_whole * BLOCK, n_columns):
            part += score[k]
        blocks[n_whole] = part
        total += part
    return total


@inner
def pick(score, blocks, x, n_columns):
    """The column into which x, uniform on (0, total), falls."""
    block, last = 0, (n_columns - 1) // BLOCK
    while block < last and x >= blocks[block]:
        x -= blocks[block]
        block += 1
    k, end = block * BLOCK, min((block + 1) * BLOCK, n_columns) - 1
    while k < end and x >= score[k]:
        x -= score[k]
        k += 1
    while score[k] <= 0.0 and k > 0:  # reached by rounding only
        k -= 1
    return k
