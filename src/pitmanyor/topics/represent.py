"""The documents that are most typical of a topic."""

from __future__ import annotations

import numpy as np

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.results.fitted import Fitted
from pitmanyor.topics.counts import WordTables, seated, streams_of
from pitmanyor.topics.topic_view import View, view


@checked_call()
def representative(fit: Fitted, topic: int | str, n: int = 5) -> list[int]:
    """Indices of the documents that are most typical of a topic, the best first.

    Each token of the topic counts by how specific its word is, p(topic | word). The sum is divided by the length of the
    document plus the mean length, so that neither long nor very short documents win by their length.

    Parameters
    ----------
    fit
        A fit.
    topic
        Number or name of a topic.
    n
        Number of documents; fewer if fewer have a token of the topic.
    """
    tables = WordTables(fit)
    shown = view(fit, tables=tables)
    return all_representative(fit, n, shown, tables)[shown.find(topic)]


def all_representative(
    fit: Fitted, n: int = 5, shown: View | None = None, tables: WordTables | None = None
) -> list[list[int]]:
    """`representative` for all topics of `view` at once.

    `shown` and `tables` are passed by callers that have computed them already.
    """
    if n < 1:
        raise PlanError(f"n is how many documents to show, 1 or more, not {n}")
    tables = tables or WordTables(fit)
    corpus, shown = fit.state.plan.corpus, shown or view(fit, tables=tables)
    n_topics, lengths = len(shown.members), np.zeros(corpus.n_documents)
    places, scores = [np.zeros(0, np.int64)], [np.zeros(0)]
    for stream in streams_of(fit):
        table = tables[stream]
        own = shown.fold((table.tokens.sum(axis=1)[:, None] * table.mean).T)  # words by topics shown
        own /= np.maximum(own.sum(axis=1, keepdims=True), 1e-300)
        tokens = seated(fit, stream)
        topics = shown.place[tokens.topic]
        places.append(tokens.document * n_topics + topics)
        scores.append(own[tokens.word, topics])
        lengths += corpus.streams[stream].lengths
    found, where = np.unique(np.concatenate(places), return_inverse=True)
    documents, topics = np.divmod(found, n_topics)
    score = np.bincount(where, weights=np.concatenate(scores)) / (lengths + lengths.mean())[documents]
    order = np.lexsort((documents, -score, topics))
    ends = np.searchsorted(topics[order], np.arange(n_topics + 1))
    return [documents[order[a : min(b, a + n)]].tolist() for a, b in zip(ends[:-1], ends[1:], strict=True)]
