"""Shares of topics: overall, by group and over time, with intervals."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.escape import html_table, html_text
from pitmanyor.results.fitted import Fitted
from pitmanyor.topics.align import aligned_topics
from pitmanyor.topics.counts import Pairs, document_counts
from pitmanyor.topics.topic_view import View, view

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Interval = Literal["samples", "documents"]
Every = Literal["hour", "day", "week", "month", "year"]
UNITS = {"hour": "h", "day": "D", "week": "W", "month": "M", "year": "Y"}
SHOWN = 60  # rows in a notebook
MOST = 60  # most periods that `topics_over_time` chooses by default


@dataclass(frozen=True, eq=False, repr=False)
class Prevalence:
    """Shares of the tokens, one row per group and one column per topic, with intervals.

    `interval` says what the intervals mean. "samples": the posterior of the share in these documents, from the states
    that the fit kept; the share is their mean. "documents": too few states were kept for this level (`enough`), so the
    share is that of the last state, and the interval says how it would vary among other documents of the same kind,
    given the topics. A group without tokens has shares of nan.
    """

    by: str
    groups: list[Hashable]
    topics: list[int]
    names: list[str]
    shares: Floats
    low: Floats
    high: Floats
    n_documents: Ints
    n_tokens: Ints
    interval: Interval
    level: float

    def __repr__(self) -> str:
        n_groups, n_topics = self.shares.shape
        kind = "kept states" if self.interval == "samples" else "documents"
        return (
            f"Prevalence(by {self.by}: {n_groups} groups x {n_topics} topics, with intervals of {100 * self.level:g} % "
            f"over {kind}; pitmanyor.table makes a data frame of it)"
        )

    def _repr_html_(self) -> str:
        shown = [
            (row["group"], row["name"], _percent(row, "share"), _percent(row, "low"), _percent(row, "high"))
            for row in self.rows()[:SHOWN]
        ]
        more = self.shares.size - len(shown)
        rest = f"<p>and {more} more rows</p>" if more > 0 else ""
        return f"<p>{html_text(repr(self))}</p>" + html_table((self.by, "topic", "share", "low", "high"), shown) + rest

    def rows(self) -> list[dict[str, object]]:
        """One dict per group and topic, for tables and data frames."""
        return [
            {
                "group": group,
                "topic": topic,
                "name": self.names[k],
                "share": float(self.shares[g, k]),
                "low": float(self.low[g, k]),
                "high": float(self.high[g, k]),
                "n_documents": int(self.n_documents[g]),
                "n_tokens": int(self.n_tokens[g]),
            }
            for g, group in enumerate(self.groups)
            for k, topic in enumerate(self.topics)
        ]


def _percent(row: Mapping[str, object], name: str) -> str:
    return f"{100 * float(str(row[name])):.1f} %"


def enough(level: float) -> int:
    """Number of states that an interval of this level needs, so that their extremes enclose it.

    >>> enough(0.9), enough(0.5)
    (19, 3)
    """
    return ceil(round(2 / (1 - level) - 1, 6))


@checked_call()
def prevalence(fit: Fitted, by: str | None = None, level: float = 0.9, shown: View | None = None) -> Prevalence:
    """Shares of the topics in all documents, or in each group of documents.

    Parameters
    ----------
    fit
        A fit.
    by
        Grouping, such as "author" or "party". By default all documents together.
    level
        Probability of the intervals.
    shown
        Topics as `view` returned them; computed if not given.
    """
    n_documents = fit.state.plan.n_documents
    if by is None:
        return _spread(fit, "all", ["all"], np.zeros(n_documents, np.int64), level, shown)
    groups = fit.state.plan.corpus.groups
    if by not in groups:
        have = ", ".join(map(repr, groups)) or "none"
        raise PlanError(f"the corpus has no column {by!r} to group by; it has {have}; read it with groups=[{by!r}]")
    return _spread(fit, by, list(groups[by].labels), groups[by].codes.astype(np.int64), level, shown)


@checked_call()
def topics_over_time(
    fit: Fitted, every: Every | None = None, level: float = 0.9, shown: View | None = None
) -> Prevalence:
    """Shares of the topics in every period, from the first document to the last.

    Groups are texts such as "2018-07"; weeks begin on Mondays and are named by their first day. Documents without a
    time are ignored.

    Parameters
    ----------
    fit
        A fit of a corpus with times.
    every
        "hour", "day", "week", "month" or "year". By default the shortest that makes at most 60 periods.
    level
        Probability of the intervals.
    shown
        Topics as `view` returned them; computed if not given.
    """
    times = fit.state.plan.corpus.times
    if times is None or np.isnat(times).all():
        raise PlanError("the corpus has no times; read it with time= naming the column that has them")
    if every is not None and every not in UNITS:
        raise PlanError(f"every must be one of {', '.join(get_args(Every))}, not {every!r}")
    for name in [every] if every else UNITS:
        codes, starts = _periods(times, name)
        if every or len(starts) <= MOST:
            break
    return _spread(fit, name, [str(start) for start in starts], codes, level, shown)


def _periods(times: NDArray[np.datetime64], every: str) -> tuple[Ints, NDArray[np.datetime64]]:
    """The period of every document (-1 if it has no time), and the starts of the periods."""
    known = ~np.isnat(times)
    if every == "week":  # by days, because the weeks of NumPy begin on Thursdays
        number = (times.astype("datetime64[D]").astype(np.int64) + 3) // 7
    else:
        number = times.astype(f"datetime64[{UNITS[every]}]").astype(np.int64)
    first, last = number[known].min(), number[known].max()
    starts = np.arange(first, last + 1)
    moments = (
        (starts * 7 - 3).astype("datetime64[D]") if every == "week" else starts.astype(f"datetime64[{UNITS[every]}]")
    )
    return np.where(known, number - first, -1), moments


def _spread(
    fit: Fitted, by: str, groups: Sequence[Hashable], codes: Ints, level: float, shown: View | None
) -> Prevalence:
    if not 0.0 < level < 1.0:
        raise PlanError(f"level is the probability of an interval, between 0 and 1, not {level}")
    plan, shown = fit.state.plan, shown or view(fit)
    place, n = shown.place, len(shown.names)
    pairs = _known(document_counts(plan, place[fit.state.text.topic], n), codes)
    counts = _by_group(pairs, codes, len(groups), n)
    totals = counts.sum(axis=1)
    interval: Interval = "samples" if len(fit.samples) >= enough(level) else "documents"
    with np.errstate(invalid="ignore", divide="ignore"):
        if interval == "samples":
            shares, low, high = _over_samples(fit, shown, codes, len(groups), level)
        else:
            shares = counts / totals[:, None]
            low, high = _among_documents(pairs, codes, shares, totals, level)
    return Prevalence(
        by, list(groups), shown.topics, shown.names, shares, low, high,
        np.bincount(codes[codes >= 0], minlength=len(groups)), totals, interval, level,
    )  # fmt: skip


def _known(pairs: Pairs, codes: Ints) -> Pairs:
    """Only the documents that belong to a group."""
    here = codes[pairs.document] >= 0
    return Pairs(*(part[here] for part in pairs))


def _by_group(pairs: Pairs, codes: Ints, n_groups: int, n_topics: int) -> Ints:
    place = codes[pairs.document] * n_topics + pairs.topic
    total = np.bincount(place, weights=pairs.tokens, minlength=n_groups * n_topics)
    return total.astype(np.int64).reshape(n_groups, n_topics)


def _over_samples(fit: Fitted, shown: View, codes: Ints, n_groups: int, level: float) -> tuple[Floats, Floats, Floats]:
    """Means and quantiles of the shares over kept states."""
    n, draws = len(shown.names), []
    for topics in aligned_topics(fit):
        pairs = _known(document_counts(fit.state.plan, shown.place[topics], n), codes)
        counts = _by_group(pairs, codes, n_groups, n)
        draws.append(counts / counts.sum(axis=1, keepdims=True))
    return np.mean(draws, axis=0), *_between(np.stack(draws), level)


def _between(draws: Floats, level: float) -> tuple[Floats, Floats]:
    """An interval that contains one more draw with this probability.

    The i-th smallest of n draws has i/(n + 1) below it on average. NumPy's default assumes (i - 1)/(n - 1), with which
    a 90 % interval from 20 draws contains only 82 %.
    """
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0, method="weibull")
    return low, high


def _among_documents(pairs: Pairs, codes: Ints, shares: Floats, totals: Ints, level: float) -> tuple[Floats, Floats]:
    """Wilson's interval for the effective number of independent tokens in the documents of a group.

    The variance of a share is that of a ratio of sums over M documents, M/(M - 1) sum_d (n_dk - p_k n_d)^2 / N^2. The
    effective number is p (1 - p) / variance, at least as if every document had one topic, and at most the number of
    tokens.
    """
    (n_groups, n_topics), n_documents = shares.shape, len(codes)
    lengths = np.bincount(pairs.document, weights=pairs.tokens, minlength=n_documents)
    group, within = codes[pairs.document], lengths[pairs.document]

    def total(values: Floats) -> Floats:
        place = group * n_topics + pairs.topic
        summed = np.bincount(place, weights=values, minlength=n_groups * n_topics)
        return np.asarray(summed.reshape(n_groups, n_topics), np.float64)

    here = (codes >= 0) & (lengths > 0)
    m = np.bincount(codes[here], minlength=n_groups)[:, None]
    squares = np.bincount(codes[here], weights=lengths[here] ** 2, minlength=n_groups)[:, None]
    tokens = pairs.tokens.astype(np.float64)
    spread = m / (m - 1) * (total(tokens**2) - 2 * shares * total(tokens * within) + shares**2 * squares)
    sizes = totals[:, None].astype(np.float64)
    fewest = sizes**2 / squares
    worth = np.where(spread > 0, shares * (1 - shares) * sizes**2 / spread, fewest)
    worth = np.clip(worth, fewest, sizes)
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = (shares + z**2 / (2 * worth)) / (1 + z**2 / worth)
    half = z / (1 + z**2 / worth) * np.sqrt(shares * (1 - shares) / worth + z**2 / (4 * worth**2))
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
