"""What reading did: the columns it used, what it removed and why. It is saved with the corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Filter:
    """A filter, and how many documents, tokens and authors it removed. Filters apply one after the other."""

    name: str
    why: str
    documents: int = 0
    tokens: int = 0
    authors: int = 0

    def __str__(self) -> str:
        counts = ((self.documents, "document"), (self.tokens, "token"), (self.authors, "author"))
        removed = ", ".join(f"{n:,} {what}{'' if n == 1 else 's'}" for n, what in counts if n)
        return f"{self.name}: {self.why}: removed {removed or 'nothing'}"


@dataclass(frozen=True)
class BadLine:
    """A line that could not be read. For a table in memory the line is the row number, starting at 1."""

    line: int
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.why}"


@dataclass(frozen=True)
class Column:
    """The column used for a role (text, author...), and whether it was guessed."""

    role: str
    name: str
    guessed: bool

    def __str__(self) -> str:
        return f"{self.role} = {self.name!r}{' (guessed)' if self.guessed else ''}"


@dataclass(frozen=True)
class ReadReport:
    """How a source became a corpus. `bad_lines` lists the first of the `n_bad_lines` that were skipped.

    `files` are absolute paths of the sources, with `checksums`; `frame` is the package of a data frame. `options` has
    the options for columns and text, so that new documents can be read in the same way.
    """

    source: str
    n_read: int
    columns: tuple[Column, ...] = ()
    filters: tuple[Filter, ...] = ()
    notes: tuple[str, ...] = ()
    n_bad_lines: int = 0
    bad_lines: tuple[BadLine, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    frame: str = ""
    checksums: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"Read {self.n_read:,} posts from {self.source}"]
        if self.columns:
            lines.append(f"  columns: {', '.join(map(str, self.columns))}")
        lines += [f"  {line}" for line in self.skipped()]
        lines += [f"  {some}" for some in (*self.filters, *self.notes)]
        return "\n".join(lines)

    def skipped(self) -> list[str]:
        """A sentence on the number of skipped lines and the first of them; empty if there were none."""
        if not self.n_bad_lines:
            return []
        more = self.n_bad_lines - len(self.bad_lines)
        first = [f"  {bad}" for bad in self.bad_lines] + ([f"  and {more:,} more"] if more else [])
        return [f"skipped {self.n_bad_lines:,} bad lines", *first]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> ReadReport:
        read = cls(
            source=said["source"],
            n_read=said["n_read"],
            columns=tuple(Column(**column) for column in said["columns"]),
            filters=tuple(Filter(**one) for one in said["filters"]),
            notes=tuple(said["notes"]),
            n_bad_lines=said["n_bad_lines"],
            bad_lines=tuple(BadLine(**bad) for bad in said["bad_lines"]),
            options=dict(said.get("options", {})),  # files of the first versions have neither
            files=tuple(said.get("files", ())),
            frame=said.get("frame", ""),
            checksums=tuple(said.get("checksums", ())),
        )
        texts = (read.source, read.frame, *read.notes, *read.files, *read.checksums)
        texts += tuple(text for column in read.columns for text in (column.role, column.name))
        texts += tuple(text for one in read.filters for text in (one.name, one.why))
        texts += tuple(bad.why for bad in read.bad_lines)
        counts = [read.n_read, read.n_bad_lines, *(bad.line for bad in read.bad_lines)]
        counts += [n for one in read.filters for n in (one.documents, one.tokens, one.authors)]
        if not all(isinstance(text, str) for text in texts) or not all(type(n) is int and n >= 0 for n in counts):
            raise ValueError("a report of something else")
        return read
