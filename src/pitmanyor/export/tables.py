"""Every table of a fit, as columns; written as CSV or Parquet."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator
from itertools import count
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
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what the text of a cell begins with that a spreadsheet would compute
CELLS = 1 << 18  # of a table that are text at the same time


def tables(fit: Fit, n_words: int = 100) -> dict[str, Table]:
    """All that a fit says, as tables by name: dicts of columns, which any data frame takes.

    `topics`, `words` (the likeliest of every topic and stream), `documents` and `authors` with their shares of the
    topics, `by_...` for every grouping and `over_time` with intervals, `links`, and `trace`; those that the fit has.
    Names and merges of the run are heeded.
    """
    return dict(_each(fit, n_words))


def _each(fit: Fit, n_words: int) -> Iterator[tuple[str, Table]]:
    """One table after the other, for together they may not fit into memory."""
    shown = view(fit)
    corpus = fit.state.plan.corpus
    yield "topics", _topics(fit, shown)
    yield "words", _words(fit, shown, n_words)
    yield "documents", _documents(fit, shown)
    if "author" in corpus.groups:
        yield "authors", _authors(fit, shown)
    for name in corpus.groups:
        yield f"by_{name}", _long(prevalence(fit, by=name))
    if corpus.times is not None and not np.isnat(corpus.times).all():
        yield "over_time", _long(topics_over_time(fit))
    if corpus.links and "author" in corpus.groups:
        yield "links", _links(edges_of(fit))
    yield "trace", {"sweep": np.arange(1, fit.n_sweeps + 1)} | dict(fit.trace)


def write_tables(fit: Fit, directory: str | os.PathLike[str], format: Format = "csv", n_words: int = 100) -> list[Path]:  # noqa: A002
    """Write every table into a directory, a file each; returns their paths.

    In the name of a file, characters other than letters, digits, dots, dashes and underscores are underscores. Text
    that a spreadsheet would take for a formula has an apostrophe before it in CSV (`write_table`).
    """
    if format not in get_args(Format):
        raise PlanError(f"format is one of {', '.join(get_args(Format))}, not {format!r}")
    home = Path(directory)
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{home}: not a directory that can be written to ({error.strerror or error})") from error
    paths: list[Path] = []
    for name, table in _each(fit, n_words):
        paths.append(home / f"{_file_name(name, {path.stem for path in paths})}.{format}")
        write_table(table, paths[-1])
    return paths


def _file_name(name: str, taken: set[str]) -> str:
    """A name of a table, which may have that of a column, as one of a file in the directory and nowhere else.

    >>> _file_name("by_../a b", set()), _file_name("by_a?", {"by_A_"})
    ('by_.._a_b', 'by_a__2')
    """
    plain = re.sub(r"[^\w.-]", "_", name).lstrip(".") or "_"
    tries = (plain if i == 1 else f"{plain}_{i}" for i in count(1))
    known = {one.casefold() for one in taken}  # some file systems do not tell a from A
    return next(one for one in tries if one.casefold() not in known)


def write_table(table: Table, path: Path) -> None:
    """One table as CSV or, if the name ends so, as Parquet.

    Text in CSV that begins with = + - @, a tab or a carriage return has an apostrophe before it, for spreadsheets would
    take it for a formula, and posts are of strangers; carriage returns are newlines. Parquet has it as it is.
    """
    with atomic_write(path) as file:
        if path.suffix == ".parquet":
            file.write(_parquet(table, path))
        else:
            file.writelines(_csv(table))


def _csv(table: Table) -> Iterator[bytes]:
    """The lines, a block at a time: as Python's numbers they take many times the memory of the columns."""
    n_rows = len(next(iter(table.values())))
    rows = max(1, CELLS // len(table))
    yield _lines([[_said(name) for name in table]])
    for start in range(0, n_rows, rows):
        block = {name: column[start : start + rows] for name, column in table.items()}
        yield _lines(zip(*(map(_said, column.tolist()) for column in _plain(block).values()), strict=True))


def _lines(rows: Iterable[Iterable[object]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _said(value: object) -> object:
    """A number that is none, or a time that is not known, is an empty cell; what looks like a formula is text."""
    if isinstance(value, str):
        text = value.replace("\r\n", "\n").replace("\r", "\n")  # a lone one would begin a new line of the file
        return f"'{text}" if value.startswith(FORMULA) else text
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
        words = fit.words_of(stream)
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
    """A row per group and topic, as `Prevalence.rows` has them."""
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
