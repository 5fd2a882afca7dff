"""Splits and merges leave the enumerated posterior exactly as it is, for the real code (maths 4).

On the smallest toys pi P = pi. On larger ones detailed balance: the flow from a merged state to a split one is the flow
back, for each selection of topics and anchors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from kernels.documents.exact_moves import Flow, Moves, short_blocks, spread
from oracle.states import State as OracleState
from oracle.toys import TOYS, Toy
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph, mix, uniform
from pitmanyor.kernels.split_merge.allocate import BLOCK_TOKENS
from pitmanyor.sampling.split_merge import IN_TURN, LAUNCH_FIRST, Kernel

pytestmark = pytest.mark.nojit

KERNELS = {"in_turn": IN_TURN, "launch_first": LAUNCH_FIRST}
# A ratio above one may be wrong unseen. Merges are tried nine times in ten in turn, and refused at times; splits after
# a launch. Here it is the other way round.
TURNED = {"in_turn, splits": Kernel(False, LAUNCH_FIRST.splits), "launch_first, merges": Kernel(True, IN_TURN.splits)}
SMALLEST = ["tiny", "single_words", "finite_topics", pytest.param("single_parent", marks=pytest.mark.long)]
CLOSE = 1e-9  # relative: a partner that shares no word has a probability of 1e-6, of which rounding leaves ten digits


def tiny() -> Toy:
    """Three tokens."""
    graph, _ = TOYS["single_parent"]()
    return graph, Corpus.from_tokens([["x", "x"], ["y"]], vocabulary=["x", "y", "z"])


def single_words() -> Toy:
    """Three documents of a token: their order is random."""
    graph, _ = TOYS["single_parent"]()
    return graph, Corpus.from_tokens([["x"], ["y"], ["x"]], vocabulary=["x", "y", "z"])


def three_finite_topics() -> Toy:
    """One more topic than `finite_topics`: a split has a choice of empty ones."""
    g = Graph()
    mu = g.dirichlet("mu", over=3, concentration=1.4)
    theta = g.pyp("theta", base=mu, plate="document", discount=0.4, concentration=0.8)
    phi = g.pyp("phi", base=uniform("vocabulary"), plate="topic", discount=0.6, concentration=0.7)
    g.tokens("word", topic=theta, emit=phi)
    return g, Corpus.from_tokens([["x", "x"], ["y"]], vocabulary=["x", "y"])


def document_words() -> Toy:
    """Words of a document that all its topics share: a local word node that counts topics together."""
    g = Graph()
    mu = g.gem("mu", discount=0.3, concentration=0.9)
    theta = g.pyp("theta", base=mu, plate="document", discount=0.5, concentration=1.3)
    phi = g.pyp("phi", base=uniform("vocabulary"), plate="topic", discount=0.6, concentration=0.7)
    common = g.pyp("common", base=uniform("vocabulary"), plate="document", discount=0.2, concentration=1.6)
    base = mix(phi, common, prior=(0.8, 1.5))
    own = g.pyp("own", base=base, plate=("document", "topic"), discount=0.4, concentration=1.1)
    g.tokens("word", topic=theta, emit=own)
    return g, Corpus.from_tokens([["x", "x", "x"], ["x"]], vocabulary=["x", "y"])


def no_compared_words() -> Toy:
    """The same without words per topic that all documents share: partners are chosen uniformly."""
    g = Graph()
    mu = g.gem("mu", discount=0.3, concentration=0.9)
    gamma = g.pyp("gamma", base=uniform("vocabulary"), discount=0.5, concentration=0.7)
    common = g.pyp("common", base=gamma, plate="document", discount=0.2, concentration=1.6)
    own = g.pyp("own", base=common, plate=("document", "topic"), discount=0.4, concentration=1.1)
    g.tokens("word", topic=mu, emit=own)
    return g, Corpus.from_tokens([["x", "x", "y"], ["x"]], vocabulary=["x", "y"])


def bursts_of_two_streams() -> Toy:
    """Two streams of which each document's local word node counts both."""
    g = Graph()
    mu = g.gem("mu", discount=0.3, concentration=0.9)
    theta = g.pyp("theta", base=mu, plate="document", discount=0.5, concentration=1.3)
    phi = g.pyp("phi", base=uniform("vocabulary"), plate="topic", discount=0.6, concentration=0.7)
    burst = g.pyp("burst", base=phi, plate=("document", "topic"), discount=0.4, concentration=1.1)
    again = g.pyp("again", base=burst, plate=("document", "topic"), discount=0.3, concentration=0.6)
    g.tokens("title", topic=theta, emit=burst)
    g.tokens("word", topic=mu, emit=again)
    return g, Corpus.from_tokens({"title": [["x"], []], "word": [["x", "x"], ["x"]]}, vocabulary=["x", "y"])


