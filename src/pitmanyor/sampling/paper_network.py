"""The paper's Algorithm 3 in place of the exact step of the network: NOT posterior-correct (network/paper_scheme)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError
from pitmanyor.network.linked import LinkedNode
from pitmanyor.network.network import Network, Report
from pitmanyor.network.paper_scheme import LEAST, PaperGiven, PaperState, paper_step, similarities

Floats = NDArray[np.float64]
SLICES = 1  # of the weights: the scheme has none, but predictions of unseen pairs do


class PaperNetwork:
    """mu0, one linked node and one link set, moved all at once. Concentrations of both nodes stay as they were."""

    def __init__(self, network: Network) -> None:
        sets = [(node, name) for node in network.nodes.values() for name in node.sets]
        nodes = network.nodes.values()
        if len(sets) != 1 or any(node.pairs or node.blocks or not node.base.only_root for node in nodes):
            raise PlanError(
                'method="paper" knows one link set of similarities, between vectors on the root; use '
                'method="exact" for others'
            )
        self.network, (self.node, self.name) = network, sets[0]
        if self.node.sets[self.name].kernel.noise <= 0:
            raise PlanError('method="paper" needs links with noise above 0; method="exact" does without')
        self.scores = np.zeros(self.node.seen[self.name].n_pairs)

    def start(self) -> None:
        """Scores at their prior mean."""
        self.scores = similarities(self.node.nu, self.node.seen[self.name])

    def step(self, rng: np.random.Generator) -> Report:
        """One iteration of Algorithm 3."""
        node, root = self.node, self.network.root
        given = PaperGiven(
            node.masses.customers.astype(np.float64),
            root.others.astype(np.float64),
            node.masses.concentration,
            root.concentration,
            node.sets[self.name].kernel,
            node.seen[self.name],
        )
        state = PaperState(np.exp(root.log_mu), node.nu, self.scores)
        state, accepted = paper_step(state, given, rng)
        if accepted:
            self.scores = state.scores
            root.log_mu[:] = np.log(np.maximum(state.mu, LEAST))
            _set_vectors(node, state.nu)
        node.refresh()
        return Report(float(accepted), 0.0, float(accepted), node.move_weights(rng, SLICES))


def _set_vectors(node: LinkedNode, nu: Floats) -> None:
    """Masses that add up to one: the scheme knows of vectors only."""
    node.masses.log_mass[:] = np.log(np.maximum(nu, LEAST))
    node.masses.log_u0[:] = np.log(node.masses.concentration / max(node.discount, 1e-9))
