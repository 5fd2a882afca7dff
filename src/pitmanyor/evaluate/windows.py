"""In how many windows of a text words occur, alone and together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Stream
from pitmanyor.evaluate.token_parts import places

Ints = NDArray[np.int64]
AT_ONCE = 1 << 23  # entries of a table of windows by words


class Spans(NamedTuple):
    """Tokens of the requested words: which word, and the first and last window that contains it."""

    word: Ints
    first: Ints
    last: Ints
    n_windows: int


def count_together(stream: Stream, topics: Sequence[Ints], n_words: int, window: int) -> tuple[list[Ints], int]:
    """For each topic, a table of the number of windows that contain both words of a pair; also the number of windows.

    Topics are word numbers, with -1 for an unknown word. The diagonal counts the windows with the word itself. A window
    is `window` consecutive tokens, or a whole shorter document; `window=0` uses whole documents.
    """
    asked = np.unique(np.concatenate([*topics, [-1]]).astype(np.int64))[1:]
    spans = _spans(stream, asked, n_words, window)
    columns = [np.where(topic < 0, len(asked), np.searchsorted(asked, topic)) for topic in topics]
    tables = [np.zeros((len(topic), len(topic))) for topic in topics]
    step = max(1, AT_ONCE // (len(asked) + 1))
    for start in range(0, spans.n_windows, step):
        present = _present(spans, len(asked) + 1, start, min(step, spans.n_windows - start))
        for column, table in zip(columns, tables, strict=True):
            held = present[:, column].astype(np.float32)
            table += held.T @ held
    return [table.astype(np.int64) for table in tables], spans.n_windows


def in_order(stream: Stream) -> bool:
    """Whether tokens seem to be in their original order: not if equal tokens are always adjacent, as in bags of words.

    If no word occurs twice in a document, nothing can be told, and the answer is yes.

    >>> from pitmanyor import Corpus
    >>> [in_order(Corpus.from_tokens([text.split()]).streams["word"]) for text in ("a a b b b c", "a b c a")]
    [False, True]
    """
    keys = stream.documents * (int(stream.words.max(initial=0)) + 1) + stream.words
    n_kinds, n_runs = len(np.unique(keys)), int(np.count_nonzero(np.diff(keys))) + bool(len(keys))
    return n_runs > n_kinds or n_kinds == len(keys)


def _spans(stream: Stream, asked: Ints, n_words: int, window: int) -> Spans:
    lengths = stream.lengths
    size = np.full(len(lengths), window) if window else np.maximum(lengths, 1)
    n_windows = np.where(lengths > 0, np.maximum(lengths - size + 1, 1), 0)
    start = np.append(0, np.cumsum(n_windows))
    column = np.full(n_words, -1)
    column[asked] = np.arange(len(asked))
    at = np.flatnonzero(column[stream.words] >= 0)
    owner, place = stream.documents[at], places(stream)[at]
    first = start[owner] + np.maximum(place - size[owner] + 1, 0)
    last = start[owner] + np.minimum(place, n_windows[owner] - 1)
    return Spans(column[stream.words[at]], first, last, int(start[-1]))


def _present(spans: Spans, n_columns: int, start: int, n: int) -> NDArray[np.bool_]:
    """(window, word): whether the word is in the window. The last column is for unknown words.

    Spans are sorted by their first windows, and by their last ones.
    """
    lo, hi = np.searchsorted(spans.last, start), np.searchsorted(spans.first, start + n)
    steps = np.zeros((n + 1, n_columns), np.int32)
    np.add.at(steps, (np.maximum(spans.first[lo:hi] - start, 0), spans.word[lo:hi]), 1)
    np.add.at(steps, (np.minimum(spans.last[lo:hi] - start + 1, n), spans.word[lo:hi]), -1)
    return np.cumsum(steps[:-1], axis=0) > 0
