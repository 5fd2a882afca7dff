"""From whatever people have to a table: a file by its ending, a data frame, a list."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from pitmanyor.call_kinds import shown
from pitmanyor.errors import CorpusError
from pitmanyor.plugins import READERS, load, names
from pitmanyor.reading.badlines import BadLines
from pitmanyor.reading.chunks import CHUNK, Block, Table, blocks_of
from pitmanyor.reading.delimited import open_delimited, open_lines
from pitmanyor.reading.jsonlines import open_json
from pitmanyor.reading.options import FileOptions
from pitmanyor.reading.parquet import fetched, open_parquet
from pitmanyor.reading.several_files import SeveralFiles, listed_files

JSON = (".json", ".jsonl", ".ndjson")
DELIMITED = (".csv", ".tsv", ".tab", ".psv", ".dsv")
PARQUET = (".parquet", ".pq")


def open_source(source: Any, options: FileOptions) -> tuple[Table, BadLines]:
    if isinstance(source, np.ndarray) and source.ndim == 1:
        source = source.tolist()
    files = listed_files(source, _endings)
    if files is not None and len(files) > 1:
        several = SeveralFiles(files, lambda path, bad: _open_file(path, options, bad), options.skip_bad_lines)
        return several, several.bad
    if files is not None:
        bad = BadLines(str(files[0]), options.skip_bad_lines)
        return _stored(_open_file(files[0], options, bad), files[0]), bad
    name = f"the given {type(source).__name__}"
    bad = BadLines(name, options.skip_bad_lines)
    if isinstance(source, Mapping):
        return _from_columns(name, source), bad
    if type(source).__module__.split(".")[0] in ("duckdb", "_duckdb"):
        return _from_duckdb(name, source), bad
    if isinstance(source, Sequence | Iterator):
        return _from_rows(name, source, bad), bad
    return _from_frame(name, source), bad


def _endings() -> tuple[str, ...]:
    """The file extensions that are known; those of plug-ins take a while to find."""
    return (*DELIMITED, *JSON, *PARQUET, ".txt", *(f".{name}" for name in names(READERS)))


def _stored(table: Table, path: Path) -> Table:
    table.files = (path.resolve(),)
    return table


def _open_file(path: Path, options: FileOptions, bad: BadLines) -> Table:
    if os.path.isdir(path):
        raise CorpusError(f"{path}: a directory; give the file of posts itself, or a pattern such as {path}/*.csv")
    if not os.path.exists(path):
        raise CorpusError(f"{path}: there is no such file; check the name and the directory ({Path.cwd()})")
    ending = Path(path.stem if path.suffix == ".gz" else path.name).suffix.lower()
    if ending.removeprefix(".") in names(READERS):
        records = load(READERS, ending.removeprefix("."))(path)
        return _from_rows(str(path), iter(records), bad)
    if ending in JSON:
        return open_json(path, options, bad)
    if ending in PARQUET:
        return open_parquet(path)
    if ending in DELIMITED:
        return open_delimited(path, options, bad)
    if ending == ".txt" and options.delimiter is None:
        return open_lines(path, options)
    if options.delimiter is not None:
        return open_delimited(path, options, bad)
    raise CorpusError(
        f"{path}: unknown file extension {ending!r}; use one of {', '.join((*DELIMITED, *JSON, *PARQUET, '.txt'))} "
        "(text also .gz), pass delimiter= for a table, or install a reader for it"
    )


def _from_duckdb(name: str, source: Any) -> Table:
    """A relation, or a connection that has executed a query: the latter a chunk at a time."""
    if hasattr(source, "execute") and source.description:
        return Table(name, fetched(source), [column[0] for column in source.description])
    return Table(name, blocks_of(source.fetchall()), list(source.columns))


def _from_columns(name: str, columns: Mapping[str, Sequence[Any]]) -> Table:
    sizes = {column: len(values) for column, values in columns.items()}
    if len(set(sizes.values())) > 1:
        raise CorpusError(f"columns must be of one length, but {', '.join(f'{c!r} has {n}' for c, n in sizes.items())}")
    return Table(name, blocks_of(zip(*columns.values(), strict=True)), list(columns))


def _from_rows(name: str, rows: Iterable[Any], bad: BadLines) -> Table:
    """Records, texts or token lists, by what the first one is."""
    iterator = iter(rows)
    first = next(iterator, None)
    if first is None:
        raise CorpusError(f"{name} is empty; give at least one post")
    every = chain([first], iterator)
    if isinstance(first, Mapping):
        return Table(name, _checked(blocks_of(every), Mapping, bad))
    if not isinstance(first, str | Sequence):
        raise CorpusError(
            f"{name} begins with {shown(first)}; give texts, token lists or dicts, or data frames joined to one"
        )
    return Table(name, blocks_of((row,) for row in every), ["text"])


def _checked(blocks: Iterator[Block], kind: type, bad: BadLines) -> Iterator[Block]:
    for block in blocks:
        wrong = [i for i, row in enumerate(block.rows) if not isinstance(row, kind)]
        for i in wrong:
            bad.add(block.lines[i], f"{block.rows[i]!r} where a dict was expected")
        yield block if not wrong else Block(*_without(block, set(wrong)))


def _without(block: Block, wrong: set[int]) -> tuple[list[int], list[Any]]:
    stay = [i for i in range(len(block.rows)) if i not in wrong]
    return [block.lines[i] for i in stay], [block.rows[i] for i in stay]


def _from_frame(name: str, source: Any) -> Table:
    """Any data frame that narwhals knows."""
    import narwhals as nw

    try:
        frame = nw.from_native(source, allow_series=True)
    except TypeError:
        raise CorpusError(
            f"cannot read {name}: give a path, several of them, a data frame, a dict of columns, a list of texts or "
            "dicts, or a sparse matrix with vocabulary="
        ) from None
    except ValueError as error:  # such as two columns of one name
        raise CorpusError(f"cannot read {name}: {' '.join(str(error).split())}") from None
    if isinstance(frame, nw.Series):
        package = nw.get_native_namespace(frame).__name__
        return Table(name, blocks_of((value,) for value in frame.to_list()), ["text"], frame=package)
    package = nw.get_native_namespace(frame).__name__
    whole = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    names = [_column_name(label) for label in whole.columns]
    return Table(name, _frame_blocks(whole), names, frame=package)


def _column_name(label: object) -> str:
    """The label of a column as text: pandas has whole numbers where a file has no header, and tuples of levels.

    >>> [_column_name(label) for label in ("text", 0, ("post", "text"))]
    ['text', '0', 'post.text']
    """
    return ".".join(map(str, label)) if isinstance(label, tuple) else str(label)


def _frame_blocks(frame: Any) -> Iterator[Block]:
    for start in range(0, len(frame), CHUNK):
        part = frame[start : start + CHUNK]
        rows = list(zip(*(column.to_list() for column in part.iter_columns()), strict=True))
        yield Block(range(start + 1, start + 1 + len(rows)), rows)
