"""The number of topics of a fit, with its posterior interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.evaluate.convergence import BAD_RHAT, FEWEST, burnt_share, judged, last_sweeps, n_kept
from pitmanyor.results.posterior import Posterior, Traced
from pitmanyor.state.topic_sizes import effective_number, is_large, least_share

LOW, HIGH = 0.05, 0.95  # the interval holds 90 % of the posterior
SERIES = "topics/large"


@dataclass(frozen=True)
class TopicCount:
    """The number of large topics, its posterior, and the smaller topics; `print` it.

    `n_large`: number of topics in the state that is shown that hold at least a share `least` of the tokens
    (`pitmanyor.state.topic_sizes` explains the threshold). `low`, `high`: 90 % interval of this number over the kept
    sweeps of all chains. `probability`: its posterior. `settled`: False if chains, or the halves of one, disagree on
    the number so much that the interval is far too narrow; `print` then leaves it out. `n_small`, `small_share`: number
    of other occupied topics, and their share of the tokens. `effective`: posterior mean of exp of the entropy of the
    topics' shares.
    """

    n_large: int
    low: int
    high: int
    n_small: int
    small_share: float
    effective: float
    least: float
    probability: dict[int, float]
    settled: bool = True

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>"

    def __str__(self) -> str:
        said = f"{self.n_large} topic{'s' * (self.n_large != 1)}"
        if not self.settled:
            said += " (not settled yet)"
        elif self.low < self.high:
            said += f" ({self.low}-{self.high} with 90 % probability)"
        return f"{said}{self.tail}"

    @property
    def mean(self) -> float:
        """Posterior mean of the number of large topics."""
        return sum(n * p for n, p in self.probability.items())

    @property
    def tail(self) -> str:
        """The part of the sentence about smaller topics."""
        if not self.n_small:
            return ""
        share, one = f"{100 * self.small_share:.{1 if self.small_share < 0.1 else 0}f} %", self.n_small == 1
        share = "less than 0.1 %" if self.small_share < 0.0005 else share
        return f", and {self.n_small} smaller {'one that holds' if one else 'ones that hold'} {share} of the tokens"


@checked_call()
def topic_count(fits: Sequence[Traced], *, discard: float | None = None) -> TopicCount:
    """The number of topics in the state of the first fit, with the posterior from the kept sweeps of all chains.

    Parameters
    ----------
    fits
        One fit or more of the same model.
    discard
        Share of the sweeps to discard at the beginning; by default the burn-in of the fit.
    """
    if not fits:
        raise PlanError("fits is empty; give one fit or more")
    shown = fits[0]
    sizes, n_large = topic_sizes(shown), int(np.count_nonzero(which_are_large(shown)))
    chains = [chain for fit in fits for chain in fit.chains]
    discard = burnt_share(chains) if discard is None else discard
    numbers = _draws(chains, SERIES, discard)
    effective = _draws(chains, "topics/effective", discard)
    if not len(numbers):  # no sweeps or no tokens: only the state is known
        numbers, effective = np.array([n_large]), np.array([effective_number(sizes)])
    low, high = np.quantile(numbers, [LOW, HIGH], method="nearest").astype(int).tolist()
    values, counts = np.unique(numbers.astype(np.int64), return_counts=True)
    small = (sizes > 0) & ~is_large(sizes)
    return TopicCount(
        n_large=n_large,
        low=low,
        high=high,
        n_small=int(small.sum()),
        small_share=float(sizes[small].sum() / max(sizes.sum(), 1)),
        effective=float(effective.mean()),
        least=least_share(int(sizes.sum())),
        probability={int(n): float(count / len(numbers)) for n, count in zip(values, counts, strict=True)},
        settled=_agree_on_it(chains, discard),
    )


@checked_call()
def effective_topics(fit: Traced) -> float:
    """Posterior mean of exp of the entropy of the topics' shares: a number of equally large topics."""
    return topic_count([fit]).effective


def topic_sizes(fit: Posterior) -> NDArray[np.int64]:
    """Number of tokens of every topic, over all streams."""
    return np.bincount(fit.state.text.topic, minlength=fit.n_topics)


def which_are_large(fit: Posterior) -> NDArray[np.bool_]:
    """Which topics of the state that is shown are large; in a model of links alone, which has no tokens, all are."""
    return is_large(topic_sizes(fit)) if fit.state.plan.n_tokens else np.ones(fit.n_topics, bool)


def _agree_on_it(chains: Sequence[Traced], discard: float) -> bool:
    """Whether chains, and the halves of each, agree on the number of topics; too few sweeps count as agreement."""
    traces = [chain.trace for chain in chains]
    if n_kept(traces, discard) < FEWEST:
        return True
    return all(one.rhat <= BAD_RHAT for one in judged(traces, discard=discard) if one.name == SERIES)


def _draws(chains: Sequence[Traced], name: str, discard: float) -> NDArray[np.float64]:
    """Values of a trace after the discarded part, of all chains one after the other."""
    found = [last_sweeps(chain.trace, discard).get(name, np.zeros(0)) for chain in chains]
    values = np.concatenate([np.zeros(0), *found])
    return np.asarray(values[np.isfinite(values)])
