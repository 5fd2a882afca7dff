"""Splits, merges and the search for a start over shards: the bytes of the chain of the whole corpus."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

from pitmanyor.sampling import chain as chain_module
from pitmanyor.sampling import sample_start
from pitmanyor.sampling.split_merge import SplitMerge
from pitmanyor.shards import shard_moves
from pitmanyor.shards.in_memory import InMemory
from pitmanyor.shards.on_dask import as_client
from pitmanyor.shards.shard_files import InFiles
from pitmanyor.shards.shard_moves import ShardMoves
from shard_chains import MODELS, OPTIONS, corpus_of, differences, plain, sharded

OPTIONS = {**OPTIONS, "moves": True}
MANY = 4.0  # moves in a sweep
SEARCHED = ["hdp_lda", "words of authors", "bursty tntm"]


@pytest.fixture(autouse=True)
def no_corpus_is_small(monkeypatch):
    monkeypatch.setattr(chain_module, "SMALL_CORPUS", 0)
    monkeypatch.setattr(chain_module, "rate_of", lambda *_: MANY)


@pytest.fixture
def no_search(monkeypatch):
    """Topics stay as they were dealt: there is more to split and to merge."""
    monkeypatch.setattr(chain_module.Chain, "searches", False)


@pytest.fixture
def samples(monkeypatch):
    """These corpora, of 800 tokens, are large."""
    monkeypatch.setattr(sample_start, "SAMPLED", 300)


def accepted(trace) -> float:
    return sum(trace["moves/splits"]) + sum(trace["moves/merges"])


@pytest.fixture
def accepting(monkeypatch):
    """Every other move is made whatever its ratio: small corpora would seldom see one in some models."""
    right = SplitMerge.propose

    def propose(self, state, kernel, selection, seed):
        proposal = right(self, state, kernel, selection, seed)
        return proposal._replace(log_alpha=np.inf) if seed[3] % 2 else proposal

    monkeypatch.setattr(SplitMerge, "propose", propose)


@pytest.mark.usefixtures("no_search", "accepting")
@pytest.mark.parametrize("name", MODELS)
def test_moves_have_the_bytes_of_the_whole_corpus(name, tmp_path):
    graph = MODELS[name]
    corpus = corpus_of(graph)
    whole = plain(graph, corpus, **OPTIONS)
    assert sum(whole[2]["moves/splits"]) + (name == "lda") > 0 and sum(whole[2]["moves/merges"]) > 0
    found = sharded(graph, corpus, 100, **OPTIONS)
    assert differences(whole, found) == []
    assert sum(found[2]["shards/seconds_moving"]) > 0
    assert differences(whole, sharded(graph, corpus, 150, home=tmp_path, **OPTIONS)) == []


@pytest.mark.parametrize("name", SEARCHED)
def test_a_small_corpus_is_searched_as_a_whole(name, tmp_path):
    graph = MODELS[name]
    corpus = corpus_of(graph)
    whole = plain(graph, corpus, **OPTIONS)
    assert differences(whole, sharded(graph, corpus, 150, home=tmp_path, **OPTIONS)) == []


@pytest.mark.usefixtures("samples")
@pytest.mark.parametrize("name", SEARCHED)
def test_a_large_corpus_starts_from_a_sample(name, tmp_path):
    graph = MODELS[name]
    corpus = corpus_of(graph)
    whole = plain(graph, corpus, **OPTIONS)
    for size in (100, 10_000):
        assert differences(whole, sharded(graph, corpus, size, **OPTIONS)) == []
    assert differences(whole, sharded(graph, corpus, 150, home=tmp_path, **OPTIONS)) == []


@pytest.mark.usefixtures("no_search")
def test_moves_whose_documents_are_too_many_are_not_made(monkeypatch):
    graph = MODELS["hpyp"]
    corpus = corpus_of(graph)
    free = plain(graph, corpus, **OPTIONS)
    monkeypatch.setattr(SplitMerge, "most", 200)
    whole = plain(graph, corpus, **OPTIONS)
    assert differences(free, whole) != []
    assert differences(whole, sharded(graph, corpus, 100, **OPTIONS)) == []
    monkeypatch.setattr(SplitMerge, "most", 1)
    none = plain(graph, corpus, **OPTIONS)
    assert accepted(none[2]) == 0
    assert differences(none, sharded(graph, corpus, 100, **OPTIONS)) == []


def nothing(*_):
    return None


MUTANTS = {
    "documents that shards are not given back": (InMemory, "change", nothing),
    "sums of documents as they were": (shard_moves, "change_sums", lambda sums, *_: sums),
    "sizes of topics as they were": (
        ShardMoves,
        "sizes",
        lambda self: self.__dict__.setdefault("once", self.sweeper.sizes.copy()),
    ),
    "anchors as they were before": (ShardMoves, "_give_back", "stale"),
}


@pytest.mark.usefixtures("no_search")
@pytest.mark.parametrize("mutant", MUTANTS)
def test_mistakes_are_seen(mutant, monkeypatch):
    graph = MODELS["hdp_lda"]
    corpus = corpus_of(graph)
    whole = plain(graph, corpus, **OPTIONS)
    place, name, wrong = MUTANTS[mutant]
    if wrong == "stale":
        right = ShardMoves._give_back

        def wrong(self, *given):
            ahead = self.sweeper.ahead
            right(self, *given)
            self.sweeper.ahead = ahead

    monkeypatch.setattr(place, name, wrong)
    with suppress(IndexError):  # seen sooner
        assert differences(whole, sharded(graph, corpus, 100, **OPTIONS)) != []


@pytest.mark.usefixtures("no_search")
def test_only_shards_that_hold_a_topic_are_read(tmp_path, monkeypatch):
    graph = MODELS["hdp_lda"]
    corpus, read = corpus_of(graph), []
    real = InFiles._some

    def some(self, number, documents):
        read.append(len(documents))
        return real(self, number, documents)

    monkeypatch.setattr(InFiles, "_some", some)
    whole = plain(graph, corpus, **OPTIONS)
    assert differences(whole, sharded(graph, corpus, 20, home=tmp_path, **OPTIONS)) == []
    assert 0 in read and np.max(read) > 0


@pytest.mark.usefixtures("no_search")
@pytest.mark.parametrize("name", ["hdp_lda", "a concentration for each document"])
def test_moves_on_a_cluster(name, tmp_path):
    pytest.importorskip("distributed")
    graph = MODELS[name]
    corpus = corpus_of(graph)
    with as_client("local", n_workers=2) as client:
        found = sharded(graph, corpus, 150, home=tmp_path, client=client, **OPTIONS)
    assert accepted(found[2]) > 0
    assert differences(plain(graph, corpus, **OPTIONS), found) == []
