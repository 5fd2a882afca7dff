"""How far shares of `Fit.infer` are from the posterior means: total variation from long runs, and posts per CPU second.

Run `python -m benchmarks.shares [CASE ...] [--sweeps N ...]` with `PITMANYOR_DATA` set for the real corpora. A tenth of
each corpus is held out; the rest is fitted. The long run has 2,000 sweeps with two seeds each, whose distance from each
other tells how well it is known. `error / s.e.` is the root mean square error of a share over its standard error's.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpora import congress_posts, crisislex, kos_blog, zipf
from pitmanyor import Fit, Graph, fit, models
from pitmanyor.corpus import Corpus

Floats = NDArray[np.float64]
FIT_SWEEPS, LONG, SEEDS, COMPARED, TIMED = 60, 2_000, 3, 300, 20_000


def tntm() -> Graph:
    return models.tntm().without("follows")


CASES: dict[str, tuple[Callable[[], Corpus | None], Callable[[], Graph]]] = {
    "crisislex hpyp": (crisislex, models.hpyp),
    "congress hpyp": (lambda: congress_posts(20_000), models.hpyp),
    "congress tntm": (lambda: congress_posts(20_000), tntm),
    "kos hpyp": (kos_blog, models.hpyp),
    "zipf hpyp": (lambda: zipf(240_000, 12, 100), models.hpyp),
}


def halves(corpus: Corpus) -> tuple[Corpus, Corpus]:
    """Posts to fit, and a tenth that is held out."""
    order, n = np.random.default_rng(0).permutation(corpus.n_documents), corpus.n_documents // 10
    return corpus.subset(np.sort(order[n:])), corpus.subset(np.sort(order[:n]))


def distance(one: Floats, other: Floats) -> float:
    """Mean total variation."""
    return float(0.5 * np.abs(one - other).sum(axis=1).mean())


def measure(result: Fit, new: Corpus, sweeps: int | None) -> str:
    """One line of the table."""
    few = new.subset(range(min(COMPARED, new.n_documents)))
    long = [result.infer(few, sweeps=LONG, seed=100 + seed, threads=1).shares for seed in range(2)]
    true = (long[0] + long[1]) / 2
    found = [result.infer(few, sweeps=sweeps, seed=seed, threads=1) for seed in range(SEEDS)]
    error = np.mean([distance(one.shares, true) for one in found])
    squares = np.mean([(one.shares - true) ** 2 for one in found])
    ratio = np.sqrt(squares / np.mean([one.standard_errors.astype(float) ** 2 for one in found]))
    many = new.subset(np.resize(np.arange(new.n_documents), TIMED))
    start = process_time()
    result.infer(many, sweeps=sweeps, threads=1)
    speed = TIMED / (process_time() - start)
    known = distance(long[0], long[1])
    return f"{sweeps or 'default':>8} {error:8.3f} {known:10.3f} {ratio:12.2f} {speed:12,.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"some of {', '.join(CASES)}; by default all")
    parser.add_argument("--sweeps", type=int, nargs="*", default=[None])
    given = parser.parse_args()
    print("case             topics   sweeps       TV  long runs error / s.e. posts / CPU s")
    for name in given.cases or list(CASES):
        read, graph = CASES[name]
        corpus = read()
        if corpus is None:
            print(f"{name:16s} not at hand")
            continue
        old, new = halves(corpus)
        result = fit(graph(), old, sweeps=FIT_SWEEPS, seed=1, threads=1)
        for sweeps in given.sweeps:
            print(f"{name:16s} {result.n_topics:7d} {measure(result, new, sweeps)}", flush=True)


if __name__ == "__main__":
    main()
