"""Long runs of the real sweeps on tiny models, and how far their means are from the exact ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from oracle.bridge import state_of
from oracle.enumerate_states import enumerate_states, posterior
from oracle.instances import Key
from oracle.states import State as OracleState
from oracle.states import totals
from oracle.toys import Toy, diamond, two_parents
from pitmanyor import Sampler
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph, mix, uniform
from pitmanyor.kernels.restaurant.arrays import ROW
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.split_merge import Kernel, SplitMerge
from pitmanyor.sampling.sweeps import Sweep, Sweeper, initialise
from pitmanyor.state import State, new_state

Rows = NDArray[np.float64]
N_BATCHES = 50


def statistics(graph: Graph, state: OracleState) -> list[float]:
    """Totals of every node, squares of its tables, how evenly it mixes, and which tokens share a topic."""
    squares: Counter[str] = Counter()
    to: dict[tuple[str, Key], list[int]] = {}
    for place, count in state.counts.items():
        squares[place[0]] += count[1] ** 2
        if len(count[2]) > 1:
            so_far = to.setdefault(place[:2], [0, 0])
            so_far[0], so_far[1] = so_far[0] + count[2][0], so_far[1] + count[2][1]
    uneven: Counter[str] = Counter()
    for (name, _), (one, other) in to.items():
        uneven[name] += (one - other) ** 2
    out = [float(squares[node.name]) for node in graph.nodes]
    out += [float(uneven[node.name]) for node in graph.nodes if len(node.parents) > 1]
    k = state.topics
    shared = [k[0] == k[1], k[0] == k[-1], k[1] == k[-1], k[-2] == k[-1]]
    return [*totals(graph, state), *out, *map(float, shared)]


def exact_means(toy: Toy) -> Rows:
    """Posterior means of the statistics, by enumeration."""
    graph, corpus = toy
    states = enumerate_states(graph, corpus)
    means: Rows = posterior(states) @ np.array([statistics(graph, state) for state in states])
    return means


def reader(read: Callable[[State], list[float]]) -> Callable[[State], list[float]]:
    """The same function of a state, but it remembers: a toy has few states, and to read one costs half a sweep."""
    known: dict[bytes, list[float]] = {}

    def recall(state: State) -> list[float]:
        net, text = state.net, state.text
        arrays = (text.word, text.topic, text.code, net.counts, net.packed, net.cells[:, ROW], net.to)
        key = b"".join(array.tobytes() for array in arrays)
        if key not in known:
            known[key] = read(state)
        return known[key]

    return recall


def run_sweeps(
    toy: Toy, sweep: Sweep, n_sweeps: int, seed: int, anchors: float = 0.5, kernels: Sequence[Kernel] = ()
) -> Rows:
    """The statistics after every sweep and a split or merge by each of `kernels`, one row a sweep."""
    graph, corpus = toy
    state = new_state(compile_plan(graph, corpus))
    initialise(state, (seed, 0, 0))
    sweeper, moves = (
        Sweeper(state, sweep, anchors=anchors, passes=Sampler().passes),
        SplitMerge(state),
    )  # passes of `fit`
    read = reader(lambda state: statistics(graph, state_of(state)))
    rows = []
    for i in range(1, n_sweeps + 1):
        sweeper.step(state, (seed, 0, i))
        moves.step(state, (seed, 0, i), kernels)
        rows.append(read(state))
    return np.array(rows)


def errors(rows: Rows) -> tuple[Rows, Rows]:
    """Means of a chain and their standard errors, from the means of its batches."""
    batches = np.array([batch.mean(axis=0) for batch in np.array_split(rows, N_BATCHES)])
    return batches.mean(axis=0), batches.std(axis=0, ddof=1) / np.sqrt(N_BATCHES)


def z_scores(rows: Rows, exact: Rows, exact_error: Rows | float = 0.0) -> Rows:
    """z of each mean of a chain; a statistic that never changed must be exact, else its z is infinite."""
    means, error = errors(rows)
    error = np.hypot(error, exact_error)
    away = np.where(np.abs(means - exact) < 1e-9, 0.0, means - exact)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(away == 0.0, 0.0, away / error)


def layers(discount: float | None = None) -> Toy:
    """gem, nu, theta; gamma, phi; three documents, so that anchors can be some of them."""
    g = Graph()
    mu = g.gem("mu", discount=0.2, concentration=1.1)
    nu = g.pyp("nu", base=mu, discount=0.4, concentration=0.8)
    theta = g.pyp("theta", base=nu, plate="document", discount=0.6, concentration=1.5)
    gamma = g.pyp("gamma", base=uniform("vocabulary"), discount=0.5, concentration=0.7)
    phi = g.pyp("phi", base=gamma, plate="topic", discount=0.7, concentration=1.2)
    g.tokens("word", topic=theta, emit=phi)
    corpus = Corpus.from_tokens([["x", "x"], ["x"], ["y"]], vocabulary=["x", "y"])
    return g if discount is None else g.set("*", discount=discount), corpus


def two_authors(unused: Sequence[str] = ()) -> Toy:
    """theta mixes its author's node and a common one."""
    graph, _ = two_parents()
    groups, vocabulary = {"author": ["ann", "bob", "ann", "bob"]}, ["x", "y", *unused]
    return graph, Corpus.from_tokens([["x"], ["x"], ["y"], ["x"]], groups=groups, vocabulary=vocabulary)


