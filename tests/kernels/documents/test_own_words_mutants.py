"""Planted bugs in the kernels of documents' own words: each must show, or the tests of those kernels prove nothing.

The explicit sweep: rows of its transition matrix against those of the general kernel. The collapsed one: bytes.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernels.documents.exact import replaced
from kernels.documents.exact_explicit import DocumentChain
from kernels.documents.test_explicit_transitions import TOYS
from kernels.documents.test_one_node import MODELS, corpus_for, run
from pitmanyor.kernels.documents.one_node import own_words_draw, topic_draw
from pitmanyor.kernels.documents.own_words import scratch as restaurants
from pitmanyor.kernels.documents.own_words import word_repeats
from pitmanyor.kernels.documents.topic_nodes import own_words_draw as node_words_draw
from pitmanyor.kernels.documents.topic_nodes import topic_draw as node_topic_draw
from pitmanyor.state.engines import General, OneNode

pytestmark = pytest.mark.nojit

Mutant = Callable[[], AbstractContextManager[None]]


def words_as_if_new() -> AbstractContextManager[None]:
    """A word that a topic of the document has is weighed as one that it has not."""
    return replaced(own_words_draw.weigh_dishes, lambda *arguments: 0.0)


def words_as_if_new_at_topic_nodes() -> AbstractContextManager[None]:
    return replaced(node_words_draw.weigh_repeats, lambda *arguments: 0.0)


def slots_without_factors() -> AbstractContextManager[None]:
    """Slots of topic nodes weigh words as if none had been served."""
    right = node_topic_draw.weigh_slots

    def weigh(net, node_rows, factors, *rest):
        return right(net, node_rows, np.ones_like(factors), *rest)

    return replaced(right, weigh)


def nothing_refused() -> AbstractContextManager[None]:
    """A topic that weighs less than by the form is taken as if it did not."""
    return replaced(node_words_draw.chance, lambda *arguments: 1.0)


def scan_without_repeats() -> AbstractContextManager[None]:
    """The scan behind the tries forgets the words that topics have."""
    right = node_words_draw.draw_by_scan

    def scan(arrays, document, gain, token, sizes, weights, n):
        return right(arrays, document, gain, token, (sizes[0], 0), (weights[0], 0.0), n)

    return replaced(right, scan)


def words_weighed_without_their_counts() -> AbstractContextManager[None]:
    """The same in the collapsed sweep."""
    right = word_repeats.word_weight

    def weight(tables, terms, own, word_node, h, phi):
        return phi * restaurants.gain_of(own, word_node, h) * restaurants.scale_of(own, word_node, h)

    return replaced(right, weight)


def restaurants_without_customers() -> AbstractContextManager[None]:
    """A topic of the document weighs words as if it had served none."""
    right = restaurants.count_restaurant

    def count(own, word_node, h, customers, tables):
        right(own, word_node, h, 0, tables)

    return replaced(right, count)


def restaurants_without_tables() -> AbstractContextManager[None]:
    """Tables are not counted in E = b + a T."""
    right = restaurants.count_restaurant

    def count(own, word_node, h, customers, tables):
        right(own, word_node, h, customers, 0)

    return replaced(right, count)


def every_word_opens_a_table() -> AbstractContextManager[None]:
    return replaced(word_repeats.opens_dish, lambda *arguments: (np.int64(1), arguments[-1]))


def no_rejection() -> AbstractContextManager[None]:
    """What the sum over all topics proposes of the document's own is taken."""
    right = own_words_draw.draw_own

    def draw(arrays, document, mean, token, sizes, weights, n):
        (_, shape, key), (n_slots, _, n_listed), (gain, held) = document, sizes, weights
        net, sums, active = arrays.franchise.net, arrays.sums, arrays.scratch
        extra = own_words_draw.weigh_dishes(arrays.franchise, active, arrays.own, shape, gain, token, max(n_listed, 0))
        fresh = topic_draw.weigh_fresh(net, sums, active, shape, gain, token)
        x = own_words_draw.uniform_in(float, key, n) * (held + extra + fresh)
        if x < held + extra:
            return own_words_draw.slot_at(arrays, gain, token.row, sizes, held, x), n_slots, n + 1
        k = topic_draw.fresh_topic(net, sums, active, shape, token, (x - (held + extra)) / fresh)
        if active.slot_of[k] == topic_draw.NO_SLOT:
            return *own_words_draw.open_fresh(net, active, shape, np.uint64(k), n_slots), n + 1
        return np.uint64(active.slot_of[k]), n_slots, n + 1

    return replaced(right, draw)


