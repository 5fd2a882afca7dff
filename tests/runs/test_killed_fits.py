"""What killed fits leave: chains that can be resumed, nothing that stays, and everything said that is missing."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

import killed_fit
from killed_fit import go_on
from pitmanyor import SaveWarning, fit, load, resume
from pitmanyor.machine import process_tag, remove_abandoned
from pitmanyor.runs.chain_settings import Settings
from pitmanyor.runs.directory import create, find_runs, new_header
from pitmanyor.runs.signals import Termination
from saving import GRAPHS, OPTIONS, assert_same, corpus_of


def test_chains_that_were_killed_before_their_first_checkpoint_are_resumed(tmp_path):
    graph, corpus = GRAPHS["lda"], corpus_of("lda")
    whole = fit(graph, corpus, sweeps=3, chains=2, save_to=tmp_path / "whole", **OPTIONS)
    settings = [run.settings for run in whole.runs]
    create(tmp_path / "killed", [new_header(graph, one, corpus) for one in settings], corpus)
    assert_same(resume(tmp_path / "killed", threads=1, progress=False), whole)


def test_a_chain_that_is_missing_is_said(tmp_path):
    graph, corpus = GRAPHS["lda"], corpus_of("lda")
    headers = [new_header(graph, Settings(sweeps=2, seed=1).of_chain(chain), corpus) for chain in range(3)]
    create(tmp_path / "run", headers, corpus)
    assert len(find_runs(tmp_path / "run")) == 3
    (tmp_path / "run" / "chain-1" / "header.json").unlink()
    with pytest.warns(SaveWarning, match="chain-1 missing"):
        assert len(find_runs(tmp_path / "run")) == 2
    shutil.rmtree(tmp_path / "run" / "chain-1")
    with pytest.warns(SaveWarning, match="chain-1 missing"):
        find_runs(tmp_path / "run")


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is of Unix")
def test_mixed_sweeps_with_moves_on_two_threads_are_killed_again_and_again(tmp_path):
    """By SIGKILL before a file is opened, renamed or removed; every time it goes on, and it ends as if never killed."""
    whole, path, done = go_on(None, 6), tmp_path / "run", []
    assert whole.trace["moves/tried_splits"].sum() + whole.trace["moves/tried_merges"].sum() > 12
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    for step in (16, 6, 6):
        child = subprocess.run([sys.executable, killed_fit.__file__, path, "6", str(step)], env=paths)
        assert child.returncode == -signal.SIGKILL
        done.append(load(path).n_sweeps)
    assert 0 < done[0] < 6 and done == sorted(done)
    assert_same(go_on(path, 6), whole)


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="a signal of Unix")
def test_sighup_asks_for_an_end_and_is_sent_again(tmp_path):
    got = []
    old = signal.signal(signal.SIGHUP, lambda number, frame: got.append(number))
    try:
        with Termination(True) as termination:
            os.kill(os.getpid(), signal.SIGHUP)
            assert termination.asked and not got
        termination.deliver()
        assert got == [signal.SIGHUP]
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        with Termination(True) as termination:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not termination.asked  # nohup
    finally:
        signal.signal(signal.SIGHUP, old)


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be asked for there")
def test_directories_of_killed_processes_are_removed(tmp_path):
    child = subprocess.run(
        [sys.executable, "-c", "from pitmanyor.machine import process_tag; print(process_tag())"],
        capture_output=True,
        text=True,
        check=True,
    )
    gone, mine = f".run.{child.stdout.strip()}abc.part", f".run.{process_tag()}abc.part"
    other = ".run.elsewhere-1-a.part"
    for name in (gone, mine, other):
        (tmp_path / name / "inside").mkdir(parents=True)
    (tmp_path / f".run.{child.stdout.strip()}link").symlink_to(tmp_path / other)
    remove_abandoned(tmp_path, ".run.")
    assert not (tmp_path / gone).exists() and (tmp_path / mine / "inside").is_dir()
    assert (tmp_path / other / "inside").is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be asked for there")
def test_the_next_fit_removes_what_a_killed_one_left(tmp_path):
    script = "import os; from pitmanyor.machine import process_tag as tag; os.mkdir(f'.run.{tag()}abc.part')"
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    fit(GRAPHS["lda"], corpus_of("lda"), sweeps=1, save_to=tmp_path / "run", **OPTIONS)
    assert [place.name for place in tmp_path.iterdir()] == ["run"]
    assert load(tmp_path / "run").n_sweeps == 1