def few_words() -> Toy:
    """The same with four words more that nobody uses: they have no cells, but are a rest of the vectors."""
    return two_authors(unused="abcd")


def shared_mix() -> Toy:
    """A shared node with two parents on each side: rho is drawn, for one restaurant or one a topic."""
    g = Graph()
    mu = g.gem("mu", discount=0.3, concentration=0.8)
    nu = g.pyp("nu", base=mu, discount=0.4, concentration=1.4)
    common = g.pyp("common", base=mu, discount=0.0, concentration=0.6)
    blend = g.pyp("blend", base=mix(nu, common, prior=(0.1, 0.2)), discount=0.5, concentration=5.0)
    gamma = g.pyp("gamma", base=uniform("vocabulary"), discount=0.2, concentration=0.7)
    delta = g.pyp("delta", base=uniform("vocabulary"), discount=0.4, concentration=1.5)
    words = mix(gamma, delta, prior=(0.2, 0.1))
    phi = g.pyp("phi", base=words, plate="topic", discount=0.6, concentration=4.0)
    g.tokens("word", topic=blend, emit=phi)
    return g, Corpus.from_tokens([["x"], ["x"], ["y"], ["x"]], vocabulary=["x", "y"])


def even_mix() -> Toy:
    """A shared node that opens a table for nearly every token, towards two parents that are much alike: rho decides."""
    g = Graph()
    mu = g.gem("mu", discount=0.0, concentration=0.3)
    nu = g.pyp("nu", base=mu, discount=0.4, concentration=5.0)
    common = g.pyp("common", base=mu, discount=0.2, concentration=3.0)
    blend = g.pyp("blend", base=mix(nu, common, prior=(1.0, 1.0)), discount=0.5, concentration=20.0)
    phi = g.dirichlet("phi", over="vocabulary", plate="topic", concentration=1.6)
    g.tokens("word", topic=blend, emit=phi)
    return g, Corpus.from_tokens([["x"]] * 5, vocabulary=["x", "y"])


def finite_mix() -> Toy:
    """As `shared_mix` below a finite root, for explicit sweeps alone: no collapsed update hides a wrong rho."""
    g = Graph()
    mu = g.dirichlet("mu", over=2, concentration=0.4)
    nu = g.pyp("nu", base=mu, discount=0.4, concentration=0.5)
    common = g.pyp("common", base=mu, discount=0.0, concentration=6.0)
    blend = g.pyp("blend", base=mix(nu, common, prior=(0.5, 0.5)), discount=0.5, concentration=10.0)
    phi = g.dirichlet("phi", over="vocabulary", plate="topic", concentration=1.6)
    g.tokens("word", topic=blend, emit=phi)
    return g, Corpus.from_tokens([["x", "x"], ["x", "x"]], vocabulary=["x", "y"])


def five_documents(unused: Sequence[str] = ()) -> Toy:
    """Many documents of one token: births and deaths all the time, and an anchor rarely holds every topic."""
    g = Graph()
    mu = g.gem("mu", discount=0.3, concentration=1.5)
    theta = g.pyp("theta", base=mu, plate="document", discount=0.4, concentration=1.3)
    phi = g.pyp("phi", base=uniform("vocabulary"), plate="topic", discount=0.5, concentration=0.6)
    g.tokens("word", topic=theta, emit=phi)
    return g, Corpus.from_tokens([["x"], ["x"], ["y"], ["z"], ["x"]], vocabulary=["x", "y", "z", *unused])


def diamond_authors() -> Toy:
    """The TNTM's text part with three posts of two authors."""
    graph, _ = diamond()
    documents = {"hashtag": [["x"], [], []], "word": [["x"], ["y"], ["x"]]}
    return graph, Corpus.from_tokens(documents, groups={"author": ["ann", "bob", "ann"]}, vocabulary=["x", "y"])


def few_tags() -> Toy:
    """The same with one hashtag of a vocabulary of five: the other four have no cells."""
    graph, _ = diamond()
    documents = {"hashtag": [["x"], ["x"], []], "word": [["x"], [], ["y"]]}
    return graph, Corpus.from_tokens(documents, groups={"author": ["ann", "bob", "ann"]}, vocabulary=list("vwxyz"))
