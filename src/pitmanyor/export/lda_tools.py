"""Formats of tools for LDA: the arguments of pyLDAvis, and a state in MALLET's format."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.files import atomic_write
from pitmanyor.results.fitting import Fit
from pitmanyor.topics import view
from pitmanyor.topics.blocks import document_blocks
from pitmanyor.topics.counts import WordTables

Floats = NDArray[np.float64]


@checked_call()
def pyldavis(fit: Fit, stream: str | None = None) -> dict[str, Any]:
    """The arguments of pyLDAvis, for ``pyLDAvis.prepare(**pyldavis(fit))``.

    Only words that occur in the stream and topics that have a token of it are included, and rows are normalised over
    them. pyLDAvis renumbers topics by size; `sort_topics=False` keeps the order.

    Parameters
    ----------
    fit
        A fit.
    stream
        Stream; by default the words.
    """
    data, documents = _parts(fit, stream)
    return data | {"doc_topic_dists": np.concatenate(list(documents))}


@checked_call()
def write_pyldavis(fit: Fit, path: str | os.PathLike[str], stream: str | None = None) -> None:
    """Write the arguments of pyLDAvis as JSON, for ``pyLDAvis.prepare(**json.load(file))``; documents in blocks.

    Parameters
    ----------
    fit
        A fit.
    path
        File to write.
    stream
        Stream; by default the words.
    """
    data, documents = _parts(fit, stream)
    plain = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in data.items()}
    with atomic_write(path) as file:
        file.write(json.dumps(plain, ensure_ascii=False)[:-1].encode() + b', "doc_topic_dists": [')
        for i, rows in enumerate(documents):
            file.write(b", " * (i > 0) + json.dumps(rows.tolist())[1:-1].encode())
        file.write(b"]}")


def _parts(fit: Fit, stream: str | None) -> tuple[dict[str, Any], Iterator[Floats]]:
    """Everything except the topic proportions of documents, and these in blocks."""
    tables, name = WordTables(fit), fit.stream(stream).name
    shown, words = view(fit, tables=tables), fit.words_of(name)
    counts = tables[name].tokens
    weight = counts.sum(axis=1)
    known = np.flatnonzero(counts.sum(axis=0))
    used = [i for i, members in enumerate(shown.members) if weight[list(members)].any()]
    topics = tables[name].pooled(shown.members)[0][used][:, known]
    data = {
        "topic_term_dists": topics / topics.sum(axis=1, keepdims=True),
        "doc_lengths": fit.corpus.streams[name].lengths,
        "vocab": [words[w] for w in known],
        "term_frequency": counts.sum(axis=0)[known],
    }
    rows = (block.shares[:, used] for block in document_blocks(fit, shown, name))
    return data, (some / some.sum(axis=1, keepdims=True) for some in rows)


@checked_call()
def write_mallet(fit: Fit, path: str | os.PathLike[str], stream: str | None = None) -> None:
    """Write the topic of every token in the format of MALLET's --output-state: gzipped text, one line per token.

    Two header lines have the closest Dirichlet parameters: alpha is the concentration of the documents' topics
    times the shares of the topics, and beta that of the topics' words divided by the number of words. Merged topics
    have the number of the first, and the others an alpha of 0. The source of a document is its row in the file that was
    read.

    Parameters
    ----------
    fit
        A fit.
    path
        File to write, such as state.gz.
    stream
        Stream; by default the words.
    """
    shown, tokens = view(fit), fit.stream(stream)
    words = fit.words_of(tokens.name)
    numbers = np.array(shown.topics)[shown.place]
    topics = numbers[fit.token_topics(tokens.name)]
    share = np.bincount(topics, minlength=fit.n_topics) / max(len(topics), 1)
    alpha = " ".join(f"{x:.8g}" for x in _concentration(fit, tokens.topic) * share)
    data = fit.corpus.streams[tokens.name]
    columns = np.searchsorted(fit.state.plan.words[tokens.emit], data.words)
    rows = fit.corpus.rows
    sources = ["NA"] * fit.corpus.n_documents if rows is None else [str(row) for row in rows.tolist()]
    typed = ["_".join(word.split()) or "_" for word in words]  # a type has no blanks there
    documents = data.documents
    positions = np.arange(len(documents)) - data.offsets[documents]
    with atomic_write(path) as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        beta = _concentration(fit, tokens.emit) / len(words)
        packed.write(f"#doc source pos typeindex type topic\n#alpha : {alpha}\n#beta : {beta:.8g}\n".encode())
        for d, place, w, k in zip(*(part.tolist() for part in (documents, positions, columns, topics)), strict=True):
            packed.write(f"{d} {sources[d]} {place} {w} {typed[w]} {k}\n".encode())


def _concentration(fit: Fit, node: str) -> float:
    """The value after the last sweep."""
    trace = fit.trace.get(f"concentration/{node}")
    if trace is not None and len(trace):
        return float(trace[-1])
    said = fit.graph[node].concentration
    return float(said) if isinstance(said, int | float) else said.shape / said.rate
