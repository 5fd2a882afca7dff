"""Cells that cost nothing, for workers to run; and a script that runs them until it is killed.

Workers are started afresh and import this file by its name, so it cannot be a test file.
"""

import os
import signal
import sys
import time
from pathlib import Path

from pitmanyor.errors import PlanError
from pitmanyor.experiments.home import Home
from pitmanyor.experiments.workers import run_cells

CELLS = [(f"row{i}", 0) for i in range(12)]


def note(path, key, repeat):
    """A cell that tells who computed it, with how many threads."""
    Home(Path(path)).write_cell(key, repeat, {"pid": os.getpid(), "threads": os.environ["NUMBA_NUM_THREADS"]})


def slow(path, key, repeat):
    time.sleep(0.15)
    note(path, key, repeat)


def fail(path, key, repeat):
    if key == "row3":
        raise PlanError("row3 cannot be fitted")
    slow(path, key, repeat)


def die(path, key, repeat):
    os.kill(os.getpid(), signal.SIGKILL)


def stop(path, key, repeat):
    raise KeyboardInterrupt


if __name__ == "__main__":
    home = Home(Path(sys.argv[1]))
    left = [cell for cell in CELLS if not home.is_done(*cell)]
    print(len(left), flush=True)
    for _ in run_cells(home.path, left, 2, slow):
        pass
