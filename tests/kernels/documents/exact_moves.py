"""Exact probabilities of splits and merges, by symbolic uniforms (exact.py).

A move is reversible for every pair of anchors and every order of the documents, so its flow between two states can be
compared for one selection at a time. That takes seconds where all rows of the transition matrix would take hours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

from scipy.sparse import csr_array

from kernels.documents import exact
from kernels.documents.exact import Chain, Outcomes, outcomes
from oracle.bridge import lay, oracle_order, state_of
from oracle.states import State as OracleState
from oracle.toys import Toy
from pitmanyor.kernels.split_merge import allocate, launch, paths
from pitmanyor.sampling import split_merge
from pitmanyor.sampling.split_merge import NONE, Kernel, Selection, SplitMerge, Tally

SEED = (0, 0, 0, 0)
ROUNDS = 3  # of the launch: whatever it comes to is right


class Draws:
    """A generator whose uniforms are symbolic."""

    def random(self) -> Any:
        return exact.uniform(0, 0)


class Flow(NamedTuple):
    """The probabilities, from a merged state to a split one and back again, of one selection."""

    there: float
    back: float


@contextmanager
def short_blocks(length: int) -> Iterator[None]:
    """Documents are allocated in blocks of so many tokens."""
    with patch.object(allocate, "BLOCK_TOKENS", length), patch.object(split_merge, "BLOCK_TOKENS", length):
        yield


class Moves(Chain):
    """Splits and merges of one kernel over all states of a toy."""

    def __init__(self, toy: Toy, kernel: Kernel, max_topics: int | None = None) -> None:
        super().__init__(toy, "clamp", max_topics)
        self.kernel, self.moves = kernel, SplitMerge(self.state)
        self.place = {token: at for at, token in enumerate(oracle_order(self.state.plan))}
        self.known: dict[tuple[OracleState, Selection], Outcomes] = {}

    def matrix(self) -> csr_array:
        """P of one step of Metropolis and Hastings."""

        def update() -> None:
            self.moves.index(self.state)
            self.moves._try(self.state, self.kernel, SEED, Draws(), Tally())

        with patch.object(launch, "ROUNDS", ROUNDS):
            return self._matrix([self._from(start, None, update) for start in self.states])

    def selections(self, start: OracleState, split: bool) -> dict[Selection, float]:
        """What a step may choose to do in a state, with its probability."""
        lay(self.state, start)
        self.moves.index(self.state)
        chance = self.kernel.splits if split else 1.0 - self.kernel.splits
        found = outcomes(lambda: self.moves.select(self.state, Draws(), split))
        return {selection: chance * p for selection, p in found.items() if selection is not None}

    def carried_out(self, start: OracleState, selection: Selection) -> Outcomes:
        """Where a selection leads if it is accepted, with the probability that it leads there and is."""
        if (start, selection) not in self.known:
            self.known[start, selection] = self._carry_out(start, selection)
        return self.known[start, selection]

    def _carry_out(self, start: OracleState, selection: Selection) -> Outcomes:
        lay(self.state, start)
        saved = [array.copy() for array in self._arrays]
        self.moves.index(self.state)

        def once() -> tuple[OracleState, float]:
            for array, values in zip(self._arrays, saved, strict=True):
                array[:] = values
            with patch.object(paths, "uniform", lambda key, n: 0.4):  # one order of the documents
                proposal = self.moves.propose(self.state, self.kernel, selection, SEED)
            return state_of(self.state), proposal.log_alpha

        found: Outcomes = {}
        with patch.object(launch, "ROUNDS", ROUNDS):
            for (end, log_alpha), chance in outcomes(once).items():
                found[end] = found.get(end, 0.0) + chance * math.exp(min(log_alpha, 0.0))
        return found

    def flows(self, start: OracleState, selection: Selection, most: int) -> list[Flow]:
        """Of a split, from the merged state to as many of the split ones as are asked for."""
        there = self.selections(start, split=True)[selection]
        ends = self.carried_out(start, selection)
        found = []
        for end in spread(sorted(ends, key=ends.__getitem__), most):
            undo = self.undo(selection, end)
            back = self.selections(end, split=False)[undo] * self.carried_out(end, undo).get(start, 0.0)
            at, to = self.index[start], self.index[end]
            found.append(Flow(float(self.pi[at]) * there * ends[end], float(self.pi[to]) * back))
        return found

    def undo(self, selection: Selection, end: OracleState) -> Selection:
        """The merge that undoes a split."""
        one, other = (end.topics[self.place[token]] for token in selection.anchors)
        return Selection((one, other), (one, NONE), selection.anchors)


def spread(values: list[Any], most: int) -> list[Any]:
    """At most so many of a list, evenly spread, the last among them."""
    step = max(len(values) / most, 1.0)
    return [values[len(values) - 1 - int(i * step)] for i in range(min(most, len(values)))]
