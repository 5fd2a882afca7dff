"""A SIMULATED microblog that reads like one: for demos, tests and benchmarks. No post in it was written by anybody.

Authors like some of six themes. A post is mostly about one of its author's themes, with words that fit everywhere, a
few hashtags within or after the text, now and then a mention or an address. Authors follow those who like the same.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import CorpusError
from pitmanyor.files import atomic_write
from pitmanyor.simulation.themes import EVERYWHERE, GLUE, HASHTAGS, NAMES, THEMES

SIMULATED = "simulated by pitmanyor"
START = np.datetime64("2026-01-05T06:00:00", "s")
DAYS = 90
MEAN_WORDS, MEAN_HASHTAGS = 6.35, 1.34  # of the paper's corpus T6
Words = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class Microblog:
    """Simulated posts as records, links (follower, followed), and each author's shares of the themes."""

    records: list[dict[str, Any]]
    links: list[tuple[str, str]]
    themes: tuple[str, ...]
    interests: dict[str, NDArray[np.float64]]

    def write(self, directory: str | Path, format: str = "jsonl") -> tuple[Path, Path]:  # noqa: A002
        """Write `simulated_posts` (jsonl or csv) and `simulated_follows.csv`; returns both paths."""
        if format not in ("jsonl", "csv"):
            raise CorpusError(f"format={format!r}: choose 'jsonl' or 'csv'")
        home = Path(directory)
        home.mkdir(parents=True, exist_ok=True)
        posts, follows = home / f"simulated_posts.{format}", home / "simulated_follows.csv"
        if format == "jsonl":
            text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in self.records)
        else:
            text = _csv([list(self.records[0]), *(list(record.values()) for record in self.records)])
        for path, content in ((posts, text), (follows, _csv([["source", "target"], *map(list, self.links)]))):
            with atomic_write(path) as file:
                file.write(content.encode())
        return posts, follows


def simulate_microblog(posts: int = 2000, authors: int = 60, seed: int = 0) -> Microblog:
    """Draw a microblog. Its records have id, text, author, created_at, label (the theme) and source (a warning).

    >>> blog = simulate_microblog(posts=100, authors=10, seed=1)
    >>> len(blog.records), sorted(blog.records[0])
    (100, ['author', 'created_at', 'id', 'label', 'source', 'text'])
    """
    if posts < 1 or authors < 1:
        raise CorpusError(f"a microblog of {posts} posts by {authors} authors: both must be at least 1")
    rng = np.random.default_rng(seed)
    themes = tuple(THEMES)
    names = _names(authors)
    interests = rng.dirichlet(np.full(len(themes), 0.25), authors)
    activity = rng.gamma(2.0, size=authors)
    author_of = rng.choice(authors, posts, p=activity / activity.sum())
    author_of[: min(authors, posts)] = np.arange(min(authors, posts))  # nobody is silent
    rng.shuffle(author_of)
    theme_of = _draw(rng, interests[author_of])
    texts = _texts(rng, theme_of, interests[author_of], np.array(names, object)[author_of])
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
            zip(texts, author_of.tolist(), (START + seconds).astype(str).tolist(), theme_of.tolist(), strict=True), 1
        )
    ]
    return Microblog(records, _links(rng, interests, names), themes, dict(zip(names, interests, strict=True)))


def _texts(
    rng: np.random.Generator, theme_of: NDArray[np.int64], interests: NDArray[np.float64], names: Words
) -> list[str]:
    """The text of every post. Words of a theme follow Zipf's law."""
    n_posts = len(theme_of)
    lengths = rng.poisson(MEAN_WORDS - 1, n_posts) + 1
    post = np.repeat(np.arange(n_posts), lengths)
    aside = _draw(rng, interests)[post]
    theme = np.where(rng.random(len(post)) < 0.88, theme_of[post], aside)
    lexicon = _padded([text.split() for text in THEMES.values()])
    words = lexicon[theme, _zipf(rng, len(post), lexicon.shape[1])]
    everywhere = np.array(EVERYWHERE.split(), object)
    common = rng.random(len(post)) < 0.15
    words = np.where(common, everywhere[_zipf(rng, len(post), len(everywhere))], words)
    tags = _padded([text.split() for text in HASHTAGS.values()])
    inline = (rng.random(len(post)) < 0.05) & ~common
    glue = np.array(["", *(f"{word} " for word in GLUE)], object)
    glued = np.where(rng.random(len(post)) < 0.35, rng.integers(1, len(glue), len(post)), 0)
    pieces = (glue[glued] + np.where(inline, "#", "").astype(object) + words).tolist()
    n_tags = rng.poisson(MEAN_HASHTAGS - 0.05 * MEAN_WORDS, n_posts)
    tag_post = np.repeat(np.arange(n_posts), n_tags)
    trailing = (" #" + tags[theme_of[tag_post], _zipf(rng, len(tag_post), tags.shape[1])]).tolist()
    heads = np.where(rng.random(n_posts) < 0.15, "@" + rng.permutation(names) + " ", "").tolist()
    numbers = rng.integers(16**6, size=n_posts).tolist()
    addressed = (rng.random(n_posts) < 0.2).tolist()
    out, at, tag_at = [], 0, 0
    for i, (n, m) in enumerate(zip(lengths.tolist(), n_tags.tolist(), strict=True)):
        address = f" https://example.org/{numbers[i]:06x}" if addressed[i] else ""
        out.append(f"{heads[i]}{' '.join(pieces[at : at + n])}.{''.join(trailing[tag_at : tag_at + m])}{address}")
        at, tag_at = at + n, tag_at + m
    return out


def _links(rng: np.random.Generator, interests: NDArray[np.float64], names: list[str]) -> list[tuple[str, str]]:
    """Who follows whom: likely where interests are alike, as the model of links has it."""
    unit = interests / np.linalg.norm(interests, axis=1, keepdims=True)
    likely = 1 / (1 + np.exp(3.5 - 4.0 * unit @ unit.T))
    np.fill_diagonal(likely, 0)
    return [(names[a], names[b]) for a, b in np.argwhere(rng.random(likely.shape) < likely).tolist()]


def _draw(rng: np.random.Generator, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """One theme for each row of shares."""
    below = np.cumsum(shares, axis=1) < rng.random((len(shares), 1))
    out: NDArray[np.int64] = np.minimum(below.sum(1), shares.shape[1] - 1)
    return out


def _zipf(rng: np.random.Generator, size: int, n_words: int) -> NDArray[np.int64]:
    cumulative = np.cumsum(1 / (np.arange(n_words) + 2.0))
    out: NDArray[np.int64] = np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")
    return out


def _padded(lists: list[list[str]]) -> Words:
    """Lists as rows, cut to the shortest."""
    width = min(map(len, lists))
    return np.array([words[:width] for words in lists], object)


def _names(n_authors: int) -> list[str]:
    given = NAMES.split()
    return [f"{given[i % len(given)]}{i // len(given) + 1:02d}" for i in range(n_authors)]


def _csv(rows: list[list[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