def tables_never_leave() -> AbstractContextManager[None]:
    """A leaving customer takes its word's table along only if it sat alone."""

    def leaves(tables, terms, own, word_node, h, key, n):
        p = own.place[h] - 1
        return np.int64(own.seated[p] == own.opened[p]), n

    return replaced(word_repeats.leaves_dish, leaves)


def scan_without_words() -> AbstractContextManager[None]:
    """The scan behind the tries forgets the words that topics have."""
    right = own_words_draw.draw_by_scan

    def scan(arrays, document, gain, row, sizes, held, extra, n):
        return right(arrays, document, gain, row, (*sizes[:2], 0), held, 0.0, n)

    return replaced(right, scan)


EXPLICIT: list[Mutant] = [
    words_as_if_new,
    restaurants_without_customers,
    restaurants_without_tables,
    every_word_opens_a_table,
    no_rejection,
    scan_without_words,
]
AT_TOPIC_NODES: list[Mutant] = [
    words_as_if_new_at_topic_nodes,
    slots_without_factors,
    nothing_refused,
    scan_without_repeats,
    restaurants_without_customers,
    restaurants_without_tables,
    every_word_opens_a_table,
]
COLLAPSED: list[Mutant] = [
    words_weighed_without_their_counts,
    restaurants_without_customers,
    restaurants_without_tables,
    every_word_opens_a_table,
    tables_never_leave,
]


PLANTED = [("bursty", "one node", mutant) for mutant in EXPLICIT]
PLANTED += [("bursty, few own words", "topic nodes", mutant) for mutant in AT_TOPIC_NODES]


@cache
def starts_and_rows(toy: str) -> tuple[list[int], csr_array]:
    """Some states, and the rows of the general kernel from there."""
    chain = DocumentChain(TOYS[toy](), "clamp")
    starts = list(range(0, len(chain.states), 9 if toy == "bursty" else 3))
    return starts, chain.visit(starts)


def deviation(toy: str, engine: str) -> float:
    """Of the rows of a fast kernel from those of the general one."""
    starts, expected = starts_and_rows(toy)
    return float(abs(DocumentChain(TOYS[toy](), "clamp", engine).visit(starts) - expected).max())


@pytest.mark.parametrize(("toy", "engine", "mutant"), PLANTED, ids=lambda part: getattr(part, "__name__", part))
def test_planted_bug_shows_in_the_explicit_sweep(toy: str, engine: str, mutant: Mutant) -> None:
    starts_and_rows(toy)
    with mutant():
        assert deviation(toy, engine) > 1e-6


@pytest.mark.parametrize(("toy", "engine"), [("bursty", "one node"), ("bursty, few own words", "topic nodes")])
def test_without_a_bug_the_sweeps_agree(toy: str, engine: str) -> None:
    assert deviation(toy, engine) < 1e-13


@cache
def collapsed_bytes() -> bytes:
    graph = MODELS["bursty hpyp"]()
    return run(graph, corpus_for(graph), engine=General).text.topic.tobytes()


@pytest.mark.parametrize("mutant", COLLAPSED, ids=lambda mutant: mutant.__name__)
def test_planted_bug_shows_in_the_collapsed_sweep(mutant: Mutant) -> None:
    graph = MODELS["bursty hpyp"]()
    expected = collapsed_bytes()
    with mutant():
        assert run(graph, corpus_for(graph), engine=OneNode).text.topic.tobytes() != expected
