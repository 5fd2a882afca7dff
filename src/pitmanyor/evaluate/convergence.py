"""R-hat and effective sample sizes of quantities that do not depend on topic labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.evaluate.effective_size import effective_size
from pitmanyor.evaluate.rhat import rhat
from pitmanyor.results.posterior import Traced

Floats = NDArray[np.float64]
JUDGED = ("topics/", "log_joint", "tables/", "concentration/", "discount/", "network/log_likelihood/")
TITLES = {
    "log_joint": "log joint",
    "topics/large": "number of topics",
    "topics/effective": "effective number of topics",
}
GOOD_RHAT, BAD_RHAT = 1.05, 1.2  # chains agree up to the first, and disagree beyond the second
FEWEST = 8  # fewest sweeps per chain: R-hat splits halves


@dataclass(frozen=True)
class Quantity:
    """A quantity of the trace over the kept sweeps of all chains.

    `rhat` is near 1 if the chains, and the halves of each, agree; `ess` is the effective sample size.
    """

    name: str
    mean: float
    sd: float
    rhat: float
    ess: float

    @property
    def title(self) -> str:
        """The name of the quantity in words.

        >>> Quantity("tables/nu", 0, 0, 0, 0).title, Quantity("topics/large", 0, 0, 0, 0).title
        ('number of tables of nu', 'number of topics')
        """
        name = self.name.removeprefix("network/").replace("tables/", "number of tables/")
        return TITLES.get(self.name, name.replace("_", " ").replace("/", " of "))


@checked_call()
def convergence(fits: Sequence[Traced], *, discard: float | None = None) -> list[Quantity]:
    """R-hat and effective sample size of every quantity of the traces; quantities that never change are omitted.

    Parameters
    ----------
    fits
        One fit or more of the same model.
    discard
        Share of each chain's sweeps to discard at the beginning; with links, of the sweeps since they joined. By
        default the burn-in of the fits.
    """
    chains = [chain for fit in fits for chain in fit.chains]
    share = burnt_share(chains) if discard is None else discard
    return judged([chain.trace for chain in chains], discard=share)


def burnt_share(chains: Sequence[Traced]) -> float:
    """Share of the sweeps that belongs to the burn-in, the largest of all chains."""
    return max((chain.burnt_share for chain in chains), default=0.5)


def judged(traces: Sequence[Mapping[str, Floats]], *, discard: float = 0.5) -> list[Quantity]:
    """The same from traces alone."""
    kept = kept_traces(traces, discard)
    return [_quantity(name, values) for name, values in kept.items() if np.ptp(values) > 0]


def kept_traces(traces: Sequence[Mapping[str, Floats]], discard: float) -> dict[str, Floats]:
    """The last sweeps of every chain, equally many of each: arrays (chain, sweep) by name."""
    if not traces:
        raise PlanError("no chain is given; pass one fit or more")
    n = n_kept(traces, discard)
    kept = [last_sweeps(trace, discard) for trace in traces]
    if n < FEWEST:
        raise PlanError(
            f"too few sweeps to judge: every chain needs {FEWEST} or more after what is discarded "
            "and, if it has links, after they joined"
        )
    names = [name for name in kept[0] if all(name in trace for trace in kept)]
    found = {name: np.stack([trace[name][len(trace[name]) - n :] for trace in kept]) for name in names}
    return {name: values for name, values in found.items() if np.isfinite(values).all()}


def n_kept(traces: Sequence[Mapping[str, Floats]], discard: float) -> int:
    """Number of sweeps per chain that are judged: what the shortest chain has left after discarding."""
    return min(len(last_sweeps(trace, discard).get("log_joint", ())) for trace in traces)


def last_sweeps(trace: Mapping[str, Floats], discard: float) -> dict[str, Floats]:
    """The judged quantities over the sweeps that are kept; sweeps before a network joined belong to another model."""
    if not 0.0 <= discard < 1.0:
        raise PlanError(f"discard must be the share of sweeps to leave out, from 0 to below 1, not {discard!r}")
    found = {name: np.asarray(values) for name, values in trace.items() if name.startswith(JUDGED)}
    joined = np.ones(len(trace.get("log_joint", ())), bool)
    for name, values in found.items():
        if name.startswith("network/"):
            joined &= np.isfinite(values)
    joined[np.flatnonzero(joined)[: int(discard * joined.sum())]] = False
    return {name: values[joined] for name, values in found.items()}


def _quantity(name: str, values: Floats) -> Quantity:
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    return Quantity(name, mean, sd, agreement(values), effective_size(values))


def agreement(values: Floats) -> float:
    """R-hat of the chains (rows) of a trace; a single chain is split in two."""
    half = values.shape[1] // 2
    return rhat(values if len(values) > 1 else values[:, -2 * half :].reshape(2, half))
