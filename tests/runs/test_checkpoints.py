"""Checkpoints: when they are written, and that nothing that goes wrong harms the last good one."""

import os
import resource
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import saving
from pitmanyor import FileError, PlanError, Sampler, SaveWarning, StateError, fit, load, resume
from pitmanyor.kernels.monitor.log_joint import OMEGA
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION
from pitmanyor.runs.advance import advance
from pitmanyor.runs.checkpoints import Checkpoints
from pitmanyor.runs.lock import LOCK
from pitmanyor.runs.restore import reopen
from saving import GRAPHS, OPTIONS, assert_same, corpus_of, sweeping

STATE = "state.safetensors"


@pytest.fixture
def run(tmp_path):
    """A finished run of six sweeps."""
    fit(GRAPHS["author_topic"], corpus_of("author_topic"), sweeps=6, save_to=tmp_path / "run", seed=1)
    return tmp_path / "run"


def count_writes(monkeypatch) -> list[int]:
    seen, write = [], Checkpoints.write
    monkeypatch.setattr(Checkpoints, "write", lambda self, run: (seen.append(run.chain.n_sweeps), write(self, run))[1])
    return seen


@pytest.mark.parametrize(("every", "expected"), [(0, [0, 1, 2, 3, 4, 4]), (3600, [0, 4])])
def test_one_at_the_start_one_at_the_end_and_as_many_as_are_due(tmp_path, monkeypatch, every, expected):
    seen = count_writes(monkeypatch)
    fit(GRAPHS["lda"], corpus_of("lda"), sweeps=4, keep=1, save_to=tmp_path / "run", save_every=every)
    assert seen == expected
    names = {"header.json", "corpus.safetensors", STATE, "sample-00000004.safetensors", LOCK}
    assert set(os.listdir(tmp_path / "run")) == names
    assert os.listdir(tmp_path) == ["run"]


def test_a_negative_interval_is_refused(tmp_path):
    with pytest.raises(PlanError, match="save_every must be a number of seconds, 0 or more, not -1"):
        fit(GRAPHS["lda"], corpus_of("lda"), sweeps=4, seed=1, save_to=tmp_path / "run", save_every=-1)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_save_the_run(tmp_path, number):
    fit(
        GRAPHS["hpyp"], corpus_of("hpyp"), sweeps=1, seed=1, sampler=Sampler(moves=False)
    )  # all is compiled: the signal comes between sweeps
    delivered = []
    before = {n: signal.signal(n, lambda n, frame: delivered.append(n)) for n in (signal.SIGINT, signal.SIGTERM)}
    try:
        timer = threading.Timer(0.4, os.kill, (os.getpid(), number))
        timer.start()
        options = {"sweeps": 10**7, "seed": 1, "sampler": Sampler(moves=False)}
        short = fit(GRAPHS["hpyp"], corpus_of("hpyp"), save_to=tmp_path / "run", **options)
        timer.join()
    finally:
        for n, handler in before.items():
            signal.signal(n, handler)
    assert 0 < short.n_sweeps < 10**7
    assert delivered == ([signal.SIGTERM] if number == signal.SIGTERM else [])  # whoever sent it wanted an end
    assert_same(load(tmp_path / "run"), short)


def limited(size: int):
    """No file may grow beyond so many bytes: as a full disk, an OSError in the middle of a write."""

    class Limit:
        def __enter__(self):
            self.old = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, self.old[1]))

        def __exit__(self, *rest):
            resource.setrlimit(resource.RLIMIT_FSIZE, self.old)

    return Limit()


def test_a_full_disk_keeps_the_old_checkpoint_and_says_so(run):
    good = (run / STATE).read_bytes()
    header, going = reopen(run)
    going.chain.step()
    with pytest.warns(SaveWarning, match="sweep 7 was not saved: .*what was there before is untouched"), limited(4096):
        Checkpoints(run, header).attempt(going)
    assert (run / STATE).read_bytes() == good
    assert not list(run.glob(".*"))
    assert load(run).n_sweeps == 6


