"""Whether to trust a run: traces, R-hat, how many topics, and what was left out of the data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pitmanyor.corpus.read_report import ReadReport
from pitmanyor.errors import PlanError
from pitmanyor.evaluate.convergence import agreement, kept_traces, watched
from pitmanyor.evaluate.diagnosis import BAD_RHAT, BAD_STABILITY, GOOD_RHAT, GOOD_STABILITY
from pitmanyor.evaluate.matching import stability
from pitmanyor.report.clean import clean
from pitmanyor.report.view import Atlas, Floats
from pitmanyor.results.fitting import Fit

DISCARDED = 0.5  # of the sweeps, from the beginning
LOW, HIGH = 0.05, 0.95  # an interval holds 90 % of the draws
POINTS = 300  # of a trace, at most: no screen shows more
DIRECTORIES = re.compile(r"(?:[A-Za-z]:)?[/\\](?:[^\s/\\:'\"]+[/\\])+")  # where files lie is nobody's business
VAGUE = "concentration/"  # they may wander over decades, which does not make the topics wrong
FEWEST = 50  # sweeps in the second half, below which nothing is said for good


def trust_facts(atlas: Atlas, chains: Sequence[Fit], redact: bool) -> dict[str, Any]:
    """Traces of all chains, R-hat of what is kept of them, the number of topics, and what reading removed."""
    chains = distinct(chains)
    joined, rhats = joined_after(atlas), rhats_of(chains)
    counts, how = topic_numbers(atlas, chains)
    n_sweeps = max(0, min(chain.n_sweeps for chain in chains) - (joined or 0))
    level, sentence = judge(rhats, len(chains), n_sweeps)
    if level == "good":  # so far: chains whose numbers agree may still have found different topics
        level, sentence = judge_topics(sentence, shared_topics(chains))
    values, times = np.unique(counts, return_counts=True)
    traces = {"log_joint": [thinned(chain.trace["log_joint"]) for chain in chains]}
    if joined != 0:  # a network that was there from the beginning has fixed their number
        traces["n_topics"] = [thinned(chain.trace["n_topics"][:joined]) for chain in chains]
    return {
        "level": level,
        "sentence": sentence,
        "traces": traces,
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


def distinct(chains: Sequence[Fit]) -> list[Fit]:
    """Chains without those that repeat an earlier one: a copy agrees with what it was copied from, and says nothing."""
    return list({chain.trace["log_joint"].tobytes(): chain for chain in reversed(chains)}.values())[::-1]


def rhats_of(chains: Sequence[Fit]) -> dict[str, float]:
    """R-hat of every quantity that `pitmanyor diagnose` watches; of none if there are too few sweeps."""
    try:
        return {name: agreement(values) for name, values in watched(chains, DISCARDED).items()}
    except PlanError:
        return {}


def shared_topics(chains: Sequence[Fit]) -> float | None:
    """How much of their topics the chains have in common, from 0 to 1; None if they cannot be compared here."""
    try:
        return stability(chains)
    except PlanError:  # of one chain; or scipy is not installed
        return None


def joined_after(atlas: Atlas) -> int | None:
    """After how many sweeps the network joined, if it did: topics are neither born nor retired from then on."""
    fit = atlas.fit
    joined = fit.run.settings.text_sweeps
    return joined if fit.graph.link_sets and fit.n_sweeps > joined else None


def topic_numbers(atlas: Atlas, chains: Sequence[Fit]) -> tuple[Floats, str]:
    """Posterior draws of the number of topics that hold a token, and how they came about."""
    fit, joined = atlas.fit, joined_after(atlas)
    if joined is None:
        try:
            rows = kept_traces([chain.trace for chain in chains], DISCARDED)["n_topics"]
        except PlanError:  # too few sweeps to judge
            rows = fit.trace["n_topics"][None, fit.n_sweeps // 2 :]
        who = f" of {len(rows)} chains" if len(rows) > 1 else ""
        return rows.ravel(), f"every sweep of the second half{who}"
    if fit.samples:
        used = [len(np.unique(sample.state.text.topic)) for sample in fit.samples]
        return np.array(used, np.float64), f"the {len(used)} posterior samples, counting topics that hold a token"
    if joined == 0:
        return np.array([len(np.unique(fit.state.text.topic))], np.float64), "the last state alone: no other was kept"
    return fit.trace["n_topics"][joined // 2 : joined], "the second half of the sweeps before the network joined"


def judge(rhats: Mapping[str, float], n_chains: int, n_sweeps: int) -> tuple[str, str]:
    """A level (good, fair, poor) and one plain sentence. Concentrations do not count, as in `pitmanyor diagnose`.

    n_sweeps: of the whole model, so of one with a network since it joined.
    """
    main = [value for name, value in rhats.items() if not name.startswith(VAGUE)]
    worst = max((value for value in main if value == value), default=float("nan"))
    if n_sweeps < 2 * FEWEST or worst != worst:
        many = f"{n_sweeps:,} sweep{'s' * (n_sweeps != 1)}"
        return (
            "poor",
            f"Only {many} of the whole model: too few to judge. Take this as a first look, and resume the run.",
        )
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
    return "good", f"The numbers of {n_chains} chains agree (R-hat {worst:.2f})"


def judge_topics(agreed: str, shared: float | None) -> tuple[str, str]:
    """The same of chains whose numbers agree, by how much of their topics they have in common."""
    if shared is None:
        return "fair", f"{agreed}; their topics were not compared: pitmanyor diagnose compares them, or says why not."
    score = f"(stability {shared:.2f} of 1)"
    if shared < BAD_STABILITY:
        return "poor", f"{agreed}, but they found different topics {score}: read none of them as a fact."
    if shared < GOOD_STABILITY:
        return "fair", f"{agreed}, but their topics are alike only in part {score}."
    return "good", f"{agreed}, and they found the same topics {score}."


def thinned(trace: Floats) -> list[list[float]]:
    """Points [sweep, value] of a trace, evenly spread, the last one included."""
    at = np.unique(np.linspace(0, len(trace) - 1, min(POINTS, len(trace))).astype(int))
    return [[int(i) + 1, float(f"{trace[i]:.7g}")] for i in at]


def _removed(report: ReadReport, redact: bool) -> dict[str, Any]:
    """What reading took and left out. Notes and bad lines quote the data, so they are not in a redacted page."""
    filters = [[one.name, clean(one.why), one.documents, one.tokens, one.authors] for one in report.filters]
    out: dict[str, Any] = {"n_read": report.n_read, "n_bad_lines": report.n_bad_lines, "filters": filters}
    if not redact:
        out["columns"] = [clean(str(column)) for column in report.columns]
        out["notes"] = [clean(DIRECTORIES.sub("", note)) for note in (*report.notes, *map(str, report.bad_lines))]
    return out
