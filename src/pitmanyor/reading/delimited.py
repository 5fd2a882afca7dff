"""CSV, TSV and their cousins, with the line of every record and a sentence for every bad one.

Python's own parser is as fast here as a database's (3 microseconds a post) and it alone tells the line of each record.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal, TextIO

from pitmanyor.errors import CorpusError
from pitmanyor.reading.badlines import BadLines
from pitmanyor.reading.chunks import CELLS, CHUNK, Block, Table
from pitmanyor.reading.encodings import find_encoding, open_text
from pitmanyor.reading.options import FileOptions

DELIMITERS = ",\t;|\x1f\x01~^"
SNIFFED = 1 << 18  # characters
Quoting = Literal[0, 3]  # as csv has them: quote where needed, and never
UNQUOTED = "; if quotation marks are ordinary characters in this file, pass quoting=False"
LONGEST_FIELD = 1 << 24  # characters; a quotation mark that is never closed is found by then


def open_delimited(path: Path, options: FileOptions, bad: BadLines) -> Table:
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_FIELD))  # Python's own is 131,072; we never lower it
    encoding, notes = find_encoding(path, options.encoding)
    delimiter = options.delimiter
    if delimiter is None:
        delimiter = "\t" if ".tsv" in path.suffixes else _sniff(path, encoding, options.quoting)
    file = open_text(path, encoding)
    records = _records(file, delimiter, options.quoting, bad)
    first = next(records, None)
    if first is None:
        raise CorpusError(f"{path}: the file is empty; give a file with a line of column names and at least one post")
    if options.header:
        names = _unique(first[1], path, notes)
    else:
        names = [f"column{i + 1}" for i in range(len(first[1]))]
        records = _with(first, records)
    return Table(str(path), _blocks(file, records, len(names), delimiter, bad), names, notes)


def open_lines(path: Path, options: FileOptions) -> Table:
    """One post per line, without columns."""
    encoding, notes = find_encoding(path, options.encoding)
    file = open_text(path, encoding)
    lines = ((i, [line.rstrip("\r\n")]) for i, line in enumerate(file, 1))
    return Table(str(path), _blocks(file, lines, 1, "\n", BadLines(str(path), skip=True)), ["text"], notes)


def _records(file: TextIO, delimiter: str, quoting: bool, bad: BadLines) -> Iterator[tuple[int, list[str]]]:
    """Records with the line each began on; a record that cannot be parsed is a bad line, and the next one is tried."""
    style: Quoting = csv.QUOTE_MINIMAL if quoting else csv.QUOTE_NONE
    reader = csv.reader(file, delimiter=delimiter, quoting=style, strict=True)
    line = 1
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            lost = f"; lines {line} to {reader.line_num} are lost with it" if reader.line_num > line else ""
            bad.add(line, _why(str(error), delimiter) + lost + (UNQUOTED if quoting else ""))
        else:
            if record:
                yield line, record
        line = reader.line_num + 1


def _why(error: str, delimiter: str) -> str:
    if "unexpected end of data" in error:
        return "a quotation mark opens a field here and is never closed"
    if "field larger" in error:
        return (
            f"a field of more than {csv.field_size_limit():,} characters: a quotation mark is probably never closed "
            "(if the text is that long, cut it or write JSON Lines)"
        )
    if "expected after" in error:
        return f'a quoted field must end at {delimiter!r} or the end of the line, and quotes in it be doubled ("")'
    return f"not a record ({error})"


def _blocks(
    file: TextIO, records: Iterator[tuple[int, list[str]]], n_fields: int, delimiter: str, bad: BadLines
) -> Iterator[Block]:
    lines: list[int] = []
    rows: list[Sequence[str]] = []
    with file:
        for line, record in records:
            if len(record) != n_fields:
                fields = f"{len(record)} field{'' if len(record) == 1 else 's'}"
                hint = f"; a text that holds {delimiter!r} must be quoted" if len(record) > n_fields else ""
                bad.add(line, f"{fields} where the first line has {n_fields}{hint}")
                continue
            lines.append(line)
            rows.append(record)
            if len(rows) == CHUNK or len(rows) * n_fields > CELLS:
                yield Block(lines, rows)
                lines, rows = [], []
        yield Block(lines, rows)


def _with(first: tuple[int, list[str]], records: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    yield first
    yield from records


def _unique(names: Sequence[str], path: Path, notes: list[str]) -> list[str]:
    """Column names, each once: a second `x` is called `x_2`."""
    seen: Counter[str] = Counter()
    out: list[str] = []
    for name in names:
        seen[name] += 1
        new = f"{name}_{seen[name]}" if seen[name] > 1 else name
        if new != name:
            notes.append(f"{path}, line 1: column {name!r} comes again; the later one is called {new!r} here")
        out.append(new)
    return out


def _sniff(path: Path, encoding: str, quoting: bool) -> str:
    """The delimiter that cuts most records of the beginning into as many fields as the first, and those into most."""
    with open_text(path, encoding) as file:
        text = file.read(SNIFFED)
    lines = text.splitlines(keepends=True)
    if len(text) == SNIFFED:
        lines = lines[:-1] or lines
    best, best_score = ",", (0.0, 1)
    for delimiter in DELIMITERS:
        if not lines or delimiter not in lines[0]:
            continue
        try:
            reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quoting else csv.QUOTE_NONE)
            widths = [len(record) for record in islice(reader, 200) if record]
        except csv.Error:
            continue
        score = (sum(width == widths[0] for width in widths) / len(widths), widths[0])
        if widths[0] > 1 and score > best_score:
            best, best_score = delimiter, score
    return best
