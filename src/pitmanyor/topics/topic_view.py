"""Topics as they are shown: merged ones as one, each with a name.

By itself a topic is named by its likeliest hashtags (the paper, section 5.6), or by words if it has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError
from pitmanyor.results.fitting import Fit
from pitmanyor.topics.counts import streams_of, word_counts
from pitmanyor.topics.names import read_names

Floats = NDArray[np.float64]
By = Literal["lift", "probability"]
TAGS = "hashtag"
SEEN = 2  # tokens of a topic that a tag or word must have to name it: once may be chance
EMPTY = "(empty)"
ROUNDING = 1e-9  # log(p/q) up to which p is q


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


def view(fit: Fit, n: int = 3, by: By = "lift") -> View:
    """The topics of a fit as they are shown, with the names and merges of its run."""
    if by not in get_args(By):
        raise PlanError(f"by is one of {', '.join(get_args(By))}, not {by!r}")
    if n < 1:
        raise PlanError(f"n is how many tags make a name, 1 or more, not {n}")
    entries = {entry.topics[0]: entry for entry in read_names(fit)}
    merged = {topic for entry in entries.values() for topic in entry.topics[1:]}
    shown = [topic for topic in range(fit.n_topics) if topic not in merged]
    members = [entries[topic].topics if topic in entries else (topic,) for topic in shown]
    given = [entries[topic].name if topic in entries else None for topic in shown]
    made = _automatic(fit, members, n, by)
    return View([own or name for own, name in zip(given, made, strict=True)], members)


def labels(fit: Fit, n: int = 3, by: By = "lift") -> list[str]:
    """A name for every topic, in the order of the topics: its hashtags, or its words where it has none.

    `by="probability"` takes the likeliest, as the paper does. `by="lift"` takes those that set the topic apart: by
    p log(p/q), where p is the probability in the topic and q in the corpus. (The ratio p/q alone would name topics by
    tags that hardly occur.) Only those with p > q set it apart: a topic without such tags has words, and one without
    such words the likeliest. Tags and words must have occurred twice in the topic. Names that people gave, with
    `rename` or `merge`, come first; merged topics share one.
    """
    seen = view(fit, n, by)
    return [seen.names[i] for i in seen.place]


def _automatic(fit: Fit, members: list[tuple[int, ...]], n: int, by: By) -> list[str]:
    streams = streams_of(fit)
    if not streams:  # a fit of links alone has nothing to name topics by
        return [f"topic {group[0]}" for group in members]
    names = [EMPTY] * len(members)
    # Tags come last, for they have the last word.
    for stream in sorted(streams, key=lambda name: (name == TAGS, name == "word")):
        if stream not in (TAGS, "word") and "word" in streams:
            continue
        sign, comma = ("#", " ") if stream == TAGS else ("", ", ")
        for i, (apart, likely) in enumerate(_best(fit, stream, members, n)):
            words = apart if by == "lift" else likely
            if not words and names[i] == EMPTY:
                words = likely  # nothing sets it apart; what it has is better than no name
            if words:
                names[i] = comma.join(sign + word for word in words)
    return names


def _best(fit: Fit, stream: str, members: list[tuple[int, ...]], n: int) -> list[tuple[list[str], list[str]]]:
    """The n words of a stream that most set every group of topics apart, and its n likeliest."""
    words = fit.words_of(stream)
    counts = word_counts(fit, stream)
    grouped, everywhere = pooled(fit, stream, members)
    out = []
    for p, group in zip(grouped, members, strict=True):
        seen = np.flatnonzero(counts[list(group)].sum(axis=0) >= SEEN)
        lift = np.log(p[seen] / everywhere[seen])
        own = lift > ROUNDING
        apart = seen[own][np.argsort(-(p[seen] * lift)[own], kind="stable")[:n]]
        likely = seen[np.argsort(-p[seen], kind="stable")[:n]]
        out.append(([words[w] for w in apart], [words[w] for w in likely]))
    return out


def pooled(fit: Fit, stream: str, members: list[tuple[int, ...]]) -> tuple[Floats, Floats]:
    """The words of a stream in every group of topics (a row each, by their tokens), and in all of them."""
    phi = fit.topic_words(stream)
    weight = word_counts(fit, stream).sum(axis=1)
    rows = [
        np.average(phi[list(g)], axis=0, weights=weight[list(g)] if weight[list(g)].any() else None) for g in members
    ]
    return np.stack(rows), weight @ phi / max(weight.sum(), 1)


def group_words(fit: Fit, stream: str, members: list[tuple[int, ...]], n: int) -> list[list[tuple[str, float]]]:
    """The n likeliest words of every group of topics, with their probabilities."""
    return fit.likeliest(pooled(fit, stream, members)[0], n, stream)
