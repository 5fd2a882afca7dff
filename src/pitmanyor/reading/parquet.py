"""Parquet through duckdb: a sample of all columns first, then only those that are wanted."""

from __future__ import annotations

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
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in tops)
        yield from Table(self.name, _query(self.path, f"select {quoted} from"), tops).chunks(wanted)


def open_parquet(path: Path) -> ParquetTable:
    names: list[str] = []
    sample = list(_query(path, "select * from", f"limit {SAMPLE}", names))
    return ParquetTable(str(path), iter(sample), names, path=path)


def fetched(relation: Any) -> Iterator[Block]:
    """The rows of a duckdb result, a chunk at a time."""
    start = 1
    while rows := relation.fetchmany(CHUNK):
        yield Block(range(start, start + len(rows)), rows)
        start += len(rows)


def _query(path: Path, select: str, limit: str = "", names: list[str] | None = None) -> Iterator[Block]:
    import duckdb

    try:
        with duckdb.connect(config={"threads": 1}) as connection:
            result = connection.execute(f"{select} read_parquet(?) {limit}", [str(path)])
            if names is not None:
                names += [column[0] for column in result.description or []]
            yield from fetched(result)
    except duckdb.Error as error:
        raise CorpusError(
            f"{path}: cannot be read as Parquet; the file is cut, damaged or of another format ({error})"
        ) from error
