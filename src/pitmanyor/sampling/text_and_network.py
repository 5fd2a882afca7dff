"""Text and network in turn: sweeps over documents given explicit vectors, and steps of the network given counts.

While the network is there, the linked nodes and all that they stand on are never integrated out: they stay vectors from
sweep to sweep (maths 6). All other shared nodes go down and up as in any explicit sweep. Tables of linked nodes are
drawn on the way up, as text alone would have them, so that a state is complete; no step of the network reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.graph import Gamma, Node
from pitmanyor.kernels.network.masses import Masses
from pitmanyor.kernels.restaurant.arrays import CUSTOMERS, TABLES
from pitmanyor.network.beginning import find_places
from pitmanyor.network.features import kernel_of
from pitmanyor.network.linked import LinkedNode, Seats
from pitmanyor.network.mixtures import Base, Parent, fixed_or_learned
from pitmanyor.network.network import Network, Report, Shared, own_seeds
from pitmanyor.network.pair_links import PairLinks
from pitmanyor.network.root import Prior, Root, draw_log_gamma
from pitmanyor.network.similar_links import SimilarLinks
from pitmanyor.plan import Plan
from pitmanyor.plan.instances import parent_instance
from pitmanyor.sampling.concentrations import concentration_of, store_concentrations
from pitmanyor.sampling.explicit_sweep import Explicit
from pitmanyor.sampling.joining import tree_of
from pitmanyor.sampling.observed_links import block_links, observed_links, trait_links
from pitmanyor.sampling.paper_network import PaperNetwork
from pitmanyor.sampling.switching import Given, Switch
from pitmanyor.seeds import Seed, generator
from pitmanyor.state.discount_values import discount_of
from pitmanyor.state.means import LOG_MIX_WEIGHT
from pitmanyor.state.state import State
from pitmanyor.state.stirling_sizes import fit_tables

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
TABLES_EVERY = 8  # sweeps
UNTOLD = 1.0  # first concentration of vectors that have no text: drawn from a vague prior it could be anything
SCORES = "/scores"
Method = Literal["exact", "paper"]


def method_of(arrays: Mapping[str, Floats]) -> Method:
    """Which method left these unknowns: only the paper's has a score for every pair."""
    return "paper" if any(name.endswith(SCORES) for name in arrays) else "exact"


def _prior(concentration: float | Gamma) -> Prior | None:
    return Prior(concentration.shape, concentration.rate) if isinstance(concentration, Gamma) else None


