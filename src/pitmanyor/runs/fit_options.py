"""Options of a fit that few people need, in three small values: how to sample, where to start, how links join."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Literal

from pitmanyor.call_checks import checked_fields
from pitmanyor.errors import PlanError

if TYPE_CHECKING:
    from pitmanyor.sampling.sweeps import Sweep
    from pitmanyor.state import Rule

KINDS = ("mixed", "collapsed", "explicit")
RULES = ("clamp", "paper", "singleton")
METHODS = ("exact", "paper")
Method = Literal["exact", "paper"]

MOST, MOST_PASSES = 2**31 - 1, 1000  # of sweeps, topics and kept states, and of passes


@checked_fields
@dataclass(frozen=True)
class Sampler:
    """How a sweep updates the tokens. The defaults suit every model; change them to compare samplers.

    Parameters
    ----------
    kind
        "mixed" updates a random part of the documents (the anchors) collapsed and the others given explicit vectors;
        "collapsed" updates all tokens one after the other, on one thread; "explicit" needs a fixed number of topics.
        Corpora of up to 20,000 tokens are always swept collapsed by "mixed".
    collapsed_first
        Number of collapsed sweeps before the mixed ones. By default none if tokens start at random topics, otherwise a
        quarter of the sweeps, at most 5.
    anchors
        Share of the documents that a mixed sweep updates collapsed. By default about 10,000 tokens' worth.
    passes
        Number of times that a sweep updates the other documents between two draws of what they share. Two passes make
        more progress than one in the same time.
    rule
        What a leaving customer does with its table: "clamp", "paper" or "singleton" (maths 2). All are exact.
    moves
        Whether to split and merge whole topics, in the search for a start and in every sweep (maths 4). Without it a
        chain may stay where it started. Moves end when a network joins. Of corpora of more than 2 million tokens a
        sample is searched for the start; topics whose documents have more than 8 million tokens are not moved.

    >>> Sampler(kind="collapsed", moves=False)
    Sampler(kind='collapsed', collapsed_first=None, anchors=None, passes=2, rule='clamp', moves=False)
    """

    kind: Sweep = "mixed"
    collapsed_first: int | None = None
    anchors: float | None = None
    passes: int = 2
    rule: Rule = "clamp"
    moves: bool = True

    def __post_init__(self) -> None:
        one_of("kind", self.kind, KINDS)
        count("collapsed_first", self.collapsed_first)
        if self.anchors is not None and not (isinstance(self.anchors, int | float) and 0 < self.anchors <= 1):
            raise PlanError(f"anchors must be a share of the documents, above 0 and at most 1, not {self.anchors!r}")
        count("passes", self.passes, 1, most=MOST_PASSES, optional=False)
        one_of("rule", self.rule, RULES)
        if not isinstance(self.moves, bool):
            raise PlanError(f"moves must be True or False, not {self.moves!r}")


@checked_fields
@dataclass(frozen=True)
class Start:
    """Where a chain starts.

    Parameters
    ----------
    topics
        Number of topics to which tokens are assigned at random at first; 0 assigns the tokens sequentially, each given
        those before. If the number of topics is inferred, a search by splits and merges follows, so that this number
        hardly matters, and the default is 20 (without `Sampler.moves` a quarter of the square root of the number of
        tokens, if that is more). A model with a fixed number of topics starts with all of them.
    chain
        Number of the first chain. Chains of one seed with different numbers are independent, so that chains can be
        added to those of an earlier fit.

    >>> Start(topics=50)
    Start(topics=50, chain=0)
    """

    topics: int | None = None
    chain: int = 0

    def __post_init__(self) -> None:
        count("topics", self.topics)
        count("chain", self.chain, optional=False)


@checked_fields
@dataclass(frozen=True)
class Network:
    """How links are sampled, in models that have them.

    Parameters
    ----------
    text_sweeps
        Number of sweeps of the text alone before the links join. By default half of all sweeps.
    spare_topics
        Number of empty topics beside those in use when the links join. From then on no topic is born or removed
        (maths 6).
    n_topics
        Number of topics of a model of links without text, which cannot infer it.
    method
        "exact", or "paper": the published Algorithm 3, which does not sample the posterior, for replication only.

    >>> Network(text_sweeps=250).method
    'exact'
    """

    text_sweeps: int | None = None
    spare_topics: int = 5
    n_topics: int | None = None
    method: Method = "exact"

    def __post_init__(self) -> None:
        count("text_sweeps", self.text_sweeps)
        count("spare_topics", self.spare_topics, optional=False)
        count("n_topics", self.n_topics, 2)
        one_of("method", self.method, METHODS)


def one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    """Raise unless the value is known."""
    if value not in known:
        raise PlanError(f"{name} must be one of {', '.join(known)}, not {value!r}")


def count(name: str, value: object, least: int = 0, *, most: int = MOST, optional: bool = True) -> None:
    """Raise unless the value is a whole number from `least` to `most`, or None where that is allowed."""
    if optional and value is None:
        return
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise PlanError(f"{name} must be a whole number, {least} or more, not {value!r}")
    if int(value) > most:
        raise PlanError(f"{name} is at most {most:,}, not {int(value):,}")
