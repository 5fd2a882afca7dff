"""JSON: an object per line, or a file that is one list; nested fields become columns with dots."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pitmanyor.errors import CorpusError
from pitmanyor.reading.badlines import BadLines
from pitmanyor.reading.chunks import CHUNK, Block, Table
from pitmanyor.reading.encodings import LONGEST_LINE, find_encoding, open_text
from pitmanyor.reading.options import FileOptions

UNPACKED = 20  # characters for each byte of a file: what gzip makes of texts at the most
DEEPEST = 100  # levels of objects and lists in a record
BATCH = 1 << 20  # characters that are parsed at once


def open_json(path: Path, options: FileOptions, bad: BadLines) -> Table:
    # A list may be one long line, but no more than a file of its size can hold in earnest.
    longest = max(LONGEST_LINE, UNPACKED * path.stat().st_size)
    encoding, notes = find_encoding(path, options.encoding, longest)
    whole = _whole(path, encoding)
    if whole is not None:
        return Table(str(path), _list_blocks(whole, bad), None, notes)
    return Table(str(path), _line_blocks(path, encoding, bad), None, notes)


def _whole(path: Path, encoding: str) -> list[Any] | None:
    """The records of a file that is one JSON value over several lines; None if it has a value per line."""
    with open_text(path, encoding) as file:
        first = next((line for line in file if line.strip()), "")
        try:
            value = json.loads(first)
        except (ValueError, RecursionError):
            if first.lstrip()[:1] not in ("[", "{"):
                return None
        else:
            alone = isinstance(value, list) and not any(line.strip() for line in file)
            return value if alone else None
        file.seek(0)
        try:
            value = json.load(file)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, list) else _unwrap(value)


def _list_blocks(values: list[Any], bad: BadLines) -> Iterator[Block]:
    for start in range(0, len(values), CHUNK):
        numbers: list[int] = []
        rows: list[dict[str, Any]] = []
        for i, value in enumerate(values[start : start + CHUNK], start + 1):
            _take(i, value, numbers, rows, bad)
        yield Block(numbers, rows)


def _line_blocks(path: Path, encoding: str, bad: BadLines) -> Iterator[Block]:
    lines: list[int] = []
    rows: list[dict[str, Any]] = []
    with open_text(path, encoding) as file:
        start = 1
        while batch := file.readlines(BATCH):
            numbers = [i for i, text in enumerate(batch, start) if not text.isspace()]
            texts = [batch[i - start] for i in numbers]
            values = _at_once(texts)
            if values is not None:
                lines += numbers
                rows += values
            else:
                for i, text in zip(numbers, texts, strict=True):
                    _parse(i, text, lines, rows, bad)
            start += len(batch)
            if len(rows) >= CHUNK:
                yield Block(lines, rows)
                lines, rows = [], []
    yield Block(lines, rows)


def _at_once(texts: list[str]) -> list[Any] | None:
    """The objects of all lines by one call of the parser, twice as fast; None unless each line is an object by itself.

    A random number is put between lines: a line that is not closed, or holds more than one object, would
    swallow one or be in the place of one.
    """
    mark = secrets.randbits(60)
    try:
        values = json.loads(f"[{f',{mark},'.join(texts)}]")
    except (ValueError, RecursionError):
        return None
    found, marks = values[::2], values[1::2]
    if len(found) != len(texts) or set(marks) - {mark} or not all(type(value) is dict for value in found):
        return None
    nested = (text.count("{") + text.count("[") > DEEPEST for text in texts)
    return None if any("data" in value for value in found) or any(nested) else found


def _parse(line: int, text: str, lines: list[int], rows: list[dict[str, Any]], bad: BadLines) -> None:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        column = min(error.pos, len(text.rstrip())) + 1
        bad.add(line, f"column {column}: not JSON ({error.msg}); each line must be one object")
    except (ValueError, RecursionError) as error:
        bad.add(line, f"not JSON that can be read ({error})")
    else:
        _take(line, value, lines, rows, bad)


def _take(line: int, value: Any, lines: list[int], rows: list[dict[str, Any]], bad: BadLines) -> None:
    if not isinstance(value, dict):
        bad.add(line, f"a JSON {type(value).__name__} where an object {{...}} was expected")
        return
    if _depth(value) > DEEPEST:
        bad.add(line, f"an object of more than {DEEPEST} levels")
        return
    found = _unwrap(value)
    lines += [line] * len(found)
    rows += found


def _depth(value: Any) -> int:
    """Levels of objects and lists within each other, at most one more than what is read.

    >>> _depth({"a": [1, {"b": 2}]})
    3
    """
    level, n = [value], 0
    while level and n <= DEEPEST:
        n += 1
        inner = (v for one in level for v in (one.values() if isinstance(one, dict) else one))
        level = [v for v in inner if isinstance(v, dict | list)]
    return n


def _unwrap(value: Any) -> list[Any]:
    """The posts within a page of an API's answer, {"data": [...]}; any other object is a post itself."""
    if not isinstance(value, dict):
        raise CorpusError(
            f"a JSON {type(value).__name__} is not a table; give a list of objects, or one object per line"
        )
    data = value.get("data")
    if isinstance(data, list) and data and "text" not in value and all(isinstance(post, dict) for post in data):
        return data
    return [value]
