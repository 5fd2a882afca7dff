"""The search for a start: how many topics are dealt at first hardly matters, and needless topics are merged."""

import numpy as np
import pytest

from oracle.invariants import check
from pitmanyor import Corpus, Graph, models
from pitmanyor.errors import PlanError
from pitmanyor.kernels.split_merge.moves import seat_path
from pitmanyor.plan import compile_plan
from pitmanyor.sampling import split_merge
from pitmanyor.sampling.chain import Chain
from pitmanyor.sampling.split_merge import LAUNCH_FIRST, NONE, Selection, SplitMerge
from pitmanyor.sampling.start import AT_FIRST, DOUBLINGS, LAST_ROUNDS, ROUNDS, gather, search
from pitmanyor.sampling.sweeps import initialise
from pitmanyor.sampling.topic_search import TopicSearch
from pitmanyor.state import new_state
from pitmanyor.state.topic_sizes import is_large
from planted_posts import TOPICS, planted_posts


@pytest.fixture(scope="module")
def planted() -> tuple[Corpus, np.ndarray]:
    drawn = planted_posts()
    return drawn.corpus, np.concatenate([np.asarray(row) for row in drawn.topics["word"]])


def _chain(corpus: Corpus, graph: Graph | None = None, most: int | None = None) -> Chain:
    state = new_state(compile_plan(graph or models.hpyp(), corpus), max_topics=most)
    return Chain(state, seed=1, passes=2, moves=True)


def _n_large(chain: Chain) -> int:
    return int(np.count_nonzero(is_large(np.bincount(chain.state.text.topic))))


def _at_the_truth(planted: tuple[Corpus, np.ndarray], halved: bool) -> Chain:
    """A chain at the planted topics; the first of them is dealt to two, document by document, if `halved`."""
    corpus, truth = planted
    chain = _chain(corpus)
    topics, documents = truth[chain.state.plan.order.source].astype(np.int64), chain.state.plan.order.document
    if halved:
        topics[(topics == 0) & (documents % 2 == 1)] = TOPICS
    chain.initialise_at(topics)
    for _ in range(5):
        chain._sample_tokens((1, 0, 1 + chain.n_sweeps))
    return chain


@pytest.mark.parametrize("n_topics", [1, 5, 60])
def test_the_number_of_topics_dealt_at_first_does_not_matter(planted, n_topics) -> None:
    chain = _chain(planted[0])
    chain.initialise(n_topics)
    assert _n_large(chain) == TOPICS


def test_a_bursty_model_starts_well_too(planted) -> None:
    chain = _chain(planted[0], models.bursty(models.hpyp()))
    chain.initialise(30)
    assert _n_large(chain) == TOPICS


