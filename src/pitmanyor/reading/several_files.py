"""Several files of posts as one table: one after the other, with lines counted through."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pitmanyor.errors import CorpusError
from pitmanyor.reading.badlines import BadLines
from pitmanyor.reading.chunks import Chunk, Table

PATTERN = re.compile(r"[*?\[]")
Opener = Callable[[Path, BadLines], Table]


def listed_files(source: Any, endings: Callable[[], Sequence[str]]) -> list[Path] | None:
    """The files that a source means: a path, a pattern such as `posts-*.csv`, or a list of them. None if it is no such.

    A list of strings is one of files if each ends like a file of posts and either exists or has no blank: posts such as
    "see a.csv" are texts.
    """
    if isinstance(source, str | os.PathLike):
        return _matching(os.fspath(source))
    if not isinstance(source, list | tuple) or not source or not isinstance(source[0], str | os.PathLike):
        return None
    if isinstance(source[0], str) and not re.search(r"\.\w+$", source[0]):
        return None
    known = endings()
    if all(_is_file_name(one, known) for one in source):
        return [path for one in source for path in _matching(os.fspath(one))]
    return None


def _is_file_name(value: Any, endings: Sequence[str]) -> bool:
    if isinstance(value, os.PathLike):
        return True
    if not isinstance(value, str) or not value.lower().removesuffix(".gz").endswith(tuple(endings)):
        return False
    return not re.search(r"\s", value) or os.path.isfile(value)


def _matching(name: str) -> list[Path]:
    """The file of this name, or the files that match it as a pattern, sorted."""
    if not PATTERN.search(name) or os.path.exists(name):
        return [Path(name)]
    found = sorted(path for path in map(Path, glob.glob(name, recursive=True)) if os.path.isfile(path))
    if not found:
        raise CorpusError(f"{name}: no file matches this pattern; check it and the directory ({Path.cwd()})")
    return found


class SeveralBadLines(BadLines):
    """The bad lines of several files; a line number that runs through all of them is converted to file and line."""

    def __init__(self, source: str, skip: bool) -> None:
        super().__init__(source, skip)
        self.starts: list[tuple[int, str]] = []

    def place(self, line: int) -> str:
        start, name = next((one for one in reversed(self.starts) if one[0] < line), (0, self.source))
        return f"{name}, line {line - start}"

    def file(self, start: int, path: Path) -> BadLines:
        """Where bad lines of one file go; the lines before it are `start`."""
        self.starts.append((start, str(path)))
        return BadLines(str(path), self.skip, self)


class SeveralFiles(Table):
    """Files that have the same columns. Each is opened when its turn comes; guesses are made from the first."""

    def __init__(self, paths: Sequence[Path], open_one: Opener, skip: bool) -> None:
        self.files, self.frame = tuple(path.resolve() for path in paths), ""
        self.name = f"{len(paths)} files ({paths[0]} to {paths[-1].name})"
        self.bad = SeveralBadLines(self.name, skip)
        self._paths, self._open = paths, open_one
        self._first = open_one(paths[0], self.bad.file(0, paths[0]))
        self.names, self.columns, self.notes = self._first.names, self._first.columns, self._first.notes

    def sample(self) -> dict[str, list[Any]]:
        return self._first.sample()

    def chunks(self, wanted: Sequence[str]) -> Iterator[Chunk]:
        start = 0
        for i, path in enumerate(self._paths):
            table = self._first if i == 0 else self._opened(path, start, wanted)
            last = 0
            for chunk in table.chunks(wanted):
                last = int(chunk.lines[-1])
                yield Chunk(chunk.lines + start, chunk.columns)
            start += last

    def _opened(self, path: Path, start: int, wanted: Sequence[str]) -> Table:
        table = self._open(path, self.bad.file(start, path))
        self.notes += table.notes
        lost = [column for column in wanted if table.names is not None and column not in table.columns]
        if lost:
            raise CorpusError(
                f"{path}: there is no column {lost[0]!r}, which {self._paths[0]} has; files read together have "
                "the same columns"
            )
        return table
