"""The whole network: a root, its linked nodes, and one exact update of all unknowns (maths 6)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.network.masses import LEAST_SHAPE
from pitmanyor.network.linked import Columns, LinkedNode, Seats, Seed
from pitmanyor.network.mixtures import Parent
from pitmanyor.network.root import Prior, Root, log_gammas, move_log

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NODE = 1 << 48  # added to the number of a sweep for each further node: more than there are sweeps
SLICES = 4  # elliptical slice updates of a set's weights in a step: they do not see the number of pairs


class Shared(NamedTuple):
    """The prior of a linked node's concentrations (None if fixed), and whether all instances share one."""

    prior: Prior | None
    layer: bool


class Report(NamedTuple):
    """What a step did: acceptance rates, and the number of steps of elliptical slice sampling."""

    accepted: float  # instances, all topics at once
    accepted_part: float  # instances, some topics
    accepted_root: float  # topics of mu0 with those of all instances
    slice_steps: int


@dataclass(eq=False)
class Network:
    """Everything that links depend on: nodes, parents first, that all lead to `root.log_mu`."""

    root: Root
    nodes: dict[str, LinkedNode]
    shared: dict[str, Shared]

    @property
    def on_root(self) -> dict[str, LinkedNode]:
        """The nodes whose base is the root, or a mixture of it and others."""
        return {name: node for name, node in self.nodes.items() if node.base.has_root}

    def step(self, seats: dict[str, Seats], seed: Seed, rng: np.random.Generator) -> Report:
        """Update everything once, given the customers from the text (or none).

        What follows from masses and weights is recomputed first, so that a restored network continues bit for bit.
        """
        for node in self.nodes.values():
            node.refresh()
        accepted = self.move_vectors(seats, seed, rng)
        self.move_concentrations(rng)
        steps = sum(node.move_weights(rng, SLICES) for node in self.nodes.values())
        seeds = own_seeds(self.nodes, seed)
        for name, node in self.nodes.items():
            node.move_traits(seeds[name], rng)
        return Report(*accepted, steps)

    def move_vectors(self, seats: dict[str, Seats], seed: Seed, rng: np.random.Generator) -> tuple[float, float, float]:
        """Update instances, mu0 and scalars, given weights and concentrations; returns the rates of a `Report`."""
        seeds = own_seeds(self.nodes, seed)
        for name, node in self.nodes.items():
            node.take_events(seeds[name])
        whole = [node.move_instances(seats[name], True, seeds[name]) for name, node in self.nodes.items()]
        part = [node.move_instances(seats[name], False, seeds[name]) for name, node in self.nodes.items()]
        for node in self.nodes.values():
            node.lay()
        moved = self.move_columns(seats, seed, rng)
        self.root.move_pairs(self._column_density, rng)
        for name, node in self.nodes.items():
            node.move_mixing(rng)
            node.move_scalars(seeds[name])
            node.leave_events()
        return float(np.mean(whole)), float(np.mean(part)), float(moved)

    def _column_density(self, k: int, log_mu: float) -> float:
        return sum(node.column_density(k, log_mu) for node in self.on_root.values())

    def move_columns(self, seats: dict[str, Seats], seed: Seed, rng: np.random.Generator) -> bool:
        """Propose some topics of mu0 jointly with those of every instance, from the text alone, and accept by p(X).

        Tables are drawn given the old bases, from the leaves to the root, then the new bases given the tables, and
        masses given the new bases. With u given and masses integrated out this is reversible under the posterior of
        the text, so the ratio is that of p(X). Where a base is no root it has another sum over the chosen topics, and
        other shares of the rest: `LinkedNode.try_columns` brings the ratio of that. Where it is a mixture, its tables
        are split between the parents.
        """
        n_topics = len(self.root.log_mu)
        if n_topics < 2:
            return False
        size = max(2, round(n_topics ** rng.random()))
        chosen = np.sort(rng.choice(n_topics, size, replace=False)).astype(np.int64)
        customers = {name: node.masses.customers.copy() for name, node in self.nodes.items() if node.below}
        tried, log_mu = self._columns(seats, chosen, own_seeds(self.nodes, seed), rng)
        for name, kept in customers.items():
            self.nodes[name].masses.customers[:] = kept
        if -rng.standard_exponential() >= sum(columns.change for columns in tried.values()):
            return False
        for name, node in self.nodes.items():
            node.keep_columns(tried[name])
        self.root.log_mu[:] = log_mu
        return True

    def _columns(
        self, seats: dict[str, Seats], chosen: Ints, seeds: dict[str, Seed], rng: np.random.Generator
    ) -> tuple[dict[str, Columns], Floats]:
        """Columns of every node and of mu0. The customers of nodes with others below now have the tables of these."""
        names = {id(node): name for name, node in self.nodes.items()}
        tried = dict[str, Columns]()
        log_q: dict[str, Floats] = {}
        more = np.zeros(len(chosen), np.int64)
        for name, node in reversed(self.nodes.items()):
            log_q[name] = node.widen(seeds[name])
            tables = node.tables_of(seats[name], log_q[name], chosen, seeds[name])
            for parent, sent in zip(node.base.parents, node.base.send(tables, chosen, rng), strict=True):
                if parent.node is None:
                    more += sent.sum(axis=0)
                else:
                    np.add.at(parent.node.masses.customers, np.ix_(parent.above, chosen), sent)
        log_mu = self.root.log_split(chosen, more, rng)

        def new(parent: Parent) -> Floats:
            return log_mu[None] if parent.node is None else tried[names[id(parent.node)]].log_nu

        for name, node in self.nodes.items():
            log_base = node.base.under(new)
            tried[name] = node.try_columns(seats[name], log_q[name], chosen, log_base, seeds[name])
        return tried, log_mu

    def move_concentrations(self, rng: np.random.Generator) -> None:
        """Update concentrations given masses and mu0; links do not enter."""
        self.root.move_concentration(rng)
        for name, node in self.nodes.items():
            if self.shared[name].prior is not None:
                move_linked(node, self.shared[name], rng)

    def log_likelihood(self) -> dict[str, float]:
        """log p(X | nu, w) of every link set."""
        return {name: value for node in self.nodes.values() for name, value in node.log_likelihood().items()}


