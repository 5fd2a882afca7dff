"""Our side of the race: whole sweeps, with the drawing of shared nodes, the anchors, concentrations and trace."""

from __future__ import annotations

import math
from time import process_time

import numpy as np

from benchmarks.heldout import perplexity
from benchmarks.peers import Contestant, Race, Result
from pitmanyor import Graph, Sampler, models
from pitmanyor.plan import compile_plan
from pitmanyor.results.fitting import tidy
from pitmanyor.results.posterior import Posterior
from pitmanyor.sampling.chain import Chain
from pitmanyor.sampling.concentrations import concentration_of
from pitmanyor.sampling.sweeps import Sweep
from pitmanyor.state import State, new_state

PASSES = Sampler().passes


def contestant(name: str, graph: Graph, sweep: Sweep) -> Contestant:
    """Sample `graph` with at most the race's number of topics, dealt at random at first."""

    def run(race: Race) -> Result:
        chain = Chain(_state(graph, race), seed=race.seed, kind=sweep, passes=PASSES, n_threads=1)
        chain.initialise(race.n_topics)
        curve, spent = [], 0.0
        for done in range(0, race.burn_in, race.look):
            spent += _steps(chain, min(race.look, race.burn_in - done))
            curve.append((spent, _perplexity(chain, race)))
        seconds = min(_steps(chain, race.sweeps // race.times) for _ in range(race.times))
        passes = PASSES if sweep == "mixed" else 1  # anchors, a token in a hundred, have one
        speed = passes * chain.state.plan.n_tokens * (race.sweeps // race.times) / seconds
        return Result(name, chain.state.n_topics, speed, _perplexity(chain, race), curve)

    return run


def _state(graph: Graph, race: Race) -> State:
    return new_state(compile_plan(graph, race.train), max_topics=race.n_topics)


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
    "hpyp, collapsed": contestant("hpyp, collapsed", models.hpyp(), "collapsed"),
    "author_topic, mixed": contestant("author_topic, mixed", models.author_topic(), "mixed"),
    "tntm, text only, mixed": contestant("tntm, text only, mixed", models.tntm().without("follows"), "mixed"),
}
