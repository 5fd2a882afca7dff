"""A SIMULATED microblog of readable posts, for demos, tests and benchmarks. Nobody wrote any of these posts.

`simulate` draws six themes, authors with preferences, and posts that are mostly about one theme from a graph; the words
of a topic are then taken from the word list of its theme. Function words, mentions and addresses are added at random.
Authors follow those with similar preferences.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import CorpusError
from pitmanyor.files import atomic_write, made_directory
from pitmanyor.graph import Graph, uniform
from pitmanyor.seeds import checked
from pitmanyor.simulation.simulation import Simulation, simulate
from pitmanyor.simulation.themes import EVERYWHERE, GLUE, HASHTAGS, NAMES, THEMES

SIMULATED = "simulated by pitmanyor"
START = np.datetime64("2026-01-05T06:00:00", "s")
DAYS = 90
MEAN_WORDS, MEAN_HASHTAGS = 6.35, 1.34  # of the paper's corpus T6
INLINE = 0.05  # of the words are hashtags
COMMON = 10  # words of every list that fit everywhere
WORDS = [text.split() + EVERYWHERE.split()[:COMMON] for text in THEMES.values()]
TAGS = [text.split() for text in HASHTAGS.values()]
N_WORDS, N_TAGS = len(WORDS[0]), len(TAGS[0])
Words = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class Microblog:
    """Simulated posts as records, links (follower, followed), and each author's shares of the themes."""

    records: list[dict[str, Any]]
    links: list[tuple[str, str]]
    themes: tuple[str, ...]
    interests: dict[str, NDArray[np.float64]]

    def write(self, directory: str | Path, format: str = "jsonl") -> tuple[Path, Path]:  # noqa: A002
        """Write `simulated_posts` (jsonl or csv) and `simulated_follows.csv` to a directory; returns both paths."""
        if format not in ("jsonl", "csv"):
            raise CorpusError(f"format={format!r}: choose 'jsonl' or 'csv'")
        home = made_directory(directory)
        posts, follows = home / f"simulated_posts.{format}", home / "simulated_follows.csv"
        if format == "jsonl":
            text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in self.records)
        else:
            text = _csv([list(self.records[0]), *(list(record.values()) for record in self.records)])
        for path, content in ((posts, text), (follows, _csv([["source", "target"], *map(list, self.links)]))):
            with atomic_write(path) as file:
                file.write(content.encode())
        return posts, follows


@checked_call()
def simulate_microblog(posts: int = 2000, authors: int = 60, seed: int = 0) -> Microblog:
    """Draw a microblog. Its records have id, text, author, created_at, label (the theme) and source (a disclaimer).

    Parameters
    ----------
    posts
        Number of posts.
    authors
        Number of authors.
    seed
        Random seed.

    >>> blog = simulate_microblog(posts=100, authors=10, seed=1)
    >>> len(blog.records), sorted(blog.records[0])
    (100, ['author', 'created_at', 'id', 'label', 'source', 'text'])
    """
    if posts < 1 or authors < 1:
        raise CorpusError(f"a microblog of {posts} posts by {authors} authors: both must be at least 1")
    rng = np.random.default_rng(checked(seed))
    themes, names = tuple(THEMES), _names(authors)
    author_of = _authors(rng, posts, authors)
    drawn = simulate(
        microblog_graph(),
        documents=posts,
        tokens={"word": (rng.poisson(MEAN_WORDS - 1, posts) + 1).tolist(), "hashtag": _n_tags(rng, posts)},
        groups={"author": [names[a] for a in author_of.tolist()]},
        vocabulary={"word": N_WORDS, "hashtag": N_TAGS},
        seed=seed,
    )
    theme_of = [int(np.bincount(topics).argmax()) for topics in drawn.topics["word"]]
    texts = _texts(rng, drawn, np.array(names, object)[author_of])
    seconds = np.sort(rng.integers(DAYS * 86_400, size=posts))
    records = [
        {
            "id": str(i),
            "text": text,
            "author": names[a],
            "created_at": f"{when}Z",
            "label": themes[t],
            "source": SIMULATED,
        }
        for i, (text, a, when, t) in enumerate(
            zip(texts, author_of.tolist(), (START + seconds).astype(str).tolist(), theme_of, strict=True), 1
        )
    ]
    interests = _interests(drawn, names)
    return Microblog(records, _links(rng, np.array(list(interests.values())), list(interests)), themes, interests)


