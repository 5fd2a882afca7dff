"""Which posts and words stay. Every filter says what it removed, and each sees only what those before it left."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus.read_report import Filter
from pitmanyor.errors import CorpusError
from pitmanyor.files import release
from pitmanyor.reading.lexicon import REASONS
from pitmanyor.reading.options import FilterOptions, TextOptions
from pitmanyor.reading.posts import Posts
from pitmanyor.reading.query import NO_HIT, SEVERAL
from pitmanyor.reading.stop_lists import described

Mask = NDArray[np.bool_]
DF_TOKENS = 2_000_000  # tokens counted at a time, which bounds the memory of counting


@dataclass
class Sieve:
    """The posts that are kept, and the record of what was removed."""

    posts: Posts
    stay: Mask
    filters: list[Filter] = field(default_factory=list)

    def drop(self, out: Mask, name: str, why: str) -> None:
        """Drop these posts. A filter that removes nothing is not reported."""
        gone = self.stay & out
        if not gone.any():
            return
        left = self.stay & ~out
        authors = self.posts.n_authors(self.stay) - self.posts.n_authors(left)
        self.filters.append(Filter(name, why, int(gone.sum()), self.posts.tokens_of(gone), authors))
        self.stay = left


def token_filters(posts: Posts, text: TextOptions) -> list[Filter]:
    """What the tokeniser itself left out."""
    tags = "they come from a column of their own" if text.hashtags != "drop" else "hashtags='drop'"
    why_not = {"min_length": text.min_length, "hashtags": tags, "stop_words": described(text.stop_words)}
    out = [
        Filter(name, why.format(**why_not), tokens=posts.dropped[code])
        for code, (name, why) in REASONS.items()
        if posts.dropped.get(code)
    ]
    return out + ([Filter("addresses", "URLs in the text", tokens=posts.n_urls)] if posts.n_urls else [])


def sift(posts: Posts, keep: FilterOptions, linked: frozenset[str] | None) -> Sieve:
    """The posts that stay. `linked` has the authors who occur in the network."""
    sieve = Sieve(posts, np.ones(posts.n_posts, bool))
    marks = posts.marks
    if keep.empty_posts == "drop":
        sieve.drop(marks["empty"], "empty posts", "no text")
    if "placeholders" in marks and keep.empty_posts == "drop":
        why = "the text is NaN, null, [deleted] or another of missing_values="
        sieve.drop(marks["placeholders"], "placeholders", why)
    if "ids" in marks and keep.duplicates == "drop":
        sieve.drop(marks["ids"], "repeated ids", "an earlier post has the same id")
    if "duplicates" in marks and keep.duplicates == "drop":
        sieve.drop(marks["duplicates"], "duplicates", "an earlier post has the same author and text")
    if "author" in posts.codes and keep.missing_author == "drop":
        sieve.drop(posts.codes["author"] < 0, "missing author", "posts without an author (missing_author='drop')")
    if "retweets" in marks:
        sieve.drop(marks["retweets"], "retweets", "posts of another's words (retweets='drop')")
    if "language" in marks:
        sieve.drop(marks["language"], "language", f"not in the language {keep.language!r}")
    if posts.hits is not None:
        sieve.drop(posts.hits == NO_HIT, "query", "no term of the query in them")
        sieve.drop(posts.hits == SEVERAL, "query", "terms of several labels in them")
    _authors(sieve, keep, linked)
    return sieve


def _authors(sieve: Sieve, keep: FilterOptions, linked: frozenset[str] | None) -> None:
    posts = sieve.posts
    asks = keep.in_network or keep.min_posts > 1
    if asks and "author" not in posts.codes:
        raise CorpusError(
            "min_posts= and in_network= ask for authors, and no column is the author; name it with author="
        )
    if keep.in_network:
        if linked is None:
            raise CorpusError("in_network=True asks for a network; give it with links=")
        unknown = np.array([label not in linked for label in posts.labels["author"]] + [True])
        sieve.drop(unknown[posts.codes["author"]], "in_network", "authors who are not in the network")
    if keep.min_posts > 1:
        codes = posts.codes["author"]
        counts = np.bincount(codes[sieve.stay & (codes >= 0)], minlength=len(posts.labels["author"]))
        few = np.append(counts < keep.min_posts, False)
        sieve.drop(few[codes], "min_posts", f"authors with fewer than {keep.min_posts} posts")


def document_frequency(posts: Posts, stay: Mask, names: list[str]) -> NDArray[np.int64]:
    """In how many posts that stay each word occurs, in any of these streams; counted a range of posts at a time."""
    n_words = len(posts.words)
    out = np.zeros(n_words, np.int64)
    ends = {name: np.concatenate([[0], np.cumsum(posts.streams[name].lengths, dtype=np.int64)]) for name in names}
    total = sum(ends.values(), np.zeros(posts.n_posts + 1, np.int64))
    start = 0
    while start < posts.n_posts:
        stop = max(start + 1, int(np.searchsorted(total, total[start] + DF_TOKENS, side="right")) - 1)
        keys = []
        for name in names:
            run = posts.streams[name]
            post = np.repeat(np.arange(start, stop), run.lengths[start:stop])
            here = run.words[ends[name][start] : ends[name][stop]]
            keys.append((post * n_words + here)[stay[post]])
            release(run.words)
        pairs = np.sort(np.concatenate(keys))  # several times as fast as np.unique
        first = np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]
        out += np.bincount(pairs[first] % max(n_words, 1), minlength=n_words)
        start = stop
    return out


def word_filter(sieve: Sieve, keep: FilterOptions, shared: list[str]) -> NDArray[np.bool_]:
    """By word: does it stay? Frequencies concern the streams that share the vocabulary of the words."""
    posts, stay = sieve.posts, sieve.stay
    words_stay = np.ones(len(posts.words), bool)
    n_posts = int(stay.sum())
    low = keep.min_df * n_posts if isinstance(keep.min_df, float) else keep.min_df
    high = keep.max_df * n_posts if isinstance(keep.max_df, float) else keep.max_df
    if low <= 1 and high >= n_posts:
        return words_stay
    frequency = document_frequency(posts, stay, shared)
    counts = sum((_counts(posts, stay, name) for name in shared), np.zeros(len(posts.words), np.int64))
    for rare_or_common, name, why in (
        (frequency < low, "min_df", f"words in fewer than {low:g} posts"),
        (frequency > high, "max_df", f"words in more than {high:g} posts"),
    ):
        out = rare_or_common & (counts > 0) & words_stay
        if out.any():
            why += f" ({int(out.sum()):,} words)"
            sieve.filters.append(Filter(name, why, tokens=int(counts[out].sum())))
        words_stay &= ~out
    return words_stay


def _counts(posts: Posts, stay: Mask, name: str) -> NDArray[np.int64]:
    out = np.zeros(len(posts.words), np.int64)
    for words in posts.streams[name].of_posts(stay):
        out += np.bincount(words, minlength=len(out))
    return out
