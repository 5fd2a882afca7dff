"""Kill processes that write checkpoints, check what each leaves, and print how many died in the middle of a file.

Arguments: a run, and how many to kill. Writers are forks of this process, so that none has to start an interpreter.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from pitmanyor.runs.checkpoints import Checkpoints
from pitmanyor.runs.directory import read_header
from pitmanyor.runs.lock import hold
from pitmanyor.runs.restore import restore
from pitmanyor.runs.saved import read_saved


def write_on(path: Path, pipe: int) -> None:
    """Checkpoints without sampling between them, and a line for each that is done."""
    with hold(path):  # the lock of the one that was killed is gone
        header, run = restore(path, threads=1)
        checkpoints = Checkpoints(path, header)
        while True:
            run.chain.n_sweeps += 1
            for values in run.chain.trace.values():
                values.append(values[-1])
            checkpoints.write(run)
            os.write(pipe, b"%d\n" % run.chain.n_sweeps)


def kill_one(path: Path, seconds: float) -> tuple[int, int]:
    """The last checkpoint that a writer said was done before it was killed, and the one that is there."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        write_on(path, writing)
    os.close(writing)
    said = os.read(reading, 64)  # it is under way
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(reading, 1 << 16):
        said += more
    os.close(reading)
    return int(said.split()[-1]), read_saved(path, read_header(path)).n_sweeps


def main(path: Path, kills: int) -> None:
    rng = random.Random(1)
    restore(path, threads=1)  # what is compiled or loaded now is there in every fork
    amid = 0
    for _ in range(kills):
        done, there = kill_one(path, rng.uniform(0.0, 0.02))
        assert done <= there <= done + 1, (done, there)
        amid += len(list(path.glob(".*.part"))) > 0
    restore(path, threads=1)
    print(amid)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
