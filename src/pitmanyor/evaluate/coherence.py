"""Topic coherence from co-occurrence in a reference corpus (docs/evaluation.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.corpus import Corpus, Stream
from pitmanyor.corpus.parts import main_of
from pitmanyor.errors import PlanError
from pitmanyor.evaluate.windows import count_together

Floats = NDArray[np.float64]
Measure = Literal["npmi", "pmi", "c_v"]
WINDOW: dict[Measure, int] = {"npmi": 10, "pmi": 10, "c_v": 110}  # as Röder, Both and Hinneburg (2015) have them
TINY = 1e-12


@checked_call()
def coherence(
    topics: Sequence[Sequence[str]],
    reference: Corpus,
    measure: Measure = "npmi",
    *,
    window: int | None = None,
    stream: str | None = None,
) -> Floats:
    """Coherence of every topic, given by its most likely words, in a reference corpus.

    A pair with a word that the reference does not have counts as 0.

    Parameters
    ----------
    topics
        Lists of words, such as `top_words(fit)`.
    reference
        The training corpus or any other.
    measure
        "npmi" or "pmi" for the mean over pairs of words; "c_v" for the measure of Röder, Both and Hinneburg (2015).
    window
        Window size in tokens: by default 10, or 110 for "c_v". 0 uses whole documents, the only meaningful choice for
        bags of words.
    stream
        Stream whose tokens are counted; by default the words.

    >>> corpus = Corpus.from_tokens([["a", "b"], ["a", "b", "c"], ["c"], ["d", "a"]])
    >>> coherence([["a", "b"], ["a", "c"]], corpus).round(3).tolist()
    [0.415, -0.292]
    """
    if measure not in get_args(Measure):
        raise PlanError(f"measure must be one of {', '.join(get_args(Measure))}, not {measure!r}")
    size = WINDOW[measure] if window is None else window
    if size < 0:
        raise PlanError(f"window must be a number of tokens, or 0 for whole documents, not {window}")
    place = {word: i for i, word in enumerate(reference.vocabulary)}
    numbers = [np.array([place.get(word, -1) for word in _checked(topic)], np.int64) for topic in topics]
    tables, n_windows = count_together(_stream(reference, stream), numbers, len(place), size)
    if measure == "c_v":
        return np.array([_c_v(_log_ratio(table, n_windows, normalised=True)) for table in tables])
    return np.array([_mean_pair(_log_ratio(table, n_windows, measure == "npmi")) for table in tables])


def _checked(topic: Sequence[str]) -> Sequence[str]:
    if isinstance(topic, str) or len(topic) < 2 or len(set(topic)) < len(topic):
        raise PlanError(
            f"a topic must be a list of two or more different words, such as evaluate.top_words(fit)[0], not {topic!r}"
        )
    return topic


def _stream(corpus: Corpus, name: str | None) -> Stream:
    chosen = name or main_of(corpus.streams)
    if chosen not in corpus.streams:
        raise PlanError(f"no stream {chosen!r}; this corpus has {', '.join(corpus.streams)}")
    return corpus.streams[chosen]


def _log_ratio(table: NDArray[np.int64], n_windows: int, normalised: bool) -> Floats:
    """log p(v, w) / (p(v) p(w)) for all pairs of a topic's words, divided by -log p(v, w) if normalised."""
    joint = table / max(n_windows, 1)
    alone = np.diag(joint)
    apart = np.outer(alone, alone)
    here = apart > 0
    ratio = np.zeros_like(joint)
    ratio[here] = np.log((joint[here] + TINY) / apart[here])
    if normalised:
        surprise = -np.log(joint + TINY)
        everywhere = joint >= 1.0  # both words are in every window
        ratio = np.where(everywhere, 0.0, ratio / np.where(everywhere, 1.0, surprise))
    return ratio


def _mean_pair(values: Floats) -> float:
    n = len(values)
    return float((values.sum() - np.trace(values)) / (n * (n - 1)))


def _c_v(npmi: Floats) -> float:
    """Mean cosine of each word's row of NPMI with the sum of all rows."""
    whole = npmi.sum(axis=0)
    sizes = np.linalg.norm(npmi, axis=1) * np.linalg.norm(whole)
    return float(np.mean(np.divide(npmi @ whole, sizes, out=np.zeros(len(npmi)), where=sizes > 0)))
