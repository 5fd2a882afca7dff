"""Is a state from a file one that a chain can be in? Kernels index with its numbers and do not look.

Counts follow from the topics and walks of the tokens (recount.py), some documents at a time, and are compared before
any kernel sees them; then the terms that scoring reads are computed again. Every function raises a ValueError that says
what is wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.graph import Gamma
from pitmanyor.kernels.monitor.log_joint import JOINT, OMEGA, OPENED, SEATED, ZETA
from pitmanyor.kernels.restaurant.arrays import (
    CONCENTRATION,
    CUSTOMERS,
    DISH,
    DOOR,
    GAIN,
    MAX_TOPICS,
    N_COLUMNS,
    N_LIVE,
    ROW,
    SCALE,
    TABLES,
)
from pitmanyor.kernels.restaurant.births import LEAST_CONCENTRATION
from pitmanyor.kernels.restaurant.refresh import refresh_all
from pitmanyor.state.cell_counts import is_packed
from pitmanyor.state.recount import (
    Came,
    Dishes,
    add_tables,
    dishes_of,
    find_comers,
    nobody_came,
    sum_to,
    sum_totals,
)
from pitmanyor.state.scratch_arrays import local_nodes
from pitmanyor.state.some_documents import pieces
from pitmanyor.state.state import State

MOST_CONCENTRATION = 1e30  # times the mean of its prior, if that is above 1
TERM_ERROR = {np.dtype(np.float32): 1e-5, np.dtype(np.float64): 1e-9}  # Stirling ratios differ in their last bits


def check_state(state: State, *, is_whole: bool) -> None:
    """All that is counted, and the concentrations. One that is not whole has no `to` and no measures (runs/kept.py)."""
    check_concentrations(state)
    came = nobody_came(state, [i for i in range(len(state.plan.nodes)) if is_packed(state, i)])
    for piece in pieces(state):
        comers = find_comers(piece)
        dishes = {i: dishes_of(piece, i, comers[i]) for i in local_nodes(piece.plan)}
        for i, found in dishes.items():
            _check_tables(piece, i, found.customers, found.tables.sum(axis=1))
        if is_whole:
            _check_measures(piece, dishes)
        came.add(piece, comers)
    check_status(state, came.sizes)
    _check_shared(state, came, is_whole)


def check_status(state: State, sizes: NDArray[np.int64]) -> None:
    """Live topics come first and, below a gem, all have tokens; then comes the door."""
    status, plan = state.net.status, state.plan
    n_live, finite = int(status[N_LIVE]), plan.n_topics
    has_door = finite is None and n_live < status[MAX_TOPICS]
    _must(finite in (None, n_live) and n_live <= status[MAX_TOPICS], "another number of topics")
    _must(status[DOOR] == (n_live if has_door else -1), "a door that is none")
    _must(status[N_COLUMNS] == n_live + has_door, "another number of columns")
    if finite is None:
        _must(len(sizes) == n_live and sizes.all(), "a live topic without tokens")


def check_concentrations(state: State) -> None:
    """Those that are fixed as the graph has them, others in range, and one for all instances of a layer."""
    net = state.net
    _in_range(state.text.concentration, LEAST_CONCENTRATION, MOST_CONCENTRATION, "a concentration")
    for node, block in zip(state.plan.nodes, state.layout.blocks, strict=True):
        values, prior = net.rests[CONCENTRATION, block.rests], node.concentration
        if not isinstance(prior, Gamma):
            _must(np.all(values == prior), f"another concentration of {node.name!r}, which is fixed")
            continue
        most = MOST_CONCENTRATION * max(1.0, prior.shape / prior.rate)
        _in_range(values, LEAST_CONCENTRATION, most, f"a concentration of {node.name!r}")
        if node.concentration_per == "layer":
            _must(np.all(values == values[:1]), f"several concentrations of {node.name!r}, which has one")


def _check_shared(state: State, came: Came, is_whole: bool) -> None:
    net, plan = state.net, state.plan
    for i, node in enumerate(plan.nodes):
        if is_packed(state, i):
            _check_entries(state, i, *came.pairs[i])
        if not node.local:
            counts = net.counts[state.layout.blocks[i].rows]
            _check_tables(state, i, counts[:, CUSTOMERS], counts[:, TABLES])
    more = add_tables(state, came.customers, is_whole)
    unknown = net.counts[:, CUSTOMERS] - came.customers
    _must(np.all((unknown >= 0) & (unknown <= more)), "counts that are not those of the tokens")
    _must(np.array_equal(sum_totals(state), net.totals), "totals that are not the sums of their counts")
    if is_whole:
        _check_to(state)
        _must(np.array_equal(sum_to(state), net.n_to), "tables by parent that are not the sums of theirs")
    else:
        _check_sent(state, unknown)


def _check_tables(state: State, i: int, customers: NDArray[Any], tables: NDArray[Any]) -> None:
    """A dish has a table at least, and no more than customers; gems and Dirichlet distributions count none."""
    node = state.plan.nodes[i]
    sound = (tables >= (customers > 0)) & (tables <= customers) if node.kind == "pyp" else tables == 0
    _must(np.all(sound), f"impossible tables of {node.name!r}")


def _check_entries(state: State, i: int, pairs: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
    """Packed cells: topics ascend, entries without customers come last and are zero, and all are those of tokens."""
    net, at = state.net, state.plan.cells.of(i)
    first, entries = net.packed_first[at.start : at.stop + 1], net.packed
    part = entries[first[0] : first[-1]].astype(np.int64)
    held = part[:, CUSTOMERS] > 0
    _must(not part[~held].any(), "entries that are not empty")
    _check_tables(state, i, part[:, CUSTOMERS], part[:, TABLES])
    owner = np.repeat(np.arange(at.start, at.stop), np.diff(first))
    place = np.arange(len(part)) - np.repeat(first[:-1] - first[0], np.diff(first))
    _must(np.all(held[:-1] | ~held[1:] | (place[1:] == 0)), "entries with gaps")
    keys = owner[held] * state.capacity + part[held, DISH]
    _must(np.array_equal(keys, pairs) and np.array_equal(part[held, CUSTOMERS], sizes), "entries of other tokens")
    _must(np.all(net.cells[at, ROW][np.diff(first) > 0] < 0), "entries of cells that have rows")


def _check_to(state: State) -> None:
    """Tables by parent add up, dish by dish."""
    net = state.net
    for node, block in zip(state.plan.nodes, state.layout.blocks, strict=True):
        if block.n_parents and not node.local:
            sent = net.to[block.to_rows].reshape(-1, block.n_parents).sum(axis=1, dtype=np.int64)
            _must(np.array_equal(sent, net.counts[block.rows, TABLES]), f"tables of {node.name!r} by parent")
    _must(bool(state.layout.sizes[2] or not net.to.any()), "tables of nodes that have one parent")


def _check_sent(state: State, unknown: NDArray[np.int64]) -> None:
    """Tables by parent of restaurants add up, and so do the customers that parents have from them."""
    net, plan, blocks = state.net, state.plan, state.layout.blocks
    due = np.zeros(len(plan.nodes), np.int64)
    for i, (node, block) in enumerate(zip(plan.nodes, blocks, strict=True)):
        if block.n_parents and not node.local:
            sent = net.n_to[block.to_rests].reshape(-1, block.n_parents)
            tables = net.totals[block.rests, TABLES]
            _must(np.array_equal(sent.sum(axis=1), tables), f"tables of {node.name!r} by parent")
            for name, n_tables in zip(plan.nodes[i].parents, sent.sum(axis=0), strict=True):
                due[plan.index[name]] += n_tables
    _must(bool(state.layout.sizes[3] or not net.n_to.any()), "tables of nodes that have one parent")
    have = [int(unknown[block.rows].sum()) for block in blocks]
    _must(np.array_equal(due, have), "customers that no child has sent")


def _check_measures(state: State, dishes: dict[int, Dishes]) -> None:
    """Customers and tables of documents as their tokens have them; what was drawn is in range."""
    measures = state.text.measures
    _must(bool(np.isfinite(measures).all()), "measures that are no numbers")
    for place, found in enumerate(dishes.values()):
        rows = measures[:, place].astype(np.float64)
        for column, values in ((SEATED, found.customers), (OPENED, found.tables.sum(axis=1))):
            due = np.bincount(found.document, values, minlength=len(measures))
            _must(np.allclose(rows[:, column], due, rtol=1e-6, atol=0.0), "measures of other documents")
        _must(not rows[rows[:, SEATED] == 0].any(), "measures of documents without tokens")
        _must(bool(np.all(rows[:, JOINT] < 1e30)), "a probability above 1")
        if rows.shape[1] > ZETA:
            sound = (rows[:, ZETA] >= 0) & (rows[:, ZETA] <= rows[:, SEATED]) & (rows[:, OMEGA] >= 0)
            _must(bool(np.all(sound)), "auxiliary variables out of range")


def check_terms(state: State) -> None:
    """Terms that scoring reads, as counts, concentrations and Stirling tables give them."""
    net = state.net
    fresh = net._replace(
        stay=np.zeros_like(net.stay),
        open=np.ones_like(net.open),
        rests=net.rests.copy(),
        weight=np.zeros_like(net.weight),
        status=net.status.copy(),
    )
    refresh_all(fresh, state.tables)
    for name in ("stay", "open", "weight"):
        _close(getattr(net, name), getattr(fresh, name), name)
    for row in (GAIN, SCALE):
        _close(net.rests[row], fresh.rests[row], "rests")


def _close(values: NDArray[np.float64], due: NDArray[np.float64], name: str) -> None:
    error = TERM_ERROR[values.dtype]
    _must(np.allclose(values, due, rtol=error, atol=0.0), f"{name} that does not follow from the counts")


def _in_range(values: NDArray[np.float64], least: float, most: float, what: str) -> None:
    _must(bool(np.all((values >= least) & (values <= most))), f"{what} out of range")


def _must(holds: bool | np.bool_, what: str) -> None:
    if not holds:
        raise ValueError(what)
