"""Topics as they are shown: merged ones as one, each with a name.

By default a topic is named by its hashtags (the paper, section 5.6), or by words if few of its posts have them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError
from pitmanyor.results.fitting import Fit
from pitmanyor.topics.automatic_names import By, automatic_names
from pitmanyor.topics.counts import WordTables
from pitmanyor.topics.names import read_names

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class View:
    """The topics that are shown: their names, and the fitted topics that each stands for.

    A merged topic goes by the number of the first of its members; `topics` has these numbers.
    """

    names: list[str]
    members: list[tuple[int, ...]]

    @property
    def topics(self) -> list[int]:
        return [members[0] for members in self.members]

    @property
    def place(self) -> NDArray[np.int64]:
        """For every fitted topic, the place of the one that is shown for it."""
        place = np.empty(sum(map(len, self.members)), np.int64)
        for i, members in enumerate(self.members):
            place[list(members)] = i
        return place

    def fold(self, values: Floats) -> Floats:
        """Columns by fitted topic summed to columns by shown topic."""
        if len(self.members) == values.shape[-1]:
            return values
        return np.stack([values[..., list(members)].sum(axis=-1) for members in self.members], axis=-1)

    def find(self, topic: int | str) -> int:
        """The place of a topic, by the number of any of its members or by its name."""
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


def view(fit: Fit, n: int = 3, by: By = "lift", tables: WordTables | None = None) -> View:
    """The topics of a fit as they are shown, with the names and merges of its run.

    tables: those of the fit, if the caller has them or wants them for more.
    """
    if by not in get_args(By):
        raise PlanError(f"by is one of {', '.join(get_args(By))}, not {by!r}")
    if n < 1:
        raise PlanError(f"n is how many tags make a name, 1 or more, not {n}")
    entries = {entry.topics[0]: entry for entry in read_names(fit)}
    merged = {topic for entry in entries.values() for topic in entry.topics[1:]}
    shown = [topic for topic in range(fit.n_topics) if topic not in merged]
    members = [entries[topic].topics if topic in entries else (topic,) for topic in shown]
    given = [entries[topic].name if topic in entries else None for topic in shown]
    made = automatic_names(fit, members, n, by, tables or WordTables(fit))
    return View([own or name for own, name in zip(given, made, strict=True)], members)


def labels(fit: Fit, n: int = 3, by: By = "lift") -> list[str]:
    """A name for every topic, in the order of the topics: its hashtags, or its words where it has none.

    `by="probability"` takes the likeliest, as the paper does. `by="lift"` takes those that set the topic apart: by
    p log(p/q), where p is the probability in the topic and q in the corpus. (The ratio p/q alone would name topics by
    tags that hardly occur.) Only those with p > q set it apart: a topic without such tags has words, and one without
    such words the likeliest. Tags and words must have occurred twice in the topic, and by lift, tags in a tenth of the
    posts whose main topic it is. Names that people gave, with `rename` or `merge`, come first; merged topics share one.
    """
    seen = view(fit, n, by)
    return [seen.names[i] for i in seen.place]
