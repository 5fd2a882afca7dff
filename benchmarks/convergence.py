"""Do chains that start far apart agree? Four chains from 10, 50, the default and 500 topics, on real text.

`python -m benchmarks.convergence` prints a table for every corpus at hand, and one row for all its chains together;
`--corpora kos_blog --sweeps 300` chooses. CPU time is of one thread. The last column of a chain is its stacking weight
(Yao, Vehtari and Gelman), that of all of them the held-out perplexity of the mixture.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from benchmarks.corpora import ap_news, congress_posts, crisislex, kos_blog
from pitmanyor import Corpus, Fit, Graph, Start, fit, models
from pitmanyor.evaluate.convergence import convergence
from pitmanyor.evaluate.matching import central, stability
from pitmanyor.evaluate.stacking import held_out_densities, stacking_weights

STARTS = (10, 50, None, 500)
QUANTITIES = ("topics/large", "topics/effective", "log_joint")
STUDY: dict[str, tuple[Callable[[], Corpus | None], Callable[[], Graph]]] = {
    "kos_blog": (kos_blog, models.hpyp),
    "ap_news": (ap_news, models.hpyp),
    "crisislex_events": (crisislex, models.hpyp),
    "congress, author_topic": (congress_posts, models.author_topic),
    "congress, tntm": (congress_posts, lambda: models.tntm().without("follows")),
    "kos_blog, bursty": (kos_blog, lambda: models.bursty(models.hpyp())),
}


def study(name: str, sweeps: int, most: int | None) -> None:
    """Four chains of one corpus, and what they agree on."""
    corpus, graph = STUDY[name][0](), STUDY[name][1]()
    if corpus is None:
        print(f"{name}: not at hand")
        return
    print(f"\n{name}: {corpus.n_documents:,} documents, {corpus.n_tokens:,} tokens, {sweeps} sweeps", flush=True)
    print("| start | large topics | effective | log joint / token | CPU s |\n|---:|---:|---:|---:|---:|")
    fits = []
    for chain, topics in enumerate(STARTS):
        began = time.process_time()
        one = fit(graph, corpus, sweeps, seed=1, threads=1, keep=0, max_topics=most, start=Start(topics, chain))
        fits.append(one)
        last = {
            key: np.asarray(one.trace[key][sweeps // 2 :]) for key in ("topics/large", "topics/effective", "log_joint")
        }
        print(
            f"| {topics or 'default'} | {last['topics/large'].mean():.0f} | {last['topics/effective'].mean():.1f} "
            f"| {last['log_joint'].mean() / corpus.n_tokens:.4f} | {time.process_time() - began:.0f} |",
            flush=True,
        )
    summarise(fits, graph)


def summarise(fits: list[Fit], graph: Graph) -> None:
    """What the chains agree on, and what they predict together."""
    rhats = {quantity.name: quantity.rhat for quantity in convergence(fits)}
    shown = central(fits)
    shared = stability(fits[shown], [one for i, one in enumerate(fits) if i != shown])
    densities = held_out_densities(fits, graph, fits[0].run.settings)
    weights, best = stacking_weights(densities), densities.max(axis=0)
    stacked = (np.log(weights @ np.exp(densities - best)) + best).sum()
    print(f"R-hat: log joint {rhats['log_joint']:.2f}, effective number of topics {rhats['topics/effective']:.2f}")
    print(f"tokens in topics that all chains found: {shared.share:.0%}")
    print(f"log density of held-out halves: {np.round(densities.sum(axis=1)).tolist()}, stacked {stacked:.0f}")
    print(f"stacking weights: {np.round(weights, 2).tolist()}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", nargs="+", default=list(STUDY), choices=list(STUDY))
    parser.add_argument("--sweeps", type=int, default=500)
    parser.add_argument("--max-topics", type=int)
    chosen = parser.parse_args()
    for name in chosen.corpora:
        study(name, chosen.sweeps, chosen.max_topics)


if __name__ == "__main__":
    main()
