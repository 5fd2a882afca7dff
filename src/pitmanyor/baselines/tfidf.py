"""The pool most similar to a post, by the cosine of TF-IDF vectors of words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Stream

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def most_similar(words: Stream, n_words: int, posts: Ints, pools: Ints, others: Ints) -> Ints:
    """For each of the posts `others` the most similar pool, the first among equals; -1 if it shares no word with any.

    Post `posts[i]` is in pool `pools[i]`. The weight of a word is log(posts / posts with the word).
    """
    idf = _idf(words, n_words)
    starts, members, weights = _by_word(words, n_words, posts, pools, idf)
    n_pools = int(pools.max(initial=-1)) + 1
    found = np.full(len(others), -1)
    for i, post in enumerate(others.tolist()):
        own, counts = np.unique(words.words[words.offsets[post] : words.offsets[post + 1]], return_counts=True)
        at = np.concatenate([np.empty(0, np.int64), *(np.arange(starts[w], starts[w + 1]) for w in own)])
        if len(at):
            value = np.repeat(counts * idf[own], starts[own + 1] - starts[own])
            scores = np.bincount(members[at], value * weights[at], n_pools)
            best = int(scores.argmax())
            found[i] = best if scores[best] > 0 else -1
    return found


def _idf(words: Stream, n_words: int) -> Floats:
    n_posts = len(words.lengths)
    present = np.unique(words.documents * n_words + words.words) % n_words
    return np.asarray(np.log(n_posts / np.maximum(np.bincount(present, minlength=n_words), 1)))


def _by_word(words: Stream, n_words: int, posts: Ints, pools: Ints, idf: Floats) -> tuple[Ints, Ints, Floats]:
    """Pools that hold each word and their unit TF-IDF weight for it: word w has entries starts[w] to starts[w + 1]."""
    taken = words.take(posts)
    n_pools = int(pools.max(initial=-1)) + 1
    keys, counts = np.unique(
        taken.words.astype(np.int64) * max(n_pools, 1) + np.repeat(pools, taken.lengths), return_counts=True
    )
    word, pool = keys // max(n_pools, 1), keys % max(n_pools, 1)
    weights = counts * idf[word]
    norms = np.sqrt(np.bincount(pool, weights**2, n_pools))
    starts = np.searchsorted(word, np.arange(n_words + 1))
    return starts, pool, np.divide(weights, norms[pool], out=np.zeros(len(weights)), where=norms[pool] > 0)
