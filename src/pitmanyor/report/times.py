"""Shares of topics over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from pitmanyor.report.view import Atlas, Floats
from pitmanyor.topics import topics_over_time

FEWEST = 3  # periods that make a line


def time_facts(atlas: Atlas) -> dict[str, Any] | None:
    """Shares of all topics in every hour, day, week, month or year, with intervals; None if there are no times.

    Shares are in parts per thousand, one list per topic; a period without posts is null.
    """
    times = atlas.fit.corpus.times
    if times is None or np.isnat(times).all():
        return None
    found = topics_over_time(atlas.fit, shown=atlas.shown)
    if len(found.groups) < FEWEST:
        return None
    starts = np.array([np.datetime64(str(group), "m") for group in found.groups]).astype(np.int64)
    out = {"every": found.by, "minutes": starts.tolist(), "tokens": found.n_tokens.tolist(), "interval": found.interval}
    for name, rows in (("shares", found.shares), ("low", found.low), ("high", found.high)):
        out[name] = [thousandths(rows[:, i]) for i in atlas.order]
    return out


def thousandths(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else round(1000 * float(value), 1) for value in values]
