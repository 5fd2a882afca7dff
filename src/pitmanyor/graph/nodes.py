"""The values that a graph consists of: nodes, bases, token streams, link sets. All are frozen and hashable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pitmanyor.call_checks import checked_fields

Kind = Literal["gem", "pyp", "dirichlet"]
Side = Literal["topic", "word"]
ConcentrationPer = Literal["layer", "instance"]
Kernel = Literal["similarity", "pair", "blocks", "traits"]


@checked_fields
@dataclass(frozen=True)
class Gamma:
    """Gamma(shape, rate) prior of a concentration. The second parameter is a RATE, as in the paper."""

    shape: float
    rate: float


@checked_fields
@dataclass(frozen=True)
class Beta:
    """Beta(alpha, beta) prior of a discount; Beta(1, 1) is uniform on (0, 1)."""

    alpha: float
    beta: float


@dataclass(frozen=True)
class Uniform:
    """The uniform distribution over a vocabulary: "vocabulary" (all words of the corpus) or a stream's own words."""

    over: str


@dataclass(frozen=True)
class Mix:
    """A mixture of parents with weights learned under a Dirichlet(prior), or fixed when `weights` is given."""

    parents: tuple[str, ...]
    prior: tuple[float, ...] | None
    weights: tuple[float, ...] | None


@dataclass(frozen=True)
class Node:
    """A Pitman-Yor or Dirichlet node of a graph: one restaurant for every instance of its plate.

    `parents` is empty for a root. A root is a `gem` (infinitely many topics), a `dirichlet` over a number of topics or
    a vocabulary (`over`), or a `pyp` whose base is uniform over the vocabulary `over`. With several parents,
    `mix_prior` (learned weights) or `mix_weights` (fixed weights) has one entry for each.
    """

    name: str
    kind: Kind
    side: Side
    parents: tuple[str, ...] = ()
    over: str | int | None = None
    plate: tuple[str, ...] = ()
    discount: float | Beta = 0.0
    concentration: float | Gamma = Gamma(0.1, 0.1)
    concentration_per: ConcentrationPer = "layer"
    mix_prior: tuple[float, ...] | None = None
    mix_weights: tuple[float, ...] | None = None

    @property
    def local(self) -> bool:
        """Whether the node is repeated per document; its state exists only while the document is visited."""
        return "document" in self.plate

    @property
    def per_topic(self) -> bool:
        """Whether the node is repeated per topic."""
        return "topic" in self.plate


@dataclass(frozen=True)
class Tokens:
    """A stream of observed tokens: a topic from node `topic`, then a word from node `emit`."""

    name: str
    topic: str
    emit: str


@dataclass(frozen=True)
class Links:
    """A named set of links between the instances of a node on a grouping plate.

    `signal`, `length` and `noise` are the s, l and sigma of its Gaussian process, `popularity` and `reciprocity` parts
    of a model of blocks or traits (maths 6).
    """

    name: str
    between: str
    directed: bool = True
    kernel: Kernel = "similarity"
    intercept: bool = False
    self_links: bool = False
    signal: float = 1.0
    length: float = 1.0
    noise: float = 1.0
    popularity: bool = False
    reciprocity: bool = False
