"""Cells in parallel: one process per core, one thread each. The parent process may be killed at any time."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from pitmanyor.errors import PitmanyorError
from pitmanyor.machine import safe_children

THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
Cell = tuple[str, int]  # the key of a row, and the repeat


def run_cells(
    path: Path, cells: Sequence[Cell], n_workers: int, run: Callable[[str, str, int], None]
) -> Iterator[Cell]:
    """Compute cells, and yield each when its file is written. The first error ends all, as does Ctrl-C.

    `run(path, key, repeat)` computes and writes one.
    """
    if not cells:
        return
    context, others = multiprocessing.get_context("spawn"), set(multiprocessing.active_children())
    with safe_children(), ProcessPoolExecutor(min(n_workers, len(cells)), context, _begin) as pool:
        waiting: dict[Future[None], Cell] = {pool.submit(run, str(path), *cell): cell for cell in cells}
        try:
            for done in as_completed(waiting):
                done.result()
                yield waiting[done]
        except BaseException as error:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            if isinstance(error, BrokenProcessPool):
                raise PitmanyorError(
                    "a worker was killed, most likely because memory ran out; try --workers 1, which keeps the fits "
                    "that are done"
                ) from error
            raise


def _begin() -> None:
    """Use one thread, set before Numba and BLAS are loaded, and end with the parent process."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
