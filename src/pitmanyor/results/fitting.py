"""fit, load and resume: from a graph and a corpus, or a run on disk, to a Fit."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph
from pitmanyor.plan import Plan, compile_plan
from pitmanyor.results.fitted import Fit as Fit
from pitmanyor.results.new_documents import to_fit
from pitmanyor.results.notebook_bars import bars as progress_bars
from pitmanyor.runs.advance import Run, advance, new_run
from pitmanyor.runs.chain_settings import METHODS, Method, Settings
from pitmanyor.runs.checkpoints import Checkpoints
from pitmanyor.runs.continuing import check_sweeps, continue_run
from pitmanyor.runs.directory import STATE, Header, Place, create, find_runs, new_header, read_header
from pitmanyor.runs.lock import hold
from pitmanyor.runs.parallel import continue_together
from pitmanyor.runs.restore import restore
from pitmanyor.runs.saved import read_saved
from pitmanyor.sampling.chain import tidy as tidy
from pitmanyor.sampling.joining import root_of
from pitmanyor.sampling.sweeps import Sweep, share_of_anchors
from pitmanyor.sampling.text_and_network import observed_links
from pitmanyor.seeds import checked
from pitmanyor.state import Rule
from pitmanyor.state.memory import refuse_if_too_large

Preset = Literal["paper"]
BURN_IN = 5  # collapsed sweeps, each as long as many mixed ones: births in all documents, where topics begin few
FEWEST_TOPICS = 20
PASSES = 2  # over explicit documents in a sweep: their rows of phi are near by then, and the draws of phi are shared


def fit(
    model: Graph,
    corpus: Any,
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
    moves: bool | None = None,
    text_sweeps: int | None = None,
    spare_topics: int = 5,
    n_topics: int | None = None,
    method: Method = "exact",
    preset: Preset | None = None,
    samples: int = 0,
    chains: int = 1,
    chain: int = 0,
    progress: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 300.0,
) -> Fit:
    """Sample the posterior of a model of a corpus.

    Exact blocked Gibbs sampling (maths 2-5); the same seed gives the same bytes on any number of threads.

    corpus: a Corpus, or anything that `read` reads with its defaults, such as a path or a data frame.

    sweeps: how often all there is is updated; every token once at least.
    max_topics: no more topics than this (the posterior given that); below a gem only.
    sweep: "mixed" (explicit documents and collapsed anchors), "collapsed", or "explicit" (finite roots only).
    burn_in: collapsed sweeps before mixed ones; none by default where topics are dealt at random (see below), else a
        quarter of the sweeps, at most 5.
    anchors: the share of documents that a mixed sweep updates collapsed; by default 10,000 tokens' worth.
    passes: how often a sweep updates the tokens of other documents between two draws of what documents share; 2 by
        default, which comes further in the same time than 1 (docs/benchmarks.md).
    initial_topics: how many topics are dealt at random at first; 0 draws them one after the other. Below a gem a search
        by splits and merges follows, which leaves little of where it started; 20 by default. A finite root has all its
        topics from the start.
    threads: for the parallel parts; by default all cores (one, if the corpus is small). Results do not depend on it.
    rule: what a leaving customer does with its table: "clamp", "paper" or "singleton" (maths 2).
    moves: whether to split and merge whole topics (maths 4), in the search for a start and in every sweep; by default
        yes, but for preset="paper" and where a network joins before the first sweep. Without them a quarter of the
        square root of the number of tokens is dealt.
    text_sweeps: of a graph with links, sweeps of text alone before the network joins; by default half of all.
    spare_topics: empty topics beside the live ones when the network joins; from then on topics are neither born nor
        retired (maths 6).
    n_topics: of a graph with links and without text, how many topics its vectors are over.
    method: "exact", or "paper": its Algorithm 3 as printed, which is not posterior-correct, for replication.
    preset: "paper" for its settings: 1,000 sweeps of text, 1,000 with the network, a concentration for each instance.
    samples: how many states to keep, evenly spread over the second half of the sweeps; of each chain.
    chains: how many chains to run, each in a process of its own and on its share of the cores. The Fit is of all of
        them. Every chain has the bytes that it would have alone, with `chain=` its number.
    chain: the number of the (first) chain. Chains of one seed and different numbers are independent.
    progress: whether to show a bar for every chain, with the time left.
    checkpoint: a directory to be made, where the run is saved every `checkpoint_every` seconds, at the end, at Ctrl-C
        and at SIGTERM; `load` reads it, and `resume` goes on with it.
    Ctrl-C ends the fit after the sweep at hand and returns the Fit so far; a second one breaks off at once.
    """
    if not isinstance(model, Graph):
        raise PlanError(f"model is a Graph such as pitmanyor.models.hpyp(), not {type(model).__name__}")
    if preset is not None:
        model, sweeps, text_sweeps = _as_in_the_paper(model, preset, sweeps, text_sweeps)
        passes = 1 if passes is None else passes
        moves = bool(moves)
    if sweeps is None:
        raise PlanError('say how many sweeps, such as sweeps=500, or preset="paper"')
    text_sweeps = sweeps // 2 if text_sweeps is None else int(text_sweeps)
    if not model.streams and model.link_sets:
        text_sweeps, spare_topics = 0, _topics_of_links(model, n_topics)
    elif n_topics is not None:
        raise PlanError(
            f"n_topics={n_topics}: a graph with text infers its number of topics. For a fixed number fit "
            f"models.lda({n_topics}); for an upper bound pass max_topics={n_topics} (n_topics= is for links alone)"
        )
    _check(sweeps, seed, samples, initial_topics)
    if chains < 1 or chain < 0:
        raise PlanError(f"chains must be 1 or more, and chain 0 or more, not {chains} and {chain}")
    _check_links(model, text_sweeps, spare_topics, method)
    plan = compile_plan(model, to_fit(corpus, checkpoint))
    for links in model.link_sets:
        observed_links(plan, links)  # what does not fit shows before the first sweep
    with_network_at_once = bool(model.link_sets) and text_sweeps == 0  # moves end where a network joins
    moves = (True if moves is None else bool(moves)) and not with_network_at_once
    initial_topics = _topics_to_begin_with(plan, initial_topics, max_topics, moves)
    refuse_if_too_large(plan, initial_topics or max_topics, samples, chains)
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
        moves=moves,
    )
    if chains > 1:
        headers = [new_header(model, replace(settings, chain=settings.chain + i), corpus) for i in range(chains)]
        return _fit_together(plan, headers, checkpoint, _Going(None, threads, checkpoint_every), progress)
    run = new_run(plan, model, settings, threads)
    with progress_bars(progress, [settings.sweeps]) as bars:
        if checkpoint is None:
            advance(run, None, bars)
            return Fit(run)
        header = new_header(model, settings, corpus)
        checkpoints = Checkpoints(checkpoint, header, checkpoint_every)
        create(checkpoint, [header], corpus)
        with hold(checkpoint):
            advance(run, checkpoints, bars)
    return Fit(run, checkpoint)


class _Going(NamedTuple):
    """How to go on with a run: the options of `continue_run`."""

    sweeps: int | None
    threads: int | None
    checkpoint_every: float


def _fit_together(plan: Plan, headers: Sequence[Header], checkpoint: Place | None, how: _Going, progress: bool) -> Fit:
    """Several chains as one fit. They run in their directories, which are temporary if none was asked for."""
    Checkpoints("", headers[0], how.checkpoint_every)  # teaches if that is no time
    with tempfile.TemporaryDirectory(prefix="pitmanyor-") as temporary:
        homes = create(checkpoint or Path(temporary) / "run", headers, plan.corpus)
        continue_together(homes, how._asdict(), progress_bars(progress, [header.settings.sweeps for header in headers]))
        if not all((home / STATE).exists() for home in homes):
            raise KeyboardInterrupt  # it came before every chain had a first state
        return Fit(_restored(homes, plan), checkpoint)


def _restored(homes: Sequence[Path], plan: Plan | None = None) -> list[Run]:
    """The runs in these directories; they share a plan if they can."""
    runs: list[Run] = []
    for home in homes:
        runs.append(restore(home, plan=plan or (runs[0].chain.state.plan if runs else None))[1])
    return runs


def load(path: str | os.PathLike[str]) -> Fit:
    """The fit in a run directory, as its last checkpoint has it: every answer is the one it gave before.

    A run of several chains is one Fit; one of them, such as RUN/chain-2, can be loaded by itself. A FileError if a file
    is missing, cut or changed. Nothing in the directory is run as code.
    """
    return Fit(_restored(find_runs(path)), path)


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
    homes = find_runs(path)
    headers = {home: read_header(home) for home in homes}  # a place that is no run is told so
    how = _Going(sweeps, threads, checkpoint_every)
    bars = progress_bars(
        progress, [header.settings.sweeps if sweeps is None else sweeps for header in headers.values()]
    )
    if len(homes) == 1:
        with bars:
            return Fit(continue_run(path, **how._asdict(), progress=bars), path)
    if sweeps is not None:  # none of them begins if one of them is further already
        for home in (home for home in homes if (home / STATE).exists()):
            check_sweeps(home, read_saved(home, headers[home]).n_sweeps, sweeps)
    continue_together(homes, how._asdict(), bars)
    return load(path)


def _topics_to_begin_with(plan: Plan, initial_topics: int | None, max_topics: int | None, moves: bool) -> int | None:
    """How many topics to deal at random, or None to draw them one after the other."""
    if initial_topics is not None:
        return initial_topics or None
    if not plan.n_tokens:
        return None
    if plan.n_topics is not None:
        return plan.n_topics
    most = plan.n_tokens if max_topics is None else max_topics
    return min(max(FEWEST_TOPICS, 0 if moves else round(math.sqrt(plan.n_tokens) / 4)), most)


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
