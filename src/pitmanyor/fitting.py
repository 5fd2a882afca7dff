"""fit: from a graph and a corpus to a Fit."""

from __future__ import annotations

import copy
import os
import time
import warnings
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph
from pitmanyor.infer.chain import Chain
from pitmanyor.infer.interrupt import Interrupt
from pitmanyor.infer.progress import Progress
from pitmanyor.infer.sweeps import Sweep
from pitmanyor.plan import compile_plan
from pitmanyor.posterior import Posterior
from pitmanyor.state import Rule, State, new_state
from pitmanyor.state.columns import arrange
from pitmanyor.state.memory import Memory, memory_of, refuse_if_too_large

Floats = NDArray[np.float64]


class Fit(Posterior):
    """A fitted model: the last state of its chain, the trace of every sweep, and thinned samples on request."""

    def __init__(self, chain: Chain, samples: list[Posterior], seconds: float) -> None:
        super().__init__(chain.state, chain.measures.log_joint)
        self.chain = chain
        self.samples = samples
        self.seconds = seconds

    @property
    def trace(self) -> Mapping[str, Floats]:
        """One value per sweep: n_topics, log_joint, and tables/, customers/, concentration/ of every node."""
        return MappingProxyType({name: np.array(values) for name, values in self.chain.trace.items()})

    @property
    def graph(self) -> Graph:
        return self.state.plan.graph

    @property
    def corpus(self) -> Corpus:
        return self.state.plan.corpus

    @property
    def n_sweeps(self) -> int:
        return self.chain.n_sweeps

    @property
    def memory(self) -> Memory:
        """Bytes of the state: count tables, tokens, and scratch."""
        return memory_of(self.state)

    def __repr__(self) -> str:
        return (
            f"Fit({self.n_topics} topics, {self.n_sweeps} sweeps of {self.state.plan.n_tokens:,} tokens "
            f"in {self.seconds:.1f} s, log joint {self.log_joint:,.1f})"
        )


def fit(
    model: Graph,
    corpus: Corpus,
    *,
    sweeps: int,
    seed: int,
    max_topics: int | None = None,
    sweep: Sweep = "mixed",
    burn_in: int | None = None,
    anchors: float = 0.05,
    initial_topics: int | None = None,
    threads: int | None = None,
    rule: Rule = "clamp",
    samples: int = 0,
    chain: int = 0,
    progress: bool = False,
) -> Fit:
    """Sample the posterior of a model of a corpus.

    Exact blocked Gibbs sampling (maths 2-5); the same seed gives the same bytes on any number of threads.

    sweeps: how often every token is updated.
    max_topics: no more topics than this (the posterior given that); below a gem only.
    sweep: "mixed" (explicit documents and collapsed anchors), "collapsed", or "explicit" (finite roots only).
    burn_in: collapsed sweeps before mixed ones; by default a quarter of the sweeps, at most 25.
    anchors: the share of documents that a mixed sweep updates collapsed.
    initial_topics: deal topics at random at first, instead of drawing them one after the other.
    threads: for the parallel parts; by default all cores. Results do not depend on it.
    rule: what a leaving customer does with its table: "clamp", "paper" or "singleton" (maths 2).
    samples: how many states to keep, evenly spread over the second half of the sweeps.
    Ctrl-C ends the fit after the sweep at hand and returns the Fit so far; a second one breaks off at once.
    """
    _check(sweeps, seed, samples, initial_topics, model)
    plan = compile_plan(_text_alone(model), corpus)
    refuse_if_too_large(plan, initial_topics or max_topics)
    state = new_state(plan, max_topics=max_topics, rule=rule)
    started = time.perf_counter()
    run = Chain(
        state,
        seed=seed,
        chain=chain,
        sweep=sweep,
        burn_in=min(25, sweeps // 4) if burn_in is None else burn_in,
        anchors=anchors,
        n_threads=threads or len(os.sched_getaffinity(0)),
    )
    keep = set(np.linspace(sweeps / 2, sweeps, samples + 1).round().astype(int)[1:]) if samples else set()
    kept: list[Posterior] = []
    with Interrupt() as interrupt, Progress(progress, sweeps, plan.n_tokens) as bar:
        run.initialise(initial_topics)
        for number in range(1, sweeps + 1):
            if interrupt.asked:
                break
            run.step()
            bar.advance(state.n_topics, run.measures.log_joint)
            if number in keep:
                kept.append(Posterior(snapshot(state), run.measures.log_joint))
    tidy(state)
    return Fit(run, kept, time.perf_counter() - started)


def _text_alone(model: Graph) -> Graph:
    """The graph without its links, which are declared but not sampled yet; says so."""
    for links in model.link_sets:
        warnings.warn(
            f"links {links.name!r} are declared, and sampling links is not built yet: this fit samples the text alone, "
            f"as graph.without({links.name!r}) does",
            stacklevel=3,
        )
        model = model.without(links.name)
    return model


def _check(sweeps: int, seed: int, samples: int, initial_topics: int | None, model: Graph) -> None:
    if not isinstance(model, Graph):
        raise PlanError(f"model is a Graph such as pitmanyor.models.hpyp(), not {type(model).__name__}")
    if sweeps < 0:
        raise PlanError(f"sweeps must be 0 or more, not {sweeps}")
    if seed < 0:
        raise PlanError(f"seed must be 0 or more, not {seed}")
    if not 0 <= samples <= max(sweeps // 2, 0):
        raise PlanError(f"samples come from the second half of the {sweeps} sweeps: ask for 0 to {sweeps // 2}")
    if initial_topics is not None and initial_topics < 1:
        raise PlanError(f"initial_topics must be at least 1, not {initial_topics}")


def tidy(state: State) -> None:
    """Live topics first, so that topic k is column k."""
    arrange(state, np.ones(state.capacity, bool))


def snapshot(state: State) -> State:
    """A copy of what changes, tidied; plan and tables are shared."""
    twin = copy.copy(state)
    twin.net = state.net._replace(
        **{
            name: getattr(state.net, name).copy()
            for name in ("nodes", "counts", "to", "totals", "n_to", "stay", "open", "rests", "weight", "status")
        }
    )
    twin.text = state.text._replace(
        topic=state.text.topic.copy(), code=state.text.code.copy(), concentration=state.text.concentration.copy()
    )
    tidy(twin)
    return twin
