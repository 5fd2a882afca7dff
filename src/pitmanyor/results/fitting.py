"""fit, load and resume: from a graph and a corpus, or a run on disk, to a Fit."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pitmanyor.call_checks import checked_call
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph
from pitmanyor.machine import process_tag, remove_abandoned
from pitmanyor.plan import Plan, compile_plan
from pitmanyor.results.default_settings import Preset, as_in_the_paper, filled, network_of
from pitmanyor.results.insights import Fit as Fit
from pitmanyor.results.keywords import FIT_HINTS, RESUME_HINTS
from pitmanyor.results.new_documents import to_fit
from pitmanyor.results.notebook_bars import Progress
from pitmanyor.results.notebook_bars import bars as progress_bars
from pitmanyor.runs.advance import Run, advance, new_run
from pitmanyor.runs.chain_settings import Settings
from pitmanyor.runs.checkpoints import Checkpoints
from pitmanyor.runs.continuing import check_sweeps, continue_run
from pitmanyor.runs.directory import STATE, Header, Place, create, find_runs, new_header, read_header
from pitmanyor.runs.fit_options import Network, Sampler, Start, count
from pitmanyor.runs.in_turn import continue_in_turn
from pitmanyor.runs.lock import hold
from pitmanyor.runs.parallel import continue_together
from pitmanyor.runs.restore import restore
from pitmanyor.runs.saved import read_saved
from pitmanyor.runs.sharded_runs import Bounds, in_one_piece, new_sharded_run, prepare, working_place
from pitmanyor.sampling.chain import tidy as tidy
from pitmanyor.sampling.observed_links import ends_of
from pitmanyor.sampling.progress import Bars
from pitmanyor.state.memory import refuse_if_too_large

TEMPORARY = "pitmanyor-"  # directories of chains that are not saved


@checked_call(hints=FIT_HINTS)
def fit(
    graph: Graph,
    corpus: Any,
    sweeps: int = 500,
    *,
    seed: int = 0,
    chains: int = 1,
    keep: int = 20,
    burn_in: int | None = None,
    max_topics: int | None = None,
    threads: int | None = None,
    progress: Progress = "auto",
    save_to: str | os.PathLike[str] | None = None,
    save_every: float = 300.0,
    sampler: Sampler = Sampler(),  # noqa: B008  all three are frozen
    start: Start = Start(),  # noqa: B008
    network: Network = Network(),  # noqa: B008
    preset: Preset | None = None,
    memory: str | int | None = None,
    client: Any = None,
) -> Fit:
    """Sample the posterior of a model of a corpus.

    Exact blocked Gibbs sampling (maths 2-5). The same seed gives the same bytes on any number of threads. Ctrl-C ends
    the fit after the current sweep and returns the Fit so far; a second Ctrl-C interrupts at once.

    Parameters
    ----------
    graph
        The model: one of `pitmanyor.models`, or a `Graph` of your own.
    corpus
        A `Corpus`, or anything that `read` reads with its defaults, such as a path or a data frame.
    sweeps
        Number of Gibbs sweeps. Each updates every token at least once.
    seed
        Random seed.
    chains
        Number of chains. They run in parallel processes that share the cores, or one after the other with `memory` or
        `client`. The Fit combines all of them.
    keep
        Number of states that each chain keeps, evenly spread over the sweeps after the burn-in; estimates are averages
        over them, with intervals. Fewer are kept if there are fewer such sweeps; 0 uses the last state only.
    burn_in
        Number of sweeps that are discarded before states are kept. By default half of them.
    max_topics
        Upper bound on the number of topics, for models that infer it.
    threads
        Number of threads. By default one per core, at most NUMBA_NUM_THREADS, or one if the corpus is small. Results do
        not depend on it.
    progress
        Whether to show a bar per chain, with the time left. "auto" shows it in a terminal or a notebook.
    save_to
        Run directory to create. The run is saved there every `save_every` seconds, at the end, at Ctrl-C and at
        SIGTERM; `load` reads it, and `resume` continues it.
    save_every
        Seconds between two saves.
    sampler, start, network
        What few people need to change: see `Sampler`, `Start` and `Network`.
    preset
        "paper" for the sampler of the published experiments (a concentration per instance, one pass, no splits and
        merges), unless `sampler` says otherwise. They made 1,000 sweeps of text and 1,000 more with links.
    memory
        Upper bound on the memory of this process, such as "4GB", for a corpus that is larger. Tokens stay in working
        files beside `save_to`, or in the directory for temporary files. No links are fitted; otherwise the result is
        that of the same fit in memory, byte for byte. Pass files of posts, or a corpus that stays in its file,
        `Corpus.load(path, mapped=True)`.
    client
        Where to sweep a corpus in shards: a Dask `Client`, the address of a scheduler such as "tcp://host:8786", or
        "local" for workers on the cores of this machine. Workers need `--nthreads 1` and must see the directory of
        `save_to`. As with `memory`, no links are fitted, and the result is byte for byte that of one process.

    >>> from pitmanyor import Corpus, fit, models
    >>> corpus = Corpus.from_tokens([["bread", "butter"], ["goal", "match"]] * 5)
    >>> fit(models.lda(2), corpus, sweeps=20, keep=5).n_topics
    2
    """
    if preset is not None:
        graph, sampler = as_in_the_paper(graph, preset, sampler)
    asked = Settings(sweeps, seed, keep, burn_in, max_topics, sampler, start, network_of(graph, network, sweeps))
    count("chains", chains, 1, optional=False)
    how = _Going(None, threads, save_every)
    if memory is not None or client is not None:
        with working_place(memory, client, None if save_to is None else Path(save_to).absolute().parent) as place:
            where = place._replace(chains=chains)
            return _fit_in_shards(asked, graph, to_fit(corpus, save_to, where.corpus), how, where, (save_to, progress))
    corpus = to_fit(corpus, save_to)
    plan = compile_plan(graph, corpus)
    settings = filled(asked, plan)
    refuse_if_too_large(plan, settings.start.topics, len(settings.kept), chains, max_topics)
    for links in graph.link_sets:
        ends_of(plan, links)  # what does not fit shows before the first sweep
    show = progress_bars(progress, [settings.sweeps] * chains)
    if chains > 1:
        headers = [new_header(graph, settings.of_chain(start.chain + i), corpus) for i in range(chains)]
        return _fit_together(plan, headers, save_to, how, show)
    return _advanced(new_run(plan, graph, settings, threads), corpus, how, save_to, show)


def _fit_in_shards(
    asked: Settings, graph: Graph, corpus: Corpus, how: _Going, where: Bounds, shown: tuple[Place | None, Progress]
) -> Fit:
    """A corpus that is not in memory, or on a cluster."""
    save_to, progress = shown
    ready = prepare(corpus, graph, asked, where)
    settings = filled(asked, ready.state.plan)
    show = progress_bars(progress, [settings.sweeps] * where.chains)
    if where.chains == 1:
        run = new_sharded_run(ready, graph, settings, how.threads, where)
        return _advanced(run, corpus, how, save_to, show)
    first = settings.chain
    headers = [new_header(graph, settings.of_chain(first + i), corpus) for i in range(where.chains)]
    homes = create(save_to or where.home / "run", headers, corpus)
    with show:
        return Fit(continue_in_turn(homes, how._asdict(), where, show), save_to)


def _advanced(run: Run, corpus: Corpus, how: _Going, save_to: Place | None, show: Bars) -> Fit:
    """A run that has not begun, to its end."""
    with show:
        if save_to is None:
            advance(run, None, show)
            return Fit(in_one_piece(run, how.threads))
        header = new_header(run.graph, run.settings, corpus)
        checkpoints = Checkpoints(save_to, header, how.save_every)
        create(save_to, [header], corpus)
        with hold(save_to):
            advance(run, checkpoints, show)
    return Fit(in_one_piece(run, how.threads), save_to)


class _Going(NamedTuple):
    """How to go on with a run: the options of `continue_run`."""

    sweeps: int | None
    threads: int | None
    save_every: float


def _fit_together(plan: Plan, headers: Sequence[Header], save_to: Place | None, how: _Going, show: Bars) -> Fit:
    """Several chains as one fit. They run in their directories, which are temporary if none was asked for."""
    Checkpoints("", headers[0], how.save_every)  # teaches if that is no time
    remove_abandoned(Path(tempfile.gettempdir()), TEMPORARY)
    with tempfile.TemporaryDirectory(prefix=TEMPORARY + process_tag()) as temporary:
        homes = create(save_to or Path(temporary) / "run", headers, plan.corpus)
        continue_together(homes, how._asdict(), show)
        if not all((home / STATE).exists() for home in homes):
            raise KeyboardInterrupt  # it came before every chain had a first state
        return Fit(_restored(homes, plan), save_to)


def _restored(homes: Sequence[Path], plan: Plan | None = None) -> list[Run]:
    """The runs in these directories; they share a plan if they can."""
    runs: list[Run] = []
    for home in homes:
        runs.append(restore(home, plan=plan or (runs[0].chain.state.plan if runs else None))[1])
    return runs


@checked_call()
def load(path: str | os.PathLike[str]) -> Fit:
    """Load the fit in a run directory, as its last checkpoint has it: every answer is the one it gave before.

    A run of several chains is one Fit; one of them, such as RUN/chain-2, can be loaded by itself. A FileError if a file
    is missing, truncated or changed. Nothing in the directory is executed as code.
    """
    return Fit(_restored(find_runs(path)), path)


@checked_call(hints=RESUME_HINTS)
def resume(
    path: str | os.PathLike[str],
    sweeps: int | None = None,
    *,
    threads: int | None = None,
    progress: Progress = "auto",
    save_every: float = 300.0,
    memory: str | int | None = None,
    client: Any = None,
) -> Fit:
    """Continue a run from its last checkpoint, bit for bit as if it had never stopped.

    Parameters
    ----------
    path
        The run directory. A FileError if another process is writing it.
    sweeps
        Total number of sweeps. By default as many as the fit was asked for. If it is raised, the burn-in grows with it
        unless `burn_in` was given, and states from before its end are dropped.
    threads, progress, save_every
        As in `fit`.
    memory, client
        As in `fit`. The result does not depend on where the run continues.
    """
    homes = find_runs(path)
    headers = {home: read_header(home) for home in homes}  # a place that is no run is told so
    if sweeps is not None and len(homes) > 1:  # none of them begins if one of them is further already
        for home in (home for home in homes if (home / STATE).exists()):
            check_sweeps(home, read_saved(home, headers[home], mapped=True).n_sweeps, sweeps)
    how = _Going(sweeps, threads, save_every)
    bars = progress_bars(
        progress, [header.settings.sweeps if sweeps is None else sweeps for header in headers.values()]
    )
    if memory is not None or client is not None:
        return _resume_in_shards(Path(path), homes, how, bars, (memory, client))
    if len(homes) == 1:
        with bars:
            return Fit(continue_run(path, **how._asdict(), progress=bars), path)
    continue_together(homes, how._asdict(), bars)
    return load(path)


def _resume_in_shards(
    path: Path, homes: Sequence[Path], how: _Going, bars: Bars, place: tuple[str | int | None, Any]
) -> Fit:
    """Go on with a run over shards."""
    with working_place(*place, path.absolute().parent) as where, bars:
        if len(homes) > 1:
            where = where._replace(chains=len(homes))
            return Fit(continue_in_turn(homes, how._asdict(), where, bars), path)
        run = continue_run(homes[0], **how._asdict(), progress=bars, where=where)
        return Fit(in_one_piece(run, how.threads), homes[0])
