"""Does the search find the topics that were planted? Chains that start from 1, 20 and 400 topics.

`python -m benchmarks.planted` draws corpora of 5, 20 and 100 topics, plain and bursty, and prints a row for each chain:
topics that hold 0.1 % of the tokens or more, the log joint, and the CPU time of one thread, beside that of 300 sweeps.
"""

from __future__ import annotations

import argparse
import time

from pitmanyor import Corpus, Fit, Graph, Sampler, Start, fit, models, simulate
from pitmanyor.graph import uniform

STARTS, TOPICS = (1, 20, 400), (5, 20, 100)
TIMED, COMPARED = 30, 300  # sweeps
DOCUMENTS, TOKENS, VOCABULARY = 2_500, 80, 3_000


def planted(n_topics: int, bursty: bool) -> Corpus:
    """About 200,000 tokens of equally common topics."""
    g = Graph()
    mu = g.dirichlet("mu", over=n_topics, concentration=20.0 * n_topics)
    theta = g.pyp("theta", base=mu, plate="document", discount=0.0, concentration=1.0)
    gamma = g.pyp("gamma", base=uniform("vocabulary"), discount=0.5, concentration=100.0)
    phi = g.pyp("phi", base=gamma, plate="topic", discount=0.5, concentration=100.0)
    if bursty:
        phi = g.pyp("psi", base=phi, plate=("document", "topic"), discount=0.5, concentration=5.0)
    g.tokens("word", topic=theta, emit=phi)
    return simulate(g, documents=DOCUMENTS, tokens=TOKENS, vocabulary=VOCABULARY, seed=3).corpus


def timed(graph: Graph, corpus: Corpus, sweeps: int, topics: int, moves: bool) -> tuple[Fit, float]:
    began = time.process_time()
    found = fit(graph, corpus, sweeps, seed=1, threads=1, keep=0, start=Start(topics), sampler=Sampler(moves=moves))
    return found, time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topics", type=int, nargs="*", default=TOPICS)
    parser.add_argument("--sweeps", type=int, default=60, help="after the search")
    options = parser.parse_args()
    print(
        "| model | planted | start | found | log joint / token | CPU s | 300 sweeps |\n"
        + "|---" * 2
        + "|---:" * 5
        + "|"
    )
    for name, graph in (("hpyp", models.hpyp()), ("bursty(hpyp)", models.bursty(models.hpyp()))):
        for n_topics in options.topics:
            corpus = planted(n_topics, name != "hpyp")
            timed(graph, corpus.subset(range(200)), 2, n_topics, True)  # compiles
            _, plain = timed(graph, corpus, TIMED, n_topics, False)
            for start in STARTS:
                found, seconds = timed(graph, corpus, options.sweeps, start, True)
                joint, large = found.trace["log_joint"][-1] / corpus.n_tokens, found.trace["topics/large"][-1]
                print(
                    f"| {name} | {n_topics} | {start} | {large:.0f} | {joint:.3f} | {seconds:.0f} "
                    f"| {plain * COMPARED / TIMED:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