def test_a_full_disk_does_not_end_a_fit(run):
    good = (run / STATE).read_bytes()
    with pytest.warns(SaveWarning), limited(4096):
        fitted = fit_to(run, 9)
    assert fitted.chain.n_sweeps == 9
    assert (run / STATE).read_bytes() == good


def fit_to(path: Path, sweeps: int):
    header, going = reopen(path)
    going.settings = replace(going.settings, sweeps=sweeps)
    advance(going, Checkpoints(path, header, every=0))
    return going


def test_a_disk_that_is_full_from_the_start_makes_no_run(tmp_path):
    with pytest.raises(FileError, match="not written"), limited(100):
        fit(GRAPHS["lda"], corpus_of("lda"), sweeps=4, seed=1, save_to=tmp_path / "run")
    assert os.listdir(tmp_path) == []


def spoil_stay(state):
    state.net.stay[state.layout.blocks[state.plan.index["phi"]].row] = np.nan


def spoil_open(state):
    state.net.open[state.layout.blocks[state.plan.index["gamma"]].row] = np.inf


def spoil_concentration(state):
    state.net.rests[CONCENTRATION, state.layout.blocks[state.plan.index["gamma"]].rest] = np.nan


def spoil_own(state):
    state.text.concentration[0, 3] = np.nan


def spoil_measure(chain):
    chain.measures.by_node[chain.state.plan.index["theta"]][2, OMEGA] = np.nan


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (spoil_stay, "node 'phi': a term of its counts is not a number"),
        (spoil_open, "node 'gamma': a term of its new tables is infinite"),
        (spoil_concentration, "node 'gamma': the concentration is not a number"),
        (spoil_own, "node 'theta': the concentration is not a number"),
        (spoil_measure, "node 'theta': its part of the log joint is not a number"),
    ],
)
@pytest.mark.parametrize("kind", ["collapsed", "mixed"])
def test_a_number_that_is_none_stops_the_chain_and_is_never_saved(tmp_path, monkeypatch, kind, spoil, message):
    graph = GRAPHS["author_topic"].set("gamma", concentration=1.5).set("theta", concentration=1.5)
    if spoil is spoil_measure:
        graph = GRAPHS["author_topic"]
    if spoil is spoil_own:
        monkeypatch.setattr("pitmanyor.sampling.chain.sample_concentrations", lambda *given: None)
        graph = GRAPHS["author_topic"]
    with sweeping(kind):
        fit(graph, corpus_of("author_topic"), sweeps=6, save_to=tmp_path / "run", **OPTIONS)
        good = (tmp_path / "run" / STATE).read_bytes()
        header, going = reopen(tmp_path / "run", threads=1)
        spoil(going.chain if spoil is spoil_measure else going.chain.state)
        checkpoints = Checkpoints(tmp_path / "run", header, every=0)
        if spoil is not spoil_measure:
            with pytest.raises(StateError, match=message):
                checkpoints.write(going)
        before = going.chain.state.text.topic.copy()
        with pytest.raises(StateError, match=message):
            going.chain.step()
    assert np.array_equal(going.chain.state.text.topic, before)  # not one token was moved by it
    assert (tmp_path / "run" / STATE).read_bytes() == good
    assert load(tmp_path / "run").n_sweeps == 6


def test_kills_leave_a_readable_run_that_lost_at_most_one_checkpoint(run, pytestconfig):
    """A process writes checkpoints as fast as it can and is killed with SIGKILL, again and again."""
    script = Path(saving.__file__).with_name("kill_writers.py")
    kills = pytestconfig.getoption("--kills")
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, script, run, str(kills)], capture_output=True, text=True, env=paths)
    assert done.returncode == 0, done.stderr
    amid = int(done.stdout)
    assert amid > kills // 20  # so many died while a file was being written
    assert resume(run, load(run).n_sweeps).n_sweeps > 6
    assert not list(run.glob(".*"))  # and what they left behind is gone
