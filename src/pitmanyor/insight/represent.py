"""The documents that show a topic best."""

from __future__ import annotations

import numpy as np

from pitmanyor.errors import PlanError
from pitmanyor.fitting import Fit
from pitmanyor.insight.counts import columns_of, streams_of, word_counts
from pitmanyor.insight.naming import view


def representative(fit: Fit, topic: int | str, n: int = 5) -> list[int]:
    """The n documents that show a topic best, the best first; fewer if fewer have a token of it.

    Every token of the topic counts as much as its word is the topic's own, p(topic | word); their sum is divided by the
    length of the document plus the mean length, so that neither long documents nor very short ones win by length.
    """
    if n < 1:
        raise PlanError(f"n is how many documents to show, 1 or more, not {n}")
    shown = view(fit)
    members = list(shown.members[shown.find(topic)])
    corpus = fit.state.plan.corpus
    score, lengths = np.zeros(corpus.n_documents), np.zeros(corpus.n_documents)
    for stream in streams_of(fit):
        phi, _ = fit.topic_words(stream)
        weight = word_counts(fit, stream).sum(axis=1)
        own = weight[members] @ phi[members] / np.maximum(weight @ phi, 1e-300)
        tokens, documents = corpus.streams[stream], corpus.streams[stream].documents
        columns, _ = columns_of(fit.state.plan, stream)
        here = np.isin(fit.token_topics(stream), members)
        score += np.bincount(documents[here], weights=own[columns[here]], minlength=corpus.n_documents)
        lengths += tokens.lengths
    if not score.any():
        return []
    score /= lengths + lengths.mean()
    best = np.argsort(-score, kind="stable")[:n]
    return [int(d) for d in best if score[d] > 0]
