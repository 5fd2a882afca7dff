"""Topics as they are shown: with names, and merged topics as one.

By default a topic is named by its hashtags (the paper, section 5.6), or by words if few of its posts have them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.results.fitted import Fitted
from pitmanyor.topics.automatic_names import By, automatic_names
from pitmanyor.topics.counts import WordTables
from pitmanyor.topics.names import read_names

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class View:
    """The topics that are shown: their names, and the fitted topics that each stands for.

    A merged topic has the number of its first member; `topics` has these numbers.
    """

    names: list[str]
    members: list[tuple[int, ...]]

    @property
    def topics(self) -> list[int]:
        """The numbers of the topics."""
        return [members[0] for members in self.members]

    @property
    def place(self) -> NDArray[np.int64]:
        """For every fitted topic, the position of the topic that is shown for it."""
        place = np.empty(sum(map(len, self.members)), np.int64)
        for i, members in enumerate(self.members):
            place[list(members)] = i
        return place

    def fold(self, values: Floats) -> Floats:
        """Sum columns by fitted topic to columns by shown topic."""
        if len(self.members) == values.shape[-1]:
            return values
        return np.stack([values[..., list(members)].sum(axis=-1) for members in self.members], axis=-1)

    def find(self, topic: int | str) -> int:
        """Position of a topic, given by the number of any of its members or by its name."""
        if isinstance(topic, str):
            if topic not in self.names:
                raise PlanError(f"no topic is called {topic!r}; the names are {', '.join(map(repr, self.names))}")
            called = [number for name, number in zip(self.names, self.topics, strict=True) if name == topic]
            if len(called) > 1:
                numbers = ", ".join(map(str, called))
                raise PlanError(f"topics {numbers} are all called {topic!r}; give the number of one, or rename them")
            return self.names.index(topic)
        for i, members in enumerate(self.members):
            if topic in members:
                return i
        raise PlanError(f"there is no topic {topic}: they are numbered 0 to {max(map(max, self.members))}")


@checked_call()
def view(fit: Fitted, n_words: int = 3, by: By = "lift", tables: WordTables | None = None) -> View:
    """The topics of a fit as they are shown, with the names and merges of its run.

    Parameters
    ----------
    fit
        A fit.
    n_words, by
        As in `labels`.
    tables
        Word tables of the fit, if the caller has them.
    """
    if by not in get_args(By):
        raise PlanError(f"by must be one of {', '.join(get_args(By))}, not {by!r}")
    if n_words < 1:
        raise PlanError(f"n_words is how many tags or words make a name, 1 or more, not {n_words}")
    entries = {entry.topics[0]: entry for entry in read_names(fit)}
    merged = {topic for entry in entries.values() for topic in entry.topics[1:]}
    shown = [topic for topic in range(fit.n_topics) if topic not in merged]
    members = [entries[topic].topics if topic in entries else (topic,) for topic in shown]
    given = [entries[topic].name if topic in entries else None for topic in shown]
    made = automatic_names(fit, members, n_words, by, tables or WordTables(fit))
    return View([own or name for own, name in zip(given, made, strict=True)], members)


@checked_call()
def labels(fit: Fitted, n_words: int = 3, by: By = "lift") -> list[str]:
    """A name for every topic: its hashtags if they cover enough of its posts, otherwise its words.

    A tag or word must have occurred twice in the topic. Names that were given by `rename` or `merge` take precedence;
    merged topics share one.

    Parameters
    ----------
    fit
        A fit.
    n_words
        Number of tags or words in a name.
    by
        "lift" takes the most distinctive ones by p log(p/q), where p is the probability in the topic and q in the
        corpus; only those with p > q count, and tags must occur in a tenth of the posts whose main topic it is.
        "probability" takes the most likely ones, as the paper does.
    """
    seen = view(fit, n_words, by)
    return [seen.names[i] for i in seen.place]
