"""A run: a chain on its way to the sweeps it was asked for."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from pitmanyor.graph import Graph
from pitmanyor.plan import Plan
from pitmanyor.runs.chain_settings import Settings
from pitmanyor.runs.checkpoints import Checkpoints
from pitmanyor.runs.kept import Kept, Shell, pack_kept
from pitmanyor.runs.signals import Termination
from pitmanyor.sampling.chain import SMALL_CORPUS, Chain, Join
from pitmanyor.sampling.interrupt import Interrupt
from pitmanyor.sampling.progress import Progress, Swept
from pitmanyor.sampling.sweeps import usable_threads
from pitmanyor.state import State, new_state


@dataclass(eq=False)
class Run:
    """A chain, what it was asked for, the states it kept by their sweeps, and the seconds it took so far."""

    graph: Graph  # as it was asked for: when a network joins, the chain's own has a finite root
    settings: Settings
    chain: Chain
    samples: dict[int, Kept] = field(default_factory=dict)
    seconds: float = 0.0

    def keep(self) -> None:
        """Keep the state of the chain."""
        state, last = self.chain.whole(), next(reversed(self.samples.values()), None)
        shell = last.shell if last and last.shell.holds(state) else Shell(state)
        self.samples[self.chain.n_sweeps] = Kept(shell, pack_kept(state), self.chain.measures.log_joint)


def default_threads(n_tokens: int, beside: int = 1) -> int:
    """All threads that can be used, or this chain's share of them if several run at the same time.

    One for a small corpus, whose sweeps are collapsed, because parallel kernels take long to compile.
    """
    return 1 if n_tokens <= SMALL_CORPUS else max(1, usable_threads() // beside)


def new_chain(state: State, settings: Settings, threads: int | None, beside: int = 1) -> Chain:
    sampler, network = settings.sampler, settings.network
    join = Join(network.text_sweeps or 0, network.spare_topics, network.method)
    return Chain(
        state,
        seed=settings.seed,
        chain=settings.chain,
        kind=sampler.kind,
        collapsed_first=sampler.collapsed_first or 0,
        anchors=sampler.anchors,
        passes=sampler.passes,
        n_threads=threads or default_threads(state.plan.n_tokens, beside),
        moves=sampler.moves,
        join=join if state.plan.graph.link_sets else None,
    )


def new_run(plan: Plan, graph: Graph, settings: Settings, threads: int | None, beside: int = 1) -> Run:
    """A run that has not begun: `advance` seats its tokens first."""
    state = new_state(plan, max_topics=settings.max_topics, rule=settings.sampler.rule)
    return Run(graph, settings, new_chain(state, settings, threads, beside))


def advance(run: Run, checkpoints: Checkpoints | None = None, progress: Progress | None = None) -> None:
    """Sweep until there are as many sweeps as asked for, or until a signal asks for an end.

    With checkpoints: one before the first sweep, one every so often, and one at the end whatever ended it; and SIGTERM
    is heeded too. What a broken sweep left behind is never written.
    """
    chain, settings = run.chain, run.settings
    started = time.perf_counter() - run.seconds
    with Termination(checkpoints is not None) as termination, Interrupt() as interrupt:
        if not chain.started:

            def go_on(n_topics: int) -> bool:
                if progress:
                    progress.update(Swept(0, chain.state.plan.n_tokens, n_topics, math.nan))
                return not (interrupt.asked or termination.asked)

            chain.initialise(settings.start.topics or None, go_on)
            if checkpoints:
                checkpoints.write(run)
        while chain.n_sweeps < settings.sweeps and not (interrupt.asked or termination.asked):
            chain.step()
            if progress:
                progress.update(_swept(chain))
            if chain.n_sweeps in settings.kept:
                run.keep()
            run.seconds = time.perf_counter() - started
            if checkpoints and checkpoints.due:
                checkpoints.attempt(run)
        run.seconds = time.perf_counter() - started
        if checkpoints:
            checkpoints.attempt(run)
    termination.deliver()


def _swept(chain: Chain) -> Swept:
    n_topics = chain.trace.get("topics/large", chain.trace["n_topics"])[-1]  # links alone have no large topics
    return Swept(chain.n_sweeps, chain.state.plan.n_tokens, int(n_topics), chain.measures.log_joint)
