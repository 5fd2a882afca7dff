"""Splits of a network into known and hidden pairs, the same for every method, seed by seed."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from benchmarks.link_baselines import Seen
from pitmanyor import Corpus
from pitmanyor.corpus import LinkSet
from pitmanyor.corpus.hold import HeldOut

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
AUTHORS = "authors"  # all pairs of a tenth of the authors, in place of a share of the pairs
HIDDEN = ("0.1", "0.5", "0.8", "0.95", AUTHORS)
OF_POSTS = 0.1  # are held out for perplexity


def choose(n: int, hidden: str, rng: np.random.Generator, known: Bools | None = None) -> Bools:
    """Which pairs of n authors are hidden: a share of the ordered pairs that are known, or all those of some authors.

    These are a tenth of the authors who have a known pair.

    >>> choose(10, "authors", np.random.default_rng(1)).sum()  # to and from one author
    np.int64(18)
    >>> choose(10, "0.5", np.random.default_rng(1)).sum()
    np.int64(45)
    """
    apart = ~np.eye(n, dtype=bool) if known is None else known
    out = np.zeros((n, n), bool)
    if hidden == AUTHORS:
        pool = np.flatnonzero(apart.any(axis=1) | apart.any(axis=0))
        chosen = rng.choice(pool, max(1, round(0.1 * len(pool))), replace=False)
        out[chosen] = out[:, chosen] = True
        return out & apart
    pairs = np.flatnonzero(apart)
    out.flat[rng.choice(pairs, max(1, round(float(hidden) * len(pairs))), replace=False)] = True
    return out


@dataclass(frozen=True)
class Case:
    """One corpus whose link set has hidden pairs, these pairs with their truth, and posts that nobody has read."""

    corpus: Corpus
    unread: Corpus
    held: HeldOut
    seen: Seen
    names: list[Hashable]
    hidden: str

    def place(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The hidden pairs as rows and columns of a table of all pairs."""
        at = {name: i for i, name in enumerate(self.names)}
        rows, columns = np.array([(at[a], at[b]) for a, b in self.held.pairs]).T
        return rows, columns

    def aside(self, seen: Seen, fold: int) -> Bools:
        """Pairs on which a method may choose its settings: hidden as the others are, a tenth of what is known."""
        how = AUTHORS if self.hidden == AUTHORS else "0.1"
        return choose(len(self.names), how, np.random.default_rng(fold), seen.known)

    def hashtags(self, stream: str = "hashtag") -> Floats:
        """Cosines of the roots of how often authors use each hashtag."""
        tokens, group = self.corpus.streams[stream], self.corpus.groups["author"]
        counts = np.zeros((len(group.labels), len(self.corpus.vocabulary)))
        np.add.at(counts, (group.codes[tokens.documents], tokens.words), 1.0)
        root = np.sqrt(counts[[group.labels.index(name) for name in self.names]])
        unit = root / np.maximum(np.linalg.norm(root, axis=1, keepdims=True), 1e-12)
        return np.asarray(unit @ unit.T)


def split(corpus: Corpus, links: str, hidden: str, seed: int) -> Case:
    """Hide pairs of one link set and a tenth of every author's posts. Pairs depend on the authors' names and the seed.

    >>> authors = [f"a{i % 6}" for i in range(60)]
    >>> corpus = Corpus.from_tokens([["word"]] * 60, {"author": authors}, {"cites": [("a0", "a1")]})
    >>> case = split(corpus, "cites", "0.5", seed=1)
    >>> len(case.held.pairs), case.unread.n_documents
    (15, 6)
    """
    group = corpus.groups["author"]
    names = sorted((group.labels[code] for code in np.unique(group.codes)), key=str)
    at = {name: i for i, name in enumerate(names)}
    linked = np.zeros((len(names), len(names)), bool)
    for a, b in corpus.links[links].pairs:
        if a in at and b in at and a != b:
            linked[at[a], at[b]] = True
    gone = choose(len(names), hidden, np.random.default_rng([seed, len(names)]))
    held = HeldOut(tuple((names[i], names[j]) for i, j in np.argwhere(gone).tolist()), linked[gone])
    pairs = np.argwhere(linked & ~gone).astype(np.int32)
    left = LinkSet(tuple(names), pairs[:, 0], pairs[:, 1], np.argwhere(gone).astype(np.int32))
    train, unread = corpus.split(OF_POSTS, by="author", seed=seed)
    train = replace(train, links=MappingProxyType({links: left}))
    seen = Seen(~np.eye(len(names), dtype=bool), linked).without(gone)
    return Case(train, unread, held, seen, names, hidden)
