"""Cells in processes: one thread each; errors, Ctrl-C and kill -9."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import cheap_cells
from cheap_cells import CELLS
from pitmanyor.errors import PitmanyorError, PlanError
from pitmanyor.experiments.home import Home, read_json
from pitmanyor.experiments.workers import run_cells


@pytest.fixture
def home(tmp_path):
    (tmp_path / "cells").mkdir()
    return Home(tmp_path)


def done(home):
    return {path.name for path in home.cells.glob("*.json")}


def test_every_cell_is_computed_once_in_another_process_with_one_thread(home):
    assert sorted(run_cells(home.path, CELLS, 2, cheap_cells.note)) == sorted(CELLS)
    cells = [read_json(home.cell_path(*cell)) for cell in CELLS]
    assert {cell["threads"] for cell in cells} == {"1"} and os.getpid() not in {cell["pid"] for cell in cells}


def test_an_error_is_told_and_ends_the_rest(home):
    with pytest.raises(PlanError, match="row3 cannot be fitted"):
        list(run_cells(home.path, CELLS, 1, cheap_cells.fail))
    assert {"row0-0.json", "row1-0.json", "row2-0.json"} <= done(home) and len(done(home)) < len(CELLS) - 1


def test_a_killed_worker_is_told_with_a_way_out(home):
    with pytest.raises(PitmanyorError, match="try --workers 1"):
        list(run_cells(home.path, CELLS, 1, cheap_cells.die))


def test_an_interrupted_fit_interrupts_all(home):
    with pytest.raises(KeyboardInterrupt):
        list(run_cells(home.path, CELLS, 1, cheap_cells.stop))
    assert not done(home)


def test_nothing_to_do_starts_nothing(home):
    assert list(run_cells(home.path, [], 2, cheap_cells.stop)) == []


def test_kill_loses_no_finished_cell_and_leaves_no_process(home):
    script = [sys.executable, cheap_cells.__file__, str(home.path)]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(script, env=env, stdout=subprocess.PIPE)
    wait(lambda: len(done(home)) >= 3)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    workers = {read_json(path)["pid"] for path in home.cells.glob("*.json")}
    wait(lambda: not any(is_running(pid) for pid in workers))
    before = {name: (home.cells / name).read_bytes() for name in done(home)}
    assert 3 <= len(before) < len(CELLS)
    again = subprocess.run(script, env=env, capture_output=True, check=True, timeout=60)
    assert int(again.stdout) == len(CELLS) - len(before)
    assert len(done(home)) == len(CELLS)
    assert all((home.cells / name).read_bytes() == content for name, content in before.items())


def wait(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
