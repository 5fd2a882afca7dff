"""Topics by groupings of the corpus other than authors: a party, a country, a source."""

from __future__ import annotations

from typing import Any

import numpy as np

from pitmanyor.report.clean import clean
from pitmanyor.report.people import AUTHOR
from pitmanyor.report.times import thousandths
from pitmanyor.report.view import Atlas
from pitmanyor.topics import prevalence

MOST_LABELS = 24  # of a grouping, those with most posts


def group_facts(atlas: Atlas) -> list[dict[str, Any]] | None:
    """For every grouping its largest labels, their posts, and the shares of all topics in each, with intervals.

    Shares are in parts per thousand, one list per topic with one entry per label. None if there is no such grouping.
    """
    found = [one for name in atlas.fit.corpus.groups if name != AUTHOR and (one := _grouping(atlas, name))]
    return found or None


def _grouping(atlas: Atlas, name: str) -> dict[str, Any] | None:
    spread = prevalence(atlas.fit, by=name, shown=atlas.shown)
    order = [g for g in np.argsort(-spread.n_documents, kind="stable").tolist() if spread.n_tokens[g]][:MOST_LABELS]
    if len(order) < 2:
        return None
    out: dict[str, Any] = {
        "name": clean(name),
        "labels": [clean(str(spread.groups[g])) for g in order],
        "of": int(np.count_nonzero(spread.n_tokens)),
        "posts": spread.n_documents[order].tolist(),
        "interval": spread.interval,
    }
    for part, rows in (("shares", spread.shares), ("low", spread.low), ("high", spread.high)):
        out[part] = [thousandths(rows[order, i]) for i in atlas.order]
    return out
