"""Whether to trust a run, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from pitmanyor.errors import PlanError
from pitmanyor.evaluate.convergence import Quantity, convergence, topic_numbers
from pitmanyor.evaluate.matching import stability
from pitmanyor.results.posterior import Traced

Verdict = Literal["trust", "care", "no"]
GOOD_RHAT, BAD_RHAT = 1.05, 1.2
GOOD_ESS, BAD_ESS = 100.0, 10.0  # of all chains together
GOOD_STABILITY, BAD_STABILITY = 0.7, 0.4
SAID: dict[Verdict, str] = {
    "trust": "Trust it: the chains agree, and there are sweeps enough.",
    "care": "Use it with care.",
    "no": "Do not trust it yet.",
}


@dataclass(frozen=True)
class Finding:
    """A sentence about the chains, and how grave it is."""

    verdict: Verdict
    sentence: str


@dataclass(frozen=True)
class Diagnosis:
    """What chains of one model say of each other. `print` it.

    stability: how much of their topics the chains share, 0 to 1 (None for one chain); n_topics: the posterior of the
    number of topics; quantities: R-hat and effective sample size of each.
    """

    n_chains: int
    verdict: Verdict
    findings: list[Finding]
    quantities: list[Quantity]
    n_topics: dict[int, float]
    stability: float | None

    def __str__(self) -> str:
        return "\n".join([SAID[self.verdict], *(f"- {finding.sentence}" for finding in self.findings)])


def diagnose(fits: Sequence[Traced], *, discard: float = 0.5) -> Diagnosis:
    """Judge one chain, or better several of the same model and corpus, by the sweeps after a share to be discarded."""
    _check_alike(fits)
    quantities = convergence(fits, discard=discard)
    shared = stability(fits) if len(fits) > 1 and fits[0].state.plan.n_tokens else None
    numbers, few = topic_numbers(fits, discard=discard), _joined(fits) and fits[0].state.plan.n_tokens > 0
    main = [one for one in quantities if not one.name.startswith("concentration/")]
    findings = [_of_agreement(main, len(fits)), _of_size(main), *_of_topics(shared), _of_numbers(numbers, few)]
    findings += _of_concentrations([one for one in quantities if one not in main])
    if len(fits) == 1:
        findings.append(Finding("care", "One chain cannot tell whether another would have found other topics: run 4."))
    verdict: Verdict = next(one for one in ("no", "care", "trust") if any(f.verdict == one for f in findings))
    return Diagnosis(len(fits), verdict, findings, quantities, numbers, shared)


def _check_alike(fits: Sequence[Traced]) -> None:
    for one, other in combinations(fits, 2):
        if one.state.plan.corpus.content_hash != other.state.plan.corpus.content_hash:
            raise PlanError("these fits are of different corpora; chains that are compared have everything in common")
        if _model(one) != _model(other):
            raise PlanError("these fits are of different models; chains that are compared have everything in common")
        if np.array_equal(one.trace["log_joint"], other.trace["log_joint"]):
            raise PlanError("two of these chains are one and the same; fit again with another seed, or with chains=")


def _model(fit: Traced) -> tuple[frozenset[object], ...]:
    """What chains of one model have in common: all but the number of topics, which a network fixes for each."""
    graph, joined = fit.state.plan.graph, _joined([fit])
    nodes = [replace(node, over=0) if joined and isinstance(node.over, int) else node for node in graph.nodes]
    return frozenset(nodes), frozenset(graph.streams), frozenset(graph.link_sets)


def _joined(fits: Sequence[Traced]) -> bool:
    return any(fit.state.network for fit in fits)


def _grade(value: float, good: float, bad: float) -> Verdict:
    """Whether a number for which more is better is good, fair or bad; what is no number is bad."""
    if not value >= bad:
        return "no"
    return "trust" if value >= good else "care"


def _of_agreement(quantities: Sequence[Quantity], n_chains: int) -> Finding:
    if not quantities:
        return Finding("no", "Nothing moved: every quantity is the same in all sweeps.")
    worst = max(quantities, key=lambda one: one.rhat if one.rhat == one.rhat else np.inf)
    verdict = _grade(-worst.rhat, -GOOD_RHAT, -BAD_RHAT)
    who = "the chains" if n_chains > 1 else "the parts of the chain"
    if verdict == "trust":
        return Finding(verdict, f"All quantities agree between {who} (R-hat at most {worst.rhat:.3f}).")
    so = "not quite the same" if verdict == "care" else "not the same"
    return Finding(verdict, f"{worst.name} is {so} in {who} (R-hat {worst.rhat:.2f}, 1 is right): sweep longer.")


def _of_size(quantities: Sequence[Quantity]) -> Finding:
    if not quantities:
        return Finding("no", "So there is no draw to average over.")
    least = min(quantities, key=lambda one: one.ess if one.ess == one.ess else -np.inf)
    verdict = _grade(least.ess, GOOD_ESS, BAD_ESS)
    more = "" if verdict == "trust" else f", where {GOOD_ESS:.0f} would do: sweep longer or run more chains"
    draws = f"{least.ess:.0f} independent draw{'s' * (round(least.ess) != 1)}"
    return Finding(verdict, f"The sweeps are worth {draws} of {least.name}{more}.")


def _of_concentrations(quantities: Sequence[Quantity]) -> list[Finding]:
    """A vague prior lets a concentration wander over decades; that alone does not make the topics wrong."""
    slow = [one.name for one in quantities if not (one.rhat <= GOOD_RHAT and one.ess >= GOOD_ESS)]
    if not slow:
        return []
    return [Finding("care", f"Not settled, and not to be read as estimates yet: {', '.join(slow)}.")]


def _of_topics(shared: float | None) -> list[Finding]:
    if shared is None:
        return []
    verdict = _grade(shared, GOOD_STABILITY, BAD_STABILITY)
    sentence = {
        "trust": "The chains found the same topics",
        "care": "The chains found topics that are alike in part; look at those that all of them have",
        "no": "The chains found different topics: read none of them as a fact",
    }[verdict]
    return [Finding(verdict, f"{sentence} (stability {shared:.2f} of 1).")]


def _of_numbers(numbers: dict[int, float], few: bool) -> Finding:
    """`few`: of the states that were kept, which alone tell how many topics of a text with a network have a token."""
    if few:
        span = " to ".join(str(n) for n in dict.fromkeys((min(numbers), max(numbers))))
        return Finding("trust", f"{span} topics have a token in the states that were kept; the others are empty.")
    if len(numbers) == 1:
        return Finding("trust", f"There were {next(iter(numbers))} topics in every sweep.")
    reach = np.repeat(list(numbers), np.round(np.array(list(numbers.values())) * 10_000).astype(int))
    low, high = np.quantile(reach, [0.05, 0.95]).astype(int)
    likeliest = max(numbers, key=lambda n: numbers[n])
    return Finding(
        "trust", f"The number of topics is {low} to {high} with 90 % probability, {likeliest} the likeliest."
    )
