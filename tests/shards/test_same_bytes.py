"""A chain over shards leaves the bytes of the chain of the whole corpus."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from unittest.mock import patch

import numba
import numpy as np
import pytest

from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError, StateError
from pitmanyor.graph import Beta
from pitmanyor.models import hpyp, tntm
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.chain import Chain
from pitmanyor.shards.shard import Moving, moving_of
from pitmanyor.shards.sharded import bounds_of, empty_state, in_files, in_memory
from pitmanyor.shards.sharded_chain import ShardedChain
from pitmanyor.shards.step import Worker
from pitmanyor.state import new_state
from pitmanyor.state.means import mean
from shard_chains import MODELS, OPTIONS, corpus_of, differences, plain, run, sharded


@pytest.fixture(autouse=True)
def no_corpus_is_small(monkeypatch):
    monkeypatch.setattr("pitmanyor.sampling.chain.SMALL_CORPUS", 0)


@pytest.mark.parametrize("name", MODELS)
def test_shards_of_any_size_have_the_bytes_of_the_whole_corpus(name):
    graph = MODELS[name]
    corpus = corpus_of(graph)
    whole = plain(graph, corpus, **OPTIONS)
    for size in (100, 10_000):
        assert differences(whole, sharded(graph, corpus, size, **OPTIONS)) == []


@pytest.mark.parametrize("name", ["hpyp", "bursty tntm", "words of authors", "a concentration for each document"])
def test_shards_in_files_have_the_bytes_of_the_whole_corpus(name, tmp_path):
    graph = MODELS[name]
    corpus = corpus_of(graph)
    assert differences(plain(graph, corpus, **OPTIONS), sharded(graph, corpus, 150, home=tmp_path, **OPTIONS)) == []


@pytest.mark.parametrize("name", ["tntm", "words of authors", "bursty"])
def test_all_shards_together_are_a_state_of_the_whole_corpus(name, tmp_path):
    """Its plan is the one that is compiled, and estimates are the same."""
    graph = MODELS[name]
    corpus = corpus_of(graph)
    plan, bounds = compile_plan(graph, corpus), bounds_of(graph, corpus, 150)
    for hold in (in_memory, lambda *given: in_files(*given, tmp_path)):
        state = empty_state(graph, corpus, bounds[0])
        chain = ShardedChain(state, hold(state, corpus, *bounds), **OPTIONS)
        run(chain, 6, 2)
        whole = chain.whole()
        for part in ("cells", "topic_walks", "word_walks", "order", "instances"):
            assert same(getattr(plan, part), getattr(whole.plan, part)), part
        assert same(plan.context, whole.plan.context) and same(plan.leaf, whole.plan.leaf)
        other = Chain(new_state(plan), **OPTIONS)
        run(other, 6, 2)
        for node in graph.nodes:
            assert np.array_equal(mean(whole, node.name), mean(other.state, node.name))


def same(one, other) -> bool:
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return same(vars(one), vars(other)) if hasattr(one, "__dict__") else one is other or one == other


def test_shards_may_be_swept_in_any_order_and_on_any_number_of_threads():
    graph = MODELS["tntm"]
    corpus = corpus_of(graph)
    once = sharded(graph, corpus, 100, **OPTIONS)
    backwards = sharded(graph, corpus, 100, order=lambda n: range(n - 1, -1, -1), **OPTIONS)
    assert differences(once, backwards) == []
    if numba.config.NUMBA_NUM_THREADS > 1:
        assert differences(once, sharded(graph, corpus, 100, n_threads=2, **OPTIONS)) == []
    assert differences(once, sharded(graph, corpus, 100, **{**OPTIONS, "seed": 8})) != []


@pytest.mark.parametrize(
    ("name", "n_topics", "options"),
    [
        ("lda", 6, {"kind": "explicit"}),
        ("hpyp", None, {"kind": "collapsed"}),
        ("hpyp", None, {"anchors": 1.0}),
        ("hpyp", 5, {"anchors": 1e-9}),  # then one document is an anchor
    ],
)
def test_every_kind_of_sweep_has_the_same_bytes(name, n_topics, options):
    graph = MODELS[name]
    corpus = corpus_of(graph)
    whole = plain(graph, corpus, n_topics, seed=7, **options)
    assert differences(whole, sharded(graph, corpus, 150, n_topics, seed=7, **options)) == []


def test_small_corpora_are_swept_collapsed(monkeypatch):
    monkeypatch.setattr("pitmanyor.sampling.chain.SMALL_CORPUS", 20_000)
    graph = MODELS["hpyp"]
    corpus = corpus_of(graph)
    assert differences(plain(graph, corpus, seed=7), sharded(graph, corpus, 150, seed=7)) == []


def test_documents_without_tokens_are_no_matter():
    corpus = Corpus.from_tokens([[], ["a", "b", "a"], [], [], ["c", "a"], []] * 8)
    whole = plain(hpyp(), corpus, **OPTIONS)
    assert differences(whole, sharded(hpyp(), corpus, 4, **OPTIONS)) == []


def plant(monkeypatch, module: str, name: str, make):
    home = import_module(f"pitmanyor.shards.{module}")
    monkeypatch.setattr(home, name, make(getattr(home, name)))


MUTANTS = {
    "draws keyed by the place in the shard": (
        "sharded",
        "read_shard",
        lambda real: lambda *given: real(*given)._replace(number=real(*given).number - real(*given).number[:1]),
    ),
    "labels that shards are not told": (
        "step",
        "obey",
        lambda real: lambda text, orders: real(text, orders._replace(place=np.arange(999, dtype=np.int32))),
    ),
    "anchors that are not sent back": (
        "step",
        "obey",
        lambda real: (
            lambda text, orders: real(
                text, orders._replace(anchors=orders.anchors[:0], moved=Moving(*(part[:0] for part in orders.moved)))
            )
        ),
    ),
    "customers that are counted twice": (
        "step",
        "count_cells",
        lambda real: lambda *given: [real(*given), real(*given)],
    ),
    "sums of the first shard alone": ("shard_sweeper", "add_sums", lambda real: lambda parts: real(list(parts)[:1])),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_mistakes_are_seen(mutant, monkeypatch):
    graph = MODELS["hpyp"]
    corpus = corpus_of(graph)
    whole = plain(graph, corpus, **OPTIONS)
    plant(monkeypatch, *MUTANTS[mutant])
    with suppress(StateError, IndexError, ValueError):  # seen sooner
        assert differences(whole, sharded(graph, corpus, 100, **OPTIONS)) != []


def test_a_step_writes_to_no_input():
    graph = MODELS["bursty tntm"]
    corpus = corpus_of(graph)
    bounds, has_tokens = bounds_of(graph, corpus, 200)
    state = empty_state(graph, corpus, bounds)
    held = in_memory(state, corpus, bounds, has_tokens)
    chain, before = ShardedChain(state, held, **OPTIONS), []

    def frozen(real):
        def step(self, shard, orders, counts):
            arrays = [*shard.text, *shard.leaves, orders.place, orders.anchors, *orders.moved, *orders[3:]]
            net = self.shared.state.net
            kept = [array.tobytes() for array in (*arrays, *net)]
            out = real(self, shard, orders, counts)
            before.append(kept == [array.tobytes() for array in (*arrays, *net)])
            assert not any(np.shares_memory(new, old) for new, old in zip(out[0], moving_of(shard.text), strict=True))
            return out

        return step

    with patch("pitmanyor.shards.step.Worker.step", frozen(Worker.step)):
        run(chain, 5, 3)
    assert before and all(before)


def test_what_shards_cannot_do_is_refused():
    corpus = corpus_of(MODELS["hpyp"])
    for graph, word in ((tntm(), "network"), (hpyp().set("theta", discount=Beta(1, 1)), "discount")):
        with pytest.raises(PlanError, match=word):
            empty_state(graph, corpus, np.array([0, 40]))
