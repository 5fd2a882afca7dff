"""Compile the kernels of the ready models ahead of the first fit, side by side: for an image, or a cluster.

Kernels are compiled when they are first called, so everything that a fit may call is called: the search for a start,
splits and merges, sweeps of both kinds, the network, sampled discounts, and fold-in of new documents; each on all cores
and on one, which small corpora and several chains at once are given.
"""

from __future__ import annotations

import shutil
import time
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from pkgutil import walk_packages
from tempfile import TemporaryDirectory

import numpy as np

from pitmanyor.corpus import Corpus
from pitmanyor.graph import Beta, Graph
from pitmanyor.machine import safe_children

POSTS, SWEEPS = 3_500, 4  # enough for sweeps of both kinds, and for the network to join
ALL_CORES, ONE_CORE = None, 1
# What each process compiles, longest first. Much of it both need: the one that comes later finds it in the cache.
PARTS = (
    ("hpyp", "bursty:hpyp", "hdp_lda", "lda:10", "author_topic"),
    ("tntm", "bursty:tntm", "author_blocks", "author_traits"),
)
# A part may begin with what visits the documents of some models: meanwhile the other compiles what both will need.
OWN_FIRST = {"tntm": ("tntm", "bursty:tntm", "bursty:hpyp")}
SAMPLED_DISCOUNTS = ("hpyp", "tntm")  # fitted with them too; vectors of linked authors have kernels of their own


def compile_models() -> float:
    """Compile the ready models for as many threads as `fit` takes by default; returns the seconds."""
    start = time.perf_counter()
    with safe_children(), ProcessPoolExecutor(len(PARTS), get_context("spawn")) as pool:
        for _ in pool.map(_compile, PARTS):
            pass
    return time.perf_counter() - start


def compile_for_installation() -> None:
    """Compile the ready models into an empty NUMBA_CACHE_DIR, and keep their kernels with the package.

    Nothing is done if the package has kernels and all of them serve: it is installed again as it was.
    """
    from pitmanyor.kernels.runtime.kernel_cache import INSTALLED, copy_kernels

    n_installed, n_serving = count_installed()
    if 0 < n_installed == n_serving:
        return
    shutil.rmtree(INSTALLED, ignore_errors=True)  # what serves would not be compiled, and missing from the copy
    compile_models()
    with TemporaryDirectory(dir=INSTALLED.parent, prefix="machine_code-") as made:
        copy_kernels(Path(made, "whole"))
        Path(made, "whole").replace(INSTALLED)


def count_installed() -> tuple[int, int]:
    """How many kernels the installation has, and how many of them serve this machine."""
    from pitmanyor.kernels.runtime import kernel_cache

    import_kernels()
    return kernel_cache.count_installed()


def import_kernels() -> None:
    """Import every module with kernels, so that all of them are known."""
    import pitmanyor.kernels as kernels

    for module in walk_packages(kernels.__path__, f"{kernels.__name__}."):
        import_module(module.name)


def _compile(names: tuple[str, ...]) -> None:
    from pitmanyor.cli.parsing import find_model
    from pitmanyor.reading import read
    from pitmanyor.simulation import simulate_microblog

    made = simulate_microblog(posts=POSTS, authors=20, seed=1)
    corpus = read(made.records, links=made.links)
    for name in names:
        for own in OWN_FIRST.get(name, ()):
            visit_documents(find_model(own), corpus)
        fit_and_fold_in(find_model(name), corpus)
        if name in SAMPLED_DISCOUNTS:
            fit_and_fold_in(find_model(name).set("*", discount=Beta(1, 1)), corpus)


def fit_and_fold_in(graph: Graph, corpus: Corpus) -> None:
    """A default fit and the fold-in of new documents, on all cores and on one."""
    from pitmanyor.results.fitting import fit

    for threads in (ALL_CORES, ONE_CORE):
        fitted = fit(graph, corpus, sweeps=SWEEPS, seed=1, threads=threads)
        fitted.infer(corpus, sweeps=1, threads=threads)


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
