"""Burst terms: words that occur in far more posts on one day than on others (Mehrotra et al. 2013, section 2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus

Ints = NDArray[np.int64]
THRESHOLD = 5.0  # standard deviations, as in the paper
FEWEST = 5  # posts of a day, not in the paper: otherwise every rare word bursts


def burst_terms(corpus: Corpus, threshold: float = THRESHOLD) -> tuple[Ints, Ints, Ints]:
    """The burst terms, and pairs (post, term) for every post that has one, on any day.

    The score of a term on a day is (posts with it - mean) / standard deviation, over the days that have posts. Over D
    days no score exceeds (D - 1) / sqrt(D), so with fewer than 27 days no term is above five. A term also needs five
    posts.
    """
    assert corpus.times is not None
    posts, terms = _presence(corpus)
    known = np.flatnonzero(~np.isnat(corpus.times))
    days, codes = np.unique(corpus.times[known].astype("datetime64[D]"), return_inverse=True)
    day_of = np.full(corpus.n_documents, -1)
    day_of[known] = codes
    dated, n_days = day_of[posts] >= 0, max(len(days), 1)
    keys, counts = np.unique(terms[dated] * n_days + day_of[posts[dated]], return_counts=True)
    term, n_terms = keys // n_days, len(corpus.vocabulary)
    mean = np.bincount(term, counts, n_terms) / n_days
    spread = np.sqrt(np.maximum(np.bincount(term, counts.astype(np.float64) ** 2, n_terms) / n_days - mean**2, 0.0))
    above = counts - mean[term]  # days without the term have no entry, and are below the mean
    burst = np.unique(term[(counts >= FEWEST) & (above > threshold * spread[term])])
    which = np.full(n_terms, -1)
    which[burst] = np.arange(len(burst))
    held = which[terms] >= 0
    return burst, posts[held], which[terms[held]]


def _presence(corpus: Corpus) -> tuple[Ints, Ints]:
    """Every pair (post, term) once, for words and hashtags alike."""
    n = len(corpus.vocabulary)
    pairs = np.unique(np.concatenate([stream.documents * n + stream.words for stream in corpus.streams.values()]))
    return pairs // n, pairs % n
