"""Topic shares of new documents over fixed vectors, all sweeps of a document at once (maths 7)."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from pitmanyor.fold_in.fixed_vectors import Vectors, mix_means
from pitmanyor.fold_in.fold_rows import aligned, base_rows, bases_of, ints, new_starts, terms_of, token_rows
from pitmanyor.graph import Node
from pitmanyor.kernels.documents.fold_in.fold_one_node import NONE, Documents, Folded, Rows, Sweeps, fold
from pitmanyor.kernels.documents.fold_in.fold_own_words import TOPIC, Own
from pitmanyor.kernels.documents.fold_in.fold_topic_nodes import fold_nodes
from pitmanyor.kernels.documents.fold_in.fold_values import (
    ONES,
    OPEN,
    SHARE,
    TO,
    VALUES,
    Bench,
    NetDocuments,
    NetRows,
    Network,
)
from pitmanyor.kernels.runtime.simd import WIDTH
from pitmanyor.plan import Plan
from pitmanyor.state.scratch_arrays import LINES, apart

Floats = NDArray[np.float64]
TRIES = 32  # of a topic for a document's own words; they are not often refused, and then the slow way is soon cheaper


class Fixed(NamedTuple):
    """All that is held fixed: vectors of the shared nodes; concentrations and discounts of the document nodes."""

    vectors: Vectors
    concentrations: dict[str, float]
    discounts: dict[str, float]
    n_topics: int


def fold_plain(plan: Plan, fixed: Fixed, sweeps: Sweeps, n_threads: int) -> Floats:
    """Shares, up to a factor, of documents with one node over one base."""
    node = next(node for node in plan.nodes if node.local)
    n_topics, longest = fixed.n_topics, _longest(plan)
    words, row = token_rows(plan, fixed.vectors, fixed.n_topics)
    bases, base = base_rows(plan, fixed.vectors, bases_of(node), n_topics)
    a = fixed.discounts[node.name]
    tables, small = terms_of([a], longest)
    rows = Rows(words, bases, n_topics, a, fixed.concentrations[node.name], small[0])
    documents = Documents(plan.order.first[:: len(plan.graph.streams)], row, base[:, 0])
    shares = np.zeros((plan.n_documents, n_topics))
    numba.set_num_threads(n_threads)  # no more than there is scratch for
    fold(rows, tables, _folded(n_threads, n_topics, longest), documents, sweeps, shares)
    return shares


def can_fold(plan: Plan) -> bool:
    """Every topic leaf is local, and every word leaf is of a topic: shared, or the document's own over shared words."""
    emits = {stream.emit for stream in plan.graph.streams}
    own = [node for node in plan.nodes if node.local and node.side == "word"]
    return (
        all(plan.graph[stream.topic].local for stream in plan.graph.streams)
        and all(plan.graph[emit].per_topic for emit in emits)
        and all(node.name in emits and len(node.parents) < 2 for node in own)
        and not any(plan.graph[name].local for node in own for name in node.parents)
    )


def fold_network(plan: Plan, fixed: Fixed, leaf: str, sweeps: Sweeps, n_threads: int) -> Floats:
    """Shares, up to a factor, of documents with any nodes on the topic side; `leaf` names the one asked for."""
    local = [node for node in plan.nodes if node.local and node.side == "topic"]
    if any(leaf in node.parents for node in local):  # it has customers who are no tokens
        sweeps = sweeps._replace(by_chance=False)
    names = [node.name for node in local]
    shared = list(dict.fromkeys(name for node in local for name in bases_of(node) if name not in names))
    discounts = sorted(set(fixed.discounts.values()))
    n_topics, longest = fixed.n_topics, _longest(plan)
    words, row = token_rows(plan, fixed.vectors, n_topics)
    bases, base = base_rows(plan, fixed.vectors, shared, n_topics)
    tables, small = terms_of(discounts, longest * len(local))
    rows = NetRows(words, bases, n_topics, small.reshape(-1))
    net = _network(plan, fixed, local, shared, discounts)._replace(
        main=names.index(leaf), inverse=_inverses(local, fixed, longest)
    )
    shares = np.zeros((plan.n_documents, n_topics))
    bench = _bench(n_threads, (n_topics, longest), net, len(shared), len(_own_nodes(plan)))
    own = _own(plan, fixed, discounts, (n_threads, bench.topic.shape[1], longest))
    numba.set_num_threads(n_threads)
    fold_nodes(rows, tables, net, own, bench, NetDocuments(plan.order.first, row, base), sweeps, shares)
    return shares


def _longest(plan: Plan) -> int:
    return int(np.diff(plan.order.first[:: len(plan.graph.streams)]).max())


def _network(plan: Plan, fixed: Fixed, local: list[Node], shared: list[str], discounts: list[float]) -> Network:
    names, rows = [node.name for node in local], shared + [node.name for node in local]
    widest = max(2, *(len(node.parents) for node in local))
    parents, prior = np.zeros((len(local), widest), np.int64), np.zeros((len(local), widest))
    for j, node in enumerate(local):
        parents[j, : len(bases_of(node))] = [rows.index(name) for name in bases_of(node)]
        prior[j, : len(bases_of(node))] = node.mix_prior or (mix_means(node) if node.parents else 1.0)
    return Network(
        parents=parents,
        n_parents=np.array([len(bases_of(node)) for node in local]),
        prior=prior,
        learned=np.array([node.mix_weights is None for node in local], np.int64),
        index=np.array([discounts.index(fixed.discounts[name]) for name in names]),
        discount=np.array([fixed.discounts[name] for name in names]),
        concentration=np.array([fixed.concentrations[name] for name in names]),
        inverse=np.zeros((0, 2, 0)),
        above=np.array([[other in plan.lineage(leaf) for other in names] for leaf in names], np.int64),
        leaf=np.array([names.index(stream.topic) for stream in plan.graph.streams]),
        main=0,
    )


