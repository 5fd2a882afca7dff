"""Drawing a topic of a document anew leaves the law of the document given the shared vectors as it is (maths 4)."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import pairwise

import numpy as np
import pytest

from kernels.documents.exact import replaced
from kernels.documents.exact_explicit import N_HELD, DocumentChain, LinkedChain
from kernels.documents.test_explicit_transitions import TOYS
from kernels.documents.test_linked_transitions import tntm
from pitmanyor.kernels.documents import relabelling

pytestmark = pytest.mark.nojit


@pytest.mark.parametrize("toy", TOYS)
def test_the_law_of_a_document_stays_as_it_is(toy):
    chain = DocumentChain(TOYS[toy](), "clamp")
    matrix = chain.relabelling()
    assert np.abs(matrix.sum(axis=1) - 1).max() < 1e-12
    assert chain.error(matrix) < 1e-12


def test_the_law_of_a_post_stays_as_it_is_given_linked_vectors():
    chain = LinkedChain(tntm(), "clamp")
    assert chain.distance(chain.relabelling()) < 1e-12


@pytest.mark.parametrize("toy", ["one node", "tntm", "bursty"])
def test_tokens_of_a_topic_move_together_and_to_held_topics_that_the_document_does_not_have(toy):
    chain = DocumentChain(TOYS[toy](), "clamp")
    matrix = chain.relabelling()
    n_moved = 0
    for start, end in zip(*matrix.nonzero(), strict=True):
        before, after = (np.array(chain.states[i][0]) for i in (start, end))
        moved = before != after
        n_moved += moved.any()
        if moved.any():
            (old,), (new,) = set(before[moved].tolist()), set(after[moved].tolist())
            assert moved.tolist() == (before == old).tolist() and new < N_HELD and old < N_HELD
            assert new not in before
    assert n_moved


def topics_of_others_allowed() -> AbstractContextManager[None]:
    """A topic that other tokens of the document have is not left out: two topics become one, and never two again."""
    right = relabelling.weigh

    def weigh(arrays, d, old, n_held):
        right(arrays, d, old, n_held)
        weights = arrays.scratch.weights
        weights[:n_held] = np.maximum(weights[:n_held], 1e-3)

    return replaced(right, weigh)


def one_side_forgotten(which: str) -> Callable[[], AbstractContextManager[None]]:
    def mutant() -> AbstractContextManager[None]:
        right, turns = relabelling.row_at_exit, [which != "topic"]

        def row(*arguments):
            turns[0] = not turns[0]  # the topic side and the word side are asked in turn
            return -1 if turns[0] else right(*arguments)

        return replaced(right, row)

    return mutant


def largest_is_taken() -> AbstractContextManager[None]:
    """The best topic instead of a drawn one."""
    return replaced(relabelling.pick, lambda weights, n_held, old, u: int(np.argmax(weights[:n_held])))


MUTANTS = [topics_of_others_allowed, one_side_forgotten("topic"), one_side_forgotten("word"), largest_is_taken]


@pytest.mark.parametrize("mutant", MUTANTS)
def test_planted_bugs_are_caught(mutant):
    with mutant():
        chain = DocumentChain(TOYS["bursty, two words"](), "clamp")
        assert chain.error(chain.relabelling()) > 1e-4


@pytest.mark.parametrize("n", [1, 7, 400])
def test_products_of_many_small_factors_keep_their_ratios(n):
    """Factors of 1e-30 would leave nothing of a product without scaling."""
    rng = np.random.default_rng(1)
    factors, weights = rng.uniform(0.5, 1.5, (n, 3)) * 1e-30, np.ones(3)
    for i, row in enumerate(factors):
        relabelling.multiply(row, np.uint64(0), weights, 3, i)
    expected = np.log(factors).sum(axis=0)
    for a, b in pairwise(range(3)):
        assert np.log(weights[a] / weights[b]) == pytest.approx(expected[a] - expected[b], abs=1e-9)
