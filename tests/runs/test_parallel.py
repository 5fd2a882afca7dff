"""Processes side by side: errors and warnings reach the parent, and nothing is left running."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from pitmanyor import SaveWarning, Start, StateError, fit, load, models, resume
from pitmanyor.runs.parallel import Worker, continue_together
from pitmanyor.sampling.progress import Bars, Swept
from saving import corpus_of

OPTIONS = {"sweeps": None, "threads": 1, "save_every": 0.0}


class Seen(Bars):
    """What the bars are told."""

    def __init__(self):
        super().__init__(False, [1, 1])
        self.told = []

    def update(self, swept, chain=0):
        self.told.append((chain, swept))


@pytest.fixture
def homes(tmp_path):
    """Two runs that have begun and are far from their end."""
    for chain in range(2):
        fit(
            models.lda(4),
            corpus_of("lda"),
            sweeps=2,
            seed=1,
            start=Start(chain=chain),
            save_to=tmp_path / f"chain-{chain}",
        )
        resume(tmp_path / f"chain-{chain}", 2)
    return [tmp_path / f"chain-{chain}" for chain in range(2)]


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    assert condition()


def test_progress_is_told_for_every_chain(homes):
    seen = Seen()
    continue_together(homes, OPTIONS | {"sweeps": 300}, seen)
    assert {chain for chain, _ in seen.told} == {0, 1}
    assert all(isinstance(swept, Swept) and swept.n_tokens == 140 and swept.n_topics <= 4 for _, swept in seen.told)
    assert [load(home).n_sweeps for home in homes] == [300, 300]


def kill_soon(pids, number):
    def kill():
        until(lambda: len(pids) == 2)
        time.sleep(2.0)
        os.kill(pids[1], number)

    threading.Thread(target=kill, daemon=True).start()


def test_a_chain_that_dies_stops_the_others_and_is_named(homes, monkeypatch):
    pids, start = [], Worker.__init__

    def remember(self, *args):
        start(self, *args)
        pids.append(self.process.pid)

    monkeypatch.setattr(Worker, "__init__", remember)
    kill_soon(pids, signal.SIGKILL)
    with pytest.raises(StateError, match=r"chain-1: its process was ended by signal 9; the machine may have run out"):
        continue_together(homes, OPTIONS | {"sweeps": 10**7}, Seen())
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert all(2 <= load(home).n_sweeps < 10**7 for home in homes)


def test_a_checkpoint_that_cannot_be_written_is_a_warning_here(homes):
    """The place of the next kept state is a directory, which no file can replace."""
    (homes[1] / "state.safetensors").rename(homes[1] / "old")
    (homes[1] / "state.safetensors").mkdir()
    (homes[1] / "state.safetensors" / "x").touch()
    with pytest.raises(Exception, match="chain-1"):
        continue_together(homes, OPTIONS | {"sweeps": 4}, Seen())


def test_warnings_of_a_chain_are_warnings_here(homes, monkeypatch):
    from pitmanyor.runs.parallel import _heed

    worker = Worker.__new__(Worker)
    worker.home, worker.error = homes[0], None
    with pytest.warns(SaveWarning, match="chain-0: not saved"):
        _heed(worker, {"warning": "SaveWarning", "message": "not saved"}, Seen(), 0)
    with pytest.warns(UserWarning, match="chain-0: odd"):
        _heed(worker, {"warning": "RuntimeWarning", "message": "odd"}, Seen(), 0)


def test_chains_end_and_are_saved_when_their_parent_is_killed(tmp_path):
    """kill -9 leaves no chance to say goodbye; the chains see that their input has ended."""
    script = f"""
from pitmanyor import fit, models
from saving import corpus_of
fit(models.lda(4), corpus_of("lda"), sweeps=10**7, seed=1, chains=2, save_to={str(tmp_path / "run")!r})
"""
    paths = os.pathsep.join(path for path in sys.path if path)
    process = subprocess.Popen([sys.executable, "-c", script], env=os.environ | {"PYTHONPATH": paths})
    homes = [tmp_path / "run" / f"chain-{chain}" for chain in range(2)]
    until(lambda: all((home / "state.safetensors").exists() for home in homes), 300)
    time.sleep(1.0)
    process.kill()
    process.wait()
    until(lambda: _free(homes), 60)
    saved = [load(home).n_sweeps for home in homes]
    assert min(saved) > 0  # more than the checkpoint before the first sweep: they wrote one at their end
    whole = resume(tmp_path / "run", max(saved) + 5)
    assert [chain.n_sweeps for chain in whole.chains] == [max(saved) + 5] * 2


def _free(homes):
    """Whether nobody holds the runs any more."""
    from pitmanyor import FileError
    from pitmanyor.runs.lock import hold

    try:
        for home in homes:
            with hold(home):
                pass
    except FileError:
        return False
    return True
