"""Compile the kernels of the ready models ahead of the first fit, side by side: for an image, or a cluster."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph

POSTS, SWEEPS = 3_500, 4  # enough for sweeps of both kinds, and for the network to join
# What each process compiles, longest first. Much of it both need: the one that comes later finds it in the cache.
PARTS = (("hpyp", "bursty:hpyp", "hdp_lda", "lda:10", "author_topic"), ("tntm",))
# A part may begin with what visits the documents of some models: meanwhile the other compiles what both will need.
# A bursty TNTM is visited by the loops for graphs that have none of their own: yours may be one of them.
OWN_FIRST = {"tntm": ("tntm", "bursty:tntm", "bursty:hpyp")}


def compile_models() -> float:
    """Compile the ready models for as many threads as `fit` takes by default; returns the seconds."""
    start = time.perf_counter()
    with ProcessPoolExecutor(len(PARTS), get_context("spawn")) as pool:
        for _ in pool.map(_compile, PARTS):
            pass
    return time.perf_counter() - start


def _compile(names: tuple[str, ...]) -> None:
    from pitmanyor.cli.parsing import find_model
    from pitmanyor.reading import read
    from pitmanyor.results.fitting import fit
    from pitmanyor.simulation import simulate_microblog

    made = simulate_microblog(posts=POSTS, authors=20, seed=1)
    corpus = read(made.records, links=made.links)
    for name in names:
        for own in OWN_FIRST.get(name, ()):
            visit_documents(find_model(own), corpus)
        fit(find_model(name), corpus, sweeps=SWEEPS, seed=1)


def visit_documents(graph: Graph, corpus: Corpus) -> None:
    """What visits documents, collapsed and explicit: the part of a sweep that depends on their nodes."""
    import numba

    from pitmanyor.plan import compile_plan
    from pitmanyor.sampling.sweeps import Sweeper, initialise
    from pitmanyor.state import new_state

    state, seed = new_state(compile_plan(graph, corpus)), (1, 0, 0)
    sweeper = Sweeper(state, "mixed", n_threads=numba.config.NUMBA_NUM_THREADS)
    initialise(state, seed, 1)
    sweeper.explicit.sweep(state, np.zeros(0, np.int64), 1, seed)
