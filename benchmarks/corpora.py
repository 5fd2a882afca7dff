"""Corpora to race on: a Zipf-like simulated one with planted topics, and two real ones where they are at hand."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus, Grouping, Stream

DATA = Path(os.environ.get("PITMANYOR_DATA", Path(__file__).resolve().parent.parent.parent / "shared" / "data"))
CHUNK = 10_000  # documents whose topic proportions are in memory at once


def zipf(
    n_tokens: int = 1_000_000,
    document_length: int = 100,
    n_topics: int = 100,
    vocabulary: int = 10_000,
    n_authors: int = 200,
    seed: int = 0,
) -> Corpus:
    """A simulated corpus: Zipf-like words, `n_topics` planted topics, authors with tastes of their own.

    Topics are Dirichlet draws around one Zipf distribution, authors around one global topic distribution, documents
    around their author: a document of 100 tokens comes to hold about 11 topics, as one of 136 in kos_blog holds 13. The
    stream is called "word", the grouping "author".
    """
    rng = np.random.default_rng(seed)
    base = 1.0 / (np.arange(vocabulary) + 2.7)
    topics = _dirichlet(rng, np.broadcast_to(0.05 * vocabulary * base / base.sum(), (n_topics, vocabulary)))
    taste = _dirichlet(rng, np.full((1, n_topics), 1.0))[0]
    authors = _dirichlet(rng, np.broadcast_to(0.3 * n_topics * taste, (n_authors, n_topics)))
    n_documents = n_tokens // document_length
    author_of = rng.integers(0, n_authors, n_documents).astype(np.int32)
    topic_of = np.concatenate(
        [
            _document_topics(rng, authors[author_of[start : start + CHUNK]], document_length)
            for start in range(0, n_documents, CHUNK)
        ]
    )
    words = np.empty(len(topic_of), np.int32)
    for k in range(n_topics):
        here = np.flatnonzero(topic_of == k)
        words[here] = _categorical(np.cumsum(topics[k]), rng.random(len(here)))
    return Corpus(
        vocabulary=tuple(f"w{v:05d}" for v in range(vocabulary)),
        streams=MappingProxyType({"word": Stream(words, np.arange(n_documents + 1, dtype=np.int64) * document_length)}),
        groups=MappingProxyType({"author": Grouping(tuple(f"a{a:03d}" for a in range(n_authors)), author_of)}),
    )


def t6_size(n_topics: int = 100, seed: int = 0) -> Corpus:
    """A simulated microblog as large as the paper's T6: 240,517 posts by 150 authors, 7.7 tokens a post.

    Posts are around their author's taste; words and hashtags are of the same `n_topics` planted topics.
    """
    rng = np.random.default_rng(seed)
    n_posts, n_authors, mean, sizes = 240_517, 150, {"word": 6.35, "hashtag": 1.34}, {"word": 5_000, "hashtag": 1_000}
    authors = _dirichlet(
        rng, np.broadcast_to(0.3 * n_topics * _dirichlet(rng, np.ones((1, n_topics))), (150, n_topics))
    )
    author_of = rng.integers(0, n_authors, n_posts).astype(np.int32)
    streams, vocabulary = {}, []
    lengths = {name: rng.poisson(more - 1.0, n_posts) + 1 for name, more in mean.items()}
    longest = max(int((lengths["word"] + lengths["hashtag"]).max()), 1)
    topics = np.concatenate(
        [
            _document_topics(rng, authors[author_of[start : start + CHUNK]], longest).reshape(-1, longest)
            for start in range(0, n_posts, CHUNK)
        ]
    )
    place = np.arange(longest)
    for name, first in (("word", 0), ("hashtag", lengths["word"])):
        size = sizes[name]
        base = 1.0 / (np.arange(size) + 2.7)
        phi = _dirichlet(rng, np.broadcast_to(0.05 * size * base / base.sum(), (n_topics, size)))
        here = (place >= np.reshape(first, (-1, 1))) & (place < np.reshape(first + lengths[name], (-1, 1)))
        topic_of = topics[here]
        words = np.empty(len(topic_of), np.int32)
        for k in range(n_topics):
            chosen = np.flatnonzero(topic_of == k)
            words[chosen] = _categorical(np.cumsum(phi[k]), rng.random(len(chosen)))
        streams[name] = Stream(words + np.int32(len(vocabulary)), np.concatenate([[0], np.cumsum(lengths[name])]))
        vocabulary += [f"{name}{v:05d}" for v in range(size)]
    names = tuple(f"a{a:03d}" for a in range(n_authors))
    groups = MappingProxyType({"author": Grouping(names, author_of)})
    return Corpus(vocabulary=tuple(vocabulary), streams=MappingProxyType(streams), groups=groups)


def _dirichlet(rng: np.random.Generator, shape: NDArray[np.float64]) -> NDArray[np.float64]:
    # The tiny floor keeps a row whose gamma draws all underflow from becoming 0/0.
    draws = rng.standard_gamma(shape) + 1e-300
    return np.asarray(draws / draws.sum(axis=-1, keepdims=True))


def _document_topics(rng: np.random.Generator, shape: NDArray[np.float64], length: int) -> NDArray[np.int64]:
    """`length` topics for every row of Dirichlet parameters, document by document."""
    cumulative = np.cumsum(_dirichlet(rng, shape), axis=1)
    # One sorted search for all documents: row d of the cumulative sums is moved to the interval [d, d + 1].
    n, n_topics = cumulative.shape
    flat = (cumulative / cumulative[:, -1:] + np.arange(n)[:, None]).ravel()
    found = np.searchsorted(flat, (rng.random((n, length)) + np.arange(n)[:, None]).ravel(), side="right")
    return np.minimum(found - np.repeat(np.arange(n) * n_topics, length), n_topics - 1)


def _categorical(cumulative: NDArray[np.float64], uniforms: NDArray[np.float64]) -> NDArray[np.int64]:
    found = np.searchsorted(cumulative, uniforms * cumulative[-1], side="right")
    return np.minimum(found, len(cumulative) - 1)


def kos_blog(min_df: int = 5) -> Corpus | None:
    """Daily KOS blog posts (3,430 documents, 0.47 M tokens), or None where the data are not at hand."""
    table = _read("kos_blog")
    return None if table is None else _corpus({"word": table["tokens"]}, min_df)


def ap_news(min_df: int = 5) -> Corpus | None:
    """Articles of the Associated Press (2,246 documents, 0.4 M tokens), or None where the data are not at hand."""
    table = _read("ap_news")
    return None if table is None else _corpus({"word": table["tokens"]}, min_df)


def crisislex(min_df: int = 5) -> Corpus | None:
    """Tweets about 19 disasters, which are their labels (37,518 documents, 0.29 M tokens); None where not at hand."""
    table = _read("crisislex_events", "tokens", "label")
    return None if table is None else _corpus({"word": table["tokens"]}, min_df, table)


def congress_posts(n_posts: int = 60_000, min_df: int = 5) -> Corpus | None:
    """So many tweets of the US Congress with hashtags and authors, drawn at random; None where not at hand."""
    table = _read("congress_follow")
    if table is None:
        return None
    rows = np.sort(np.random.default_rng(0).permutation(len(table["author"]))[:n_posts])
    mine = {name: [column[d] for d in rows] for name, column in table.items()}
    return _corpus({"word": mine["tokens"], "hashtag": mine["hashtags"]}, min_df, mine)


def congress_follow(min_df: int = 5) -> Corpus | None:
    """Tweets of the US Congress (209,440 documents, 3.1 M words, hashtags, authors), or None where not at hand."""
    table = _read("congress_follow")
    return None if table is None else _corpus({"word": table["tokens"], "hashtag": table["hashtags"]}, min_df, table)


def congress_core(
    min_df: int = 5, links: str = "follows", posts: int | None = None, tagged: bool = False
) -> Corpus | None:
    """Tweets of the 150 members who use most hashtags, and who follows whom; None where not at hand.

    `links` may also be "mention" or "retweet"; `posts` is the number of tweets per member, drawn at random, and
    `tagged` leaves out those without a hashtag.
    """
    table = _read("congress_follow")
    if table is None:
        return None
    home = DATA / "congress_follow"
    authors = _columns(home / "authors.parquet", ("author", "core150"))
    edges = _columns(home / f"{'edges' if links == 'follows' else f'edges_{links}'}.parquet", ("src", "dst"))
    core = {name for name, inside in zip(authors["author"], authors["core150"], strict=True) if inside}
    mine = [d for d, author in enumerate(table["author"]) if author in core and (table["hashtags"][d] or not tagged)]
    rows = mine if posts is None else _at_most(posts, mine, [table["author"][d] for d in mine])
    chosen = {name: [column[d] for d in rows] for name, column in table.items()}
    pairs = zip(edges["src"], edges["dst"], strict=True)
    between = [(src, dst) for src, dst in pairs if src in core and dst in core and src != dst]
    return _corpus({"word": chosen["tokens"], "hashtag": chosen["hashtags"]}, min_df, chosen, {links: between})


def _at_most(n: int, rows: list[int], authors: list[str]) -> list[int]:
    """So many rows of every author, drawn at random, in their order.

    >>> _at_most(1, [4, 7, 8], ["ann", "bob", "bob"])[0]
    4
    """
    seen: dict[str, int] = {}
    kept = []
    for i in np.random.default_rng(0).permutation(len(rows)).tolist():
        seen[authors[i]] = seen.get(authors[i], 0) + 1
        if seen[authors[i]] <= n:
            kept.append(rows[i])
    return sorted(kept)


def _read(name: str, *columns: str) -> dict[str, list] | None:
    path = DATA / name / "documents.parquet"
    return _columns(path, columns or ("tokens", "hashtags", "author")) if path.exists() else None


def _columns(path: Path, names: tuple[str, ...]) -> dict[str, list]:
    import duckdb

    rows = duckdb.sql(f"select {', '.join(names)} from read_parquet('{path}')").fetchall()
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def _corpus(
    streams: dict[str, list],
    min_df: int,
    table: dict[str, list] | None = None,
    links: dict[str, list[tuple[str, str]]] | None = None,
) -> Corpus:
    """Drop tokens found in fewer than `min_df` documents, then documents left without words."""
    seen: dict[str, int] = {}
    for tokens in zip(*streams.values(), strict=True):
        for token in {token for part in tokens for token in part}:
            seen[token] = seen.get(token, 0) + 1
    kept = {name: [[t for t in doc if seen[t] >= min_df] for doc in docs] for name, docs in streams.items()}
    alive = [d for d, doc in enumerate(kept["word"]) if doc]
    named = [name for name in ("author", "label") if table is not None and name in table]
    groups = {name: [table[name][d] for d in alive] for name in named}
    return Corpus.from_tokens({name: [docs[d] for d in alive] for name, docs in kept.items()}, groups, links)


# by number of topics in the race: a simulated corpus has as many planted
CORPORA: dict[str, Callable[[int], Corpus | None]] = {
    "zipf, 100-token documents": lambda n_topics: zipf(n_topics=n_topics),
    "zipf, 10-token documents": lambda n_topics: zipf(n_topics=n_topics, document_length=10),
    "kos_blog": lambda _: kos_blog(),
    "congress_follow": lambda _: congress_follow(),
}
