"""What a chain was asked for: everything beside graph and corpus on which its bytes depend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from pitmanyor.sampling.sweeps import Sweep
    from pitmanyor.state import Rule

SWEEPS = ("mixed", "collapsed", "explicit")
RULES = ("clamp", "paper", "singleton")
METHODS = ("exact", "paper")
Method = Literal["exact", "paper"]


@dataclass(frozen=True)
class Settings:
    """The arguments of a fit, with defaults filled in. Threads are not among them: they change no result."""

    sweeps: int
    seed: int
    chain: int = 0
    sweep: Sweep = "mixed"
    burn_in: int = 0
    anchors: float = 0.05
    passes: int = 1
    max_topics: int | None = None
    initial_topics: int | None = None
    rule: Rule = "clamp"
    samples: int = 0
    text_sweeps: int = 0  # before the network joins; without links it means nothing
    spare_topics: int = 0
    method: Method = "exact"
    moves: bool = False

    @property
    def kept(self) -> frozenset[int]:
        """The sweeps after which a state is kept: evenly spread over the second half."""
        if not self.samples:
            return frozenset()
        return frozenset(np.linspace(self.sweeps / 2, self.sweeps, self.samples + 1).round().astype(int)[1:].tolist())

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> Settings:
        """Settings as they were stored; a ValueError if they cannot be ours."""
        said = {"passes": 1, "moves": False} | dict(said)  # runs of versions that had neither
        names = {field.name for field in fields(cls)}
        if set(said) != names:
            raise ValueError(f"settings {', '.join(sorted(set(said) ^ names))} are missing or unknown")
        for name in ("sweeps", "seed", "chain", "burn_in", "samples", "text_sweeps", "spare_topics"):
            if type(said[name]) is not int or said[name] < 0:
                raise ValueError(f"{name} is {said[name]!r}, no count")
        for name in ("max_topics", "initial_topics"):
            if said[name] is not None and (type(said[name]) is not int or said[name] < 1):
                raise ValueError(f"{name} is {said[name]!r}, no count")
        if type(said["passes"]) is not int or said["passes"] < 1:
            raise ValueError(f"passes is {said['passes']!r}, no count from 1 on")
        if not isinstance(said["anchors"], int | float) or not 0 < said["anchors"] <= 1:
            raise ValueError(f"anchors is {said['anchors']!r}, no share")
        if said["sweep"] not in SWEEPS or said["rule"] not in RULES:
            raise ValueError(f"sweep {said['sweep']!r} or rule {said['rule']!r} is not known here")
        if type(said["moves"]) is not bool:
            raise ValueError(f"moves is {said['moves']!r}, neither true nor false")
        if said["method"] not in METHODS:
            raise ValueError(f"method {said['method']!r} is not known here")
        return cls(**said)
