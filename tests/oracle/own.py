"""Toys in which every topic has concentrations of its own, their exact means, and long runs.

States are enumerated; each restaurant's concentration is integrated out on a grid. What is compared is what the chain
holds: f(b) = b/(1 + b) summed over the restaurants that have customers, beside the totals of the counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from oracle.bridge import state_of
from oracle.enumerate_states import enumerate_states
from oracle.instances import n_dishes
from oracle.pmf import Count, log_pmf
from oracle.states import State as OracleState
from oracle.states import totals
from oracle.toys import Toy
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Gamma, Graph, Node, uniform
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION, CUSTOMERS
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.concentrations import Measures, sample_concentrations
from pitmanyor.sampling.split_merge import Kernel, SplitMerge
from pitmanyor.sampling.sweeps import Sweep, Sweeper, initialise
from pitmanyor.state import State, new_state

Rows = NDArray[np.float64]
LOG_B = np.linspace(-9.0, 4.0, 400)  # Gamma(2, 1) has less than 1e-7 outside


def per_topic() -> Toy:
    """A concentration for each topic's words; five documents of a token, so that topics come and go."""
    g = Graph()
    mu = g.gem("mu", discount=0.3, concentration=1.5)
    theta = g.pyp("theta", base=mu, plate="document", discount=0.4, concentration=1.3)
    words = uniform("vocabulary")
    phi = g.pyp("phi", base=words, plate="topic", discount=0.5, concentration=Gamma(2, 1), concentration_per="instance")
    g.tokens("word", topic=theta, emit=phi)
    return g, Corpus.from_tokens([["x"], ["x"], ["x"], ["x"], ["y"]], vocabulary=["x", "y", "z"])


def per_author_and_topic() -> Toy:
    """One for each author's words of a topic, over a Dirichlet with one for each topic; a document of two tokens."""
    g = Graph()
    mu = g.gem("mu", discount=0.2, concentration=1.2)
    theta = g.pyp("theta", base=mu, plate="document", discount=0.5, concentration=0.8)
    phi = g.dirichlet("phi", over="vocabulary", plate="topic", concentration=Gamma(2, 1), concentration_per="instance")
    plate = ("author", "topic")
    own = g.pyp("own", base=phi, plate=plate, discount=0.6, concentration=Gamma(2, 1), concentration_per="instance")
    g.tokens("word", topic=theta, emit=own)
    groups = {"author": ["ann", "bob", "ann"]}
    return g, Corpus.from_tokens([["x", "x"], ["x"], ["y"]], groups=groups, vocabulary=["x", "y"])


def f(b: Rows) -> Rows:
    return b / (1.0 + b)


def own_nodes(graph: Graph) -> list[str]:
    return [node.name for node in graph.nodes if isinstance(node.concentration, Gamma)]


def integrator(toy: Toy) -> Callable[[str, tuple[Count, ...]], tuple[float, float]]:
    """(log of the marginal probability of a restaurant's counts, posterior mean of f(b)), by quadrature."""
    graph, _ = toy

    @cache
    def integrate(name: str, counts: tuple[Count, ...]) -> tuple[float, float]:
        node = graph[name]
        assert node.concentration == Gamma(2, 1)
        b = np.exp(LOG_B)
        log_p = np.array([_log_p(toy, replace(node, concentration=float(x)), counts) for x in b])
        weight = np.exp(log_p + 2.0 * LOG_B - b)  # the prior's density b e^-b, times b for the logarithmic grid
        return float(np.log(weight.sum() * (LOG_B[1] - LOG_B[0]))), float((weight * f(b)).sum() / weight.sum())

    return integrate


def _log_p(toy: Toy, node: Node, counts: tuple[Count, ...]) -> float:
    return log_pmf(node, dict(enumerate(counts)), None if node.parents else n_dishes(*toy, node))


def exact_means(toy: Toy) -> Rows:
    """Posterior means of totals, and for every node with own concentrations of sum f(b) and sum f(b) C."""
    graph, corpus = toy
    integrate, names = integrator(toy), own_nodes(graph)
    weights, rows = [], []
    fixed = graph.set("*", concentration=1.0)
    for node in graph.nodes:
        if node.name not in names:
            fixed = fixed.set(node.name, concentration=node.concentration)
    for state in enumerate_states(fixed, corpus):
        log_weight, row = state.log_weight, totals(graph, state)
        for name in names:
            sums = [0.0, 0.0]
            for counts in _restaurants(state, name):
                log_p, mean = integrate(name, counts)
                log_weight += log_p - _log_p(toy, fixed[name], counts)
                sums[0] += mean
                sums[1] += mean * sum(count[0] for count in counts)
            row += sums
        weights.append(log_weight)
        rows.append(row)
    p = np.exp(np.array(weights) - max(weights))
    means: Rows = p @ np.array(rows) / p.sum()
    return means


def _restaurants(state: OracleState, name: str) -> list[tuple[Count, ...]]:
    """The counts of every instance of a node; dishes are alike to the pmf, so their order is of no matter."""
    found: dict[object, list[Count]] = {}
    for place, count in state.counts.items():
        if place[0] == name:
            found.setdefault(place[1], []).append(count)
    return [tuple(sorted(counts)) for counts in found.values()]


def run(
    toy: Toy,
    sweep: Sweep,
    n_sweeps: int,
    *,
    update: bool,
    change: Callable[[State], object] = id,
    kernels: Sequence[Kernel] = (),
) -> Rows:
    """The same statistics after every sweep; without `update` only births bring new concentrations.

    A sweep ends with a split or merge by each of `kernels`. `change` is done to the state first, for planted bugs.
    """
    graph, corpus = toy
    state = new_state(compile_plan(graph, corpus))
    change(state)
    initialise(state, (1, 0, 0))
    sweeper, moves, measures, rows = Sweeper(state, sweep, anchors=0.5), SplitMerge(state), Measures(state), []
    for i in range(1, n_sweeps + 1):
        sweeper.step(state, (1, 0, i))
        moves.step(state, (1, 0, i), kernels)
        if update:
            measures.take(state, (1, 0, i))
            sample_concentrations(state, measures, (1, 0, i))
        row = totals(graph, state_of(state))
        for name in own_nodes(graph):
            rests = state.layout.blocks[state.plan.index[name]].rests
            customers, b = state.net.totals[rests, CUSTOMERS], state.net.rests[CONCENTRATION, rests]
            seated = customers > 0
            row += [float(f(b[seated]).sum()), float((f(b) * customers)[seated].sum())]
        rows.append(row)
    return np.array(rows)
