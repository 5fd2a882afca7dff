"""With one word in the vocabulary the words say nothing: the chain must draw topics and tables from the prior.

Some 150 means in all, |z| < 4.5 with errors from batches of both samples.
"""

from functools import cache

import numpy as np
import pytest

from oracle.bridge import local_counts, shared_counts
from oracle.runs import errors, z_scores
from oracle.simulated import counts_of
from pitmanyor.corpus import Corpus
from pitmanyor.models import bursty, hpyp, tntm
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.sweeps import Sweeper, initialise
from pitmanyor.simulation import simulate
from pitmanyor.state import new_state

AUTHORS = ["ann", "bob", "ann", "bob"]
N_TOKENS, N_SWEEPS = 3, 3_000
MODELS = {"hpyp": hpyp(), "tntm": tntm().without("follows"), "bursty": bursty(hpyp())}


def statistics(graph, counts):
    """Topics, then customers, tables and squared tables of every node."""
    out = [len({dish for name, _, dish in counts if graph[name].side == "topic"})]
    for node in graph.nodes:
        mine = [count for place, count in counts.items() if place[0] == node.name]
        out += [sum(c for c, _, _ in mine), sum(t for _, t, _ in mine), sum(t * t for _, t, _ in mine)]
    return [float(x) for x in out]


def graph_of(model):
    return MODELS[model].set("*", concentration=1.3)


@cache
def prior_of(model):
    """Means under the prior and their errors, from as many simulations as there are sweeps."""
    graph, rows = graph_of(model), []
    for seed in range(N_SWEEPS):
        drawn = simulate(graph, documents=4, tokens=N_TOKENS, groups={"author": AUTHORS}, vocabulary=["x"], seed=seed)
        rows.append(statistics(graph, counts_of(drawn.restaurants)))
    return errors(np.array(rows))


def chain_rows(graph, sweep):
    texts = {stream.name: [["x"] * N_TOKENS] * 4 for stream in graph.streams}
    state = new_state(compile_plan(graph, Corpus.from_tokens(texts, {"author": AUTHORS})))
    initialise(state, (1, 0, 0))
    sweeper = Sweeper(state, sweep, anchors=0.5)
    rows = []
    for i in range(1, N_SWEEPS + 1):
        sweeper.step(state, (1, 0, i))
        rows.append(statistics(graph, local_counts(state) | shared_counts(state)))
    return np.array(rows)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("sweep", ["collapsed", "mixed"])
def test_topics_and_tables_are_those_of_the_prior(model, sweep):
    assert np.abs(z_scores(chain_rows(graph_of(model), sweep), *prior_of(model))).max() < 4.5
