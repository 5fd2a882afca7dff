"""Settings of an experiment, stored in its directory so that it can be continued."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from pitmanyor.errors import PlanError

Kind = Literal["fit", "ablation", "clustering", "labels", "sensitivity"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MOST_CLUSTERS = 20  # topics in the paper's clustering: purity grows with the number of clusters by itself


@dataclass(frozen=True)
class Settings:
    """Settings of all cells of a table. The number of repeats is not one of them, because more can be added later.

    Parameters
    ----------
    kind
        "fit", "ablation", "clustering", "labels" or "sensitivity".
    sweeps
        Number of Gibbs sweeps.
    seed
        Seed of the split; repeat r of every row samples with seed + r.
    test
        Share of each author's posts that is held out.
    held_links
        Share of the pairs of authors that is held out; 0 for none.
    keep
        Number of states of the second half of the sweeps over which predictions are averaged.
    max_topics
        Upper bound on the number of topics.
    start_topics
        Number of random initial topics before the search for a start, the same for all rows.
    network_topics
        Number of topics of the network without text, which cannot infer it.
    """

    kind: Kind
    sweeps: int = 500
    seed: int = 1
    test: float = 0.1
    held_links: float = 0.1
    keep: int = 5
    max_topics: int | None = None
    start_topics: int = 100
    network_topics: int = 20

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise PlanError(f"there is no experiment {self.kind!r}; they are {', '.join(KINDS)}")
        if self.sweeps < 4 or self.seed < 0 or not 1 <= self.keep <= self.sweeps // 4:
            raise PlanError(
                f"an experiment takes 4 sweeps or more, a seed of 0 or more, and a keep from 1 to a quarter of the "
                f"sweeps, not {self.sweeps}, {self.seed} and {self.keep}"
            )
        if self.start_topics < 1 or (self.max_topics is not None and self.max_topics < 1):
            raise PlanError(f"numbers of topics are 1 or more, not {self.start_topics} and {self.max_topics}")
        if not 0 < self.test < 1 or not 0 <= self.held_links < 1:
            raise PlanError(
                f"test and held_links are shares between 0 and 1 (held_links may be 0), not {self.test} and "
                f"{self.held_links}"
            )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def differences(self, other: dict[str, Any]) -> str:
        """How stored settings differ from these, in words; empty if they do not."""
        own = self.to_json()
        names = [name for name in {**own, **other} if own.get(name) != other.get(name)]
        return ", ".join(f"{name} {other.get(name)!r} instead of {own.get(name)!r}" for name in names)
