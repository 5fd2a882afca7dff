"""Shards on the workers of a cluster: the same bytes on one worker, on two, and when workers are ended on the way."""

from __future__ import annotations

import random

import pytest

from ended_workers import end_once, end_once_while_saving
from pitmanyor.errors import PlanError, StateError
from pitmanyor.shards import on_dask as module
from pitmanyor.shards.on_dask import OnDask, as_client
from shard_chains import MODELS, OPTIONS, corpus_of, differences, plain, sharded

distributed = pytest.importorskip("distributed")


@pytest.fixture(autouse=True)
def no_corpus_is_small(monkeypatch):
    monkeypatch.setattr("pitmanyor.sampling.chain.SMALL_CORPUS", 0)
    monkeypatch.setattr(module, "EVERY", 3)


@pytest.fixture(scope="module")
def client():
    with as_client("local", n_workers=2) as two:
        yield two


def ending(monkeypatch, places, tmp_path):
    """Let workers be ended in these (sweep, shard)."""
    submit, counts = OnDask._submit, {}

    def submitted(self, what, function, *given):
        if what == "sweep":
            sweep = given[4]
            shard = counts[sweep] = counts.get(sweep, -1) + 1
            if (sweep, shard) in places:
                return submit(self, what, end_once, str(tmp_path / f"ended-{sweep}-{shard}"), *given)
        return submit(self, what, function, *given)

    monkeypatch.setattr(OnDask, "_submit", submitted)


@pytest.mark.parametrize(
    "name", ["tntm", "words of authors", "a concentration for each document", "a discount that is sampled"]
)
def test_two_workers_have_the_bytes_of_one_process(client, name, tmp_path):
    graph = MODELS[name]
    corpus = corpus_of(graph)
    found = sharded(graph, corpus, 150, home=tmp_path, client=client, **OPTIONS)
    assert differences(plain(graph, corpus, **OPTIONS), found) == []
    assert found[2]["shards/bytes_sent"][-1] > 0 and found[2]["shards/bytes_received"][-1] > 0
    assert found[2]["shards/seconds_computing"][-1] > 0


def test_one_worker_has_the_same_bytes_and_files_of_past_sweeps_are_removed(tmp_path, monkeypatch):
    """Counts are added in two rounds before the driver takes them."""
    monkeypatch.setattr(module, "GROUP", 2)
    graph = MODELS["hpyp"]
    corpus = corpus_of(graph)
    with as_client("local", n_workers=1) as one:
        found = sharded(graph, corpus, 150, home=tmp_path, client=one, **OPTIONS)
    assert differences(plain(graph, corpus, **OPTIONS), found) == []
    assert len(list(tmp_path.glob("shared-*"))) < 3


def test_a_worker_that_is_killed_in_the_middle_of_a_sweep_changes_no_byte(client, tmp_path, monkeypatch):
    graph = MODELS["hpyp"]
    corpus = corpus_of(graph)
    ending(monkeypatch, {(3, 1), (6, 2), (6, 4)}, tmp_path)
    found = sharded(graph, corpus, 150, home=tmp_path, client=client, **OPTIONS)
    assert len(list(tmp_path.glob("ended-*"))) == 3
    assert differences(plain(graph, corpus, **OPTIONS), found) == []


def test_a_worker_that_is_killed_while_it_saves_a_shard_changes_no_byte(client, tmp_path, monkeypatch):
    """Half a file stays there under another name, which nobody reads."""
    graph, submit, mark = MODELS["hpyp"], OnDask._submit, str(tmp_path / "ended")
    corpus = corpus_of(graph)

    def submitted(self, what, function, *given):
        if what == "save":
            return submit(self, what, end_once_while_saving, mark, *given)
        return submit(self, what, function, *given)

    monkeypatch.setattr(OnDask, "_submit", submitted)
    found = sharded(graph, corpus, 150, home=tmp_path, client=client, **OPTIONS)
    (half,) = tmp_path.glob(".shard-*.part")
    assert half.stat().st_size > 0
    assert differences(plain(graph, corpus, **OPTIONS), found) == []


@pytest.mark.long
def test_fifty_random_kills_change_no_byte(client, tmp_path, monkeypatch):
    graph, rng = MODELS["tntm"], random.Random(1)
    corpus = corpus_of(graph)
    whole = plain(graph, corpus, **OPTIONS)
    for repeat in range(10):
        home = tmp_path / str(repeat)
        home.mkdir()
        with monkeypatch.context() as patched:
            ending(patched, {(rng.randint(2, 9), rng.randint(0, 4)) for _ in range(5)}, home)
            assert differences(whole, sharded(graph, corpus, 150, home=home, client=client, **OPTIONS)) == []


def test_two_fits_on_one_client_do_not_meet(client, tmp_path):
    graph = MODELS["hpyp"]
    corpus = corpus_of(graph)
    results = []
    for seed in (7, 8):
        (tmp_path / str(seed)).mkdir()
        results.append(
            sharded(graph, corpus, 150, home=tmp_path / str(seed), client=client, **{**OPTIONS, "seed": seed})
        )
    assert differences(plain(graph, corpus, **{**OPTIONS, "seed": 8}), results[1]) == []
    assert differences(*results) != []


def test_workers_of_two_threads_are_refused(tmp_path):
    options = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster) as two,
        pytest.raises(PlanError, match="--nthreads 1"),
    ):
        sharded(MODELS["hpyp"], corpus_of(MODELS["hpyp"]), 150, home=tmp_path, client=two, **OPTIONS)


def test_a_cluster_without_workers_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "WAIT", 1)
    monkeypatch.setattr(module, "POLL", 1)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as nobody,
    ):
        with pytest.raises(PlanError, match="no worker has joined"):
            module.check_workers(nobody, str(tmp_path))
        holder = object.__new__(OnDask)
        holder.client = nobody
        with pytest.raises(StateError, match="no worker has been there"):
            holder._results([nobody.submit(abs, -1)])


def test_a_directory_that_workers_do_not_see_is_refused(client, tmp_path):
    with pytest.raises(PlanError, match="all workers share"):
        module.check_workers(client, str(tmp_path / "elsewhere"))


@pytest.mark.parametrize("wrong", ["far away", 7])
def test_what_is_no_client_is_told_so(wrong):
    with pytest.raises(PlanError, match="tcp://"), as_client(wrong):
        pass
