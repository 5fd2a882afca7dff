"""Hashtags by example: those of fitted posts that share words with a draft, especially of the author's own posts.

A topic has thousands of posts, and its hashtags say little about what distinguishes one of them. Its words do.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.corpus.parts import main_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ALL, OWN = 3, 2  # exponents of the cosine, for posts of all authors and of the author
EVER = 0.003  # weight added to every post of the author


class Echoes:
    """The posts of a corpus as unit TF-IDF vectors of their words: log(1 + count) log(posts / posts with the word)."""

    def __init__(self, corpus: Corpus, tags: str, used: NDArray[np.int32]) -> None:
        """tags: the stream of hashtags; used: those of the vocabulary that occur in it, in order."""
        self.corpus, self.n_used = corpus, len(used)
        self.words = main_of(name for name in corpus.streams if name != tags) if len(corpus.streams) > 1 else None
        self.tagged, self.tag = corpus.streams[tags].documents, np.searchsorted(used, corpus.streams[tags].words)
        if self.words is None:
            return
        stream, n_words = corpus.streams[self.words], len(corpus.vocabulary)
        pairs, counts = np.unique(stream.documents * np.int64(n_words) + stream.words, return_counts=True)
        self.document, self.word = pairs // n_words, pairs % n_words
        found = np.bincount(self.word, minlength=n_words)
        self.rarity = np.log(corpus.n_documents / np.maximum(found, 1))
        weight = np.log1p(counts) * self.rarity[self.word]
        length = np.sqrt(np.bincount(self.document, weights=weight**2, minlength=corpus.n_documents))
        self.weight = weight / np.maximum(length[self.document], 1e-12)

    def of(self, draft: Ints, author: Hashable | None) -> list[Floats]:
        """Distributions over hashtags for a draft with these words; none if no post is similar.

        The first counts the hashtags of all posts, weighted by the third power of their cosine with the draft. The
        second, for a known author, counts those of the author's own posts, weighted by the squared cosine plus a
        constant.
        """
        cosine = self._cosines(draft)
        parts = [self._count(cosine**ALL)]
        group = self.corpus.groups.get("author")
        if group is not None and author in group.labels:
            own = group.codes == group.labels.index(author)
            parts.append(self._count(np.where(own, cosine**OWN + EVER, 0.0)))
        return [part for part in parts if part is not None]

    def _cosines(self, draft: Ints) -> Floats:
        n = self.corpus.n_documents
        if self.words is None or not len(draft):
            return np.zeros(n)
        one = np.zeros(len(self.rarity))
        words, counts = np.unique(draft, return_counts=True)
        one[words] = np.log1p(counts) * self.rarity[words]
        one /= max(float(np.linalg.norm(one)), 1e-12)
        return np.asarray(np.bincount(self.document, weights=one[self.word] * self.weight, minlength=n), np.float64)

    def _count(self, weight: Floats) -> Floats | None:
        """The hashtags of all posts, weighted by their posts, as a distribution."""
        total = np.bincount(self.tag, weights=weight[self.tagged], minlength=self.n_used)
        return total / total.sum() if total.sum() > 0 else None
