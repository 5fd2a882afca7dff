"""The identity on which splits and merges rest, along random paths through random models (maths 4).

Take the tokens of one topic or two out of a state s along a path, each leaving as R says, until s0 is left. Then

    log pi(s) + sum log R = log pi(s0) + sum log a

with a the weight of the seat that each token had. The kernels give sum log a/q, where q is the probability of seating
the tokens again just as they sat. Symbolic uniforms (exact.py) tell R and q; the oracle tells pi.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernels.documents.exact import Choices, replaced, symbolic
from kernels.documents.exact_moves import short_blocks
from oracle.bridge import local_counts, shared_cells, shared_counts, state_of
from oracle.instances import Key, n_dishes
from oracle.pmf import Count, log_pmf
from oracle.random_models import models
from pitmanyor.graph import Gamma, Graph, Node
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION, OWN, REST, REST_WIDE
from pitmanyor.kernels.restaurant.births import furnish
from pitmanyor.kernels.split_merge.allocate import BLOCK_TOKENS, seat_token
from pitmanyor.kernels.split_merge.moves import count_words, empty_path, seat_path
from pitmanyor.sampling.concentrations import Measures, sample_concentrations
from pitmanyor.sampling.discounts import sample_discounts
from pitmanyor.sampling.split_merge import IN_TURN, LAUNCH_FIRST, SplitMerge
from pitmanyor.sampling.sweeps import initialise
from pitmanyor.state import State
from pitmanyor.state.discount_values import discount_of
from sampling.test_invariants import small_state

pytestmark = pytest.mark.nojit
SEED = (3, 0, 1, 0)
NOT_VISITED = -9


class RandomChoices(Choices):
    """One run, every comparison of which is decided by chance."""

    def __init__(self, rng: Random) -> None:
        super().__init__(())
        self.rng = rng

    def choose(self, chance: float) -> bool:
        happens = self.rng.random() < chance
        self.probability *= chance if happens else 1.0 - chance
        return happens


class DeviatesError(Exception):
    """The run has left the path."""


def log_pi(state: State) -> float:
    """log of the probability of all counts and words of the tokens that are seated, by the oracle."""
    graph, corpus = state.plan.graph, state.plan.corpus
    houses: dict[tuple[str, Key], dict[int, Count]] = {}
    for (name, key, dish), count in (local_counts(state) | shared_counts(state)).items():
        houses.setdefault((name, key), {})[dish] = count
    total = 0.0
    for (name, key), counts in houses.items():
        node = graph[name]
        finite = None if node.parents or node.kind == "gem" else n_dishes(graph, corpus, node)
        a, b = discount_of(state, name), concentration(state, node, key)
        total += log_pmf(replace(node, discount=a, concentration=b), counts, finite)
    return total


def concentration(state: State, node: Node, key: Key) -> float:
    """Of one restaurant."""
    net, i, of = state.net, state.plan.index[node.name], dict(zip(node.plate, key, strict=True))
    k = of.get("topic", 0)
    if node.local and net.nodes[i, OWN] >= 0:
        return float(state.text.concentration[net.nodes[i, OWN], of["document"]])
    for number, cell in shared_cells(state.plan).items():
        if cell.node == node and cell.place(state.plan, k)[1] == key:
            return float(
                net.rests[CONCENTRATION, net.cells[number, REST] + of.get("topic", 0) * net.nodes[i, REST_WIDE]]
            )
    return float(net.rests[CONCENTRATION, state.layout.blocks[i].rests][0])  # local, and one for all


def follow(update: Callable[[], float]) -> tuple[float, float]:
    """The result of the one run that does not deviate, and the log of its probability."""
    waiting: list[tuple[bool, ...]] = [()]
    found, choices = [], Choices(())
    with symbolic(lambda: choices):
        while waiting:
            choices = Choices(waiting.pop())
            with suppress(DeviatesError):
                found.append((update(), math.log(choices.probability)))
            waiting.extend(choices.other)
    assert len(found) == 1
    return found[0]


def as_it_was(world, room, path, i, place, at, key, n):
    """`seat_token`, but only the way that the token was seated before."""
    if at[1] != path.topic[i]:
        raise DeviatesError
    path.seated[i] = NOT_VISITED
    result = seat_token(world, room, path, i, place, at, key, n)
    if not np.array_equal(path.seated[i], path.left[i]):
        raise DeviatesError
    return result


@settings(max_examples=250, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    model=models(),
    launch=st.booleans(),
    splits=st.booleans(),
    own=st.booleans(),
    ahead=st.sampled_from([1, 2, BLOCK_TOKENS]),
    seed=st.integers(0, 2**32),
)
def test_the_weights_along_a_path_telescope(model, launch, splits, own, ahead, seed):
    graph, corpus = model
    state = small_state(with_own_concentrations(graph) if own else graph, corpus, precision=np.float64)
    initialise(state, (seed, 0, 0), n_topics=3)
    measures = Measures(state)
    measures.take(state, (seed, 0, 0))
    sample_concentrations(state, measures, (seed, 0, 1))
    sample_discounts(state, (seed, 0, 1))
    with short_blocks(ahead):
        check_path(state, launch, splits, Random(seed))


def with_own_concentrations(graph: Graph) -> Graph:
    """A concentration for each instance of every node that may have one."""
    for node in graph.nodes:
        if node.kind == "pyp" and node.plate and set(node.plate) != {"document", "topic"}:
            graph = graph.set(node.name, concentration_per="instance", concentration=Gamma(2, 1))
    return graph


def check_path(state: State, launch: bool, splits: bool, rng: Random) -> None:
    moves, kernel = SplitMerge(state), LAUNCH_FIRST if launch else IN_TURN
    moves.index(state)
    selection = moves.select(state, rng, splits)
    if selection is None:
        return
    world, path, documents = moves._path(state, selection, SEED)
    path.left[:] = NOT_VISITED
    count_words(state.text, path, documents, moves.launch)
    guess = moves._guess(state, kernel, path, documents)
    path.n_in[:] = [np.count_nonzero(path.topic == k) for k in selection.before]
    arguments = (world, moves.room, path, guess, documents, selection.before)
    start, log_start, choices = state_of(state), log_pi(state), RandomChoices(rng)
    with symbolic(lambda: choices):
        out = empty_path(*arguments, (moves.mixed, True), SEED)
    assert not path.n_in.any() and (state.text.topic[path.token] < 0).all()
    log_empty = log_pi(state)
    arrays = [state.net.counts, state.net.to, state.net.totals, state.net.n_to, state.text.topic, state.text.code]
    arrays += [guess.counts, guess.totals, guess.seen, guess.spread, path.n_in]
    saved = [array.copy() for array in arrays]

    def again() -> float:
        for array, values in zip(arrays, saved, strict=True):
            array[:] = values
        total = float(seat_path(*arguments, SEED))
        assert state_of(state) == start
        return total

    with replaced(seat_token, as_it_was), replaced(furnish, lambda net, k, key, n: n):
        into, log_q = follow(again)
    assert into == pytest.approx(out, abs=1e-9)  # a/q is the same on the way out as on the way in
    assert log_start + math.log(choices.probability) == pytest.approx(log_empty + into + log_q, abs=1e-9)
