"""Tables in chunks: columns by name, whatever they come from, with only one chunk in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

CHUNK = 8192
CELLS = 1 << 22  # of a chunk: fewer rows of tables that are wide
SAMPLE = 200  # rows that guesses are made from

Getter = Callable[[Any], Any]


class Chunk(NamedTuple):
    """Some rows: the line each began on, and the wanted columns."""

    lines: NDArray[np.int64]
    columns: Mapping[str, Sequence[Any]]


class Block(NamedTuple):
    """Some rows as they come: the line each began on, and tuples or dicts."""

    lines: Sequence[int]
    rows: Sequence[Any]


@dataclass
class Table:
    """A table from blocks of tuples (with the names of their fields) or, without names, of dicts. Read once."""

    name: str
    blocks: Iterator[Block]
    names: Sequence[str] | None = None
    notes: list[str] = field(default_factory=list)
    files: tuple[Path, ...] = ()  # where it is stored, if it is
    frame: str = ""  # the package of the data frame, if it is one

    def __post_init__(self) -> None:
        self._head = next(self.blocks, Block([], []))
        rows = self._head.rows[:SAMPLE]
        self._places = {name: i for i, name in reversed(list(enumerate(self.names or ())))}
        if self.names is None:
            self.columns = list(dict.fromkeys(path for row in rows for path in paths(row)))
        else:
            nested = (
                f"{name}{path}"
                for i, name in enumerate(self.names)
                for row in rows
                for path in ([""] if not isinstance(row[i], dict | list) else _below(row[i], ""))
            )
            self.columns = list(dict.fromkeys([*self.names, *nested]))

    def sample(self) -> dict[str, list[Any]]:
        rows = self._head.rows[:SAMPLE]
        return {column: list(map(self._getter(column), rows)) for column in self.columns}

    def chunks(self, wanted: Sequence[str]) -> Iterator[Chunk]:
        getters = {column: self._getter(column) for column in wanted}
        block: Block | None = self._head
        self._head = Block([], [])  # read once: no block stays in memory longer than the next one needs
        while block is not None:
            if block.rows:
                columns = {column: self._values(block.rows, column, getter) for column, getter in getters.items()}
                yield Chunk(np.array(block.lines, np.int64), columns)
            block = next(self.blocks, None)

    def _values(self, rows: Sequence[Any], column: str, getter: Getter) -> list[Any]:
        """A column of some rows; where all records have the key, as fast as it goes."""
        if self.names is None and "." not in column and "[]" not in column:
            with suppress(KeyError):
                return list(map(itemgetter(column), rows))
        return list(map(getter, rows))

    def _getter(self, column: str) -> Getter:
        if self.names is None:
            return getter(column)
        if column in self._places:
            return itemgetter(self._places[column])
        name = next(name for name in self.names if column.startswith((f"{name}.", f"{name}[]")))
        place, below = self._places[name], column[len(name) :]
        inner = _walk(_steps(below.removeprefix(".")))
        return lambda row: inner(row[place])


def blocks_of(rows: Iterable[Any], size: int = CHUNK) -> Iterator[Block]:
    """Rows in blocks; the line of a row is its number, from 1."""
    rows, start = iter(rows), 1
    while block := list(islice(rows, size)):
        yield Block(range(start, start + len(block)), block)
        start += len(block)


def paths(record: Mapping[str, Any]) -> list[str]:
    """The columns of a nested record: `user.name` within objects, `hashtags[].tag` within lists of objects."""
    return [f"{key}{path}" for key, value in record.items() for path in _below(value, "")]


def _below(value: Any, path: str) -> list[str]:
    if isinstance(value, dict):
        return [some for key, inner in value.items() for some in _below(inner, f"{path}.{key}")]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return list(dict.fromkeys(some for item in value[:3] for some in _below(item, f"{path}[]")))
    return [path]


def getter(column: str) -> Getter:
    """From a record to the value of a column; None where there is none. A key that has dots itself comes first."""
    if "." not in column and "[]" not in column:
        return lambda record: record.get(column)
    walk = _walk(_steps(column))
    return lambda record: record[column] if column in record else walk(record)


def _steps(column: str) -> list[str]:
    return [step for step in column.replace("[]", ".[]").split(".") if step]


def _walk(steps: Sequence[str]) -> Getter:
    if not steps:
        return lambda value: value
    first, rest = steps[0], _walk(steps[1:])
    if first == "[]":
        return lambda value: [rest(item) for item in value] if isinstance(value, list | tuple) else None
    return lambda value: rest(value[first]) if isinstance(value, dict) and first in value else None
