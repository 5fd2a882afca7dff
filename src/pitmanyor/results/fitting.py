"""fit, load and resume: from a graph and a corpus, or a run on disk, to a Fit."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.files import atomic_write
from pitmanyor.fold_in import Completion, TopicShares, Way, infer
from pitmanyor.graph import Graph
from pitmanyor.plan import Plan, compile_plan
from pitmanyor.results.measured import Measured
from pitmanyor.results.posterior import Posterior
from pitmanyor.runs.advance import Run, advance, new_run
from pitmanyor.runs.chain_settings import METHODS, Method, Settings
from pitmanyor.runs.checkpoints import Checkpoints
from pitmanyor.runs.directory import NAMES, create, new_header, read_header, write_header
from pitmanyor.runs.lock import hold
from pitmanyor.runs.restore import reopen, restore
from pitmanyor.sampling.chain import Chain
from pitmanyor.sampling.chain import tidy as tidy
from pitmanyor.sampling.joining import root_of
from pitmanyor.sampling.sweeps import Sweep, share_of_anchors
from pitmanyor.sampling.text_and_network import observed_links
from pitmanyor.seeds import checked
from pitmanyor.state import Rule
from pitmanyor.state.memory import Memory, memory_of, refuse_if_too_large

Floats = NDArray[np.float64]
Preset = Literal["paper"]
BURN_IN = 5  # collapsed sweeps, each as long as many mixed ones: births in all documents, where topics begin few
FEWEST_TOPICS = 10
PASSES = 2  # over explicit documents in a sweep: their rows of phi are near by then, and the draws of phi are shared
NOT_EXACT = '; links by method="paper", which is not posterior-correct'


class Fit(Measured):
    """A fitted model: the last state of its chain, the trace of every sweep, and thinned samples on request.

    `home` is the directory of its run, if it is saved.
    """

    def __init__(self, run: Run, home: str | os.PathLike[str] | None = None) -> None:
        super().__init__(run.chain.state, run.chain.measures.log_joint)
        self.run = run
        self.home = None if home is None else Path(home)

    @property
    def chain(self) -> Chain:
        return self.run.chain

    @property
    def samples(self) -> list[Posterior]:
        """States kept on the way, in order."""
        return list(self.run.samples.values())

    @property
    def draws(self) -> list[Posterior]:
        """The states that predictions are averaged over: those kept on the way, or else the last one."""
        return self.samples or [self]

    @property
    def seconds(self) -> float:
        return self.run.seconds

    @property
    def trace(self) -> Mapping[str, Floats]:
        """One value per sweep: n_topics, log_joint, and tables/, customers/, concentration/ of every node."""
        return MappingProxyType({name: np.array(values, np.float64) for name, values in self.chain.trace.items()})

    @property
    def graph(self) -> Graph:
        return self.run.graph

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

    @property
    def method(self) -> Method:
        """How links were sampled: "exact", or "paper", which is not posterior-correct."""
        return self.run.settings.method

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a run directory that `load` and `resume` take. No pickle: JSON and safetensors.

        Names of topics go along.
        """
        header = new_header(self.graph, self.run.settings, self.corpus)
        create(path, header, self.corpus)
        with hold(path):
            Checkpoints(path, header).write(self.run)
        if self.home is not None and (self.home / NAMES).is_file():
            with atomic_write(Path(path) / NAMES) as file:
                file.write((self.home / NAMES).read_bytes())
        self.home = self.home or Path(path)

    def _link_probability(self, sources: Sequence[Hashable], targets: Sequence[Hashable], links: str | None) -> Floats:
        """Averaged over the samples that have a network; of the last state if there are none."""
        kept = [sample for sample in self.samples if sample.state.network]
        if not kept:
            return super()._link_probability(sources, targets, links)
        return np.asarray(np.mean([sample.link_probability(sources, targets, links) for sample in kept], axis=0))

    def infer(
        self,
        corpus: Corpus,
        *,
        sweeps: int | None = None,
        seed: int = 0,
        completion: Completion = "gibbs",
        threads: int | None = None,
        node: str | None = None,
    ) -> TopicShares:
        """Topic shares of documents that were not in the fit, with everything learned held fixed.

        Groups (authors...) that the fit did not see count as new ones. Words outside its vocabulary are left out and
        counted. `completion="gibbs"` averages over the last three quarters of the sweeps; `"paper"` makes one pass
        through every document, adding its tokens one after the other (maths 7). `sweeps` is 20 by default, and 10 for
        documents of up to 16 tokens, which forget sooner where they began (docs/benchmarks.md has the errors that are
        left). `node` is the one whose topics are asked for, such as `theta_tag`; by default that of the words.
        """
        return infer(self, corpus, Way(completion, sweeps, seed, threads), node)

    def __repr__(self) -> str:
        return (
            f"Fit({self.n_topics} topics, {self.n_sweeps} sweeps of {self.state.plan.n_tokens:,} tokens "
            f"in {self.seconds:.1f} s, log joint {self.log_joint:,.1f}{NOT_EXACT * (self.method == 'paper')})"
        )


