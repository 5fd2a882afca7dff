"""fit(memory=...) and fit(client=...): the Fit of one process, byte for byte, and a run like any other."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import killed_driver
from pitmanyor import Corpus, Network, Sampler, Start, fit, load, resume
from pitmanyor.errors import PlanError
from pitmanyor.models import hpyp, tntm
from pitmanyor.shards import budget
from pitmanyor.shards.sharded_chain import COSTS, ShardedChain
from shard_chains import corpus_of, differences

OPTIONS = {"seed": 3, "keep": 3, "progress": False, "threads": 1, "sampler": Sampler(anchors=0.1, moves=False)}
GRAPH = hpyp()


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr("pitmanyor.sampling.chain.SMALL_CORPUS", 0)
    monkeypatch.setattr(budget, "LEAST_TOKENS", 100)
    monkeypatch.setattr(budget, "PER_TOKEN", 10**6)


@pytest.fixture
def corpus(tmp_path) -> Corpus:
    corpus_of(GRAPH).save(tmp_path / "corpus")
    return Corpus.load(tmp_path / "corpus", mapped=True)


def parts(fitted):
    return parts_of(fitted.runs[0])


def parts_of(run):
    state, trace = run.chain.state, run.chain.trace
    return state.net, state.text, {name: values for name, values in trace.items() if not name.startswith(COSTS)}


@pytest.fixture
def whole(corpus):
    return fit(GRAPH, corpus, 6, **OPTIONS)


def test_memory_changes_no_byte_and_the_run_is_like_any_other(corpus, whole, tmp_path):
    found = fit(GRAPH, corpus, 6, memory="2GB", save_to=tmp_path / "run", **OPTIONS)
    assert found.runs[0].chain.trace[f"{COSTS}seconds_computing"][-1] > 0
    assert differences(parts(whole), parts(found)) == []
    for name in ("theta", "phi"):
        assert np.array_equal(whole.mean(name), found.mean(name))
    assert len(found.runs[0].samples) == 3
    assert differences(parts(whole), parts(load(tmp_path / "run"))) == []
    assert not list(tmp_path.glob(".shards-*"))
    longer = fit(GRAPH, corpus, 8, **{**OPTIONS, "keep": 0})
    fit(GRAPH, corpus, 8, memory="2GB", save_to=tmp_path / "other", **{**OPTIONS, "keep": 0})
    assert differences(parts(longer), parts(resume(tmp_path / "other", progress=False))) == []
    resumed = resume(tmp_path / "run", 8, threads=1, progress=False)
    assert differences(parts(longer), parts(resumed)) == []


def test_files_are_read_without_being_in_memory(tmp_path):
    for i in range(2):
        lines = [f"bread butter{i % 3} oven{j % 7} goal{j % 5} match" for j in range(60)]
        (tmp_path / f"part-{i}.txt").write_text("\n".join(lines))
    source = str(tmp_path / "part-*.txt")
    found, whole = fit(GRAPH, source, 4, memory="2GB", **OPTIONS), fit(GRAPH, source, 4, **OPTIONS)
    assert isinstance(found.corpus.streams["word"].words.base, np.memmap)
    assert differences(parts(whole), parts(found)) == []


def test_workers_of_this_machine_change_no_byte(corpus, whole):
    pytest.importorskip("distributed")
    found = fit(GRAPH, corpus, 6, memory="2GB", client="local", **OPTIONS)
    assert differences(parts(whole), parts(found)) == []
    assert found.runs[0].chain.trace[f"{COSTS}bytes_received"][-1] > 0


def test_what_cannot_be_is_refused_with_a_sentence(corpus):
    for wrong, said in (("much", "4GB"), ("0GB", "4GB"), (True, "memory must be a text or a whole number")):
        with pytest.raises(PlanError, match=said):
            fit(GRAPH, corpus, 6, memory=wrong, **OPTIONS)
    with pytest.raises(PlanError, match="needs .* GB without its tokens"):
        fit(GRAPH, corpus, 6, memory="1MB", **OPTIONS)
    with pytest.raises(PlanError, match="network"):
        fit(tntm(), corpus, 6, memory="2GB", network=Network(), **OPTIONS)


@pytest.mark.parametrize("where", [{"memory": "2GB"}, {"client": "local"}])
def test_a_run_goes_on_in_shards_bit_for_bit_and_from_there_in_memory(where, corpus, tmp_path):
    if "client" in where:
        pytest.importorskip("distributed")
    path = tmp_path / "run"
    started = {**OPTIONS, "keep": 3, "burn_in": 4}
    whole = fit(GRAPH, corpus, 8, **started)
    fit(GRAPH, corpus, 6, memory="2GB", save_to=path, **started)
    resumed = resume(path, 7, threads=1, progress=False, **where)
    assert len(resumed.runs[0].samples) > 0
    resume(path, 8, threads=1, progress=False)
    assert differences(parts(whole), parts(load(path))) == []
    assert not list(tmp_path.glob(".shards-*"))


def test_a_driver_that_is_killed_goes_on_bit_for_bit(corpus, whole, tmp_path, monkeypatch):
    """What SIGKILL leaves is the last checkpoint; nothing is written when the chain breaks off."""

    class Killed(BaseException):
        pass

    real = ShardedChain.step

    def step(self):
        if self.n_sweeps == 4:
            raise Killed
        real(self)

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(ShardedChain, "step", step)
        fit(GRAPH, corpus, 6, memory="2GB", save_to=tmp_path / "run", save_every=0, **OPTIONS)
    found = resume(tmp_path / "run", threads=1, progress=False, memory="2GB")
    assert differences(parts(whole), parts(found)) == []
    assert len(found.runs[0].samples) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is of Unix")
def test_a_driver_that_sigkill_ends_leaves_a_run_that_goes_on_bit_for_bit(corpus, whole, tmp_path):
    """A process of its own, killed in the middle of a sweep after some checkpoints."""
    script = Path(killed_driver.__file__)
    child = subprocess.Popen([sys.executable, script, tmp_path / "corpus", tmp_path / "run"], stdout=subprocess.PIPE)
    assert child.stdout is not None
    for line in child.stdout:
        if int(line) == 4:  # sweeps that have begun; the child waits in the fourth
            child.kill()
            break
    assert child.wait() == -signal.SIGKILL
    child.stdout.close()
    assert list(tmp_path.glob(".shards-*"))
    found = resume(tmp_path / "run", threads=1, progress=False, memory="2GB")
    assert differences(parts(whole), parts(found)) == []
    assert not list(tmp_path.glob(".shards-*"))


def test_splits_and_merges_change_no_byte_wherever_a_run_goes_on(corpus, tmp_path):
    options = {**OPTIONS, "keep": 2, "sampler": Sampler(anchors=0.1)}
    whole = fit(GRAPH, corpus, 8, **options)
    fit(GRAPH, corpus, 4, memory="2GB", save_to=tmp_path / "run", **options)
    resume(tmp_path / "run", 6, threads=1, progress=False)
    resumed = resume(tmp_path / "run", 8, threads=1, progress=False, memory="2GB")
    assert differences(parts(whole), parts(resumed)) == []
    assert resumed.runs[0].settings.sampler.moves


def test_memory_for_moves_is_asked_for(corpus, monkeypatch):
    monkeypatch.setattr(budget, "PER_MOVED", 10**7)
    with pytest.raises(PlanError, match=r"moves=False.*which saves 8.0 GB"):
        fit(GRAPH, corpus, 2, memory="2GB", **{**OPTIONS, "sampler": Sampler()})


def test_chains_come_one_after_the_other_and_are_those_in_memory(corpus, tmp_path):
    alone = [fit(GRAPH, corpus, 4, start=Start(chain=chain), **OPTIONS) for chain in range(2)]
    found = fit(GRAPH, corpus, 4, chains=2, memory="2GB", save_to=tmp_path / "run", **OPTIONS)
    for one, other, stored in zip(alone, found.runs, load(tmp_path / "run").runs, strict=True):
        assert differences(parts(one), parts_of(other)) == []
        assert differences(parts(one), parts_of(stored)) == []
    longer = fit(GRAPH, corpus, 6, chains=2, memory="2GB", **{**OPTIONS, "keep": 0})
    resumed = resume(tmp_path / "run", 6, threads=1, progress=False, memory="2GB")
    for one, other in zip(longer.runs, resumed.runs, strict=True):
        assert differences(parts_of(one), parts_of(other)) == []
    assert not list(tmp_path.glob(".shards-*"))


def test_chains_that_have_not_begun_when_the_user_interrupts_are_no_fit(corpus, tmp_path, monkeypatch):
    real = ShardedChain.step

    def step(self):
        real(self)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(ShardedChain, "step", step)
    with pytest.raises(KeyboardInterrupt):
        fit(GRAPH, corpus, 4, chains=2, memory="2GB", save_to=tmp_path / "run", **OPTIONS)
    monkeypatch.undo()
    monkeypatch.setattr("pitmanyor.sampling.chain.SMALL_CORPUS", 0)
    whole = fit(GRAPH, corpus, 4, chains=2, memory="2GB", **OPTIONS)
    resumed = resume(tmp_path / "run", threads=1, progress=False, memory="2GB")
    for one, other in zip(whole.runs, resumed.runs, strict=True):
        assert differences(parts_of(one), parts_of(other)) == []
