"""States that a chain keeps: as much of each as estimates read, packed.

A state of a large model is mostly zeros and terms for scoring. A kept one has the counts that are not zero, the topics
and walks of the tokens in as few bytes as hold them, concentrations, discounts, and the unknowns of links. What only a
sweep reads is left out, and is not a number in the state that comes back.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from pitmanyor.kernels.restaurant.arrays import CONCENTRATION, DISCOUNT, EXPLICIT, LIVE, N_LIVE
from pitmanyor.results.posterior import Posterior
from pitmanyor.runs.states import DISCOUNTS, ENTRIES, NETWORK, Array, check_names, check_places, check_values
from pitmanyor.state import State
from pitmanyor.state.cell_counts import pack_rows
from pitmanyor.state.soundness import check_state

LARGE = ("counts", "packed", "to", "totals", "n_to", "stay", "open", "rests", "weight")  # of a net: a shell has none
NODE_CONCENTRATIONS = "node_concentrations"


class Shell:
    """What kept states of the same layout share, and the one of them that was asked last, as a whole."""

    def __init__(self, state: State) -> None:
        pack_rows(state)
        self._empty = copy.copy(state)
        nodes = state.net.nodes.copy()
        nodes[:, EXPLICIT] = 0  # as between sweeps
        nothing = {name: getattr(state.net, name)[:0].copy() for name in LARGE}
        cells, status = state.net.cells.copy(), state.net.status.copy()
        self._empty.net = state.net._replace(nodes=nodes, cells=cells, status=status, **nothing)
        nothing = {name: getattr(state.text, name)[:0].copy() for name in ("topic", "code", "measures")}
        none = state.text.concentration[:, :0].copy()
        self._empty.text = state.text._replace(concentration=none, **nothing)
        self._empty.network = {}
        self._rest: tuple[dict[str, Array], Array] | None = None
        self._last: tuple[Mapping[str, Array], State] | None = None

    def holds(self, state: State) -> bool:
        """Whether states like this one are laid out as those of the shell."""
        return self._empty.layout is state.layout

    def check(self, arrays: Mapping[str, Array], unknowns: Mapping[str, tuple[int, ...]]) -> None:
        """A ValueError if arrays from a file are not those of such a state.

        unknowns: shapes of the unknowns of links in the last state of the chain.
        """
        check_kept(self._empty, arrays)
        shapes = {name.removeprefix(NETWORK): part.shape for name, part in arrays.items() if name.startswith(NETWORK)}
        if shapes and shapes != unknowns:
            raise ValueError("unknowns of another network")
        self._rest = self._rest or left_out(self._empty)
        check_state(unpack_kept(self._empty, arrays, self._rest), is_whole=False)

    def whole(self, arrays: Mapping[str, Array]) -> State:
        """The state of these arrays; the last one is remembered, because estimates ask for it again and again."""
        if self._last is None or self._last[0] is not arrays:
            self._rest = self._rest or left_out(self._empty)
            self._last = arrays, unpack_kept(self._empty, arrays, self._rest)
        return self._last[1]


class Kept(Posterior):
    """A kept state. It is unpacked while it is used."""

    def __init__(self, shell: Shell, arrays: Mapping[str, Array], log_joint: float) -> None:
        self.shell, self.arrays, self.log_joint = shell, arrays, log_joint

    @property
    def state(self) -> State:
        return self.shell.whole(self.arrays)

    @property
    def n_topics(self) -> int:
        return int(self.arrays["status"][N_LIVE])


def pack_kept(state: State) -> dict[str, Array]:
    """A copy of all that estimates read of a tidy state, by name."""
    net, text = state.net, state.text
    pack_rows(state)
    at = np.flatnonzero(net.counts.any(axis=1))
    out: dict[str, Array] = {
        "at": at.astype(np.min_scalar_type(len(net.counts))),
        "counts": net.counts[at],
        "totals": net.totals.copy(),
        "n_to": net.n_to.copy(),
        NODE_CONCENTRATIONS: net.rests[CONCENTRATION].copy(),
        "status": net.status.copy(),
        "topic": text.topic.astype(np.min_scalar_type(state.n_topics)),
        "code": text.code.astype(np.min_scalar_type(int(text.code.max(initial=0)))),
        "concentration": text.concentration.copy(),
    }
    if len(net.packed_first):
        out[ENTRIES] = net.packed.copy()
    if state.plan.sampled_discounts:
        out[DISCOUNTS] = net.reals[state.plan.sampled_discounts, DISCOUNT]
    return out | {f"{NETWORK}{name}": values.copy() for name, values in state.network.items()}


def left_out(like: State) -> tuple[dict[str, Array], Array]:
    """What kept states do not have, as arrays of the net and the measures of documents: numbers that are none."""
    (n_counts, _, n_to, n_to_rests), net, measures = like.layout.sizes, like.net, like.text.measures
    arrays = {
        "to": np.full(max(n_to, 1), -1, np.int32),
        "stay": np.full(n_counts, np.nan, net.stay.dtype),
        "open": np.full(n_counts, np.nan, net.open.dtype),
        "weight": np.full(max(n_to_rests, 1), np.nan),
    }
    return arrays, np.full((like.plan.n_documents, *measures.shape[1:]), np.nan, measures.dtype)


def unpack_kept(like: State, arrays: Mapping[str, Array], rest: tuple[dict[str, Array], Array]) -> State:
    """The state that was packed; `like` is one of the same layout, and `rest` what was left out of it."""
    state, plan, (n_counts, n_rests, _, _) = copy.copy(like), like.plan, like.layout.sizes
    counts, rests, reals = np.zeros((n_counts, 2), np.int32), np.full((3, n_rests), np.nan), like.net.reals.copy()
    counts[arrays["at"]] = arrays["counts"]
    rests[CONCENTRATION] = arrays[NODE_CONCENTRATIONS]
    if plan.sampled_discounts:
        reals[plan.sampled_discounts, DISCOUNT] = arrays[DISCOUNTS]
    own = {name: arrays[name] for name in ("totals", "n_to", "status", ENTRIES) if name in arrays}
    state.net = like.net._replace(reals=reals, counts=counts, rests=rests, **own, **rest[0])
    state.text = like.text._replace(
        topic=arrays["topic"].astype(np.int32),
        code=arrays["code"].astype(np.uint32),
        concentration=arrays["concentration"],
        measures=rest[1],
    )
    state.network = {name.removeprefix(NETWORK): part for name, part in arrays.items() if name.startswith(NETWORK)}
    return state


def check_kept(like: State, arrays: Mapping[str, Array]) -> None:
    """A ValueError if arrays from a file are not those of such a state."""
    net, text, plan = like.net, like.text, like.plan
    n_set, (n_counts, n_rests, _, n_to_rests) = len(arrays["at"]), like.layout.sizes
    wanted: dict[str, tuple[tuple[int, ...], Any]] = {
        "at": ((n_set,), np.min_scalar_type(n_counts)),
        "counts": ((n_set, 2), net.counts.dtype),
        "totals": ((n_rests, 2), net.totals.dtype),
        "n_to": ((max(n_to_rests, 1),), net.n_to.dtype),
        NODE_CONCENTRATIONS: ((n_rests,), np.float64),
        "status": ((LIVE + like.capacity,), np.int64),
        "topic": ((plan.n_tokens,), np.min_scalar_type(int(arrays["status"][N_LIVE]))),
        "code": ((plan.n_tokens,), np.min_scalar_type(int(arrays["code"].max(initial=0)))),
        "concentration": ((len(text.concentration), plan.n_documents), np.float64),
    } | ({DISCOUNTS: ((len(plan.sampled_discounts),), np.float64)} if plan.sampled_discounts else {})
    if len(net.packed_first):
        wanted[ENTRIES] = ((like.layout.n_entries, 3), net.packed.dtype)
    check_names(arrays, set(wanted))
    for name, (shape, dtype) in wanted.items():
        if (arrays[name].shape, arrays[name].dtype) != (shape, np.dtype(dtype)):
            raise ValueError(f"{name} has shape {arrays[name].shape} where {shape} is due")
    check_places(arrays["at"], n_counts)
    check_values(like, arrays)
