"""Have chains come to the same place? R-hat and effective sample sizes of quantities that need no labels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError
from pitmanyor.evaluate.rhat import rhat
from pitmanyor.evaluate.topic_words import used_topics
from pitmanyor.results.posterior import Traced

Floats = NDArray[np.float64]
JUDGED = ("n_topics", "log_joint", "tables/", "concentration/", "network/log_likelihood/")
FEWEST = 8  # sweeps of each chain: R-hat takes halves of halves


@dataclass(frozen=True)
class Quantity:
    """One number of the trace over the kept sweeps of all chains.

    rhat: 1 if the chains, and the halves of each, agree; ess: as many independent draws would say as much of its mean.
    """

    name: str
    mean: float
    sd: float
    rhat: float
    ess: float


def convergence(fits: Sequence[Traced], *, discard: float = 0.5) -> list[Quantity]:
    """R-hat, and effective sample size by arviz-stats, of what the traces say; quantities that never move are left out.

    So is the number of topics once a network has joined, for each chain has fixed its own then.
    discard: the share of each chain's sweeps to leave out at the beginning; with links, of those since they joined.
    """
    return [_quantity(name, values) for name, values in watched(fits, discard).items()]


def watched(fits: Sequence[Traced], discard: float) -> dict[str, Floats]:
    """The traces that tell whether chains agree: (chain, sweep) by name, as `kept_traces` has them."""
    traces = kept_traces([fit.trace for fit in fits], discard)
    if any(fit.state.network for fit in fits):
        del traces["n_topics"]
    return _moving(traces)


def judged(traces: Sequence[Mapping[str, Floats]], *, discard: float = 0.5) -> list[Quantity]:
    """The same of traces that were kept without their fits."""
    return [_quantity(name, values) for name, values in _moving(kept_traces(traces, discard)).items()]


def _moving(traces: Mapping[str, Floats]) -> dict[str, Floats]:
    return {name: values for name, values in traces.items() if np.ptp(values) > 0}


def topic_numbers(fits: Sequence[Traced], *, discard: float = 0.5) -> dict[int, float]:
    """The posterior of the number of topics: how large a part of the kept sweeps had so many.

    A network fixes the number when it joins, with room to spare: then it is of the topics that some token has, in the
    states which each fit kept since.
    """
    values = kept_traces([fit.trace for fit in fits], discard)["n_topics"]
    joined = [draw for fit in fits for draw in fit.draws if draw.state.network and draw.state.plan.n_tokens]
    if joined:
        values = np.array([used_topics(draw) for draw in joined])
    numbers, counts = np.unique(values.astype(np.int64), return_counts=True)
    return {int(n): float(count / values.size) for n, count in zip(numbers, counts, strict=True)}


def kept_traces(traces: Sequence[Mapping[str, Floats]], discard: float) -> dict[str, Floats]:
    """The sweeps of every chain that are judged, the last ones and as many of each: (chain, sweep) by name."""
    if not traces:
        raise PlanError("no chain to look at: give one fit or more")
    if not 0.0 <= discard < 1.0:
        raise PlanError(f"discard is the share of sweeps to leave out, from 0 to below 1, not {discard!r}")
    kept = [_last(trace, discard) for trace in traces]
    n = min(len(trace["log_joint"]) for trace in kept)
    if n < FEWEST:
        raise PlanError(
            f"too few sweeps to judge: every chain needs {FEWEST} or more after what is discarded "
            "and, if it has links, after they joined"
        )
    names = [name for name in kept[0] if all(name in trace for trace in kept)]
    return {name: np.stack([trace[name][len(trace[name]) - n :] for trace in kept]) for name in names}


def _last(trace: Mapping[str, Floats], discard: float) -> dict[str, Floats]:
    """What is judged, of the sweeps that are: those since a network has joined, for before it was another model."""
    found = {name: np.asarray(values) for name, values in trace.items() if name.startswith(JUDGED)}
    joined = np.ones(len(trace["log_joint"]), bool)
    for name, values in found.items():
        if name.startswith("network/"):
            joined &= np.isfinite(values)
    joined[np.flatnonzero(joined)[: int(discard * joined.sum())]] = False
    return {name: values[joined] for name, values in found.items()}


def _quantity(name: str, values: Floats) -> Quantity:
    stats = _array_stats()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a chain that stands still divides by zero
        ess = float(stats.ess(values))
    return Quantity(name, float(values.mean()), float(values.std(ddof=1)), agreement(values), ess)


def agreement(values: Floats) -> float:
    """R-hat of the chains of a trace, a row each; of a single one, of its halves as if they were two."""
    half = values.shape[1] // 2
    return rhat(values if len(values) > 1 else values[:, -2 * half :].reshape(2, half))


def _array_stats() -> Any:
    try:
        return import_module("arviz_stats.base").array_stats
    except ImportError:
        raise PlanError("effective sample sizes need arviz-stats: pip install 'pitmanyor[diagnose]'") from None
