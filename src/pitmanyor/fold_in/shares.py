"""Topic proportions of new documents: Gibbs sweeps given fixed vectors, or the paper's single pass (maths 7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numba
import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.corpus import Corpus
from pitmanyor.corpus.flat_strings import Strings
from pitmanyor.corpus.parts import main_of
from pitmanyor.errors import PlanError
from pitmanyor.escape import html_table, html_text
from pitmanyor.fold_in.adapt import adapt
from pitmanyor.fold_in.document_means import document_means, prior_means, shared_rows, word_topics
from pitmanyor.fold_in.fixed_vectors import Vectors, fixed_state, mean_vectors
from pitmanyor.fold_in.paper_completion import one_pass
from pitmanyor.fold_in.tally import Tally, is_linear
from pitmanyor.graph import Tokens
from pitmanyor.kernels.documents.fold_sweeps import Sweeps
from pitmanyor.plan import Plan
from pitmanyor.results.posterior import Posterior
from pitmanyor.sampling.chain import SMALL_CORPUS
from pitmanyor.sampling.explicit_sweep import Explicit, LeafMeans
from pitmanyor.sampling.sweeps import usable_threads
from pitmanyor.seeds import checked, generator
from pitmanyor.state import State
from pitmanyor.state.engines import LONGEST, ClusterNodes
from pitmanyor.state.means import counts_of

Floats = NDArray[np.float64]
Completion = Literal["gibbs", "paper"]
SWEEPS, SWEEPS_OF_SHORT = 20, 10  # by default; the latter of documents of up to `fold_sweeps.SHORT` tokens
SWEEPS_OF_CLUSTERS = (32, 96)  # of documents seen as clusters: with one document node, and with several
SHOWN = 20  # documents in a notebook
LEFT_OUT = 4  # the first 1/N of the sweeps is discarded


@dataclass(frozen=True, eq=False, repr=False)
class TopicShares:
    """Topic proportions of new documents, one row per document. `topics` numbers the columns as `Fit.topics` does.

    `standard_errors`: Monte Carlo standard errors of the shares, estimated from batches of sweeps; nan where they are
    unknown. `n_dropped`: number of tokens outside the vocabulary, by stream. `n_unknown`: labels that the fit has not
    seen, by grouping. `ids` and `rows` are those of the documents, if they have any.
    """

    shares: Floats
    topics: list[int]
    node: str
    n_dropped: dict[str, int]
    n_unknown: dict[str, int]
    standard_errors: NDArray[np.float32]
    ids: Strings | None = None
    rows: NDArray[np.int64] | None = None

    def __repr__(self) -> str:
        n_documents, n_topics = self.shares.shape
        return (
            f"TopicShares({n_documents:,} documents x {n_topics} topics of {self.node}; pitmanyor.table makes a data "
            "frame of it)"
        )

    def _repr_html_(self) -> str:
        best = self.shares[:SHOWN].argmax(axis=1) if self.shares.size else []
        names = list(range(SHOWN)) if self.ids is None else list(self.ids[:SHOWN])
        rows = [(names[d], self.topics[k], f"{100 * self.shares[d, k]:.1f} %") for d, k in enumerate(best)]
        more = len(self.shares) - len(rows)
        rest = f"<p>and {more:,} more documents</p>" if more > 0 else ""
        return f"<p>{html_text(repr(self))}</p>" + html_table(("document", "main topic", "share"), rows) + rest


class Way(NamedTuple):
    """How to fold in. `threads` is for Gibbs sweeps only; without `sweeps` their number depends on the lengths."""

    completion: Completion
    sweeps: int | None
    seed: int
    threads: int | None


def infer(fit: Posterior, corpus: Corpus, way: Way, node: str | None = None) -> TopicShares:
    """As `Fit.infer`, for any posterior state."""
    check(way)
    leaf = _topic_node(fit.state.plan, node)
    adapted = adapt(fit.state.plan, corpus)
    if not adapted.plan.n_tokens:
        raise PlanError(
            "no token of these documents is in the vocabulary of the fit; read them with the options that its corpus "
            "was read with"
        )
    vectors = mean_vectors(fit.state, adapted.plan, lambda name: fit.mean(name, "discard"))
    found = leaf_means(fit.state, adapted.plan, vectors, leaf, way)
    topics, unknown = list(range(fit.n_topics)), adapted.n_unknown
    return TopicShares(found.shares, topics, leaf, adapted.n_dropped, unknown, found.errors, corpus.ids, corpus.rows)


def check(way: Way) -> None:
    """Raise a PlanError if the options are invalid."""
    if way.completion not in get_args(Completion):
        raise PlanError(f"completion must be one of {', '.join(get_args(Completion))}, not {way.completion!r}")
    if way.sweeps is not None and way.sweeps < 1:
        raise PlanError(f"sweeps must be 1 or more, not {way.sweeps}")
    checked(way.seed)
    if way.threads is not None and not 1 <= way.threads <= numba.config.NUMBA_NUM_THREADS:
        raise PlanError(f"threads must be between 1 and {numba.config.NUMBA_NUM_THREADS} here, not {way.threads}")


def leaf_means(fitted: State, plan: Plan, vectors: Vectors, leaf: str, way: Way) -> LeafMeans:
    """The mean of a topic node given the tokens of each document, one row per document, which sums to one.

    The mass of unseen topics is removed.
    """
    means = _means(fitted, plan, vectors, leaf, way)
    means.shares[:] /= means.shares.sum(axis=1, keepdims=True)
    return means


def _topic_node(plan: Plan, node: str | None) -> str:
    """The node of that name, if documents take their topics from it; by default that of the words."""
    if node is None:
        return main_stream(plan).topic
    known = [stream.topic for stream in plan.graph.streams]
    if node not in known:
        raise PlanError(f"node is one that tokens take their topics from, {' or '.join(known)}, not {node!r}")
    return node


def _means(fitted: State, plan: Plan, vectors: Vectors, leaf: str, way: Way) -> LeafMeans:
    """Unnormalised proportions, by the fastest method for the shape of the documents."""
    if not plan.graph[leaf].local:
        return _with_error(shared_rows(plan, vectors, leaf), 0.0)
    if not plan.n_tokens:
        return _with_error(prior_means(plan, vectors, leaf, fitted.n_topics), 0.0)
    if way.completion == "paper":
        shares = one_pass(fixed_state(fitted, plan, vectors), vectors, leaf, way.sweeps or SWEEPS, way.seed)
        return _with_error(shares, np.nan)
    threads = threads_of(way, plan)
    state = fixed_state(fitted, plan, vectors)
    if not state.engine.folds:
        return _with_error(_gibbs(state, vectors, leaf, way._replace(threads=threads)), np.nan)
    n_long, n_short = _n_sweeps(plan, way)
    return fold(state, leaf, Sweeps(n_long, n_long // LEFT_OUT, n_short, n_short // LEFT_OUT, way.seed, True), threads)


def _n_sweeps(plan: Plan, way: Way) -> tuple[int, int]:
    """Sweeps of long and of short documents."""
    if way.sweeps is not None:
        return way.sweeps, way.sweeps
    if not ClusterNodes.fits(plan):
        return SWEEPS, SWEEPS_OF_SHORT
    n_sweeps = SWEEPS_OF_CLUSTERS[sum(node.local for node in plan.nodes) > 1]
    return n_sweeps, n_sweeps


def _with_error(shares: Floats, error: float) -> LeafMeans:
    return LeafMeans(shares, np.full(shares.shape, error, np.float32))


def fold(state: State, leaf: str, sweeps: Sweeps, n_threads: int) -> LeafMeans:
    """Unnormalised proportions with standard errors, with all sweeps of a document at once."""
    plan = state.plan
    if any(leaf in node.parents for node in plan.nodes if node.local):  # it has customers that are not tokens
        sweeps = sweeps._replace(by_chance=False)
    stream = next(s for s, one in enumerate(plan.graph.streams) if one.topic == leaf)
    numba.set_num_threads(n_threads)  # bounded by the scratch arrays
    if not ClusterNodes.fits(plan):
        return Explicit(state, n_threads).fold(state, stream, sweeps)
    is_long = plan.lengths > LONGEST
    means = Explicit(state, n_threads, ClusterNodes(plan)).fold(state, stream, sweeps, np.flatnonzero(~is_long))
    if is_long.any():
        means.shares[:] += Explicit(state, n_threads).fold(state, stream, sweeps, np.flatnonzero(is_long)).shares
    return means


def threads_of(way: Way, plan: Plan) -> int:
    return way.threads or (1 if plan.n_tokens <= SMALL_CORPUS else usable_threads())


def main_stream(plan: Plan) -> Tokens:
    """The stream of words, otherwise the first."""
    streams = {stream.name: stream for stream in plan.graph.streams}
    return streams[main_of(streams)]


def kept_sweeps(state: State, vectors: Vectors, way: Way) -> Iterator[int]:
    """Gibbs sweeps of all documents given fixed vectors; yields the number of each sweep that is kept."""
    deal(state, vectors, way.seed)
    numba.set_num_threads(way.threads or 1)
    explicit, documents = Explicit(state, way.threads or 1), np.arange(state.plan.n_documents)
    n_sweeps = way.sweeps or SWEEPS
    for sweep in range(1, n_sweeps + 1):
        explicit.sweep(state, documents, state.n_topics, (way.seed, 0, sweep))
        if sweep > n_sweeps // LEFT_OUT:
            yield sweep


def _gibbs(state: State, vectors: Vectors, leaf: str, way: Way) -> Floats:
    """Mean of the leaf's posterior means over the sweeps that are kept."""
    tally = Tally(state, leaf) if is_linear(state.plan, leaf) else None
    total, n_kept = np.zeros((state.plan.n_documents, state.n_topics)), 0
    for _ in kept_sweeps(state, vectors, way):
        if tally is not None:
            tally.add()
        else:
            total += document_means(state.plan, vectors, leaf, lambda node: counts_of(state, node.name))
            n_kept += 1
    return total / n_kept if tally is None else tally.means(vectors)


def deal(state: State, vectors: Vectors, seed: int) -> None:
    """Initial topics, each given its word alone; a few sweeps forget them."""
    plan, text = state.plan, state.text
    rng = generator((seed, 0, 0), purposes.FOLD_IN_START)
    stream_of = plan.order.stream
    for s, stream in enumerate(plan.graph.streams):
        at = np.flatnonzero(stream_of == s)
        cumulative = np.cumsum(word_topics(plan, vectors, stream, state.n_topics), axis=1)
        words, where = np.unique(text.word[at], return_inverse=True)
        steps = cumulative[words] / cumulative[words, -1:] + np.arange(len(words))[:, None]
        place = np.searchsorted(steps.reshape(-1), where + rng.random(len(at)), side="right")
        text.topic[at] = np.minimum(place - where * state.n_topics, state.n_topics - 1)