def microblog_graph() -> Graph:
    """Six themes, authors around them, posts around their authors; words and hashtags for every theme."""
    g = Graph()
    mu = g.dirichlet("mu", over=len(THEMES), concentration=60.0)
    nu = g.pyp("nu", base=mu, plate="author", discount=0, concentration=1.5)
    theta = g.pyp("theta", base=nu, plate="document", discount=0, concentration=0.25)
    gamma = g.pyp("gamma", base=uniform("word"), discount=0.5, concentration=50.0)
    phi = g.pyp("phi", base=gamma, plate="topic", discount=0.3, concentration=30.0)
    psi = g.pyp("psi", base=uniform("hashtag"), plate="topic", discount=0.3, concentration=4.0)
    g.tokens("word", topic=theta, emit=phi)
    g.tokens("hashtag", topic=theta, emit=psi)
    return g


def _authors(rng: np.random.Generator, posts: int, authors: int) -> NDArray[np.int64]:
    """The author of every post: some write more than others, and everybody writes if there are enough posts."""
    activity = rng.gamma(2.0, size=authors)
    author_of = rng.choice(authors, posts, p=activity / activity.sum())
    author_of[: min(authors, posts)] = np.arange(min(authors, posts))
    rng.shuffle(author_of)
    return np.asarray(author_of)


def _n_tags(rng: np.random.Generator, posts: int) -> list[int]:
    """Number of hashtags after the text; those within it are words with a hash sign."""
    return [int(n) for n in rng.poisson(MEAN_HASHTAGS - INLINE * MEAN_WORDS, posts)]


def _interests(drawn: Simulation, names: list[str]) -> dict[str, NDArray[np.float64]]:
    """Each author's shares of the themes, given the seating of the simulation."""
    means = drawn.mean("nu")
    labels = [str(label) for label in drawn.corpus.groups["author"].labels]
    found = {labels[key[0]]: mean for key, mean in means.items()}
    return {name: found[name] for name in names if name in found}


def _spelled(drawn: Simulation, stream: str, lists: Sequence[Sequence[str]]) -> Words:
    """The words of a stream: dish i of topic k is word i of theme k's list."""
    data = drawn.corpus.streams[stream]
    topics = np.concatenate([np.empty(0, np.int32), *drawn.topics[stream]])
    dishes = np.searchsorted(drawn.vocabularies[stream], data.words)
    return np.asarray(np.array(lists, object)[topics, dishes])


def _texts(rng: np.random.Generator, drawn: Simulation, names: Words) -> list[str]:
    """The text of every post: words with function words between them, hashtags, sometimes a mention or an address."""
    words, tags = _spelled(drawn, "word", WORDS), _spelled(drawn, "hashtag", TAGS)
    n_posts, n = len(names), len(words)
    glue = np.array(["", *(f"{word} " for word in GLUE)], object)
    glued = np.where(rng.random(n) < 0.35, rng.integers(1, len(glue), n), 0)
    pieces = (glue[glued] + np.where(rng.random(n) < INLINE, "#", "").astype(object) + words).tolist()
    trailing = (" #" + tags).tolist()
    heads = np.where(rng.random(n_posts) < 0.15, "@" + rng.permutation(names) + " ", "").tolist()
    numbers = rng.integers(16**6, size=n_posts).tolist()
    addressed = (rng.random(n_posts) < 0.2).tolist()
    ends, tag_ends = (drawn.corpus.streams[stream].offsets.tolist() for stream in ("word", "hashtag"))
    out = []
    for i in range(n_posts):
        body, end = " ".join(pieces[ends[i] : ends[i + 1]]), "".join(trailing[tag_ends[i] : tag_ends[i + 1]])
        address = f" https://example.org/{numbers[i]:06x}" if addressed[i] else ""
        out.append(f"{heads[i]}{body}.{end}{address}")
    return out


def _links(rng: np.random.Generator, interests: NDArray[np.float64], names: list[str]) -> list[tuple[str, str]]:
    """Who follows whom: more likely with similar interests, as in the model of links."""
    unit = interests / np.linalg.norm(interests, axis=1, keepdims=True)
    likely = 1 / (1 + np.exp(3.5 - 4.0 * unit @ unit.T))
    np.fill_diagonal(likely, 0)
    return [(names[a], names[b]) for a, b in np.argwhere(rng.random(likely.shape) < likely).tolist()]


def _names(n_authors: int) -> list[str]:
    given = NAMES.split()
    return [f"{given[i % len(given)]}{i // len(given) + 1:02d}" for i in range(n_authors)]


def _csv(rows: list[list[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
