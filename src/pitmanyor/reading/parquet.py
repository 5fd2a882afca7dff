"""Parquet through duckdb: a sample of all columns first, then only those that are wanted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pitmanyor.errors import CorpusError
from pitmanyor.reading.chunks import CHUNK, SAMPLE, Block, Chunk, Table


@dataclass
class ParquetTable(Table):
    """A table that asks for its columns by name; `path` is set by `open_parquet`."""

    path: Path = Path()

    def chunks(self, wanted: Sequence[str]) -> Iterator[Chunk]:
        assert self.names is not None
        tops = [
            name for name in self.names if any(c == name or c.startswith((f"{name}.", f"{name}[]")) for c in wanted)
        ]
        yield from Table(self.name, _query(self.path, tops), tops).chunks(wanted)


def open_parquet(path: Path) -> ParquetTable:
    names: list[str] = []
    sample = list(_query(path, names, f"limit {SAMPLE}"))
    return ParquetTable(str(path), iter(sample), names, path=path)


def fetched(relation: Any) -> Iterator[Block]:
    """The rows of a duckdb result, a chunk at a time."""
    start = 1
    while rows := relation.fetchmany(CHUNK):
        yield Block(range(start, start + len(rows)), rows)
        start += len(rows)


def _query(path: Path, names: list[str], limit: str = "") -> Iterator[Block]:
    """The rows of a file with these columns; an empty list is filled with the names of all."""
    import duckdb

    source = "read_parquet(?, hive_partitioning = false, filename = false)"
    try:
        with duckdb.connect(config={"threads": 1}) as connection:
            described = connection.execute(f"describe select * from {source}", [_literal(path)]).fetchall()
            kinds = {str(column[0]): str(column[1]) for column in described}
            names += [] if names else kinds
            columns = ", ".join(_column(name, kinds[name]) for name in names)
            yield from fetched(connection.execute(f"select {columns} from {source} {limit}", [_literal(path)]))
    except duckdb.Error as error:
        raise CorpusError(
            f"{path}: cannot be read as Parquet; the file is cut, damaged or of another format ({error})"
        ) from error


def _literal(path: Path) -> str:
    """A path that means one file: duckdb takes paths for patterns.

    >>> _literal(Path("posts[1].parquet"))
    'posts[[]1].parquet'
    """
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def _column(name: str, kind: str) -> str:
    """A column by its name. Times with a zone become times in UTC, because duckdb needs another package for zones."""
    quoted = '"' + name.replace('"', '""') + '"'
    return f"make_timestamp(epoch_us({quoted})) as {quoted}" if kind == "TIMESTAMP WITH TIME ZONE" else quoted