def _inverses(local: list[Node], fixed: Fixed, longest: int) -> Floats:
    """For every node 1/(b + n) and 1/(sum_i lambda_i + n), for all n customers or tables that a document can bring."""
    first = [(fixed.concentrations[node.name], float(sum(node.mix_prior or (1.0,)))) for node in local]
    return np.asarray(1.0 / (np.array(first)[:, :, None] + np.arange(longest + 1)))


def _folded(n_threads: int, n_topics: int, longest: int) -> Folded:
    slots = min(longest, n_topics) + 1
    topic, customers, tables = (apart(n_threads, slots, np.int32, NONE) for _ in range(3))
    stay, opening, chances = (apart(n_threads, slots, np.float64) for _ in range(3))
    by_base, sums = (apart(n_threads, longest, np.float64) for _ in range(2))
    return Folded(
        token=apart(n_threads, longest, np.int32, NONE),
        slot_of=apart(n_threads, n_topics, np.int32, NONE),
        topic=topic,
        customers=customers,
        tables=tables,
        stay=stay,
        opening=opening,
        weights=apart(n_threads, 2 * slots, np.float64),
        chances=chances,
        by_base=by_base,
        sums=sums,
        starts=new_starts(n_threads, longest, n_topics),
    )


def _bench(n_threads: int, size: tuple[int, int], net: Network, n_bases: int, n_own: int) -> Bench:
    n_topics, longest = size
    n_local, widest = net.parents.shape
    slots = -(-(n_bases + min(longest, n_topics)) // WIDTH) * WIDTH + LINES // 4  # threads apart
    by_base, sums = (apart(n_threads, longest * n_bases, np.float64) for _ in range(2))
    bench = Bench(
        token=apart(n_threads, longest, np.int32, NONE),
        slot_of=apart(n_threads, n_topics, np.int32, NONE),
        topic=aligned((n_threads, slots), np.int32),
        tokens=ints(n_threads, slots),
        counts=ints(n_threads, n_local, TO + widest, slots),
        totals=apart(n_threads, (n_local, TO + widest), np.int64),
        scalars=apart(n_threads, (n_local, SHARE + widest), np.float64),
        flat=aligned((n_threads, (VALUES + n_bases + 4 * n_local + n_own) * slots), np.float32),
        kept=np.zeros((n_threads, n_bases)),
        by_base=by_base,
        sums=sums,
        starts=new_starts(n_threads, longest * n_bases, n_topics),
        known=apart(n_threads, 1, np.int64),
    )
    bench.scalars[:, :, SHARE : SHARE + widest] = net.prior
    rows = bench.flat.reshape(n_threads, -1, slots)  # the first slots are the bases'
    rows[:, VALUES : VALUES + n_bases, :n_bases] = np.eye(n_bases)
    for j in range(n_local):
        rows[:, VALUES + n_bases + n_local + 3 * j + OPEN] = 1.0
    rows[:, VALUES + n_bases + 4 * n_local :] = 1.0
    rows[:, ONES] = 1.0
    return bench


def _own_nodes(plan: Plan) -> list[Node]:
    return [node for node in plan.nodes if node.local and node.side == "word"]


def _own(plan: Plan, fixed: Fixed, discounts: list[float], size: tuple[int, int, int]) -> Own | None:
    """The documents' own words and scratch for them, if there are any; `size` is that of threads, slots and tokens."""
    nodes = _own_nodes(plan)
    if not nodes:
        return None
    names, (n_threads, slots, longest) = [node.name for node in nodes], size
    node = np.array([names.index(s.emit) if s.emit in names else NONE for s in plan.graph.streams])
    return Own(
        node=node,
        index=np.array([discounts.index(fixed.discounts[name]) for name in names]),
        discount=np.array([fixed.discounts[name] for name in names]),
        concentration=np.array([fixed.concentrations[name] for name in names]),
        inverse=1.0 / (np.array([[fixed.concentrations[name]] for name in names]) + np.arange(longest + 1)),
        tries=TRIES,
        dish=_dishes(plan, node[plan.order.stream]),
        rests=np.zeros((n_threads, len(nodes), TOPIC, slots), np.int32),
        entries=ints(n_threads, longest + LINES // 4, TOPIC + 1),
        n_entries=apart(n_threads, longest, np.int32, NONE),
        weights=apart(n_threads, longest, np.float64),
    )


def _dishes(plan: Plan, node: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each token a number that it shares with those of its document which have its word and word node.

    Tokens of a document are numbered as they come in order of word node and word; a word has the number of its first.
    """
    document, word = plan.order.document.astype(np.int64), plan.order.word.astype(np.int64)
    key = (document * (node.max() + 2) + node + 1) * (int(word.max()) + 1) + word
    sorted_already = bool((key[1:] >= key[:-1]).all())  # but where two streams have one word node
    order = np.arange(len(key)) if sorted_already else np.argsort(key, kind="stable")
    new = np.append(True, np.diff(key[order]) > 0)
    first = np.flatnonzero(new)[np.cumsum(new) - 1]
    start = plan.order.first[:: len(plan.graph.streams)][document[order]]
    dish = np.empty(len(key), np.int64)
    dish[order] = first - start
    return dish
