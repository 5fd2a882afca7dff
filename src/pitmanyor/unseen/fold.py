"""Topic shares of new documents over fixed vectors, all sweeps of a document at once (maths 7)."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from pitmanyor.graph import Node
from pitmanyor.kernels.fold import Documents, Folded, Rows, Sweeps, fold
from pitmanyor.kernels.fold_nodes import A_BASE, SHARE, TO, Bench, NetDocuments, NetRows, Network, fold_nodes
from pitmanyor.plan import Plan
from pitmanyor.unseen.rows import base_rows, bases_of, ints, new_blocks, terms_of, token_rows
from pitmanyor.unseen.vectors import Vectors, mix_means

Floats = NDArray[np.float64]


class Fixed(NamedTuple):
    """All that is held fixed: vectors of the shared nodes, and the concentrations of the document nodes."""

    vectors: Vectors
    concentrations: dict[str, float]
    n_topics: int


def fold_plain(plan: Plan, fixed: Fixed, sweeps: Sweeps, n_threads: int) -> Floats:
    """Shares, up to a factor, of documents with one node over one base."""
    node = next(node for node in plan.nodes if node.local)
    n_topics, longest = fixed.n_topics, _longest(plan)
    words, row = token_rows(plan, fixed.vectors)
    bases, base = base_rows(plan, fixed.vectors, bases_of(node), n_topics)
    tables, small = terms_of([node.discount], longest)
    rows = Rows(words, bases, n_topics, node.discount, fixed.concentrations[node.name], small[0])
    documents = Documents(plan.order.first[:: len(plan.graph.streams)], row, base[:, 0])
    shares = np.zeros((plan.n_documents, n_topics))
    numba.set_num_threads(n_threads)  # no more than there is scratch for
    fold(rows, tables, _folded(n_threads, n_topics, longest), documents, sweeps, shares)
    return shares


def fold_network(plan: Plan, fixed: Fixed, leaf: str, sweeps: Sweeps, n_threads: int) -> Floats:
    """Shares, up to a factor, of documents with any nodes on the topic side; `leaf` names the one asked for."""
    local = [node for node in plan.nodes if node.local]
    names = [node.name for node in local]
    shared = list(dict.fromkeys(name for node in local for name in bases_of(node) if name not in names))
    discounts = sorted({node.discount for node in local})
    n_topics, longest = fixed.n_topics, _longest(plan)
    words, row = token_rows(plan, fixed.vectors)
    bases, base = base_rows(plan, fixed.vectors, shared, n_topics)
    tables, small = terms_of(discounts, longest * len(local))
    rows = NetRows(words, bases, n_topics, small)
    net = _network(plan, fixed, local, shared)._replace(main=names.index(leaf))
    shares = np.zeros((plan.n_documents, n_topics))
    bench = _bench(n_threads, (n_topics, longest), net, len(shared))
    numba.set_num_threads(n_threads)
    fold_nodes(rows, tables, net, bench, NetDocuments(plan.order.first, row, base), sweeps, shares)
    return shares


def _longest(plan: Plan) -> int:
    return int(np.diff(plan.order.first[:: len(plan.graph.streams)]).max())


def _network(plan: Plan, fixed: Fixed, local: list[Node], shared: list[str]) -> Network:
    names, rows = [node.name for node in local], shared + [node.name for node in local]
    discounts = sorted({node.discount for node in local})
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
        index=np.array([discounts.index(node.discount) for node in local]),
        discount=np.array([node.discount for node in local]),
        concentration=np.array([fixed.concentrations[name] for name in names]),
        above=np.array([[other in plan.lineage(leaf) for other in names] for leaf in names], np.int64),
        leaf=np.array([names.index(stream.topic) for stream in plan.graph.streams]),
        main=0,
    )


def _folded(n_threads: int, n_topics: int, longest: int) -> Folded:
    slots = min(longest, n_topics) + 1
    return Folded(
        token=ints(n_threads, longest),
        slot_of=ints(n_threads, n_topics),
        topic=ints(n_threads, slots),
        customers=ints(n_threads, slots),
        tables=ints(n_threads, slots),
        stay=np.zeros((n_threads, slots)),
        opening=np.zeros((n_threads, slots)),
        weights=np.zeros((n_threads, 2 * slots)),
        sums=np.zeros((n_threads, longest)),
        blocks=new_blocks(n_threads, longest, n_topics),
    )


def _bench(n_threads: int, size: tuple[int, int], net: Network, n_bases: int) -> Bench:
    n_topics, longest = size
    slots, (n_local, widest) = min(longest, n_topics) + 1, net.parents.shape
    bench = Bench(
        token=ints(n_threads, longest),
        slot_of=ints(n_threads, n_topics),
        slots=ints(n_threads, 2, slots),
        counts=ints(n_threads, n_local, TO + widest, slots),
        totals=np.zeros((n_threads, n_local, TO + widest), np.int64),
        scalars=np.zeros((n_threads, n_local, SHARE + widest)),
        reals=np.zeros((n_threads, n_local, A_BASE + 1, slots)),
        values=np.zeros((n_threads, n_bases + n_local, slots)),
        forms=np.zeros((n_threads, n_bases + n_local, n_bases)),
        weights=np.zeros((n_threads, slots)),
        kept=np.zeros((n_threads, n_bases)),
        sums=np.zeros((n_threads, longest * n_bases)),
        blocks=new_blocks(n_threads, longest * n_bases, n_topics),
    )
    bench.scalars[:, :, SHARE:] = net.prior
    bench.forms[:, :n_bases] = np.eye(n_bases)
    return bench
