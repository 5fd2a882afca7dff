"""Documents clustered by their dominant topic, compared with labels (docs/evaluation.md)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.fold_in import main_stream
from pitmanyor.results.posterior import Posterior

Floats = NDArray[np.float64]
Labels: TypeAlias = Sequence[Hashable] | NDArray[Any]


@checked_call()
def dominant_topics(shares: Posterior | ArrayLike, *, n_topics: int | None = None) -> NDArray[np.int64]:
    """The topic with the largest share in each document; ties go to the lower number.

    Parameters
    ----------
    shares
        Topic proportions, one row per document, such as `Fit.infer(...).shares`; or a Fit, for its own documents.
    n_topics
        Consider only this many topics, the largest over all documents. Fitting with `max_topics` is better.

    >>> dominant_topics([[0.2, 0.8], [0.5, 0.5]])
    array([1, 0])
    >>> dominant_topics([[0.2, 0.7, 0.1], [0.3, 0.3, 0.4], [0.2, 0.6, 0.2]], n_topics=1)
    array([1, 1, 1])
    """
    table = _shares_of(shares) if isinstance(shares, Posterior) else _as_table(shares)
    if n_topics is None:
        return np.asarray(table.argmax(axis=1))
    if n_topics < 1:
        raise PlanError(f"n_topics must be 1 or more, not {n_topics}")
    largest = np.sort(np.argsort(-table.sum(axis=0), kind="stable")[:n_topics])
    return np.asarray(largest[table[:, largest].argmax(axis=1)])


def _as_table(shares: ArrayLike) -> Floats:
    try:
        table = np.asarray(shares, np.float64)
    except (TypeError, ValueError) as error:
        raise PlanError(f"shares is a table of numbers, as many in every row ({error})") from None
    if table.ndim != 2 or not table.shape[1]:
        raise PlanError(f"shares has a row per document and a column per topic; it is not of shape {table.shape}")
    if not np.isfinite(table).all():
        bad = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
        raise PlanError(f"shares are finite numbers, but row {bad} has others: {table[bad].tolist()}")
    return table


def _shares_of(fit: Posterior) -> Floats:
    """The topic shares of the documents that were fitted, those of their words."""
    plan = fit.state.plan
    leaf = main_stream(plan).topic
    rows = fit.mean(leaf, "discard")
    return rows if plan.graph[leaf].local else rows[plan.instances[leaf].of_document]


@checked_call()
def purity(clusters: Labels, labels: Labels) -> float:
    """Share of documents whose label is the most common one in their cluster.

    Parameters
    ----------
    clusters
        One cluster per document, such as its dominant topic.
    labels
        One label per document.

    >>> purity([0, 0, 1, 1], ["a", "a", "a", "b"])
    0.75
    """
    table = _table(clusters, labels)
    return float(table.max(axis=1).sum() / table.sum())


@checked_call()
def nmi(clusters: Labels, labels: Labels) -> float:
    """Normalised mutual information: 2 MI / (entropy of clusters + entropy of labels).

    It is 1 if there is one cluster and one label, and 0 if only one of the two is constant.

    Parameters
    ----------
    clusters
        One cluster per document, such as its dominant topic.
    labels
        One label per document.

    >>> nmi([0, 0, 1, 1], ["a", "a", "b", "b"]), nmi([0, 0], ["a", "b"]), nmi([0, 0], ["a", "a"])
    (1.0, 0.0, 1.0)
    """
    table = _table(clusters, labels)
    joint = table / table.sum()
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    entropies = _entropy(rows) + _entropy(columns)
    if min(joint.shape) == 1:
        return 1.0 if max(joint.shape) == 1 else 0.0
    held = joint > 0
    information = float((joint[held] * np.log2(joint[held] / np.outer(rows, columns)[held])).sum())
    return max(0.0, 2 * information / entropies)


@checked_call()
def adjusted_rand(clusters: Labels, labels: Labels) -> float:
    """The Rand index, adjusted for chance: 1 for equal partitions, about 0 for unrelated ones.

    Parameters
    ----------
    clusters
        One cluster per document, such as its dominant topic.
    labels
        One label per document.

    >>> adjusted_rand([0, 0, 1, 1], ["a", "a", "b", "b"])
    1.0
    """
    table = _table(clusters, labels)
    together, of_rows, of_columns = (_pairs(x) for x in (table, table.sum(axis=1), table.sum(axis=0)))
    all_pairs = _pairs(table.sum(keepdims=True))
    if of_rows == of_columns and together == of_rows:  # the same partition, 0/0 among the cases
        return 1.0
    expected = of_rows * of_columns / all_pairs
    return (together - expected) / ((of_rows + of_columns) / 2 - expected)


def _pairs(counts: NDArray[np.int64]) -> float:
    return float((counts * (counts - 1) // 2).sum())


def _entropy(chances: Floats) -> float:
    """In bits, with 0 log 0 = 0."""
    held = chances[chances > 0]
    return float(-(held * np.log2(held)).sum())


def _table(clusters: Labels, labels: Labels) -> NDArray[np.int64]:
    """Number of documents for each pair of cluster and label."""
    if len(clusters) != len(labels) or not len(labels):
        raise PlanError(
            f"every document needs a cluster and a label, not {len(clusters)} clusters and {len(labels)} labels in all"
        )
    rows, columns = _codes("clusters", clusters), _codes("labels", labels)
    table = np.zeros((max(rows) + 1, max(columns) + 1), np.int64)
    np.add.at(table, (rows, columns), 1)
    return table


def _codes(what: str, values: Labels) -> list[int]:
    known: dict[Hashable, int] = {}
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    for value in listed:
        if not isinstance(value, Hashable) or value != value:  # only what is no number differs from itself
            raise PlanError(
                f"{what} has {value!r}: give one label per document, a name or number; leave out documents without one"
            )
    return [known.setdefault(value, len(known)) for value in listed]
