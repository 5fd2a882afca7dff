"""Whether to trust a run: the diagnosis, traces, and what was removed from the data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from pitmanyor.corpus.read_report import ReadReport
from pitmanyor.evaluate.diagnosis import VAGUE, Diagnosis, Verdict, diagnose
from pitmanyor.report.clean import clean
from pitmanyor.report.view import Atlas, Floats

POINTS = 300  # most points of a trace that are drawn
DIRECTORIES = re.compile(r"(?:[A-Za-z]:)?[/\\](?:[^\s/\\:'\"]+[/\\])+")  # paths are private
LEVELS: Mapping[Verdict, str] = {"trust": "good", "care": "fair", "no": "poor"}  # how the page colours a verdict
TRACED = ("log_joint", "topics/large")


def trust_facts(atlas: Atlas, redact: bool) -> dict[str, Any]:
    """The diagnosis of the fit, with the traces of all its chains, and what reading removed."""
    fit = atlas.fit
    found = diagnose([fit])
    traces = {name: [thinned(chain.trace[name]) for chain in fit.chains] for name in TRACED if name in fit.trace}
    return {
        "level": LEVELS[found.verdict],
        "sentence": found.summary,
        "intervals": not found.disagrees,
        "findings": [[LEVELS[one.verdict], one.sentence] for one in found.findings],
        "advice": found.advice.sentences,
        "traces": traces,
        "joined": joined_after(atlas),
        "rhat": [
            [one.title, _plain(one.rhat), _plain(one.ess), one.name.startswith(VAGUE)] for one in found.quantities
        ],
        "n_topics": _numbers(atlas, found),
        "removed": None if fit.corpus.report is None else _removed(fit.corpus.report, redact),
    }


def _numbers(atlas: Atlas, found: Diagnosis) -> dict[str, Any]:
    """The number of topics on the page, where merged topics are one, and its posterior."""
    count, small = found.topic_count, atlas.counts[~atlas.large]
    return {
        "now": int(atlas.large.sum()),
        "low": count.low,
        "high": count.high,
        "small": len(small),
        "small_share": float(small.sum() / max(atlas.counts.sum(), 1)),
        "effective": round(count.effective, 1),
        "least": count.least,
        "probability": [[n, round(share, 4)] for n, share in count.probability.items()],
    }


def _plain(value: float) -> float | None:
    return round(value, 3) if np.isfinite(value) else None


def joined_after(atlas: Atlas) -> int | None:
    """Number of sweeps after which the network joined, if it did; from then on no topic is born or removed."""
    fit = atlas.fit
    joined = fit.run.settings.network.text_sweeps or 0
    return joined if fit.graph.link_sets and fit.n_sweeps > joined else None


def thinned(trace: Floats) -> list[list[float]]:
    """Points [sweep, value] of a trace, evenly spread, including the last."""
    at = np.unique(np.linspace(0, len(trace) - 1, min(POINTS, len(trace))).astype(int))
    return [[int(i) + 1, float(f"{trace[i]:.7g}")] for i in at if np.isfinite(trace[i])]


def _removed(report: ReadReport, redact: bool) -> dict[str, Any]:
    """What reading kept and removed. Notes and bad lines quote the data, so a redacted page does not have them."""
    filters = [[one.name, clean(one.why), one.documents, one.tokens, one.authors] for one in report.filters]
    out: dict[str, Any] = {"n_read": report.n_read, "n_bad_lines": report.n_bad_lines, "filters": filters}
    if not redact:
        out["columns"] = [clean(str(column)) for column in report.columns]
        out["notes"] = [clean(DIRECTORIES.sub("", note)) for note in (*report.notes, *map(str, report.bad_lines))]
    return out