class Case(NamedTuple):
    """A toy; from how many of its merged states to how many split ones; and in which circumstances.

    `anchors` are those of the first start, which has the largest topic; the others take what comes.
    """

    toy: Callable[[], Toy]
    n_starts: int = 4
    n_ends: int = 2
    anchors: tuple[int, int] | None = None
    max_topics: int | None = None
    ahead: int = BLOCK_TOKENS


CASES = {
    "single_parent": Case(TOYS["single_parent"], 8, 3),
    "single_parent_no_discount": Case(TOYS["single_parent_no_discount"]),
    "three_layers": Case(TOYS["three_layers"], n_ends=1),
    "two_parents": Case(TOYS["two_parents"], n_ends=1),
    "fixed_mix": Case(TOYS["fixed_mix"], 3, 1, anchors=(2, 3)),
    "diamond": Case(TOYS["diamond"], 2, 1),
    "bursty": Case(TOYS["bursty"], n_ends=1),
    "author_words": Case(TOYS["author_words"]),
    "nested_groups": Case(TOYS["nested_groups"]),
    "dirichlet_words": Case(TOYS["dirichlet_words"]),
    "own_vocabularies": Case(TOYS["own_vocabularies"]),
    "finite_topics": Case(TOYS["finite_topics"]),
    "three_finite_topics": Case(three_finite_topics, 8, 3),
    "document_words": Case(document_words, n_ends=1),
    "no_compared_words": Case(no_compared_words),
    "bursts_of_two_streams": Case(bursts_of_two_streams),
    "at most two topics": Case(TOYS["single_parent"], max_topics=2),
    "short blocks": Case(TOYS["single_parent"], anchors=(2, 3), ahead=1),
    "short blocks, bursty": Case(TOYS["bursty"], 1, 1, anchors=(3, 4), ahead=2),
    "short blocks, document_words": Case(document_words, 1, 1, anchors=(3, 1), ahead=1),
    "short blocks, bursts_of_two_streams": Case(bursts_of_two_streams, anchors=(3, 0), ahead=1),
}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("toy", SMALLEST)
def test_a_move_leaves_the_posterior_as_it_is(toy: str, kernel: str) -> None:
    chain = Moves((TOYS | {"tiny": tiny, "single_words": single_words})[toy](), KERNELS[kernel])
    matrix = chain.matrix()
    assert np.abs(matrix.sum(axis=1) - 1.0).max() < 1e-12
    assert chain.error(matrix) < 1e-12
    assert moved(chain, matrix, by=1) > 1e-3 and moved(chain, matrix, by=-1) > 1e-3


def moved(chain: Moves, matrix, by: int) -> float:
    """How often a move changes the number of topics by so many."""
    n_topics = np.array([len(set(state.topics)) for state in chain.states])
    changed = matrix.toarray() * (n_topics[None, :] - n_topics[:, None] == by)
    return float((chain.pi @ changed).sum())


def flows_of(case: Case, kernel: Kernel) -> list[Flow]:
    """From some merged states, each with another pair of anchors."""
    with short_blocks(case.ahead):
        chain, flows = Moves(case.toy(), kernel, case.max_topics), list[Flow]()
        for i, start in enumerate(spread(merged(chain, case.max_topics), case.n_starts)):
            selections = list(chain.selections(start, split=True))
            wanted = [s for s in selections if i == 0 and s.anchors == case.anchors]
            flows += chain.flows(start, (wanted or selections)[7 * i % len(wanted or selections)], case.n_ends)
    return flows


def merged(chain: Moves, most_topics: int | None) -> list[OracleState]:
    """States from which a topic can be split, those with the largest topics last."""
    largest = {state: max(map(state.topics.count, state.topics)) for state in chain.states}
    limit = most_topics or chain.state.plan.n_topics or len(chain.states)
    able = [state for state in chain.states if largest[state] > 1 and len(set(state.topics)) < limit]
    return sorted(able, key=lambda state: largest[state])


LARGE = {case for case in CASES if CASES[case].n_ends == 1}  # seconds each
BALANCED = [(case, kernel) for case in CASES for kernel in KERNELS]
BALANCED += [
    pytest.param(case, kernel, marks=[pytest.mark.long] * (case in LARGE)) for case in CASES for kernel in TURNED
]


@pytest.mark.parametrize(("case", "kernel"), BALANCED)
def test_splits_and_merges_balance(case: str, kernel: str) -> None:
    flows = flows_of(CASES[case], (KERNELS | TURNED)[kernel])
    assert len(flows) >= CASES[case].n_starts
    for there, back in flows:
        assert there > 0.0 and abs(there - back) < CLOSE * back
