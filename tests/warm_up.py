"""Compile the kernels before tests run side by side: two workers with a cold cache would both compile everything.

Two processes share the work, each with kernels that the other does not need; what both need is compiled by one of them
first, or twice at worst.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from unittest.mock import patch

from numba_cache import cache_dir

os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_dir()))
# what has a kernel of its own: graphs with words of a document's own and without, and the kinds of sweeps
JOBS = ((False, "mixed"), (True, "collapsed"), (True, "mixed"))


def compile_kernels(is_bursty: bool, sweep: str) -> None:
    from pitmanyor.models import bursty, hpyp
    from pitmanyor.plan import compile_plan
    from pitmanyor.sampling.chain import Chain
    from pitmanyor.simulation import simulate
    from pitmanyor.state import new_state

    graph = bursty(hpyp(concentration=1.0)) if is_bursty else hpyp(concentration=1.0)
    plan = compile_plan(graph, simulate(graph, documents=8, tokens=6, vocabulary=5, seed=1).corpus)
    with patch("pitmanyor.sampling.chain.SMALL_CORPUS", 0):
        chain = Chain(new_state(plan), seed=1, kind=sweep, anchors=0.5)  # type: ignore[arg-type]
    chain.initialise()
    for _ in range(4):
        chain.step()


if __name__ == "__main__":
    start = time.perf_counter()
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for _ in pool.map(compile_kernels, *zip(*JOBS, strict=True)):
            pass
    print(f"kernels compiled in {time.perf_counter() - start:.0f} s, kept in {os.environ['NUMBA_CACHE_DIR']}")
