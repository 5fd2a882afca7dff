"""Wall time of whole sweeps on two threads against one: two chains with the same seed, a sweep of each in turns.

`python -m benchmarks.threads` takes hpyp on the Zipf-like corpus and, where they are at hand, hpyp on kos_blog and the
text-only tntm on a quarter of congress_follow; `--races` chooses some.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpora import congress_follow, kos_blog, zipf
from pitmanyor import Graph, Sampler, models
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


TNTM = models.tntm().without("follows")
RACES = {
    "hpyp, zipf, 100 topics": Race(models.hpyp(), zipf, 100),
    "hpyp, kos_blog, 50 topics": Race(models.hpyp(), kos_blog, 50),
    "tntm, a quarter of congress_follow, 100 topics": Race(TNTM, quarter_of_congress, 100),
}


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
    print("| | one thread, ns a token | two threads | ratio of the least | of the medians |\n|---|---:|---:|---:|---:|")
    for name in parser.parse_args().races:
        corpus = RACES[name].corpus()
        if corpus is None:
            print(f"| {name} | not at hand | | | |")
            continue
        spent = seconds(RACES[name], corpus) * 1e9 / sum(len(s.words) for s in corpus.streams.values())
        least, middle = spent.min(axis=1), np.median(spent, axis=1)
        ratios = f"{least[0] / least[1]:.2f} | {middle[0] / middle[1]:.2f}"
        print(f"| {name} | {least[0]:.0f} | {least[1]:.0f} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
