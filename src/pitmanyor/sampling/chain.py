"""One chain: a state, what it does in a sweep, and what it remembers of each."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.kernels.monitor.log_joint import OPENED, SEATED
from pitmanyor.network.network import Report
from pitmanyor.plan import Plan
from pitmanyor.plan.distinct_words import distinct_words_plan, topics_of_all
from pitmanyor.plan.silence import TOPICS, WORDS
from pitmanyor.sampling.concentrations import Measures, concentration_of, sample_concentrations
from pitmanyor.sampling.discounts import sample_discounts
from pitmanyor.sampling.health import check_measures, check_terms
from pitmanyor.sampling.joining import join_state
from pitmanyor.sampling.sample_start import is_sampled, pick_sample, plan_of_sample
from pitmanyor.sampling.split_merge import SplitMerge, Tally, attempts, rate_of
from pitmanyor.sampling.start import LAST_ROUNDS, GoOn, gather, search, settle
from pitmanyor.sampling.sweeps import (
    Sweep,
    Sweeper,
    check_start,
    initialise,
    initialise_at,
    initialise_from,
    share_of_anchors,
)
from pitmanyor.sampling.text_and_network import Method, TextAndNetwork, method_of
from pitmanyor.sampling.topic_search import Sweeps
from pitmanyor.seeds import Seed
from pitmanyor.state.discount_values import discount_of
from pitmanyor.state.state import MAX_TOPICS, SPARE, State, new_state
from pitmanyor.state.topic_columns import arrange
from pitmanyor.state.topic_sizes import effective_number, is_large

RATE = "moves/rate"  # in the trace
SEARCHED, GATHERED = 2**32, 2**33  # sweeps of the search for a start are numbered from here on, and those of its end
DISCOUNT = "discount/"  # names of the trace
SMALL_CORPUS = 20_000  # tokens up to which every document is an anchor: sweeps are collapsed


class Join(NamedTuple):
    """After how many sweeps of text alone the network joins, and with how many spare empty topics."""

    text_sweeps: int
    spare: int
    method: Method = "exact"


def tidy(state: State) -> None:
    """Live topics first, so that topic k is column k."""
    arrange(state, np.ones(state.capacity, bool))


class Chain:
    """Sweeps a state and keeps its trace; the same seed gives the same bytes on any number of threads.

    Between sweeps the state is tidy. What the next sweep does depends on the state, the seed and the number of sweeps
    alone (and on the sizes of columns and Stirling tables, which are in the state), so a chain can be put away.
    """

    def __init__(
        self,
        state: State,
        *,
        seed: int,
        chain: int = 0,
        kind: Sweep = "mixed",
        collapsed_first: int = 0,
        anchors: float | None = None,
        passes: int = 1,
        n_threads: int = 1,
        join: Join | None = None,
        moves: bool = False,
    ) -> None:
        self.state, self.seed, self.chain, self.join = state, seed, chain, join
        self.collapsed_first = collapsed_first
        self.network: TextAndNetwork | None = None
        share = share_of_anchors(state.plan.n_tokens) if anchors is None else anchors
        kind = "collapsed" if kind == "mixed" and state.plan.n_tokens <= SMALL_CORPUS else kind
        self.sweeper = Sweeper(state, kind, anchors=share, passes=passes, n_threads=n_threads, relabels=moves)
        self.measures = Measures(state)
        self.moves = SplitMerge(state) if moves and state.plan.n_tokens else None
        self.rate = 0.0  # moves in a sweep, on average; it must not follow the state
        self.started = False
        self.n_sweeps = 0
        self.trace: dict[str, list[float]] = {}

    @property
    def searches(self) -> bool:
        """Does a search by splits and merges find where this chain starts?"""
        return self.moves is not None and self.state.plan.n_topics is None

    def initialise(self, n_topics: int | None = None, go_on: GoOn = lambda _: True) -> None:
        """Seat every token for the first time, and search for a start if splits and merges are made.

        The search tells `go_on` how many topics there are, and ends after the round at hand if the answer is no.
        """
        check_start(self.state, n_topics)
        numba.set_num_threads(self.sweeper.n_threads)
        if not self.searches:
            initialise(self.state, (self.seed, self.chain, 0), n_topics)
            self._start()
        elif is_sampled(self.state.plan):
            self._initialise_from_sample(self.state.plan.corpus, n_topics, go_on)
        elif self.state.max_topics < MAX_TOPICS:
            self._start_at(self._find_topics(self.state.plan, n_topics, go_on, self._spare()), go_on)
        else:
            self._find_start(n_topics, go_on)

    def _find_start(self, n_topics: int | None, go_on: GoOn, last_rounds: int = LAST_ROUNDS) -> None:
        """Search for a start, first by a chain without own words if the graph has such words."""
        plan, most = self.state.plan, self.state.max_topics
        distinct = distinct_words_plan(plan)
        if distinct:
            topics = self._find_topics(distinct, n_topics, go_on, most, 0)
            self._start_at(topics_of_all(plan, distinct, topics), go_on)
            return
        initialise(self.state, (self.seed, self.chain, 0), n_topics)
        self._start()
        search(self.state, self._sweep_in_search(), (self.seed, self.chain, SEARCHED), go_on, last_rounds)
        self._start()

    def _start_at(self, topics: NDArray[Any], go_on: GoOn) -> None:
        """Start from topics that another chain has found."""
        self.initialise_at(topics.astype(np.int64))
        settle(self.state, self._sweep_in_search(), (self.seed, self.chain, SEARCHED), go_on)
        self._start()

    def _initialise_from_sample(self, corpus: Corpus, n_topics: int | None, go_on: GoOn) -> None:
        """Start from topics that are found in some of the documents."""
        plan, seed = self.state.plan, (self.seed, self.chain, 0)
        documents = pick_sample(plan.graph, corpus, plan.n_tokens, seed)
        topics = self._find_topics(plan_of_sample(plan.graph, corpus, documents), n_topics, go_on, self._spare())
        numba.set_num_threads(self.sweeper.n_threads)
        self._seat_from(documents, topics.astype(np.int64))
        self._start()

    def _seat_from(self, documents: NDArray[np.int64], topics: NDArray[np.int64]) -> None:
        initialise_from(self.state, (self.seed, self.chain, 0), documents, topics)

    def _spare(self) -> int:
        """How many topics a search may have, where those it ends with are gathered from more."""
        return min(SPARE * self.state.max_topics, MAX_TOPICS)

    def _find_topics(
        self, plan: Plan, n_topics: int | None, go_on: GoOn, most: int, last_rounds: int = LAST_ROUNDS
    ) -> NDArray[np.int32]:
        """The topics of another plan's tokens: found among `most`, then gathered to as many as this chain may have."""
        sweeper, state = self.sweeper, new_state(plan, max_topics=most)
        how = {"passes": sweeper.passes, "n_threads": sweeper.n_threads, "moves": True}
        first = Chain(state, seed=self.seed, chain=self.chain, **how)  # type: ignore[arg-type]
        first._find_start(n_topics, go_on, last_rounds)
        sweep, seed = first._sweep_in_search(GATHERED), (self.seed, self.chain, GATHERED)
        gather(first.state, self.state.max_topics, sweep, seed)
        return first.state.text.topic

    def _sweep_in_search(self, first: int = SEARCHED) -> Sweeps:
        """Sweeps of the search for a start. Their numbers are far above those of the chain."""
        numbers = itertools.count(first + 1)

        def sweep(times: int, priors: bool) -> None:
            for _ in range(times):
                seed = (self.seed, self.chain, next(numbers))
                if priors:
                    self._sample_priors(seed)
                self._sample_tokens(seed)

        return sweep

    def initialise_at(self, topics: NDArray[np.int64]) -> None:
        """Seat every token for the first time, at a topic that is given; numbers from 0 on."""
        numba.set_num_threads(self.sweeper.n_threads)
        initialise_at(self.state, (self.seed, self.chain, 0), topics, int(topics.max()) + 1)
        self._start()

    def _start(self) -> None:
        self._tidy()
        self._measure((self.seed, self.chain, 0))
        self.rate = self._rate()
        self.started = True

    def whole(self) -> State:
        """The state with all documents: as it is here."""
        return self.state

    def _tidy(self) -> None:
        tidy(self.state)

    def _measure(self, seed: Seed) -> None:
        self.measures.take(self.state, seed)

    def _rate(self) -> float:
        return rate_of(self._topic_sizes(), self.sweeper.sweep == "collapsed")

    def _topic_sizes(self) -> NDArray[np.int64]:
        """Tokens of every topic."""
        return np.bincount(self.state.text.topic, minlength=self.state.n_topics)

    def continue_from(self, n_sweeps: int, trace: dict[str, list[float]]) -> None:
        """Continue from a stored state and its number of sweeps; its measures are those of the last sweep."""
        numba.set_num_threads(self.sweeper.n_threads)
        self.started, self.n_sweeps, self.trace = True, n_sweeps, trace
        self.rate = trace[RATE][0] if RATE in trace else self._rate()
        if self.state.network:
            self.network = self._with_network(method_of(self.state.network))
            self.network.restore(self.state.network)
        self._measure((self.seed, self.chain, n_sweeps))

    def step(self) -> None:
        """One sweep: concentrations, discounts, every token; then the trace. A StateError if a number is no number."""
        check_measures(self.state, self.measures)
        self.n_sweeps += 1
        seed = (self.seed, self.chain, self.n_sweeps)
        if self.join is not None and self.network is None and self.n_sweeps > self.join.text_sweeps:
            self._let_network_join(seed)
        self._sample_priors(seed)
        tally = self._sample_tokens(seed)
        self._remember(tally)
        for values in self.trace.values():  # what only shards tell, where the chain goes on without them
            values += [math.nan] * (self.n_sweeps - len(values))

    def _sample_priors(self, seed: Seed) -> None:
        """Concentrations and discounts."""
        fixed = self.network.fixed if self.network else ()
        sample_concentrations(self.state, self.measures, seed, fixed)
        sample_discounts(self.state, seed, fixed)
        check_terms(self.state)

    def _sample_tokens(self, seed: Seed) -> Tally | None:
        """Every token, and some moves of whole topics; what the moves came to."""
        tally = Tally() if self.moves else None
        if self.network:
            self.network.sweep(self.state, seed)
        else:
            self.sweeper.step(self.state, seed, "collapsed" if seed[2] <= self.collapsed_first else None)
            if self.moves and seed[2] < SEARCHED:
                tally = self.moves.step(self.state, seed, attempts(seed, self.rate))
        self._tidy()
        self._measure(seed)
        check_measures(self.state, self.measures)
        return tally

    def _let_network_join(self, seed: Seed) -> None:
        """From here on the topics are fixed, and linked nodes are vectors (maths 6)."""
        assert self.join is not None
        self.state = join_state(self.state, self.join.spare)
        self.measures = Measures(self.state)
        self.measures.take(self.state, (seed[0], seed[1], seed[2] - 1))
        self.network = self._with_network(self.join.method)
        self.network.start(self.state, seed)

    def _with_network(self, method: Method) -> TextAndNetwork:
        sweeper = self.sweeper
        return TextAndNetwork(self.state, sweeper.n_threads, method, passes=sweeper.passes, relabels=sweeper.relabels)

    def _remember(self, tally: Tally | None) -> None:
        state = self.state
        if tally is not None:
            self._add(RATE, self.rate)
            for name, count in vars(tally).items():
                self._add(f"moves/{name}", count)
        self._add("n_topics", state.n_topics)
        if state.plan.n_tokens:  # links alone have none
            sizes = self._topic_sizes()
            self._add("topics/large", np.count_nonzero(is_large(sizes)))
            self._add("topics/effective", effective_number(sizes))
        self._add("log_joint", self.measures.log_joint)
        for i, node in enumerate(state.plan.nodes):
            if node.name in (TOPICS, WORDS):
                continue
            if node.local:
                customers, tables = self.measures.by_node[i][:, [SEATED, OPENED]].sum(axis=0)
            else:
                customers, tables = state.net.totals[state.layout.blocks[i].rests].sum(axis=0)
            self._add(f"customers/{node.name}", float(customers))
            self._add(f"tables/{node.name}", float(tables))
            self._add(f"concentration/{node.name}", float(np.mean(concentration_of(state, node.name))))
        self._remember_discounts()
        self._remember_network()

    def _remember_discounts(self) -> None:
        """Those that are sampled. A gem that a network has made finite has none any more: not a number."""
        sampled = [self.state.plan.nodes[i].name for i in self.state.plan.sampled_discounts]
        known = [name.removeprefix(DISCOUNT) for name in self.trace if name.startswith(DISCOUNT)]
        for name in dict.fromkeys([*known, *sampled]):
            self._add(f"{DISCOUNT}{name}", discount_of(self.state, name) if name in sampled else math.nan)

    def _remember_network(self) -> None:
        """Not a number as long as the network has not joined."""
        if self.join is None:
            return
        network = self.network.network if self.network else None
        values = network.log_likelihood() if network else {}
        for links in self.state.plan.graph.link_sets:
            self._add(f"network/log_likelihood/{links.name}", values.get(links.name, math.nan))
        for name in Report._fields:
            self._add(f"network/{name}", float(getattr(self.network.report, name)) if self.network else math.nan)

    def _add(self, name: str, value: float | np.integer[Any]) -> None:
        """One more value of a trace; what an earlier version did not keep is not a number for its sweeps."""
        if name not in self.trace:
            self.trace[name] = [math.nan] * (self.n_sweeps - 1)
        self.trace[name].append(float(value))
