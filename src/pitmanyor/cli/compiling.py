"""Compile the kernels of the ready models ahead of the first fit, side by side: for an image, or a cluster."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

POSTS, SWEEPS = 3_500, 4  # enough for sweeps of both kinds, and for the network to join
# what each process compiles: the second needs much of what the first does, and neither waits for the other
PARTS = (("hpyp", "hdp_lda", "lda:10", "author_topic", "bursty:hpyp"), ("tntm",))


def compile_models() -> float:
    """Compile the ready models for as many threads as `fit` takes by default; returns the seconds."""
    start = time.perf_counter()
    with ProcessPoolExecutor(len(PARTS), get_context("spawn")) as pool:
        for _ in pool.map(_compile, PARTS):
            pass
    return time.perf_counter() - start


def _compile(names: tuple[str, ...]) -> None:
    from pitmanyor.cli.values import find_model
    from pitmanyor.fitting import fit
    from pitmanyor.reading import read
    from pitmanyor.simulation import simulate_microblog

    made = simulate_microblog(posts=POSTS, authors=20, seed=1)
    corpus = read(made.records, links=made.links)
    for name in names:
        fit(find_model(name), corpus, sweeps=SWEEPS, seed=1)
