"""The whole network: a root, its linked nodes, and one exact update of all unknowns (maths 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.network.linked import LinkedNode, Seats, Seed
from pitmanyor.network.root import Prior, Root, log_gammas, move_log

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
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
    """Everything that links depend on. Every `LinkedNode` has `root.log_mu` as its base."""

    root: Root
    nodes: dict[str, LinkedNode]
    shared: dict[str, Shared]

    def step(self, seats: dict[str, Seats], seed: Seed, rng: np.random.Generator) -> Report:
        """Update everything once, given the customers from the text (or none).

        What follows from masses and weights is recomputed first, so that a restored network continues bit for bit.
        """
        for node in self.nodes.values():
            node.refresh()
        accepted = self.move_vectors(seats, seed, rng)
        self.move_concentrations(rng)
        steps = sum(node.move_weights(rng, SLICES) for node in self.nodes.values())
        return Report(*accepted, steps)

    def move_vectors(self, seats: dict[str, Seats], seed: Seed, rng: np.random.Generator) -> tuple[float, float, float]:
        """Update instances, mu0 and scalars, given weights and concentrations; returns the rates of a `Report`."""
        whole = [node.move_instances(seats[name], True, seed) for name, node in self.nodes.items()]
        part = [node.move_instances(seats[name], False, seed) for name, node in self.nodes.items()]
        for node in self.nodes.values():
            node.lay()
        moved = self.move_columns(seats, seed, rng)
        self.root.move_pairs(self._column_density, rng)
        for node in self.nodes.values():
            node.move_scalars(seed)
        return float(np.mean(whole)), float(np.mean(part)), float(moved)

    def _column_density(self, k: int, log_base: float) -> float:
        return sum(node.column_density(k, log_base) for node in self.nodes.values())

    def move_columns(self, seats: dict[str, Seats], seed: Seed, rng: np.random.Generator) -> bool:
        """Propose some topics of mu0 jointly with those of every instance, from the text alone, and accept by p(X).

        Tables are drawn given the old base, the new base given the tables, and masses given the new base. With u given
        and masses integrated out this is reversible under the posterior of the text, so the ratio is that of p(X)
        alone.
        """
        n_topics = len(self.root.log_mu)
        if n_topics < 2:
            return False
        size = max(2, round(n_topics ** rng.random()))
        chosen = np.sort(rng.choice(n_topics, size, replace=False)).astype(np.int64)
        log_q = {name: node.widen(seed) for name, node in self.nodes.items()}
        more = np.zeros(size, np.int64)
        for name, node in self.nodes.items():
            more += node.tables_of(seats[name], log_q[name], chosen, seed)
        log_mu = self.root.log_split(chosen, more, rng)
        tried = {
            name: node.try_columns(seats[name], log_q[name], chosen, log_mu, seed) for name, node in self.nodes.items()
        }
        if -rng.standard_exponential() >= sum(columns.change for columns in tried.values()):
            return False
        for name, node in self.nodes.items():
            node.keep_columns(tried[name])
        self.root.log_mu[:] = log_mu
        return True

    def move_concentrations(self, rng: np.random.Generator) -> None:
        """Update concentrations given masses and mu0; links do not enter."""
        self.root.move_concentration(rng)
        for name, node in self.nodes.items():
            if self.shared[name].prior is not None:
                move_linked(node, self.shared[name], rng)

    def log_likelihood(self) -> dict[str, float]:
        """log p(X | nu, w) of every link set."""
        return {name: value for node in self.nodes.values() for name, value in node.log_likelihood().items()}


def move_linked(node: LinkedNode, shared: Shared, rng: np.random.Generator) -> None:
    """The concentration of a linked node, one for all its instances or one each.

    With a discount U0 ~ Gamma(b/a) is all that b touches; without, nu ~ Dirichlet(b mu0).
    """
    masses, a, prior = node.masses, node.discount, shared.prior
    assert prior is not None
    mu = np.exp(masses.log_base)
    log_nu = masses.log_mass - node.log_total[:, None]
    for rows in [slice(None)] if shared.layer else [slice(i, i + 1) for i in range(len(masses.log_u0))]:
        n = len(masses.log_u0[rows])
        total = float(masses.log_u0[rows].sum()) if a > 0 else float((log_nu[rows] * mu).sum())

        def log_target(log_b: float, n: int = n, total: float = total) -> float:
            b = math.exp(log_b)
            if a > 0:
                return prior.log_density(log_b) + b / a * total - n * math.lgamma(b / a)
            shapes = float(log_gammas(np.maximum(b * mu, 1e-300)).sum())
            return prior.log_density(log_b) + n * (math.lgamma(b) - shapes) + b * total

        masses.concentration[rows] = move_log(float(masses.concentration[rows][0]), log_target, rng)