class TextAndNetwork:
    """The network of a state with a finite root, and sweeps of both."""

    def __init__(
        self, state: State, n_threads: int, method: Method = "exact", *, passes: int = 1, relabels: bool = True
    ) -> None:
        plan = state.plan
        self.passes, self.relabels = passes, relabels
        root, *linked = tree_of(plan.graph)
        self.root_name, self.linked = root.name, [node.name for node in linked]
        self.switch, self.explicit = Switch(state, n_threads), Explicit(state, n_threads)
        self.network = self._network(state)
        self.paper = PaperNetwork(self.network) if method == "paper" else None
        self.report = Report(0.0, 0.0, 0.0, 0)

    def _network(self, state: State) -> Network:
        plan, k = state.plan, state.n_topics
        node = plan.graph[self.root_name]
        b = float(concentration_of(state, self.root_name)[0])
        root = Root(np.full(k, -np.log(k)), b, _prior(node.concentration), np.zeros(k, np.int64))
        nodes: dict[str, LinkedNode] = {}
        shared = {}
        for name in self.linked:
            node = plan.graph[name]
            nodes[name] = self._linked(state, node, self._base(plan, node, root, nodes))
            shared[name] = Shared(_prior(node.concentration), node.concentration_per == "layer")
        return Network(root, nodes, shared)

    @staticmethod
    def _base(plan: Plan, node: Node, root: Root, nodes: Mapping[str, LinkedNode]) -> Base:
        """What a node stands on: the root, nodes that are there already, or a mixture of these."""
        parents = []
        for name in node.parents:
            over, above = nodes.get(name), parent_instance(node, plan.graph[name], plan.instances)
            parents.append(Parent(over, over.log_nu if over else root.log_mu[None], above))
        if len(parents) == 1:
            return Base(parents)
        return Base(parents, *fixed_or_learned(len(parents[0].above), node.mix_weights, node.mix_prior))

    def _linked(self, state: State, node: Node, base: Base) -> LinkedNode:
        """A node with the links between its instances."""
        plan, k = state.plan, state.n_topics
        n, (log_base, above) = len(plan.instances[node.name]), base.room()
        masses = Masses(
            log_mass=np.zeros((n, k)),
            log_u0=np.zeros(n),
            concentration=np.full(n, concentration_of(state, node.name)),
            customers=np.zeros((n, k), np.int64),
            log_base=log_base,
            above=above,
        )
        between = [links for links in plan.graph.link_sets if links.between == node.name]
        seen = {links.name: observed_links(plan, links) for links in between if links.kernel in ("similarity", "pair")}
        sets = {links.name: SimilarLinks(kernel_of(links)) for links in between if links.kernel == "similarity"}
        pairs = {
            links.name: PairLinks(kernel_of(links), k, seen[links.name]) for links in between if links.kernel == "pair"
        }
        blocks = {
            links.name: block_links(plan, links, k, place)
            for place, links in enumerate(between)
            if links.kernel == "blocks"
        }
        traits = {
            links.name: trait_links(plan, links, k, place)
            for place, links in enumerate(between)
            if links.kernel == "traits"
        }
        return LinkedNode(discount_of(state, node.name), masses, sets, seen, pairs, base, blocks, traits)

    @property
    def fixed(self) -> tuple[str, ...]:
        """Nodes that stay vectors: their concentrations are drawn here."""
        return (self.root_name, *self.linked)

    def start(self, state: State, seed: Seed) -> None:
        """First vectors, from the counts of a state that text alone has made."""
        self._read_customers(state)
        rng, network = generator(seed, purposes.NETWORK_START), self.network
        all_customers = self._counts(state, self.root_name, CUSTOMERS)[0]
        if all_customers.any():
            alpha = all_customers + network.root.concentration / state.n_topics
            network.root.log_mu[:] = draw_log_gamma(alpha, rng)
            network.root.log_mu -= np.logaddexp.reduce(network.root.log_mu)
        else:  # links alone: the prior would leave one topic or two, and more are hard to find from there
            network.root.log_mu[:] = -np.log(state.n_topics)
        seeds = own_seeds(network.nodes, seed)
        for name, node in network.nodes.items():
            if network.shared[name].prior is not None and not node.masses.customers.any():
                node.masses.concentration[:] = UNTOLD
            node.start(self._seats(state)[name], self._counts(state, name, TABLES).sum(axis=1), seeds[name])
        if not state.plan.n_tokens:
            find_places(network, self._seats(state), seed, rng)
        for name, node in network.nodes.items():
            node.settle(seeds[name], rng)
        if self.paper:
            self.paper.start()
        state.network = self.export()

    def export(self) -> dict[str, Floats]:
        """Every unknown of the network, by name: copies."""
        out = {"log_mu": self.network.root.log_mu.copy()}
        for name, node in self.network.nodes.items():
            out |= {f"{name}/log_mass": node.masses.log_mass.copy(), f"{name}/log_u0": node.masses.log_u0.copy()}
            out |= {f"{links}/weights": item.weights.copy() for links, item in node.all_sets.items()}
            if node.base.prior is not None:
                out[f"{name}{LOG_MIX_WEIGHT}"] = node.base.log_weights.copy()
        if self.paper:
            out[f"{self.paper.name}{SCORES}"] = self.paper.scores.copy()
        return out

    def restore(self, arrays: dict[str, Floats]) -> None:
        """Take up what `export` gave; a ValueError if it is of another network. Concentrations are in the state."""
        if set(arrays) != set(self.export()):
            raise ValueError("unknowns of another network")
        for name, mine in self.export().items():
            if arrays[name].shape != mine.shape or not np.isfinite(arrays[name]).all():
                raise ValueError(f"{name} of another network")
        self.network.root.log_mu[:] = arrays["log_mu"]
        for name, node in self.network.nodes.items():
            node.masses.log_mass[:] = arrays[f"{name}/log_mass"]
            node.masses.log_u0[:] = arrays[f"{name}/log_u0"]
            for links, item in node.all_sets.items():
                item.weights = arrays[f"{links}/weights"].copy()
            if node.base.prior is not None:
                node.base.log_weights[:] = arrays[f"{name}{LOG_MIX_WEIGHT}"]
            node.refresh()
        if self.paper:
            self.paper.scores = arrays[f"{self.paper.name}{SCORES}"].copy()

    def sweep(self, state: State, seed: Seed) -> None:
        """Every token given the vectors, then the network given the counts."""
        if seed[2] % TABLES_EVERY == 0:
            fit_tables(state)
        if state.plan.n_tokens:
            self.hand_down(state, seed)
            documents = np.arange(state.plan.n_documents)
            if self.relabels:
                self.explicit.relabel(state, documents, state.n_topics, seed)
            self.explicit.sweep(state, documents, state.n_topics, seed, self.passes)
            self.switch.up(state, seed)
            self._read_customers(state)
        rng = generator(seed, purposes.NETWORK_STEP)
        self.report = self.paper.step(rng) if self.paper else self.network.step(self._seats(state), seed, rng)
        self._store(state)

    def hand_down(self, state: State, seed: Seed) -> None:
        """All shared nodes to vectors: the network's own as they are, the others drawn given them."""
        self.switch.down(state, seed, self._given(state))

    def _store(self, state: State) -> None:
        root = self.network.root
        store_concentrations(state, self.root_name, np.array([root.concentration]))
        for name, node in self.network.nodes.items():
            layer = self.network.shared[name].layer
            store_concentrations(state, name, node.masses.concentration[:1] if layer else node.masses.concentration)
        state.network = self.export()

    def _given(self, state: State) -> dict[int, Given]:
        index, root = state.plan.index, self.network.root
        none = np.zeros(1)
        out = {index[self.root_name]: Given(np.exp(root.log_mu)[None], none, none)}
        for name, node in self.network.nodes.items():
            out[index[name]] = Given(node.nu, node.masses.log_u0, node.log_total)
        return out

    def _seats(self, state: State) -> dict[str, Seats]:
        plan = state.plan
        return {name: Seats(state.tables, plan.stirling_table[plan.index[name]]) for name in self.linked}

    def _read_customers(self, state: State) -> None:
        """What the text left: customers of linked nodes, and of the root from all others."""
        others = self._counts(state, self.root_name, CUSTOMERS)[0].copy()
        for name, node in self.network.nodes.items():
            node.masses.customers[:] = self._counts(state, name, CUSTOMERS)
            tables = self._counts(state, name, TABLES)  # as text alone would have them: here nobody reads them
            for parent in () if node.base.mixed else node.base.parents:  # no token goes through mixtures: no tables
                if parent.node:
                    np.subtract.at(parent.node.masses.customers, parent.above, tables)
                else:
                    others -= tables.sum(axis=0)
        self.network.root.others = others

    def _counts(self, state: State, name: str, column: int) -> Ints:
        """Counts of a topic-side node, a row per instance."""
        i = state.plan.index[name]
        block, instance = state.layout.blocks[i], state.plan.cells.instance[state.plan.cells.of(i)]
        rows = state.net.counts[block.rows, column].reshape(block.n_cells, block.width)[:, : state.n_topics]
        out = np.zeros((block.n_instances, state.n_topics), np.int64)
        out[instance] = rows
        return out
