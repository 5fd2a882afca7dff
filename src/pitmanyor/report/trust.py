"""Whether to trust a run: traces, R-hat, how many topics, and what was left out of the data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pitmanyor.corpus.report import ReadReport
from pitmanyor.evaluate.diagnosis import BAD_RHAT, GOOD_RHAT
from pitmanyor.report.clean import clean
from pitmanyor.report.view import Atlas, Floats

LOW, HIGH = 0.05, 0.95  # an interval holds 90 % of the draws
POINTS = 300  # of a trace, at most: no screen shows more
DIRECTORIES = re.compile(r"(?:[A-Za-z]:)?[/\\](?:[^\s/\\:'\"]+[/\\])+")  # where files lie is nobody's business
VAGUE = "concentration/"  # they may wander over decades, which does not make the topics wrong
FEWEST = 50  # sweeps in the second half, below which nothing is said for good


def trust_facts(atlas: Atlas, chains: Sequence[Mapping[str, Floats]], redact: bool) -> dict[str, Any]:
    """Traces of all chains, R-hat of their second halves, the number of topics, and what reading removed."""
    counts, how = topic_numbers(atlas)
    joined = joined_after(atlas)
    rhats = {name: rhat([_half(chain[name]) for chain in chains]) for name in _watched(chains, joined)}
    level, sentence = judge(rhats, len(chains), min(len(chain["log_joint"]) for chain in chains))
    values, times = np.unique(counts, return_counts=True)
    return {
        "level": level,
        "sentence": sentence,
        "traces": {
            "log_joint": [thinned(chain["log_joint"]) for chain in chains],
            "n_topics": [thinned(chain["n_topics"][:joined]) for chain in chains],
        },
        "joined": joined,
        "rhat": [[name, round(value, 3) if np.isfinite(value) else None] for name, value in rhats.items()],
        "n_topics": {
            "low": int(np.quantile(counts, LOW, method="nearest")),
            "high": int(np.quantile(counts, HIGH, method="nearest")),
            "now": atlas.n_topics,
            "counts": [[int(v), int(n)] for v, n in zip(values, times, strict=True)],
            "how": how,
        },
        "removed": None if atlas.fit.corpus.report is None else _removed(atlas.fit.corpus.report, redact),
    }


def joined_after(atlas: Atlas) -> int | None:
    """After how many sweeps the network joined, if it did: topics are neither born nor retired from then on."""
    fit = atlas.fit
    joined = fit.run.settings.text_sweeps
    return joined if fit.graph.link_sets and fit.n_sweeps > joined else None


def topic_numbers(atlas: Atlas) -> tuple[Floats, str]:
    """Posterior draws of the number of topics that hold a token, and how they came about."""
    fit, joined = atlas.fit, joined_after(atlas)
    if joined is None:
        trace = fit.trace["n_topics"]
        return trace[len(trace) // 2 :], "every sweep of the second half"
    if fit.samples:
        used = [len(np.unique(sample.state.text.topic)) for sample in fit.samples]
        return np.array(used, np.float64), f"the {len(used)} posterior samples, counting topics that hold a token"
    return fit.trace["n_topics"][joined // 2 : joined], "the second half of the sweeps before the network joined"


def rhat(chains: Sequence[Floats]) -> float:
    """Gelman and Rubin's R-hat of split chains: near 1 where all halves of all chains say the same.

    >>> round(rhat([np.array([1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0])]), 2)
    0.87
    >>> rhat([np.zeros(8)])
    1.0
    """
    length = min(map(len, chains)) // 2
    if length < 2:
        return float("nan")
    halves = np.array([half for chain in chains for half in (chain[:length], chain[-length:])])
    within, between = halves.var(axis=1, ddof=1).mean(), length * halves.mean(axis=1).var(ddof=1)
    if within == 0.0:
        return 1.0 if between == 0.0 else float("inf")
    return float(np.sqrt(((length - 1) / length * within + between / length) / within))


def judge(rhats: Mapping[str, float], n_chains: int, n_sweeps: int) -> tuple[str, str]:
    """A level (good, fair, poor) and one plain sentence. Concentrations do not count, as in `pitmanyor diagnose`."""
    main = [value for name, value in rhats.items() if not name.startswith(VAGUE)]
    worst = max((value for value in main if value == value), default=float("nan"))
    if n_sweeps < 2 * FEWEST or worst != worst:
        return "poor", f"Only {n_sweeps:,} sweeps: too few to judge. Take this as a first look, and resume the run."
    if worst > BAD_RHAT:
        what = "the chains disagree" if n_chains > 1 else "the chain is still moving"
        return (
            "poor",
            f"Not settled yet: {what} (R-hat {worst:.2f}, wanted below {GOOD_RHAT}). Resume with more sweeps.",
        )
    if worst > GOOD_RHAT:
        who = f"{n_chains} chains" if n_chains > 1 else "its halves"
        rest = f"wanted below {GOOD_RHAT}): trust large topics more than small ones."
        return "fair", f"Nearly settled (R-hat {worst:.2f} of {who}, {rest}"
    if n_chains == 1:
        return "fair", f"The chain looks settled (R-hat {worst:.2f} of its halves); a second chain would confirm it."
    return "good", f"{n_chains} chains agree (R-hat {worst:.2f}): sizes can be trusted within their intervals."


def thinned(trace: Floats) -> list[list[float]]:
    """Points [sweep, value] of a trace, evenly spread, the last one included."""
    at = np.unique(np.linspace(0, len(trace) - 1, min(POINTS, len(trace))).astype(int))
    return [[int(i) + 1, float(f"{trace[i]:.7g}")] for i in at]


def _half(trace: Floats) -> Floats:
    return trace[len(trace) // 2 :]


def _watched(chains: Sequence[Mapping[str, Floats]], joined: int | None) -> list[str]:
    """Quantities that do not depend on how topics are numbered, and that move: R-hat is of these."""
    own = [name for name in chains[0] if name.startswith(VAGUE) and np.ptp(chains[0][name]) > 0]
    return ["log_joint", *([] if joined is not None else ["n_topics"]), *own]


def _removed(report: ReadReport, redact: bool) -> dict[str, Any]:
    """What reading took and left out. Notes and bad lines quote the data, so they are not in a redacted page."""
    filters = [[one.name, clean(one.why), one.documents, one.tokens, one.authors] for one in report.filters]
    out: dict[str, Any] = {"n_read": report.n_read, "n_bad_lines": report.n_bad_lines, "filters": filters}
    if not redact:
        out["columns"] = [clean(str(column)) for column in report.columns]
        out["notes"] = [clean(DIRECTORIES.sub("", note)) for note in (*report.notes, *map(str, report.bad_lines))]
    return out
