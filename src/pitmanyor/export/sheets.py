"""Tables as CSV or Parquet files, written in blocks."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import FileError
from pitmanyor.files import atomic_write

Table: TypeAlias = dict[str, NDArray[Any]]
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # first characters of a cell that a spreadsheet would execute
CELLS = 1 << 18  # rows that are text at a time


@checked_call()
def write_table(table: Table, path: Path) -> None:
    """Write a table as CSV or, if the file name ends in .parquet, as Parquet.

    In CSV, text that begins with = + - @, a tab or a carriage return is escaped with an apostrophe, because
    spreadsheets would execute it as a formula and the text is untrusted. Carriage returns are written as newlines.
    Parquet is unchanged.

    Parameters
    ----------
    table
        Arrays by name.
    path
        File to write.
    """
    write_blocks([table], path)


def write_blocks(blocks: Iterable[Table], path: Path) -> None:
    """Write a table that comes in blocks of rows, at least one, all with the same columns."""
    with atomic_write(path) as file:
        if path.suffix == ".parquet":
            _write_parquet(blocks, path, file)
        else:
            file.writelines(_csv(blocks))


def _csv(blocks: Iterable[Table]) -> Iterator[bytes]:
    """The lines of a CSV file, in parts, because as Python objects numbers take many times their memory."""
    for i, block in enumerate(blocks):
        if i == 0:
            yield csv_lines([list(block)])
        n_rows, step = len(next(iter(block.values()))), max(1, CELLS // len(block))
        for start in range(0, n_rows, step):
            part = {name: column[start : start + step] for name, column in block.items()}
            yield csv_lines(zip(*(column.tolist() for column in _plain(part).values()), strict=True))


def csv_lines(rows: Iterable[Iterable[object]]) -> bytes:
    """Rows as lines of a CSV file, with formulas escaped."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(_said, row) for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _said(value: object) -> object:
    """A cell as text: nan and unknown times are empty, and what looks like a formula is escaped."""
    if isinstance(value, str):
        text = value.replace("\r\n", "\n").replace("\r", "\n")  # a lone carriage return would start a new line
        return f"'{text}" if value.startswith(FORMULA) else text
    return "" if value is None or value != value else value


def _plain(table: Table) -> Table:
    """Times as text."""
    out = {}
    for name, column in table.items():
        times = column.dtype.kind == "M"
        out[name] = np.where(np.isnat(column), "", np.datetime_as_string(column)) if times else column
    return out


def _write_parquet(blocks: Iterable[Table], path: Path, file: BinaryIO) -> None:
    """Collect the blocks in a database on disk, and write that."""
    import tempfile

    import duckdb

    with tempfile.TemporaryDirectory() as home:
        made = Path(home) / "table.parquet"
        try:
            with duckdb.connect(str(Path(home) / "table.db"), config={"threads": 1}) as connection:
                for i, block in enumerate(blocks):
                    connection.register("block", {name: _typed(column) for name, column in block.items()})
                    into = "insert into made" if i else "create table made as"
                    connection.execute(f"{into} select * from block")
                    connection.unregister("block")
                connection.execute(f"copy made to '{made}' (format parquet)")
        except duckdb.Error as error:
            raise FileError(f"{path}: not written as Parquet ({error})") from error
        with open(made, "rb") as whole:
            shutil.copyfileobj(whole, file)


def _typed(column: NDArray[Any]) -> NDArray[Any]:
    return column.astype(object) if column.dtype.kind in "U" else column
