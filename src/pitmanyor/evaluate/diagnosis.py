"""Whether to trust a run, in plain words, and what to do next. Commands and reports repeat this verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.escape import html_table, html_text
from pitmanyor.evaluate.advice import Advice, Target, advise
from pitmanyor.evaluate.convergence import BAD_RHAT, FEWEST, GOOD_RHAT, Quantity, burnt_share, convergence, n_kept
from pitmanyor.evaluate.matching import Stability, stability
from pitmanyor.evaluate.topic_count import TopicCount, topic_count, topic_sizes
from pitmanyor.results.posterior import Traced
from pitmanyor.state.topic_sizes import is_large

Verdict = Literal["trust", "care", "no"]
GOOD_ESS, BAD_ESS = 100.0, 10.0  # of all chains together
GOOD_SHARE, BAD_SHARE = 0.85, 0.5  # of the tokens, in topics that all chains found
VAGUE = ("concentration/", "discount/")  # vague priors let them wander, which does not make the topics wrong
SAID: dict[Verdict, str] = {
    "trust": "Trust it: the chains agree, and there are enough sweeps.",
    "care": "Use it with care.",
    "no": "Do not trust it yet.",
}


@dataclass(frozen=True)
class Finding:
    """A sentence about the chains, and how serious it is."""

    verdict: Verdict
    sentence: str
    about: Literal["sweeps", "topics", "numbers"] = "sweeps"


@dataclass(frozen=True)
class Diagnosis:
    """The verdict on one chain or several chains of the same model; `print` it.

    `topic_count`: the number of topics. `quantities`: R-hat and effective sample size of each quantity. `stability`:
    how many chains found each topic (None for a single chain). `advice`: what to do next.
    """

    n_chains: int
    verdict: Verdict
    findings: list[Finding]
    quantities: list[Quantity]
    topic_count: TopicCount
    stability: Stability | None
    advice: Advice

    @property
    def disagrees(self) -> bool:
        """Whether chains, or parts of one, differ so much that intervals from their states would be far too narrow."""
        rhats = [one.rhat for one in self.quantities if not one.name.startswith(VAGUE)]
        found_others = self.stability is not None and self.stability.share < BAD_SHARE
        return found_others or any(not rhat <= BAD_RHAT for rhat in rhats)

    @property
    def summary(self) -> str:
        """The verdict, the most serious finding, which topics all chains found, and what to do next."""
        grave = next(one.sentence for one in self.findings if one.verdict == self.verdict)
        said = {one.sentence: one.about for one in self.findings}
        why = [] if self.verdict == "trust" else [grave]
        why += [sentence for sentence, about in said.items() if about == "topics" and sentence not in why]
        return " ".join([SAID[self.verdict], *why, *self.advice.sentences])

    def _repr_html_(self) -> str:
        head = ("quantity", "mean", "R-hat", "effective draws")
        rows = [(one.title, f"{one.mean:,.1f}", f"{one.rhat:.3f}", f"{one.ess:.0f}") for one in self.quantities]
        said = "".join(f"<p>{html_text(line)}</p>" for line in str(self).splitlines())
        return said + (html_table(head, rows) if rows else "")

    def __str__(self) -> str:
        found = [f"- {finding.sentence}" for finding in self.findings]
        return "\n".join([SAID[self.verdict], *found, *(f"> {line}" for line in self.advice.sentences)])


@checked_call()
def diagnose(fits: Sequence[Traced], *, discard: float | None = None) -> Diagnosis:
    """Judge whether one chain, or several chains of the same model and corpus, have converged.

    Parameters
    ----------
    fits
        One fit or more.
    discard
        Share of the sweeps to discard at the beginning; by default the burn-in of the fit.
    """
    if not fits:
        raise PlanError("no chain is given; pass one fit or more")
    chains = [chain for fit in fits for chain in fit.chains]
    _check_alike(chains)
    discard = burnt_share(chains) if discard is None else discard
    few = n_kept([chain.trace for chain in chains], discard) < FEWEST
    quantities = [] if few else convergence(chains, discard=discard)
    main = [one for one in quantities if not one.name.startswith(VAGUE)]
    shared, numbers = _shared(fits[0], chains), topic_count(fits, discard=discard)
    findings = [_too_few()] if few else [_of_agreement(main, len(chains)), _of_size(main)]
    findings += [*_of_topics(fits[0], shared), Finding("trust", f"The fit has {numbers}.", "numbers")]
    findings += _of_vague([one for one in quantities if one not in main])
    if len(chains) == 1:
        findings.append(Finding("care", "One chain cannot tell whether another would have found other topics."))
    verdict: Verdict = next(one for one in ("no", "care", "trust") if any(f.verdict == one for f in findings))
    agreed = shared is not None and shared.share >= GOOD_SHARE
    advice = advise(chains, main, Target(GOOD_RHAT, GOOD_ESS), settled=verdict == "trust", agreed=agreed)
    return Diagnosis(len(chains), verdict, findings, quantities, numbers, shared, advice)


def chains_agree(chains: Sequence[Traced], shared: Stability | None) -> bool:
    """Whether chains can be treated as draws from one posterior: their log joints agree, and so do their topics.

    Chains with too few sweeps to judge count as agreeing.
    """
    discard = burnt_share(chains)
    if n_kept([chain.trace for chain in chains], discard) < FEWEST:
        return True
    found = {one.name: one for one in convergence(chains, discard=discard)}
    same = "log_joint" not in found or found["log_joint"].rhat <= GOOD_RHAT
    return same and (shared is None or shared.share >= GOOD_SHARE)


def _shared(shown: Traced, chains: Sequence[Traced]) -> Stability | None:
    """How many of the other chains found each topic of the state that is shown."""
    others = [chain for chain in chains if chain.state is not shown.state]
    return stability(shown, others) if others and shown.has_topic_words else None


def _check_alike(fits: Sequence[Traced]) -> None:
    for one, other in combinations(fits, 2):
        if one.state.plan.corpus.content_hash != other.state.plan.corpus.content_hash:
            raise PlanError("these fits are of different corpora; only chains of one corpus can be compared")
        if _model(one) != _model(other):
            raise PlanError("these fits are of different models; only chains of one model can be compared")
        if len(one.trace) and np.array_equal(one.trace["log_joint"], other.trace["log_joint"]):
            raise PlanError("two of these chains are the same; fit again with another seed, or with chains=4")


def _model(fit: Traced) -> tuple[frozenset[object], ...]:
    """What chains of one model share: everything except the number of topics, which a network fixes per chain."""
    graph = fit.state.plan.graph
    nodes = [
        replace(node, over=0) if fit.state.network and isinstance(node.over, int) else node for node in graph.nodes
    ]
    return frozenset(nodes), frozenset(graph.streams), frozenset(graph.link_sets)


def _grade(value: float, good: float, bad: float) -> Verdict:
    """Grade a number for which larger is better; nan is bad."""
    if not value >= bad:
        return "no"
    return "trust" if value >= good else "care"


def _too_few() -> Finding:
    return Finding("no", f"Too few sweeps to judge: {FEWEST} or more must be left after the burn-in.")


def _of_agreement(quantities: Sequence[Quantity], n_chains: int) -> Finding:
    if not quantities:
        return Finding("no", "Nothing moved: every quantity is the same in all sweeps.")
    worst = max(quantities, key=lambda one: one.rhat if one.rhat == one.rhat else np.inf)
    verdict = _grade(-worst.rhat, -GOOD_RHAT, -BAD_RHAT)
    who = "the chains" if n_chains > 1 else "the parts of the chain"
    if verdict == "trust":
        return Finding(verdict, f"All quantities agree between {who} (R-hat at most {worst.rhat:.3f}).")
    agree = "nearly agree" if verdict == "care" else "disagree"
    good = f"R-hat {worst.rhat:.2f}; {GOOD_RHAT} or less is good"
    return Finding(verdict, f"{who[0].upper()}{who[1:]} {agree} on the {worst.title} ({good}).")


def _of_size(quantities: Sequence[Quantity]) -> Finding:
    if not quantities:
        return Finding("no", "There are no draws to average over.")
    least = min(quantities, key=lambda one: one.ess if one.ess == one.ess else -np.inf)
    verdict = _grade(least.ess, GOOD_ESS, BAD_ESS)
    more = "" if verdict == "trust" else f" ({GOOD_ESS:.0f} or more are good)"
    draws = f"{least.ess:.0f} independent draw{'s' * (round(least.ess) != 1)}"
    return Finding(verdict, f"The sweeps are worth {draws} of the {least.title}{more}.")


def _of_vague(quantities: Sequence[Quantity]) -> list[Finding]:
    """A vague prior lets a concentration wander over decades, which alone does not make the topics wrong."""
    slow = [one.title for one in quantities if not (one.rhat <= GOOD_RHAT and one.ess >= GOOD_ESS)]
    if not slow:
        return []
    return [Finding("care", f"Not converged, so do not interpret these yet: {', '.join(slow)}.")]


def _of_topics(shown: Traced, shared: Stability | None) -> list[Finding]:
    """How many of the large topics all chains found."""
    if shared is None:
        return []
    found = np.array(shared.found)[is_large(topic_sizes(shown))]
    n, sure = len(found), int((found == shared.n_chains).sum())
    verdict = _grade(shared.share, GOOD_SHARE, BAD_SHARE)
    hold = f"topics found by all {shared.n_chains} chains hold {100 * shared.share:.0f} % of the tokens"
    are = "is" if sure == 1 else "are"
    sentence = {
        "trust": f"The chains found the same topics: {sure} of {n} large topics; {hold}.",
        "care": f"The chains agree on {sure} of {n} large topics, which can be trusted; {hold}.",
        "no": f"The chains found different topics: only {sure} of {n} large ones {are} in all of them; {hold}.",
    }[verdict]
    return [Finding(verdict, sentence, "topics")]
