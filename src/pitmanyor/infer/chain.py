"""One chain: a state, what it does in a sweep, and what it remembers of each."""

from __future__ import annotations

import numpy as np

from pitmanyor.infer.concentrations import Measures, concentration_of, sample_concentrations
from pitmanyor.infer.sweeps import Sweep, Sweeper, initialise
from pitmanyor.kernels.measure import OPENED, SEATED
from pitmanyor.state.state import State

SMALL_CORPUS = 20_000  # tokens up to which every document is an anchor: sweeps are collapsed


class Chain:
    """Sweeps a state and keeps its trace; the same seed gives the same bytes on any number of threads."""

    def __init__(
        self,
        state: State,
        *,
        seed: int,
        chain: int = 0,
        sweep: Sweep = "mixed",
        burn_in: int = 0,
        anchors: float = 0.05,
        n_threads: int = 1,
    ) -> None:
        self.state, self.seed, self.chain, self.burn_in = state, seed, chain, burn_in
        small = sweep == "mixed" and state.plan.n_tokens <= SMALL_CORPUS
        self.sweeper = Sweeper(state, "collapsed" if small else sweep, anchors=anchors, n_threads=n_threads)
        self.first = Sweeper(state, "collapsed", n_threads=n_threads)
        self.measures = Measures(state)
        self.n_sweeps = 0
        self.trace: dict[str, list[float]] = {}

    def initialise(self, n_topics: int | None = None) -> None:
        """Seat every token for the first time."""
        initialise(self.state, (self.seed, self.chain, 0), n_topics)
        self.measures.take(self.state, (self.seed, self.chain, 0))

    def step(self) -> None:
        """One sweep: concentrations, then every token; then the trace."""
        self.n_sweeps += 1
        seed = (self.seed, self.chain, self.n_sweeps)
        sample_concentrations(self.state, self.measures, seed)
        (self.first if self.n_sweeps <= self.burn_in else self.sweeper).step(self.state, seed)
        self.measures.take(self.state, seed)
        self._remember()

    def _remember(self) -> None:
        state = self.state
        self._add("n_topics", state.n_topics)
        self._add("log_joint", self.measures.log_joint)
        for i, node in enumerate(state.plan.nodes):
            if node.local:
                customers, tables = self.measures.by_node[i][:, [SEATED, OPENED]].sum(axis=0)
            else:
                customers, tables = state.net.totals[state.layout.blocks[i].rests].sum(axis=0)
            self._add(f"customers/{node.name}", float(customers))
            self._add(f"tables/{node.name}", float(tables))
            self._add(f"concentration/{node.name}", float(np.mean(concentration_of(state, node.name))))

    def _add(self, name: str, value: float) -> None:
        self.trace.setdefault(name, []).append(value)
