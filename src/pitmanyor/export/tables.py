"""Every table of a fit, as columns; written as CSV or Parquet."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import FileError, PlanError
from pitmanyor.export.edges import Edge, edges_of
from pitmanyor.files import atomic_write
from pitmanyor.fitting import Fit
from pitmanyor.insight import View, author_shares, prevalence, topics_over_time, view
from pitmanyor.insight.counts import streams_of
from pitmanyor.insight.naming import pooled
from pitmanyor.insight.spread import Prevalence

Table: TypeAlias = dict[str, NDArray[Any]]
Format = Literal["csv", "parquet"]


def tables(fit: Fit, n_words: int = 100) -> dict[str, Table]:
    """All that a fit says, as tables by name: dicts of columns, which any data frame takes.

    `topics`, `words` (the likeliest of every topic and stream), `documents` and `authors` with their shares of the
    topics, `by_...` for every grouping and `over_time` with intervals, `links`, and `trace`; those that the fit has.
    Names and merges of the run are heeded.
    """
    shown = view(fit)
    corpus = fit.state.plan.corpus
    made = {"topics": _topics(fit, shown), "words": _words(fit, shown, n_words), "documents": _documents(fit, shown)}
    if "author" in corpus.groups:
        made["authors"] = _authors(fit, shown)
    for name in corpus.groups:
        made[f"by_{name}"] = _long(prevalence(fit, by=name))
    if corpus.times is not None and not np.isnat(corpus.times).all():
        made["over_time"] = _long(topics_over_time(fit))
    if corpus.links and "author" in corpus.groups:
        made["links"] = _links(edges_of(fit))
    made["trace"] = {"sweep": np.arange(1, fit.n_sweeps + 1)} | dict(fit.trace)
    return made


def write_tables(fit: Fit, directory: str | os.PathLike[str], format: Format = "csv", n_words: int = 100) -> list[Path]:  # noqa: A002
    """Write every table into a directory, a file each; returns their paths."""
    if format not in get_args(Format):
        raise PlanError(f"format is one of {', '.join(get_args(Format))}, not {format!r}")
    home = Path(directory)
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{home}: not a directory that can be written to ({error.strerror or error})") from error
    paths = []
    for name, table in tables(fit, n_words).items():
        path = home / f"{name}.{format}"
        write_table(table, path)
        paths.append(path)
    return paths


def write_table(table: Table, path: Path) -> None:
    """One table as CSV or, if the name ends so, as Parquet."""
    with atomic_write(path) as file:
        file.write(_parquet(table, path) if path.suffix == ".parquet" else _csv(table))


def _csv(table: Table) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*(map(_said, column.tolist()) for column in _plain(table).values()), strict=True))
    return text.getvalue().encode()


def _said(value: object) -> object:
    """A number that is none, or a time that is not known, is an empty cell."""
    return "" if value is None or value != value else value


def _plain(table: Table) -> Table:
    """Times as text."""
    out = {}
    for name, column in table.items():
        times = column.dtype.kind == "M"
        out[name] = np.where(np.isnat(column), "", np.datetime_as_string(column)) if times else column
    return out


def _parquet(table: Table, path: Path) -> bytes:
    import tempfile

    import duckdb

    with tempfile.TemporaryDirectory() as home, duckdb.connect(config={"threads": 1}) as connection:
        made = Path(home) / "table.parquet"
        connection.register("made", {name: _typed(column) for name, column in table.items()})
        try:
            connection.execute(f"copy made to '{made}' (format parquet)")
        except duckdb.Error as error:
            raise FileError(f"{path}: not written as Parquet ({error})") from error
        return made.read_bytes()


def _typed(column: NDArray[Any]) -> NDArray[Any]:
    return column.astype(object) if column.dtype.kind in "U" else column


def _text(values: Any) -> NDArray[Any]:
    """A column of text: labels may be of any kind."""
    return np.array([str(value) for value in values], object)


def _topics(fit: Fit, shown: View) -> Table:
    spread = prevalence(fit)
    tokens = np.bincount(shown.place[fit.state.text.topic], minlength=len(shown.names))
    return {
        "topic": np.array(shown.topics),
        "name": _text(shown.names),
        "members": _text(" ".join(map(str, members)) for members in shown.members),
        "tokens": tokens,
        "share": spread.shares[0],
        "low": spread.low[0],
        "high": spread.high[0],
        "interval": _text([spread.interval] * len(tokens)),
    }


def _words(fit: Fit, shown: View, n_words: int) -> Table:
    """The likeliest words: probability in the topic, and lift, how often more likely than in the corpus."""
    rows: list[tuple[object, ...]] = []
    for stream in streams_of(fit):
        _, words = fit.topic_words(stream)
        grouped, everywhere = pooled(fit, stream, shown.members)
        for topic, name, p in zip(shown.topics, shown.names, grouped, strict=True):
            for rank, w in enumerate(np.argsort(-p, kind="stable")[:n_words], 1):
                rows.append((topic, name, stream, rank, words[w], p[w], p[w] / everywhere[w]))
    names = ("topic", "name", "stream", "rank", "word", "probability", "lift")
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return {
        name: _text(column) if name in ("name", "stream", "word") else np.array(column)
        for name, column in zip(names, columns, strict=True)
    }


def _shares(shares: NDArray[np.float64], shown: View) -> Table:
    """The dominant topic of every row, and a column of shares for each topic."""
    shares = shown.fold(shares)
    best = shares.argmax(axis=1)
    out: Table = {"main_topic": np.array(shown.topics)[best], "main_name": _text(shown.names[k] for k in best)}
    return out | {f"topic_{topic}": shares[:, i] for i, topic in enumerate(shown.topics)}


def _documents(fit: Fit, shown: View) -> Table:
    corpus = fit.state.plan.corpus
    out: Table = {"document": np.arange(corpus.n_documents)}
    if corpus.rows is not None:
        out["row"] = corpus.rows
    if corpus.times is not None:
        out["time"] = corpus.times
    for name, group in corpus.groups.items():
        out[name] = _text(group.labels[code] for code in group.codes)
    return out | _shares(fit.document_shares(), shown)


def _authors(fit: Fit, shown: View) -> Table:
    labels, shares = author_shares(fit)
    return {"author": _text(labels)} | _shares(shares, shown)


def _long(spread: Prevalence) -> Table:
    rows = spread.rows()
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return {name: _text(column) if name in ("group", "name") else np.array(column) for name, column in columns.items()}


def _links(edges: list[Edge]) -> Table:
    likely = [np.nan if edge.probability is None else edge.probability for edge in edges]
    return {
        "links": _text(edge.links for edge in edges),
        "source": _text(edge.source for edge in edges),
        "target": _text(edge.target for edge in edges),
        "affinity": np.array([edge.affinity for edge in edges]),
        "probability": np.array(likely),
    }
