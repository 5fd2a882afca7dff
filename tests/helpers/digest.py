"""A fingerprint of a state after some mixed sweeps, hyperparameters included; run by itself, it prints one, or two."""

from __future__ import annotations

import hashlib
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from unittest.mock import patch

from pitmanyor.graph import Beta, Graph
from pitmanyor.models import bursty, hpyp, tntm
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.chain import Chain
from pitmanyor.simulation import simulate
from pitmanyor.state import new_state

MODELS = ("tntm", "bursty", "bursty tntm")


def _graph(model: str) -> Graph:
    laws = {"topic_discount": 0.5, "word_discount": 0.7}
    base = tntm(**laws).without("follows") if "tntm" in model else hpyp(**laws)
    return bursty(base).set("*", discount=Beta(1, 1)) if "bursty" in model else base


def digest(model: str, seed: int, n_threads: int, moves: bool = False) -> str:
    """Four mixed sweeps over some 2,000 tokens of simulated text; with `moves` a search before them, and many moves."""
    graph = _graph(model)
    fixed = graph.set("*", concentration=2.0)
    corpus = simulate(fixed, documents=50, tokens=40, groups={"author": 5}, vocabulary=100, seed=3).corpus
    options = {"seed": seed, "anchors": 0.2, "n_threads": n_threads, "moves": moves}
    with patch("pitmanyor.sampling.chain.SMALL_CORPUS", 0), patch("pitmanyor.sampling.split_merge.MOVES", 1.0):
        chain = Chain(new_state(compile_plan(graph, corpus)), **options)
        chain.initialise()
    for _ in range(4):
        chain.step()
    net, text = chain.state.net, chain.state.text
    arrays = (text.topic, text.code, text.measures, net.counts, net.to, net.totals, net.stay, net.rests, net.reals)
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


if __name__ == "__main__":
    given = (sys.argv[1], 1, int(sys.argv[2]))
    print(digest(*given), flush=True)
    if sys.argv[3:] == ["fork"]:  # and a child's, which has been forked since
        with ProcessPoolExecutor(1, get_context("fork")) as pool:  # it says so if the child is ended
            print(pool.submit(digest, *given).result())
