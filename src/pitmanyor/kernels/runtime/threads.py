"""Which of Numba's pools runs the parallel kernels, and what a forked child does without it.

With OpenMP the thread that asks for work does its part of it; with Numba's own work queue it waits, and takes time from
those who work. But a child that was forked cannot use its parent's OpenMP, and Numba would end it: there, parallel
kernels run on one thread. They give the same bytes on any number.
"""

from __future__ import annotations

import os
from importlib import import_module

import numba

OPENMP, WORK_QUEUE = "omp", "workqueue"


def choose_pool() -> None:
    """OpenMP where Numba has it, or its own work queue; NUMBA_THREADING_LAYER, if set, has the last word."""
    if "NUMBA_THREADING_LAYER" in os.environ:
        return
    try:
        import_module("numba.np.ufunc.omppool")
    except ImportError:
        numba.config.THREADING_LAYER = WORK_QUEUE
    else:
        numba.config.THREADING_LAYER = OPENMP


class _Process:
    """Whether this process is a child that was forked while its parent had a pool that does not come along."""

    has_lost_pool = False

    @classmethod
    def after_fork(cls) -> None:
        try:
            cls.has_lost_pool = cls.has_lost_pool or numba.threading_layer() == OPENMP
        except ValueError:  # Numba has started none, but somebody else may have used OpenMP
            if "NUMBA_THREADING_LAYER" not in os.environ:
                numba.config.THREADING_LAYER = WORK_QUEUE


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Process.after_fork)


def is_parallel() -> bool:
    """Are parallel kernels to run on several threads?"""
    return numba.get_num_threads() > 1 and not _Process.has_lost_pool
