"""The most likely words of topics that are shown as one."""

from __future__ import annotations

import numpy as np

from pitmanyor.results.posterior import Posterior
from pitmanyor.topics.counts import word_table


def group_words(fit: Posterior, stream: str, members: list[tuple[int, ...]], n: int) -> list[list[tuple[str, float]]]:
    """The n most likely words of every group of topics that occur in it, with their probabilities."""
    words, table = fit.words_of(stream), word_table(fit, stream)
    grouped = table.pooled(members)[0]
    best = [
        occurring[np.argsort(-p[occurring], kind="stable")[:n]]
        for p, occurring in zip(grouped, table.occurring(members), strict=True)
    ]
    return [[(words[w], float(p[w])) for w in some] for p, some in zip(grouped, best, strict=True)]
