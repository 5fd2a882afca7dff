"""Posts a CPU second through `Fit.infer`: ten words (and a hashtag, where the model has them), 100 topics, one thread.

Run `python -m benchmarks.unseen [MODEL ...]`. Every model is fitted for a few sweeps to a Zipf-like simulated corpus,
with as many topics as are planted; the posts that are timed are others of the same kind.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time
from types import MappingProxyType

import numpy as np

from benchmarks.corpora import zipf
from pitmanyor import Fit, Graph, Sampler, Start, fit, models
from pitmanyor.corpus import Corpus, Stream

N_TOPICS, WORDS, POSTS, NEW, SWEEPS, TIMES = 100, 10, 50_000, 40_000, 20, 3
MODELS: dict[str, Callable[[], Graph]] = {
    "lda": lambda: models.lda(N_TOPICS),
    "hdp_lda": models.hdp_lda,
    "hpyp": models.hpyp,
    "author_topic": models.author_topic,
    "tntm": lambda: models.tntm().without("follows"),
    "bursty:hpyp": lambda: models.bursty(models.hpyp()),
    "bursty:tntm": lambda: models.bursty(models.tntm().without("follows")),
}


def posts() -> Corpus:
    """Zipf-like posts; the first token of each is its hashtag."""
    made = zipf((POSTS + NEW) * (WORDS + 1), WORDS + 1, N_TOPICS)
    tokens = made.streams["word"].words.reshape(-1, WORDS + 1)
    n = len(tokens)
    streams = {
        "hashtag": Stream(tokens[:, 0].copy(), np.arange(n + 1, dtype=np.int64)),
        "word": Stream(tokens[:, 1:].reshape(-1).copy(), np.arange(n + 1, dtype=np.int64) * WORDS),
    }
    return Corpus(made.vocabulary, MappingProxyType(streams), made.groups)


def fitted(graph: Graph, corpus: Corpus) -> Fit:
    most = N_TOPICS if any(node.kind == "gem" for node in graph.nodes) else None
    return fit(
        graph,
        corpus,
        sweeps=SWEEPS,
        seed=1,
        threads=1,
        max_topics=most,
        start=Start(topics=most),
        sampler=Sampler(collapsed_first=1),
    )


def seconds(result: Fit, new: Corpus) -> float:
    """The least CPU time of a few runs."""
    result.infer(new.subset(range(100)), threads=1)  # compiles
    taken = []
    for _ in range(TIMES):
        start = process_time()
        result.infer(new, threads=1)
        taken.append(process_time() - start)
    return min(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"some of {', '.join(MODELS)}; by default all")
    names = parser.parse_args().models or list(MODELS)
    corpus = posts()
    old, new = corpus.subset(range(POSTS)), corpus.subset(range(POSTS, POSTS + NEW))
    for name in names:
        result = fitted(MODELS[name](), old)
        print(f"{name:14s} {result.n_topics:4d} topics {NEW / seconds(result, new):10,.0f} posts / CPU s", flush=True)


if __name__ == "__main__":
    main()
