"""What to do next with chains that have not converged: how many more sweeps, and how long they take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pitmanyor.evaluate.convergence import Quantity
from pitmanyor.results.posterior import Traced

MOST = 4.0  # times the sweeps so far, that are ever asked for at once
FEWEST_SWEEPS = 50


@dataclass(frozen=True)
class Advice:
    """Sentences for the user; the number of sweeps to pass to `resume`, and the seconds they take, if any."""

    sentences: list[str]
    sweeps: int | None = None
    seconds: float | None = None


class Target(NamedTuple):
    """What every quantity should reach: at most this R-hat, and at least this effective sample size."""

    rhat: float
    ess: float


def advise(
    chains: Sequence[Traced], quantities: Sequence[Quantity], target: Target, *, settled: bool, agreed: bool
) -> Advice:
    """How many sweeps are missing, from the quantities that have not converged; `agreed`: topics match across chains.

    In a stationary chain both R-hat squared minus 1 and the inverse of the effective sample size decrease as one over
    the number of sweeps, which gives the factor by which there are too few of them.
    """
    if settled:
        return Advice(["Nothing more to run."])
    n_sweeps = max(chain.n_sweeps for chain in chains)
    factor = max((_factor(one, target) for one in quantities), default=MOST if n_sweeps else 1.0)
    sentences, more, seconds = [], None, None
    if factor > 1.0:
        more = _rounded(max((min(factor, MOST) - 1.0) * n_sweeps, FEWEST_SWEEPS))
        seconds = more * max(chain.seconds / max(chain.n_sweeps, 1) for chain in chains)
        sentences.append(f"Resume for about {more:,} more sweeps ({n_sweeps + more:,} in all), {duration(seconds)}.")
    if factor > MOST and quantities and len(chains) > 1 and not agreed:
        sentences.append(
            "If they differ even then, they are in different modes: use the topics that all chains found; predictions "
            "weigh the chains by stacking."
        )
    if len(chains) == 1:
        sentences.append("Run four chains to compare: chains=4, or --chains 4 on the command line.")
    if not sentences:
        sentences.append(
            "More sweeps will not change this: use the topics that all chains found, and ignore the others."
        )
    return Advice(sentences, None if more is None else n_sweeps + more, seconds)


def _factor(one: Quantity, target: Target) -> float:
    """The factor by which a quantity needs more sweeps; infinite for nan."""
    if one.rhat != one.rhat or one.ess != one.ess:
        return math.inf
    by_rhat = (one.rhat**2 - 1.0) / (target.rhat**2 - 1.0) if one.rhat > target.rhat else 1.0
    return max(by_rhat, target.ess / max(one.ess, 1.0) if one.ess < target.ess else 1.0)


def _rounded(sweeps: float) -> int:
    """Round up to two significant digits.

    >>> _rounded(437.2), _rounded(83.0), _rounded(12_345)
    (440, 83, 13000)
    """
    unit = int(10 ** max(math.floor(math.log10(sweeps)) - 1, 0))
    return math.ceil(sweeps / unit) * unit


def duration(seconds: float) -> str:
    """A rounded duration in words.

    >>> [duration(s) for s in (0.4, 44, 170, 5_000, 200_000)]
    ['a few seconds', 'about 40 seconds', 'about 3 minutes', 'about 80 minutes', 'about 60 hours']
    """
    if seconds < 10:
        return "a few seconds"
    if seconds < 100:
        return f"about {round(seconds / 10) * 10} seconds"
    if seconds < 6_000:
        return f"about {_near(seconds / 60)} minutes"
    return f"about {_near(seconds / 3600)} hours"


def _near(value: float) -> int:
    return round(value) if value < 20 else round(value / 10) * 10
