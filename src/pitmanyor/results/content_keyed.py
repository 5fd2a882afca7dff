"""Counts of words as documents, and proportions that depend on a document's content alone.

Fold-in draws random numbers by the place of a document in its corpus, so that a document has other draws in another
batch. Here its place is a hash of its counts: equal documents have equal proportions, in any batch and order.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus, Grouping, Stream
from pitmanyor.corpus.parts import frozen
from pitmanyor.results.fitted import Fitted

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
PLACES = 4096  # of a corpus that is folded in; documents that share one come one after the other


def corpus_of_counts(
    counts: Any, names: Sequence[Any] | None = None, groups: Mapping[str, Sequence[Hashable]] | None = None
) -> Corpus:
    """A sparse matrix of whole counts (rows are documents) as a corpus whose vocabulary are all columns."""
    n_documents, n_words = counts.shape
    vocabulary = tuple(f"x{i}" for i in range(n_words)) if names is None else tuple(map(str, names))
    made = {}
    for name, labels in (groups or {}).items():
        if len(labels) != n_documents:
            raise ValueError(f"{name}s must be one label for each of the {n_documents} rows, not {len(labels)}")
        index: dict[Hashable, int] = {}
        codes = [index.setdefault(label, len(index)) for label in labels]
        made[name] = Grouping(tuple(index), frozen(codes, np.int32))
    words = np.repeat(counts.indices, counts.data)
    offsets = np.concatenate([[0], np.cumsum(counts.data)])[counts.indptr]
    stream = Stream(frozen(words, np.int32), frozen(offsets, np.int64))
    return Corpus(vocabulary, {"word": stream}, made)


def infer_by_content(fit: Fitted, counts: Any, threads: int | None = None) -> Floats:
    """Topic proportions of the rows of a sparse matrix of counts."""
    rows = [_canonical(counts, d) for d in range(counts.shape[0])]
    first: dict[bytes, int] = {}
    for d, (key, _) in enumerate(rows):
        first.setdefault(key, d)
    waiting: dict[int, list[int]] = {}
    for key, d in first.items():
        waiting.setdefault(int.from_bytes(blake2b(key, digest_size=8).digest(), "little") % PLACES, []).append(d)
    found: dict[bytes, Floats] = {}
    for turn in range(max(map(len, waiting.values()), default=0)):
        here = {place: some[turn] for place, some in waiting.items() if turn < len(some)}
        shares = _fold_in(fit, {place: rows[d][1] for place, d in here.items()}, threads)
        found |= {rows[d][0]: shares[place] for place, d in here.items()}
    return np.stack([found[key] for key, _ in rows])


def _canonical(counts: Any, d: int) -> tuple[bytes, Ints]:
    """A document as bytes, and its words in order."""
    here = slice(counts.indptr[d], counts.indptr[d + 1])
    words = np.sort(np.repeat(counts.indices[here].astype(np.int64), counts.data[here]))
    return words.tobytes(), words


def _fold_in(fit: Fitted, documents: Mapping[int, Ints], threads: int | None) -> Floats:
    """Proportions of documents at these places of a corpus; the others are empty."""
    lengths = np.zeros(PLACES, np.int64)
    for place, words in documents.items():
        lengths[place] = len(words)
    if not lengths.any():  # fold-in refuses a corpus without tokens; a token in another place gives the prior's mean
        lengths[next(place for place in range(PLACES) if place not in documents)] = 1
        words = np.zeros(1, np.int64)
    else:
        words = np.concatenate([documents[place] for place in sorted(documents)])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    stream = Stream(frozen(words, np.int32), frozen(offsets, np.int64))
    corpus = Corpus(fit.corpus.vocabulary, {fit.stream().name: stream})
    return fit.infer(corpus, threads=threads).shares
