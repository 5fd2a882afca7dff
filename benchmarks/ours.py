"""Our side of the race: what `fit` does by default, with its search for a start and its moves of whole topics."""

from __future__ import annotations

import math
from dataclasses import replace
from time import process_time

import numpy as np

from benchmarks.heldout import perplexity, split
from benchmarks.peers import Contestant, Race, Result
from pitmanyor import Graph, Sampler, models
from pitmanyor.plan import compile_plan
from pitmanyor.results.default_settings import FEWEST_TOPICS
from pitmanyor.results.fitting import tidy
from pitmanyor.results.posterior import Posterior
from pitmanyor.sampling.chain import SMALL_CORPUS, Chain
from pitmanyor.sampling.concentrations import concentration_of
from pitmanyor.sampling.sweeps import Sweep
from pitmanyor.state import new_state

PASSES = Sampler().passes


def contestant(name: str, graph: Graph, sweep: Sweep, moves: bool = True) -> Contestant:
    """Sample `graph` with at most the race's number of topics. The search for a start is part of the time.

    Without moves nothing is searched for, and all topics are dealt at random.
    """

    def run(race: Race) -> Result:
        _compile(graph, race, sweep, moves)
        chain = _chain(graph, race, sweep, moves)
        start = process_time()
        chain.initialise(min(race.n_topics, FEWEST_TOPICS) if moves else race.n_topics)
        spent = process_time() - start
        curve = [(spent, _perplexity(chain, race))]
        for done in range(0, race.burn_in, race.look):
            spent += _steps(chain, min(race.look, race.burn_in - done))
            curve.append((spent, _perplexity(chain, race)))
        seconds = min(_steps(chain, race.sweeps // race.times) for _ in range(race.times))
        passes = PASSES if sweep == "mixed" else 1  # anchors, a token in a hundred, have one
        speed = passes * chain.state.plan.n_tokens * (race.sweeps // race.times) / seconds
        return Result(name, chain.state.n_topics, speed, _perplexity(chain, race), curve)

    return run


def _chain(graph: Graph, race: Race, sweep: Sweep, moves: bool) -> Chain:
    state = new_state(compile_plan(graph, race.train), max_topics=race.n_topics)
    return Chain(state, seed=race.seed, kind=sweep, passes=PASSES, n_threads=1, moves=moves)


def _compile(graph: Graph, race: Race, sweep: Sweep, moves: bool) -> None:
    """Have every kernel compiled or loaded by a few sweeps of some documents, too many for collapsed sweeps alone."""
    every = max(1, len(race.train.streams["word"].words) // (3 * SMALL_CORPUS))
    few = replace(race, test=split(race.train.subset(np.arange(0, race.train.n_documents, every))), n_topics=20)
    chain = _chain(graph, few, sweep, moves)
    chain.initialise(10)
    _steps(chain, 3)
    _perplexity(chain, few)


def _steps(chain: Chain, sweeps: int) -> float:
    start = process_time()
    for _ in range(sweeps):
        chain.step()
    return process_time() - start


def _perplexity(chain: Chain, race: Race) -> float:
    """By the common function: topics' word means, and the document node's base times its concentration as prior.

    Not for documents with several nodes, for which a single prior would say too little.
    """
    state = chain.state
    if len([node for node in state.plan.nodes if node.local]) > 1:
        return math.nan
    tidy(state)
    posterior = Posterior(state, 0.0)
    leaf = state.plan.graph[state.plan.graph.streams[0].topic]
    base = posterior.mean(leaf.parents[0], new_topic="discard").mean(axis=0)
    weight = float(np.mean(concentration_of(state, leaf.name)))
    emit = state.plan.graph.streams[0].emit
    return perplexity(posterior.mean(emit), weight * base + 1e-12, race.test)


OURS: dict[str, Contestant] = {
    "hpyp, mixed": contestant("hpyp, mixed", models.hpyp(), "mixed"),
    "hpyp, without moves": contestant("hpyp, without moves", models.hpyp(), "mixed", moves=False),
    "hpyp, collapsed": contestant("hpyp, collapsed", models.hpyp(), "collapsed"),
    "author_topic, mixed": contestant("author_topic, mixed", models.author_topic(), "mixed"),
    "tntm, text only, mixed": contestant("tntm, text only, mixed", models.tntm().without("follows"), "mixed"),
}
