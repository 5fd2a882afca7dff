"""Which tokens a move takes, and in which order: an index of tokens by topic, and the path through their documents."""

from __future__ import annotations

from pitmanyor import purposes
from pitmanyor.kernels.runtime.jit import inlined, inner, kernel
from pitmanyor.kernels.runtime.random import stream_key, uniform


@kernel
def index_topics(topic, first, order):
    """Tokens sorted by topic, in their own order within one: those of topic k are order[first[k] : first[k + 1]]."""
    first[:] = 0
    for token in range(len(topic)):
        first[topic[token] + 1] += 1
    for k in range(len(first) - 1):
        first[k + 1] += first[k]
    for token in range(len(topic)):
        k = topic[token]
        order[first[k]] = token
        first[k] += 1
    for k in range(len(first) - 1, 0, -1):
        first[k] = first[k - 1]
    first[0] = 0


@kernel
def lay_path(text, tokens, anchors, starts, path, documents, seed):
    """Put the anchors first, then the documents in random order, those of the anchors in front; returns the visits.

    `tokens` are sorted; `starts` is scratch for where each document starts among them.
    """
    key = stream_key(seed[0], seed[1], seed[2], seed[3], purposes.MOVE_ORDER)
    n_streams, n_found, at = text.leaf.shape[1], 0, 0
    while at < len(tokens):
        starts[n_found] = at
        n_found += 1
        stop = text.first[(document_of(text, tokens[at]) + 1) * n_streams]
        while at < len(tokens) and tokens[at] < stop:
            at += 1
    for last in range(n_found - 1, 0, -1):
        _swap(starts, last, min(int(uniform(key, last) * (last + 1)), last))
    front = 0
    for visit in range(n_found):
        d = document_of(text, tokens[starts[visit]])
        if d == document_of(text, anchors[0]) or d == document_of(text, anchors[1]):
            _swap(starts, front, visit)
            front += 1
    return _write(text, tokens, anchors, starts[:n_found], path, documents)


@inlined
def _swap(values, i, j):
    values[i], values[j] = values[j], values[i]


@inner
def document_of(text, token):
    """By bisection; documents may be empty."""
    n_streams, lo, hi = text.leaf.shape[1], 0, len(text.first) - 1
    while lo < hi:
        middle = (lo + hi) // 2
        if text.first[middle + 1] <= token:
            lo = middle + 1
        else:
            hi = middle
    return lo // n_streams


@inner
def _write(text, tokens, anchors, starts, path, documents):
    n_streams, n_visits, n = text.leaf.shape[1], 0, 0
    for token in anchors if anchors[0] != anchors[1] else anchors[:1]:
        path.token[n], documents[n_visits], path.bounds[n_visits] = token, document_of(text, token), n
        n, n_visits = n + 1, n_visits + 1
    for visit in range(len(starts)):
        at, d = starts[visit], document_of(text, tokens[starts[visit]])
        documents[n_visits], path.bounds[n_visits] = d, n
        while at < len(tokens) and tokens[at] < text.first[(d + 1) * n_streams]:
            if tokens[at] != anchors[0] and tokens[at] != anchors[1]:
                path.token[n] = tokens[at]
                n += 1
            at += 1
        n_visits += path.bounds[n_visits] < n
    path.bounds[n_visits] = n
    for i in range(n):
        path.topic[i], path.code[i] = text.topic[path.token[i]], text.code[path.token[i]]
    return n_visits
