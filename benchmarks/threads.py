"""Wall time of whole sweeps on two threads against one: two chains with the same seed, a sweep of each in turns.

`python -m benchmarks.threads` takes hpyp on the Zipf-like corpus, hpyp and tntm on a simulated microblog and, if they
are at hand, hpyp on kos_blog and the text-only tntm on a quarter of congress_follow; `--races` chooses some. `--busy 1`
runs one process beside them that never rests, and `--busy 2` two: a ratio of 0.9 or more says that idle threads leave
the cores to others.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpora import congress_follow, kos_blog, zipf
from pitmanyor import Graph, Sampler, models, read, simulate_microblog
from pitmanyor.corpus import Corpus
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.chain import Chain
from pitmanyor.state import new_state

SWEEPS, TIMED, THREADS = 60, 20, (1, 2)


class Race(NamedTuple):
    """A model on a corpus, held to a number of topics."""

    graph: Graph
    corpus: Callable[[], Corpus | None]
    n_topics: int


def quarter_of_congress() -> Corpus | None:
    """Every fourth tweet."""
    corpus = congress_follow()
    return None if corpus is None else corpus.subset(range(0, corpus.n_documents, 4))


def microblog() -> Corpus:
    """So few posts that the loops of a sweep are short."""
    return read(simulate_microblog(posts=5_000, authors=100, seed=1).records)


TNTM = models.tntm().without("follows")
RACES = {
    "hpyp, zipf, 100 topics": Race(models.hpyp(), zipf, 100),
    "hpyp, 5,000 posts": Race(models.hpyp(), microblog, 20),
    "tntm, 5,000 posts": Race(TNTM, microblog, 20),
    "hpyp, kos_blog, 50 topics": Race(models.hpyp(), kos_blog, 50),
    "tntm, a quarter of congress_follow, 100 topics": Race(TNTM, quarter_of_congress, 100),
}


@contextmanager
def beside(n_busy: int) -> Iterator[None]:
    """Processes that take all they can get of a core."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n_busy)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def seconds(race: Race, corpus: Corpus) -> NDArray[np.float64]:
    """Wall time of the last sweeps: (number of threads, sweep)."""
    chains = []
    for n_threads in THREADS:
        state = new_state(compile_plan(race.graph, corpus), max_topics=race.n_topics)
        chains.append(Chain(state, seed=1, passes=Sampler().passes, n_threads=n_threads))
        chains[-1].initialise(race.n_topics)
    spent = np.empty((len(THREADS), SWEEPS))
    for sweep in range(SWEEPS):
        for i, chain in enumerate(chains):
            start = perf_counter()
            chain.step()
            spent[i, sweep] = perf_counter() - start
    one, two = chains
    if one.trace != two.trace:
        raise AssertionError("two threads sampled other bytes than one")
    return spent[:, -TIMED:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--races", nargs="+", choices=list(RACES), default=list(RACES))
    parser.add_argument("--busy", type=int, default=0, help="processes beside it that never rest")
    given = parser.parse_args()
    print("| | one thread, ns a token | two threads | ratio of the least | of the medians |\n|---|---:|---:|---:|---:|")
    for name in given.races:
        corpus = RACES[name].corpus()
        if corpus is None:
            print(f"| {name} | not at hand | | | |")
            continue
        with beside(given.busy):
            spent = seconds(RACES[name], corpus)
        spent *= 1e9 / sum(len(s.words) for s in corpus.streams.values())
        least, middle = spent.min(axis=1), np.median(spent, axis=1)
        ratios = f"{least[0] / least[1]:.2f} | {middle[0] / middle[1]:.2f}"
        print(f"| {name} | {least[0]:.0f} | {least[1]:.0f} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
