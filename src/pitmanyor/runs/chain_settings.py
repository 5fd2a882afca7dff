"""What a chain was asked for: everything beside graph and corpus on which its bytes depend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np

from pitmanyor.errors import PlanError
from pitmanyor.runs.fit_options import Network, Sampler, Start, count

MOST_KEPT = 1_000_000
GROUPS = {"sampler": Sampler, "start": Start, "network": Network}
FILLED = {"sampler": ("collapsed_first", "anchors"), "start": ("topics",), "network": ("text_sweeps",)}


@dataclass(frozen=True)
class Settings:
    """The arguments of a fit, with defaults filled in. Threads are not among them, because they change no result."""

    sweeps: int
    seed: int
    keep: int = 0
    burn_in: int | None = None
    max_topics: int | None = None
    sampler: Sampler = field(default_factory=lambda: Sampler(collapsed_first=0, anchors=0.05, passes=1, moves=False))
    start: Start = field(default_factory=lambda: Start(topics=0))
    network: Network = field(default_factory=lambda: Network(text_sweeps=0, spare_topics=0))

    def __post_init__(self) -> None:
        count("sweeps", self.sweeps, optional=False)
        count("seed", self.seed, most=2**64 - 1, optional=False)
        count("keep", self.keep, most=MOST_KEPT, optional=False)
        count("burn_in", self.burn_in)
        count("max_topics", self.max_topics, 1)
        if self.burn_in is not None and self.burn_in >= max(self.sweeps, 1):
            raise PlanError(f"burn_in={self.burn_in} leaves none of {self.sweeps} sweeps; ask for more sweeps")

    @property
    def chain(self) -> int:
        """The number of the chain."""
        return self.start.chain

    @property
    def burnt_in(self) -> int:
        """Number of sweeps before states are kept: half of them by default."""
        return self.sweeps // 2 if self.burn_in is None else self.burn_in

    @property
    def kept(self) -> frozenset[int]:
        """The sweeps after which a state is kept: evenly spread over those after the burn-in, the last among them."""
        n_kept = min(self.keep, self.sweeps - self.burnt_in)
        return frozenset(np.linspace(self.burnt_in, self.sweeps, n_kept + 1).round().astype(int)[1:].tolist())

    def of_chain(self, chain: int) -> Settings:
        """The same for another chain."""
        return replace(self, start=replace(self.start, chain=chain))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> Settings:
        """Settings as they were stored; a ValueError if they are not valid."""
        _same_names(cls, said)
        groups = {}
        for name, kind in GROUPS.items():
            _same_names(kind, said[name])
            if empty := [field for field in FILLED[name] if said[name][field] is None]:
                raise ValueError(f"{name} has no {empty[0]}")
            groups[name] = kind(**said[name])
        return cls(**{**said, **groups})


def _same_names(kind: type, said: Mapping[str, Any]) -> None:
    names = {field.name for field in fields(kind)}
    if set(said) != names:
        raise ValueError(f"settings {', '.join(sorted(set(said) ^ names))} are missing or unknown")
