"""Going on with a run on disk: one chain in this process."""

from __future__ import annotations

from dataclasses import replace

from pitmanyor.errors import PlanError
from pitmanyor.runs.advance import Run, advance
from pitmanyor.runs.checkpoints import Checkpoints
from pitmanyor.runs.directory import Place, read_header, write_header
from pitmanyor.runs.lock import hold
from pitmanyor.runs.restore import reopen
from pitmanyor.runs.sharded_restore import reopen_in_shards
from pitmanyor.runs.sharded_runs import Bounds
from pitmanyor.sampling.progress import Progress


def continue_run(
    path: Place,
    sweeps: int | None = None,
    *,
    threads: int | None = None,
    beside: int = 1,
    save_every: float = 300.0,
    progress: Progress | None = None,
    where: Bounds | None = None,
) -> Run:
    """Go on from the last checkpoint until there are as many sweeps as asked for; without one, from the start.

    beside: the number of chains that share the cores of this machine. where: shards are swept, if not in memory.
    """
    read_header(path)  # a place that is no run is told so, and no lock is left there
    with hold(path):
        header, run = reopen(path, threads, beside) if where is None else reopen_in_shards(path, threads, where)
        checkpoints = Checkpoints(path, header, save_every)
        if sweeps is not None:
            check_sweeps(path, run.chain.n_sweeps, sweeps)
            run.settings = replace(run.settings, sweeps=int(sweeps))
            run.samples = {at: state for at, state in run.samples.items() if at > run.settings.burnt_in}
            checkpoints.header = header.with_settings(run.settings)
            write_header(path, checkpoints.header)
        advance(run, checkpoints, progress)
    return run


def check_sweeps(path: Place, done: int, sweeps: int) -> None:
    if sweeps < done:
        raise PlanError(f"{path} has {done} sweeps already: ask for as many or more, not {sweeps}")
