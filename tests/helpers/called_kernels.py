"""Kernels that a process asks Numba for, each with its types: those compiled ahead, or those of default fits.

Run by itself it prints them, a line each. Whether a kernel is in the cache makes no difference.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from numba.core.dispatcher import Dispatcher

SMALL = 500  # tokens of a small corpus, instead of 20,000: the same kernels, called sooner


def recorded(compile_one: Callable[..., Any], found: set[str]) -> Callable[..., Any]:
    """`Dispatcher.compile`, which is asked for every kernel that is new to the process, and then for what it calls."""
    depth = [0]

    def compile_and_record(self: Any, signature: Any) -> Any:
        if not depth[0]:
            found.add(f"{self.py_func.__module__}.{self.py_func.__qualname__} {signature}")
        depth[0] += 1
        try:
            return compile_one(self, signature)
        finally:
            depth[0] -= 1

    return compile_and_record


def compile_ahead() -> None:
    """What `pitmanyor doctor --compile` does, in one process and on fewer posts."""
    from pitmanyor.cli import compiling

    with patch.object(compiling, "POSTS", 200):
        for part in compiling.PARTS:
            compiling._compile(part)


def fit_by_default() -> None:
    """First fits of large and small corpora, also with sampled discounts and on one core, and what is asked of them."""
    from pitmanyor import Beta, fit, read, simulate_microblog
    from pitmanyor.cli.parsing import find_model

    for posts in (30, 200):
        made = simulate_microblog(posts=posts, authors=10, seed=2)
        corpus = read(made.records, links=made.links)
        for name in ("hdp_lda", "hpyp", "lda:5", "author_topic", "tntm", "bursty:hpyp", "bursty:tntm"):
            fitted = fit(find_model(name), corpus, sweeps=4, seed=2, keep=1)
            fitted.infer(corpus)
        fit(find_model("bursty:tntm").set("*", discount=Beta(1, 1)), corpus, sweeps=4, seed=2)
        fit(find_model("tntm"), corpus, sweeps=4, seed=2, threads=1).infer(corpus, threads=1)


if __name__ == "__main__":
    found: set[str] = set()
    with (
        patch.object(Dispatcher, "compile", recorded(Dispatcher.compile, found)),
        patch("pitmanyor.sampling.chain.SMALL_CORPUS", SMALL),
        patch("pitmanyor.runs.advance.SMALL_CORPUS", SMALL),
        patch("pitmanyor.fold_in.shares.SMALL_CORPUS", SMALL),
    ):
        {"ahead": compile_ahead, "fit": fit_by_default}[sys.argv[1]]()
    print("\n".join(sorted(found)))
