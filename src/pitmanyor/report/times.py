"""How the share of every topic changes over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from pitmanyor.report.view import Atlas

UNITS = ("h", "D", "W", "M", "Y")
MOST_BINS = 60


def time_facts(atlas: Atlas) -> dict[str, Any] | None:
    """Shares of all topics in every hour, day, week, month or year: the finest of which there are not too many."""
    times = atlas.fit.corpus.times
    if times is None or np.isnat(times).all():
        return None
    known = ~np.isnat(times)
    first, last = times[known].min(), times[known].max()
    unit = next((u for u in UNITS if _length(first, last, u) <= MOST_BINS), UNITS[-1])
    bins = times[known].astype(f"datetime64[{unit}]").astype(np.int64)
    start = int(bins.min())
    n = int(bins.max()) - start + 1
    if n < 3:
        return None
    counts = np.zeros((n, atlas.n_topics))
    np.add.at(counts, bins - start, atlas.document_counts()[known])
    starts = np.arange(start, start + n).astype(f"datetime64[{unit}]").astype("datetime64[m]").astype(np.int64)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return {"unit": unit, "minutes": starts.tolist(), "tokens": counts.sum(axis=1).astype(int).tolist(), "shares": np.rint(1000 * shares.T).astype(int).tolist()}


def _length(first: Any, last: Any, unit: str) -> int:
    return int((last.astype(f"datetime64[{unit}]") - first.astype(f"datetime64[{unit}]")).astype(np.int64)) + 1
