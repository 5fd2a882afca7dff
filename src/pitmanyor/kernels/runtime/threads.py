"""Which of Numba's pools runs the parallel kernels, how its threads wait, and what a forked child does without it.

With OpenMP the thread that starts a loop works on a part of it; with Numba's own work queue it waits in a loop and
takes time from the others. But a forked child cannot use its parent's OpenMP, and Numba would terminate it, so there
parallel kernels run on one thread. They give the same bytes on any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import numba

OPENMP, WORK_QUEUE = "omp", "workqueue"
POOL_OF_OPENMP = "numba.np.ufunc.omppool"  # importing it loads libgomp, or whatever OpenMP is on this system
WAITING = {"OMP_WAIT_POLICY": "passive"}
HOW_TO_WAIT = (*WAITING, "GOMP_SPINCOUNT", "KMP_BLOCKTIME")  # any of these, if set, has the last word


@contextmanager
def waiting_asleep() -> Iterator[None]:
    """Load OpenMP in here to have its idle threads sleep, unless the user has set how they wait.

    By default they spin, which on a busy machine takes the core from the thread they wait for (decision 4). OpenMP
    reads the environment once, when it is loaded. The variable is removed afterwards, so that child processes and other
    libraries do not inherit it.
    """
    ours = {} if any(name in os.environ for name in HOW_TO_WAIT) else WAITING
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)


def choose_pool() -> None:
    """OpenMP where Numba has it, or its own work queue; NUMBA_THREADING_LAYER, if set, has the last word."""
    try:
        with waiting_asleep():
            import_module(POOL_OF_OPENMP)
    except ImportError:
        chosen = WORK_QUEUE
    else:
        chosen = OPENMP
    if "NUMBA_THREADING_LAYER" not in os.environ:
        numba.config.THREADING_LAYER = chosen


class _Process:
    """Whether this process was forked while its parent had a pool, which a child cannot use."""

    has_lost_pool = False

    @classmethod
    def after_fork(cls) -> None:
        try:
            cls.has_lost_pool = cls.has_lost_pool or numba.threading_layer() == OPENMP
        except ValueError:  # Numba has started none, but another library may have used OpenMP
            if "NUMBA_THREADING_LAYER" not in os.environ:
                numba.config.THREADING_LAYER = WORK_QUEUE


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Process.after_fork)


def is_parallel() -> bool:
    """Are parallel kernels to run on several threads?"""
    return numba.get_num_threads() > 1 and not _Process.has_lost_pool
