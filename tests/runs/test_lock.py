"""One writer at a time, and locks that die with their process."""

import os
import re
import signal
import subprocess
import sys

import pytest

from pitmanyor import FileError, Fit, Sampler, fit, load, resume
from pitmanyor.runs.lock import LOCK, hold
from saving import GRAPHS, assert_same, corpus_of

HOLD = """
import sys, time
from pitmanyor.runs.lock import hold
with hold(sys.argv[1]):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def run(tmp_path):
    path = tmp_path / "run"
    fit(GRAPHS["hpyp"], corpus_of("hpyp"), sweeps=2, seed=1, threads=1, save_to=path)
    return path


def other_process(path):
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    return process


def test_a_run_that_another_process_writes_is_refused_until_that_is_killed(run):
    process = other_process(run)
    try:
        (run / ".state.safetensors.1-a.part").write_bytes(b"its work")
        with pytest.raises(FileError, match=f"process {process.pid} is writing this run; wait until it ends"):
            resume(run, 3, threads=1)
        assert (run / ".state.safetensors.1-a.part").exists()  # what it writes is left alone
        assert isinstance(load(run), Fit)  # readers need no lock
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
    straight = fit(GRAPHS["hpyp"], corpus_of("hpyp"), sweeps=4, seed=1, threads=1, sampler=Sampler(collapsed_first=0))
    again = resume(run, 4, threads=1)
    assert again.n_sweeps == straight.n_sweeps == 4
    assert not list(run.glob(".*.part"))


def test_a_fit_does_not_touch_what_another_writes(run):
    process = other_process(run)
    try:
        (run / ".state.safetensors.1-a.part").write_bytes(b"its work")
        with pytest.raises(FileError, match="already exists"):
            fit(GRAPHS["hpyp"], corpus_of("hpyp"), sweeps=1, seed=1, threads=1, save_to=run)
        assert (run / ".state.safetensors.1-a.part").exists()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_lock_is_let_go_at_the_end_and_after_an_error(run):
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), hold(run):
            refused = pytest.raises(FileError, match=re.escape(f"{run}: process {os.getpid()} is writing this run"))
            with refused, hold(run):
                raise AssertionError("held twice")
            raise ZeroDivisionError
    assert_same(resume(run, threads=1), load(run))


def test_a_place_that_is_no_run_or_cannot_be_written_is_told_so(tmp_path, run):
    with pytest.raises(FileError, match="not a run: it has no header.json"):
        resume(tmp_path)
    assert not (tmp_path / LOCK).exists()
    (run / LOCK).unlink()
    (run / LOCK).mkdir()
    with pytest.raises(FileError, match="the run cannot be written there"):
        resume(run)