def test_topics_that_are_too_many_are_gathered_from_more(planted, monkeypatch) -> None:
    """A chain that may have fewer topics than are planted has so many, and most of each planted one is in one."""
    corpus, truth = planted
    chain, gathered = _chain(corpus, most=TOPICS // 2), list[int]()
    monkeypatch.setattr(
        "pitmanyor.sampling.chain.gather", lambda state, *args: gathered.append(state.n_topics) or gather(state, *args)
    )
    chain.initialise(2)
    assert gathered == [TOPICS]
    assert chain.state.n_topics == chain.state.max_topics == TOPICS // 2
    together = np.zeros((TOPICS, TOPICS // 2))
    np.add.at(together, (truth[chain.state.plan.order.source], chain.state.text.topic), 1)
    assert (together.max(axis=1) > 0.7 * together.sum(axis=1)).all()
    check(chain.state)


def test_a_search_that_is_stopped_leaves_no_more_topics_than_are_allowed(planted) -> None:
    chain = _chain(planted[0], most=2)
    chain.initialise(2, lambda _: False)
    assert chain.state.n_topics <= 2
    with pytest.raises(PlanError, match="cannot start with 3 topics: this chain may have at most 2"):
        _chain(planted[0], most=2).initialise(3)


def test_halves_of_a_topic_are_the_cheapest_to_merge(planted) -> None:
    chain = _at_the_truth(planted, halved=True)
    truth = planted[1][chain.state.plan.order.source]
    halves = [np.bincount(chain.state.text.topic[truth == 0]).argsort()[i] for i in (-1, -2)]
    search_moves = TopicSearch(SplitMerge(chain.state), (1, 0, 9))
    search_moves.merge_cheapest(chain.state, TOPICS, np.random.default_rng(0))
    assert chain.state.n_topics == TOPICS
    assert (np.bincount(chain.state.text.topic, minlength=TOPICS + 1)[halves] == 0).sum() == 1


def test_many_topics_become_few_by_pairs(planted) -> None:
    chain = _chain(planted[0])
    initialise(chain.state, (1, 0, 0), 12)
    search_moves = TopicSearch(SplitMerge(chain.state), (1, 0, 9))
    search_moves.pair_up(chain.state, 5)
    assert chain.state.n_topics == 6  # each of twelve with another
    search_moves.pair_up(chain.state, 5)
    assert chain.state.n_topics == 5  # and no fewer than that
    check(chain.state)


def test_only_topics_that_do_better_as_two_are_split(planted) -> None:
    chain = _at_the_truth(planted, halved=False)
    topics = chain.state.text.topic.astype(np.int64)
    search_moves = TopicSearch(SplitMerge(chain.state), (1, 0, 9))
    assert search_moves.split_where_better(chain.state, np.random.default_rng(0)) == 0
    np.testing.assert_array_equal(chain.state.text.topic, topics)
    chain = _chain(planted[0])
    chain.initialise_at(np.where(topics == 1, 0, topics - (topics > 1)))
    assert (
        TopicSearch(SplitMerge(chain.state), (1, 0, 9)).split_where_better(chain.state, np.random.default_rng(0)) == 1
    )
    assert chain.state.n_topics == TOPICS


@pytest.mark.parametrize("halved", [True, False])
def test_two_halves_of_a_topic_are_merged_and_two_topics_are_not(planted, halved) -> None:
    chain = _at_the_truth(planted, halved)
    state, moves = chain.state, SplitMerge(chain.state)
    moves.index(state)
    one = int(np.bincount(state.text.topic).argmin()) if halved else 0
    other, _ = TopicSearch(moves, (1, 0, 9))._nearest(state, one)
    anchors = int(moves.tokens_of(one)[0]), int(moves.tokens_of(other)[0])
    before = state.text.topic.copy(), state.text.code.copy(), state.net.counts.copy()
    proposal = moves.merge_or_split_again(state, Selection((one, other), (one, NONE), anchors), (1, 0, 9, 1))
    assert (proposal.log_alpha > 0.0) == halved
    assert not np.any(state.text.topic == other)
    moves.refuse(state, proposal)
    for array, was in zip((state.text.topic, state.text.code, state.net.counts), before, strict=True):
        np.testing.assert_array_equal(array, was)


def test_a_search_that_sweeps_undo_comes_to_an_end() -> None:
    chain = _chain(Corpus.from_tokens([["a", "b"], ["a"], ["b", "c"]]))
    chain.initialise(2)
    n_sweeps = []
    rounds = search(chain.state, lambda times, _: n_sweeps.append(times), (1, 0, 2**32), lambda _: True)
    assert len(rounds) <= ROUNDS + LAST_ROUNDS
    assert len(n_sweeps) <= 1 + 2 * DOUBLINGS + 3 * (ROUNDS + LAST_ROUNDS)


def test_nobody_who_wants_to_stop_waits_for_a_round(planted) -> None:
    chain, n_sweeps = _at_the_truth(planted, halved=False), []
    assert search(chain.state, lambda times, _: n_sweeps.append(times), (1, 0, 2**32), lambda _: False) == []
    assert n_sweeps == [AT_FIRST]


def test_what_is_split_again_leaves_no_trace_in_the_merge(planted, monkeypatch) -> None:
    """The same tokens are seated in one topic with the same weight, whether or not they were split before."""
    chain, weights = _at_the_truth(planted, halved=False), []
    state, moves = chain.state, SplitMerge(chain.state)
    moves.index(state)
    monkeypatch.setattr(split_merge, "seat_path", lambda *args: weights.append(seat_path(*args)) or weights[-1])
    selection = Selection((0, 1), (0, NONE), (int(moves.tokens_of(0)[0]), int(moves.tokens_of(1)[0])))
    moves.refuse(state, moves.merge_or_split_again(state, selection, (1, 0, 9, 1)))
    moves.refuse(state, moves.propose(state, LAUNCH_FIRST, selection, (1, 0, 9, 1)))
    _, merged_after_a_split, merged = weights
    assert merged_after_a_split == pytest.approx(merged, rel=1e-12)


@pytest.mark.parametrize("n_tokens", [1, 40])
def test_a_topic_is_absorbed_and_the_counts_are_those_of_the_tokens(planted, n_tokens) -> None:
    chain = _at_the_truth(planted, False)
    topics = chain.state.text.topic.astype(np.int64)
    topics[:n_tokens] = TOPICS
    chain = _chain(planted[0])
    chain.initialise_at(topics)
    state, moves = chain.state, SplitMerge(chain.state)
    moves.index(state)
    moves.absorb(state, TOPICS, 0, (1, 0, 9, 1))
    expected = np.where(topics == TOPICS, 0, topics)
    np.testing.assert_array_equal(state.text.topic, expected)
    assert state.n_topics == TOPICS
    check(state)


def test_a_topic_swallows_one_other_at_most_before_the_next_sweeps(planted, monkeypatch) -> None:
    chain = _at_the_truth(planted, False)
    search_moves, merged = TopicSearch(SplitMerge(chain.state), (1, 0, 9)), list[int]()
    monkeypatch.setattr(TopicSearch, "_merge", lambda self, state, rng, *pair: bool(merged.extend(pair)) or True)
    search_moves.moves.index(chain.state)
    assert search_moves._merge_large(chain.state, np.random.default_rng(0)) > 0
    assert len(set(merged)) == len(merged)
