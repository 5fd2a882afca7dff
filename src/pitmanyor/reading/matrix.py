"""A matrix of counts, documents by words, as posts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pitmanyor.errors import CorpusError
from pitmanyor.reading.label_codes import Labels
from pitmanyor.reading.posts import Posts, Run


def is_matrix(source: Any) -> bool:
    return hasattr(source, "tocsr") and hasattr(source, "shape")


def posts_of_matrix(matrix: Any, vocabulary: Sequence[str] | None, columns: Mapping[str, Sequence[Any]]) -> Posts:
    """Posts with every word as often as its count; `columns` gives a label for each row."""
    if vocabulary is None:
        raise CorpusError("a matrix of counts comes without words; give them with vocabulary=, one for each column")
    rows = matrix.tocsr()
    n_posts, n_words = rows.shape
    words = [str(word) for word in vocabulary]
    if len(words) != n_words:
        raise CorpusError(f"the matrix has {n_words} columns and the vocabulary {len(words)} words; give one for each")
    if len(set(words)) != n_words:
        raise CorpusError("the vocabulary lists a word twice; every word must occur once")
    counts = np.asarray(rows.data)
    whole = np.asarray(np.rint(counts), np.int64)
    if np.any(whole != counts) or np.any(whole < 0):
        raise CorpusError("the matrix must hold whole counts of at least 0; weights such as tf-idf are not counts")
    codes, labels = {}, {}
    for name, values in columns.items():
        if isinstance(values, str) or len(values) != n_posts:
            raise CorpusError(f"{name}= must give one label for each of the {n_posts} rows of the matrix")
        index = Labels()
        codes[name] = index.encode(list(values))
        labels[name] = tuple(index.codes)
    lengths = np.diff(np.concatenate([[0], np.cumsum(whole)])[rows.indptr]).astype(np.int32)
    return Posts(
        lines=np.arange(1, n_posts + 1),
        words=words,
        streams={"word": Run(np.repeat(rows.indices, whole).astype(np.int32), lengths)},
        labels=labels,
        codes=codes,
        times=None,
        marks={"empty": lengths == 0},
        hits=None,
        dropped={},
        n_urls=0,
    )