def fit(
    model: Graph,
    corpus: Corpus,
    *,
    sweeps: int | None = None,
    seed: int,
    max_topics: int | None = None,
    sweep: Sweep = "mixed",
    burn_in: int | None = None,
    anchors: float | None = None,
    passes: int | None = None,
    initial_topics: int | None = None,
    threads: int | None = None,
    rule: Rule = "clamp",
    text_sweeps: int | None = None,
    spare_topics: int = 5,
    n_topics: int | None = None,
    method: Method = "exact",
    preset: Preset | None = None,
    samples: int = 0,
    chain: int = 0,
    progress: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 300.0,
) -> Fit:
    """Sample the posterior of a model of a corpus.

    Exact blocked Gibbs sampling (maths 2-5); the same seed gives the same bytes on any number of threads.

    sweeps: how often all there is is updated; every token once at least.
    max_topics: no more topics than this (the posterior given that); below a gem only.
    sweep: "mixed" (explicit documents and collapsed anchors), "collapsed", or "explicit" (finite roots only).
    burn_in: collapsed sweeps before mixed ones; none by default where topics are dealt at random (see below), else a
        quarter of the sweeps, at most 5.
    anchors: the share of documents that a mixed sweep updates collapsed; by default 10,000 tokens' worth.
    passes: how often a sweep updates the tokens of other documents between two draws of what documents share; 2 by
        default, which comes further in the same time than 1 (docs/benchmarks.md).
    initial_topics: so many topics are dealt at random at first; 0 draws them one after the other. By default all that
        there are; below a gem a quarter of the square root of the number of tokens, 10 at least: a chain that begins
        with too few topics is slow to find more (docs/benchmarks.md).
    threads: for the parallel parts; by default all cores (one, if the corpus is small). Results do not depend on it.
    rule: what a leaving customer does with its table: "clamp", "paper" or "singleton" (maths 2).
    text_sweeps: of a graph with links, sweeps of text alone before the network joins; by default half of all.
    spare_topics: empty topics beside the live ones when the network joins; from then on topics are neither born nor
        retired (maths 6).
    n_topics: of a graph with links and without text, how many topics its vectors are over.
    method: "exact", or "paper": its Algorithm 3 as printed, which is not posterior-correct, for replication.
    preset: "paper" for its settings: 1,000 sweeps of text, 1,000 with the network, a concentration for each instance.
    samples: how many states to keep, evenly spread over the second half of the sweeps.
    checkpoint: a directory to be made, where the run is saved every `checkpoint_every` seconds, at the end, at Ctrl-C
        and at SIGTERM; `load` reads it, and `resume` goes on with it.
    Ctrl-C ends the fit after the sweep at hand and returns the Fit so far; a second one breaks off at once.
    """
    if not isinstance(model, Graph):
        raise PlanError(f"model is a Graph such as pitmanyor.models.hpyp(), not {type(model).__name__}")
    if preset is not None:
        model, sweeps, text_sweeps = _as_in_the_paper(model, preset, sweeps, text_sweeps)
        passes = 1 if passes is None else passes
    if sweeps is None:
        raise PlanError('say how many sweeps, such as sweeps=500, or preset="paper"')
    text_sweeps = sweeps // 2 if text_sweeps is None else int(text_sweeps)
    if not model.streams and model.link_sets:
        text_sweeps, spare_topics = 0, _topics_of_links(model, n_topics)
    elif n_topics is not None:
        raise PlanError("n_topics is for graphs of links alone; this one has text, which finds its topics by itself")
    _check(sweeps, seed, samples, initial_topics)
    _check_links(model, text_sweeps, spare_topics, method)
    plan = compile_plan(model, corpus)
    for links in model.link_sets:
        observed_links(plan, links)  # what does not fit shows before the first sweep
    initial_topics = _topics_to_begin_with(plan, initial_topics, max_topics)
    refuse_if_too_large(plan, initial_topics or max_topics, samples)
    settings = Settings(
        sweeps=int(sweeps),
        seed=int(seed),
        chain=int(chain),
        sweep=sweep,
        burn_in=_collapsed_at_first(burn_in, sweeps, initial_topics),
        anchors=share_of_anchors(plan.n_tokens) if anchors is None else float(anchors),
        passes=PASSES if passes is None else int(passes),
        max_topics=max_topics,
        initial_topics=initial_topics,
        rule=rule,
        samples=int(samples),
        text_sweeps=text_sweeps if model.link_sets else 0,
        spare_topics=int(spare_topics) if model.link_sets else 0,
        method=method,
    )
    run = new_run(plan, model, settings, threads)
    if checkpoint is None:
        advance(run, None, progress)
        return Fit(run)
    header = new_header(model, settings, corpus)
    checkpoints = Checkpoints(checkpoint, header, checkpoint_every)
    create(checkpoint, header, corpus)
    with hold(checkpoint):
        advance(run, checkpoints, progress)
    return Fit(run, checkpoint)


