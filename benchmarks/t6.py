"""CPU time of a sweep over a simulated microblog as large as the paper's T6, near 100 topics: text alone, one thread.

Run `python -m benchmarks.t6 --sweeps 20`. The text is that of the TNTM: both streams, three nodes a post.
"""

from __future__ import annotations

import argparse
from time import process_time

from benchmarks.corpora import t6_size
from pitmanyor import models
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.chain import Chain
from pitmanyor.state import new_state

N_TOPICS, COLLAPSED_FIRST, TIMES = 100, 2, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sweeps", type=int, default=20, help=f"before the {TIMES} that are timed")
    parser.add_argument("--passes", type=int, default=1, help="over the posts in a sweep")
    given = parser.parse_args()
    corpus = t6_size(N_TOPICS)
    state = new_state(compile_plan(models.tntm().without("follows"), corpus), max_topics=N_TOPICS)
    chain = Chain(state, seed=1, collapsed_first=COLLAPSED_FIRST, passes=given.passes, n_threads=1)
    chain.initialise(N_TOPICS)
    seconds = []
    for _ in range(given.sweeps + TIMES):
        start = process_time()
        chain.step()
        seconds.append(process_time() - start)
        said = f"{chain.n_sweeps:4d}  {chain.state.n_topics} topics  {seconds[-1]:.2f} CPU s"
        print(f"{said}  log joint {chain.measures.log_joint:,.0f}", flush=True)
    best, mean = min(seconds[-TIMES:]), sum(seconds[-TIMES:]) / TIMES
    tokens = state.plan.n_tokens
    print(f"{tokens:,} tokens: {best:.2f} CPU s a sweep ({1e9 * best / tokens:.0f} ns a token), {mean:.2f} on average")


if __name__ == "__main__":
    main()
