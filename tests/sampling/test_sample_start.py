"""A large corpus: topics are searched for in a sample, and the other documents are seated given them."""

import numpy as np
import pytest

from oracle.invariants import check
from pitmanyor import Corpus, Graph, models
from pitmanyor.plan import compile_plan
from pitmanyor.sampling import chain as chain_module
from pitmanyor.sampling import sample_start
from pitmanyor.sampling.chain import Chain
from pitmanyor.sampling.sample_start import pick_sample, plan_of_sample
from pitmanyor.state import new_state
from pitmanyor.state.some_documents import tokens_of
from pitmanyor.state.topic_sizes import is_large
from planted_posts import TOPICS, planted_posts

SAMPLED = 6_000
SEED = (1, 0, 0)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted_posts().corpus


@pytest.fixture(autouse=True)
def few(monkeypatch) -> None:
    monkeypatch.setattr(sample_start, "SAMPLED", SAMPLED)


def _chain(corpus: Corpus, graph: Graph) -> Chain:
    return Chain(new_state(compile_plan(graph, corpus)), seed=1, passes=2, moves=True)


@pytest.mark.parametrize("graph", [models.hpyp(), models.bursty(models.hpyp())], ids=["hpyp", "bursty"])
def test_planted_topics_are_found_in_a_sample_and_nothing_else_is_searched(corpus, graph, monkeypatch) -> None:
    searched, right = list[int](), chain_module.search

    def search(state, *given):
        searched.append(state.plan.n_documents)
        return right(state, *given)

    monkeypatch.setattr(chain_module, "search", search)
    chain = _chain(corpus, graph)
    chain.initialise(20)
    assert len(searched) == 1 and searched[0] < corpus.n_documents / 2
    assert np.count_nonzero(is_large(np.bincount(chain.state.text.topic))) == TOPICS
    check(chain.state)


def test_documents_of_the_sample_have_the_topics_of_the_search(corpus, monkeypatch) -> None:
    found, right = list[np.ndarray](), Chain._seat_from

    def seat(self, documents, topics):
        found.extend((documents, topics))
        right(self, documents, topics)

    monkeypatch.setattr(Chain, "_seat_from", seat)
    monkeypatch.setattr(chain_module, "tidy", lambda state: None)  # topics keep their numbers
    chain = _chain(corpus, models.hpyp())
    chain.initialise(20)
    documents, topics = found
    text = chain.state.text
    np.testing.assert_array_equal(text.topic[tokens_of(text, documents)], topics)
    np.testing.assert_array_equal(documents, pick_sample(chain.state.plan.graph, corpus, corpus.n_tokens, SEED))


def test_a_sample_is_as_large_as_a_search_takes_and_its_tokens_are_in_the_same_order(corpus) -> None:
    graph = models.tntm().without("follows")
    posts = [{"text": f"bread oven{i % 7} butter{i % 5} #tag{i % 3}", "user": f"u{i % 4}"} for i in range(50)]
    with_tags = Corpus.from_tokens(
        {"word": [post["text"].split()[:3] for post in posts], "hashtag": [[post["text"][-4:]] for post in posts]},
        groups={"author": [post["user"] for post in posts]},
    )
    documents = pick_sample(graph, with_tags, 50 * SAMPLED, SEED)
    whole, sample = compile_plan(graph, with_tags), plan_of_sample(graph, with_tags, documents)
    text = new_state(whole).text
    assert 1 <= len(documents) < 10
    np.testing.assert_array_equal(sample.order.word, whole.order.word[tokens_of(text, documents)])
    some = pick_sample(models.hpyp(), corpus, corpus.n_tokens, SEED)
    assert abs(60 * len(some) - SAMPLED) < SAMPLED / 4


def test_a_stream_with_few_tokens_is_in_the_sample() -> None:
    corpus = Corpus.from_tokens(
        {"word": [["a", "b"]] * 30, "hashtag": [[] if i != 17 else ["#c"] for i in range(30)]},
        groups={"author": ["ann", "bob"] * 15},
    )
    graph = models.tntm().without("follows")
    assert 17 in pick_sample(graph, corpus, 10**9, SEED)


def test_the_search_in_a_sample_heeds_a_wish_to_stop(corpus) -> None:
    asked, chain = list[int](), _chain(corpus, models.hpyp())
    chain.initialise(20, lambda n: bool(asked.append(n)))
    assert len(asked) >= 1 and chain.started
    check(chain.state)