def own_seeds(names: Iterable[str], seed: Seed) -> dict[str, Seed]:
    """A seed for each node, so that no two of them use the same random numbers; the first has that of the step."""
    return {name: (seed[0], seed[1], seed[2] + n * NODE) for n, name in enumerate(names)}


def move_linked(node: LinkedNode, shared: Shared, rng: np.random.Generator) -> None:
    """The concentration of a linked node, one for all its instances or one each.

    With a discount U0 ~ Gamma(b/a) is all that b touches; without, nu ~ Dirichlet(b mu0).
    """
    masses, a, prior = node.masses, node.discount, shared.prior
    assert prior is not None
    bases = np.exp(masses.log_base)
    log_nu = masses.log_mass - node.log_total[:, None]
    for rows in [slice(None)] if shared.layer else [slice(i, i + 1) for i in range(len(masses.log_u0))]:
        above, n = masses.above[rows], len(masses.above[rows])
        total = float(masses.log_u0[rows].sum()) if a > 0 else float((log_nu[rows] * bases[above]).sum())
        used, times = np.unique(above, return_counts=True)

        def log_target(log_b: float, n: int = n, total: float = total, used: Ints = used, times: Ints = times) -> float:
            b = math.exp(log_b)
            if a > 0:
                return prior.log_density(log_b) + b / a * total - n * math.lgamma(b / a)
            shapes = log_gammas(np.maximum(b * bases[used], LEAST_SHAPE)).sum(axis=1)
            return prior.log_density(log_b) + n * (math.lgamma(b) - float((times / n * shapes).sum())) + b * total

        masses.concentration[rows] = move_log(float(masses.concentration[rows][0]), log_target, rng)