def load(path: str | os.PathLike[str]) -> Fit:
    """The fit in a run directory, as its last checkpoint has it: every answer is the one it gave before.

    A FileError if a file is missing, cut or changed. Nothing in the directory is run as code.
    """
    return Fit(restore(path)[1], path)


def resume(
    path: str | os.PathLike[str],
    sweeps: int | None = None,
    *,
    threads: int | None = None,
    checkpoint_every: float = 300.0,
    progress: bool = False,
) -> Fit:
    """Go on with a run from its last checkpoint, bit for bit as if it had never stopped.

    sweeps: how many there shall be in all; by default as many as the fit was asked for.
    A FileError if another process is writing the run.
    """
    read_header(path)  # a place that is no run is told so, and no lock is left there
    with hold(path):
        header, run = reopen(path, threads)
        checkpoints = Checkpoints(path, header, checkpoint_every)
        if sweeps is not None:
            if sweeps < run.chain.n_sweeps:
                raise PlanError(
                    f"{path} has {run.chain.n_sweeps} sweeps already: ask for as many or more, not {sweeps}"
                )
            run.settings = replace(run.settings, sweeps=int(sweeps))
            checkpoints.header = header.with_settings(run.settings)
            write_header(path, checkpoints.header)
        advance(run, checkpoints, progress)
    return Fit(run, path)


def _topics_to_begin_with(plan: Plan, initial_topics: int | None, max_topics: int | None) -> int | None:
    """How many topics to deal at random, or None to draw them one after the other."""
    if initial_topics is not None:
        return initial_topics or None
    if not plan.n_tokens:
        return None
    if plan.n_topics is not None:
        return plan.n_topics
    most = plan.n_tokens if max_topics is None else max_topics
    return min(max(FEWEST_TOPICS, round(math.sqrt(plan.n_tokens) / 4)), most)


def _collapsed_at_first(burn_in: int | None, sweeps: int, initial_topics: int | None) -> int:
    """How many collapsed sweeps come first. Topics dealt at random do as well without (docs/results/peers.md)."""
    if burn_in is not None:
        return int(burn_in)
    return 0 if initial_topics else min(BURN_IN, sweeps // 4)


def _as_in_the_paper(
    model: Graph, preset: str, sweeps: int | None, text_sweeps: int | None
) -> tuple[Graph, int, int | None]:
    """The paper's settings: 1,000 + 1,000 sweeps, and a concentration for each instance. What is given stays."""
    if preset != "paper":
        raise PlanError(f'preset is "paper" or None, not {preset!r}')
    if sweeps is None:
        sweeps, text_sweeps = 2_000 if model.link_sets else 1_000, 1_000 if text_sweeps is None else text_sweeps
    return model.set("*", share="node"), sweeps, text_sweeps


def _topics_of_links(model: Graph, n_topics: int | None) -> int:
    """How many topics the vectors of a graph without text are over; those of a finite root are there already."""
    if root_of(model).kind != "gem":
        return 0
    if n_topics is None or n_topics < 2:
        raise PlanError(f"a graph of links without text needs n_topics=, 2 or more (such as 10), not {n_topics}")
    return int(n_topics)


def _check_links(model: Graph, text_sweeps: int, spare_topics: int, method: str) -> None:
    if method not in METHODS:
        raise PlanError(f"method is one of {', '.join(METHODS)}, not {method!r}")
    if text_sweeps < 0 or spare_topics < 0:
        raise PlanError(f"text_sweeps and spare_topics are 0 or more, not {text_sweeps} and {spare_topics}")
    if model.link_sets:
        root_of(model)  # teaches if links hang on a node that cannot be sampled


def _check(sweeps: int, seed: int, samples: int, initial_topics: int | None) -> None:
    if sweeps < 0:
        raise PlanError(f"sweeps must be 0 or more, not {sweeps}")
    checked(seed)
    if not 0 <= samples <= max(sweeps // 2, 0):
        raise PlanError(f"samples come from the second half of the {sweeps} sweeps: ask for 0 to {sweeps // 2}")
    if initial_topics is not None and initial_topics < 0:
        raise PlanError(f"initial_topics must be 0 or more, not {initial_topics}")
