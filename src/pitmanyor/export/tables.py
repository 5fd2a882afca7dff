"""Every table of a fit, as columns."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.export.edges import Edge, edges_of
from pitmanyor.export.sheets import Table, write_blocks
from pitmanyor.files import made_directory
from pitmanyor.results.fitting import Fit
from pitmanyor.topics import View, author_shares, prevalence, topics_over_time, view
from pitmanyor.topics.blocks import document_blocks
from pitmanyor.topics.counts import streams_of, word_table
from pitmanyor.topics.prevalences import Prevalence
from pitmanyor.topics.standing import chains_that_found, large_topics, shown_sizes

Format = Literal["csv", "parquet"]


@checked_call()
def tables(fit: Fit, n_words: int = 100) -> dict[str, Table]:
    """All tables of a fit by name, as dicts of columns that any data frame package accepts.

    There are `topics` by size (with the number of chains that found each, if there are several), `words` (the most
    likely of every topic and stream), `documents` and `authors` with their topic proportions, `by_...` for every
    grouping and `over_time` with intervals, `links`, and `trace` of every chain, as far as the fit has the data.

    Parameters
    ----------
    fit
        A fit.
    n_words
        Number of words per topic in the table of words.
    """
    return {name: joined(blocks) for name, blocks in each_table(fit, n_words)}


def joined(blocks: Iterable[Table]) -> Table:
    """The blocks of a table as one."""
    parts = list(blocks)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if len(parts) > 1 else parts[0]


def each_table(fit: Fit, n_words: int) -> Iterator[tuple[str, Iterable[Table]]]:
    """Iterate over the tables, each in blocks of rows, because together they may not fit into memory."""
    shown = view(fit)
    corpus = fit.state.plan.corpus
    yield "topics", [_topics(fit, shown)]
    yield "words", [_words(fit, shown, n_words)]
    yield "documents", _documents(fit, shown)
    if "author" in corpus.groups:
        yield "authors", [_authors(fit, shown)]
    for name in corpus.groups:
        yield f"by_{name}", [prevalence_table(prevalence(fit, by=name))]
    if corpus.times is not None and not np.isnat(corpus.times).all():
        yield "over_time", [prevalence_table(topics_over_time(fit))]
    if corpus.links and "author" in corpus.groups:
        yield "links", [_links(edges_of(fit))]
    yield "trace", [_trace(chain) for chain in fit.chains]


@checked_call()
def write_tables(fit: Fit, directory: str | os.PathLike[str], format: Format = "csv", n_words: int = 100) -> list[Path]:
    # noqa: A002
    """Write every table to a file in a directory; returns the paths.

    In file names, characters other than letters, digits, dots, dashes and underscores are replaced by underscores.

    Parameters
    ----------
    fit
        A fit.
    directory
        Directory; created if it does not exist.
    format
        "csv" (with formulas escaped, see `write_table`) or "parquet".
    n_words
        Number of words per topic in the table of words.
    """
    if format not in get_args(Format):
        raise PlanError(f"format must be one of {', '.join(get_args(Format))}, not {format!r}")
    home = made_directory(directory)
    paths: list[Path] = []
    for name, blocks in each_table(fit, n_words):
        paths.append(home / f"{_file_name(name, {path.stem for path in paths})}.{format}")
        write_blocks(blocks, paths[-1])
    return paths


def _file_name(name: str, taken: set[str]) -> str:
    """The name of a table, which may contain that of a column, as a safe file name.

    >>> _file_name("by_../a b", set()), _file_name("by_a?", {"by_A_"})
    ('by_.._a_b', 'by_a__2')
    """
    plain = re.sub(r"[^\w.-]", "_", name).lstrip(".") or "_"
    tries = (plain if i == 1 else f"{plain}_{i}" for i in count(1))
    known = {one.casefold() for one in taken}  # some file systems ignore case
    return next(one for one in tries if one.casefold() not in known)


def _text(values: Any) -> NDArray[Any]:
    """A column of text; labels may be of any type."""
    return np.array([str(value) for value in values], object)


def _trace(chain: Fit) -> Table:
    sweeps = np.arange(1, chain.n_sweeps + 1)
    return {"chain": np.full_like(sweeps, chain.run.settings.chain), "sweep": sweeps} | dict(chain.trace)


def _topics(fit: Fit, shown: View) -> Table:
    spread, found = prevalence(fit), chains_that_found(fit, shown)
    tokens = shown_sizes(fit, shown)
    chains: Table = (
        {} if found is None else {"found_by": np.array(found), "n_chains": np.full(len(found), len(fit.runs))}
    )
    columns: Table = {
        "topic": np.array(shown.topics),
        "name": _text(shown.names),
        "members": _text(" ".join(map(str, members)) for members in shown.members),
        "n_tokens": tokens,
        "share": spread.shares[0],
        "low": spread.low[0],
        "high": spread.high[0],
        "interval": _text([spread.interval] * len(tokens)),
        "large": large_topics(fit, shown),
    }
    order = np.argsort(-spread.shares[0], kind="stable")
    return {name: column[order] for name, column in (columns | chains).items()}


def _words(fit: Fit, shown: View, n_words: int) -> Table:
    """The most likely words that occur in each topic, with their probability and their lift over the corpus."""
    rows: list[tuple[object, ...]] = []
    for stream in streams_of(fit):
        words = fit.words_of(stream)
        table = word_table(fit, stream)
        (grouped, everywhere), found = table.pooled(shown.members), table.occurring(shown.members)
        for topic, name, p, seen in zip(shown.topics, shown.names, grouped, found, strict=True):
            for rank, w in enumerate(seen[np.argsort(-p[seen], kind="stable")[:n_words]], 1):
                rows.append((topic, name, stream, rank, words[w], p[w], p[w] / everywhere[w]))
    names = ("topic", "name", "stream", "rank", "word", "probability", "lift")
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return {
        name: _text(column) if name in ("name", "stream", "word") else np.array(column)
        for name, column in zip(names, columns, strict=True)
    }


def shares_columns(shares: NDArray[np.float64], topics: Sequence[int], names: Sequence[str] | None = None) -> Table:
    """The dominant topic of every row, and one column of shares per topic."""
    best = shares.argmax(axis=1)
    out: Table = {"main_topic": np.array(topics)[best]}
    if names is not None:
        out["main_name"] = _text(names[k] for k in best)
    return out | {f"topic_{topic}": shares[:, i] for i, topic in enumerate(topics)}


def _documents(fit: Fit, shown: View) -> Iterator[Table]:
    corpus = fit.state.plan.corpus
    for block in document_blocks(fit, shown):
        here = block.documents
        out: Table = {"document": np.arange(here.start, here.stop)}
        if corpus.ids is not None:
            out["id"] = _text(corpus.ids[here])
        if corpus.rows is not None:
            out["row"] = corpus.rows[here]
        if corpus.times is not None:
            out["time"] = corpus.times[here]
        shares = shares_columns(block.shares, shown.topics, shown.names)
        taken = {*out, *shares}
        for name, group in corpus.groups.items():
            column = _column_name(name, taken | set(corpus.groups)) if name in taken else name
            out[column] = _text(group.labels[code] for code in group.codes[here])
        yield out | shares


def _column_name(name: str, taken: set[str]) -> str:
    """The column of a grouping that has the name of another column.

    >>> _column_name("row", {"row"}), _column_name("row", {"row", "group_row"})
    ('group_row', 'group_group_row')
    """
    while name in taken:
        name = f"group_{name}"
    return name


def _authors(fit: Fit, shown: View) -> Table:
    labels, shares = author_shares(fit)
    return {"author": _text(labels)} | shares_columns(shown.fold(shares), shown.topics, shown.names)


def prevalence_table(spread: Prevalence) -> Table:
    """One row per group and topic, as in `Prevalence.rows`."""
    groups, topics = spread.shares.shape
    return {
        "group": np.repeat(_text(spread.groups), topics),
        "topic": np.tile(np.array(spread.topics), groups),
        "name": np.tile(_text(spread.names), groups),
        "share": spread.shares.ravel(),
        "low": spread.low.ravel(),
        "high": spread.high.ravel(),
        "n_documents": np.repeat(spread.n_documents, topics),
        "n_tokens": np.repeat(spread.n_tokens, topics),
    }


def _links(edges: list[Edge]) -> Table:
    likely = [np.nan if edge.probability is None else edge.probability for edge in edges]
    return {
        "links": _text(edge.links for edge in edges),
        "source": _text(edge.source for edge in edges),
        "target": _text(edge.target for edge in edges),
        "affinity": np.array([edge.affinity for edge in edges]),
        "probability": np.array(likely),
    }
