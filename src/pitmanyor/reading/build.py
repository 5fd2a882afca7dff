"""From posts to a corpus: leave out what filters say, renumber the rest, freeze."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus, Grouping, LinkSet, Stream
from pitmanyor.corpus.parts import UNKNOWN, frozen
from pitmanyor.corpus.read_report import Filter
from pitmanyor.errors import CorpusError
from pitmanyor.reading.filters import Sieve, sift, token_filters, word_filter
from pitmanyor.reading.options import FilterOptions, TextOptions
from pitmanyor.reading.plain_values import PERIODS
from pitmanyor.reading.posts import Posts, Run
from pitmanyor.reading.spool import Spool


def build(
    posts: Posts, text: TextOptions, keep: FilterOptions, linked: frozenset[str] | None, periods: Sequence[str]
) -> tuple[Corpus, list[Filter]]:
    """The corpus without its links and report, and what was left out."""
    first = token_filters(posts, text)
    sieve = sift(posts, keep, linked)
    shared: list[str] = [name for name in ("word", "hashtag") if name in posts.streams]
    words_stay = word_filter(sieve, keep, shared)
    if not words_stay.all():
        posts.streams |= {name: posts.streams[name].only(words_stay) for name in shared}
    _short(sieve, keep)
    _refuse_nothing(sieve, first)
    stay = sieve.stay
    vocabulary, number = _vocabulary(posts, stay)
    corpus = Corpus(
        vocabulary=vocabulary,
        streams={name: _stream(run, stay, number) for name, run in posts.streams.items()},
        groups=_groups(posts, stay, keep) | _periods(posts, stay, periods),
        times=None if posts.times is None else frozen(posts.times[stay], np.int64).view("datetime64[ms]"),
        rows=frozen(posts.lines[stay], np.int64),
        ids=None if posts.ids is None else posts.ids.take(np.flatnonzero(stay)),
    )
    return corpus, first + sieve.filters


def _short(sieve: Sieve, keep: FilterOptions) -> None:
    lengths = sum((run.lengths for run in sieve.posts.streams.values()), np.zeros(sieve.posts.n_posts, np.int64))
    why = "no token left" if keep.min_tokens <= 1 else f"fewer than {keep.min_tokens} tokens left"
    sieve.drop(lengths < keep.min_tokens, "min_tokens", f"posts with {why}")


def _refuse_nothing(sieve: Sieve, first: list[Filter]) -> None:
    if sieve.stay.any() and sieve.posts.tokens_of(sieve.stay):
        return
    said = "\n".join(f"  {one}" for one in [*first, *sieve.filters])
    raise CorpusError(f"nothing is left of {sieve.posts.n_posts:,} posts; loosen one of these filters:\n{said}")


def _vocabulary(posts: Posts, stay: NDArray[np.bool_]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Words that still occur, sorted, and the new number of each."""
    occurs = np.zeros(len(posts.words), bool)
    for run in posts.streams.values():
        for words in run.of_posts(stay):
            occurs[words] = True
    order = sorted(np.flatnonzero(occurs).tolist(), key=posts.words.__getitem__)
    number = np.full(len(posts.words), -1, np.int32)
    number[order] = np.arange(len(order))
    return tuple(posts.words[i] for i in order), number


def _stream(run: Run, stay: NDArray[np.bool_], number: NDArray[np.int32]) -> Stream:
    offsets = np.concatenate([[0], np.cumsum(run.lengths[stay], dtype=np.int64)])
    spool = Spool(run.home)
    for words in run.of_posts(stay):
        spool.add(number[words])
    return Stream(frozen(spool.array(), np.int32), frozen(offsets, np.int64))


def _groups(posts: Posts, stay: NDArray[np.bool_], keep: FilterOptions) -> dict[str, Grouping]:
    """Groupings with only the labels that occur, in the order they first come."""
    out = {}
    for name, codes in posts.codes.items():
        if name == "author" and keep.missing_author == "error" and np.any(codes[stay] < 0):
            line = posts.lines[stay][codes[stay] < 0][0]
            raise CorpusError(
                f"line {line}: a post without an author, and missing_author='error'; choose 'drop' or 'keep'"
            )
        out[name] = _grouping((*posts.labels[name], UNKNOWN), np.where(codes < 0, len(posts.labels[name]), codes)[stay])
    return out


def _grouping(labels: tuple[str, ...], codes: NDArray[Any]) -> Grouping:
    used, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    return Grouping(tuple(labels[used[i]] for i in order), frozen(rank[inverse], np.int32))


def _periods(posts: Posts, stay: NDArray[np.bool_], periods: Sequence[str]) -> dict[str, Grouping]:
    """Groups made from the times: the day of each post, the month and so on."""
    out = {}
    for name in periods:
        assert posts.times is not None
        times = posts.times[stay].view("datetime64[ms]").astype(f"datetime64[{PERIODS[name]}]")
        found, codes = np.unique(times, return_inverse=True)
        out[name] = Grouping(tuple(UNKNOWN if np.isnat(t) else str(t) for t in found), frozen(codes, np.int32))
    return out


def keep_links(corpus: Corpus, links: LinkSet) -> tuple[LinkSet, int]:
    """Links between authors of the corpus, and how many others there were."""
    authors = {label: i for i, label in enumerate(corpus.groups["author"].labels)}
    place = np.array([authors.get(label, -1) for label in links.labels] + [-1], np.int32)
    sources, targets = place[links.sources], place[links.targets]
    known = (sources >= 0) & (targets >= 0)
    labels = corpus.groups["author"].labels
    return LinkSet(labels, frozen(sources[known], np.int32), frozen(targets[known], np.int32)), int(np.sum(~known))
