"""What reading did: which columns it took, what it left out and why. A corpus keeps it, and so does its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Filter:
    """One filter, and how many documents, tokens and authors it removed. Filters work one after the other."""

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
    """A line that could not be read. For a table in memory the line is the row, counted from 1."""

    line: int
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.why}"


@dataclass(frozen=True)
class Column:
    """The column taken for a role (text, author...) and whether it was guessed."""

    role: str
    name: str
    guessed: bool

    def __str__(self) -> str:
        return f"{self.role} = {self.name!r}{' (guessed)' if self.guessed else ''}"


@dataclass(frozen=True)
class ReadReport:
    """The way from a source to a corpus. `bad_lines` lists the first of the `n_bad_lines` that were skipped.

    `files` are the absolute paths of what was read, `frame` the package of a data frame. `options` has what was asked
    of columns and text, so that later documents can be read alike.
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

    def __str__(self) -> str:
        lines = [f"Read {self.n_read:,} posts from {self.source}"]
        if self.columns:
            lines.append(f"  columns: {', '.join(map(str, self.columns))}")
        lines += [f"  {line}" for line in self.skipped()]
        lines += [f"  {some}" for some in (*self.filters, *self.notes)]
        return "\n".join(lines)

    def skipped(self) -> list[str]:
        """How many bad lines were skipped, and the first of them; nothing if there were none."""
        if not self.n_bad_lines:
            return []
        more = self.n_bad_lines - len(self.bad_lines)
        first = [f"  {bad}" for bad in self.bad_lines] + ([f"  and {more:,} more"] if more else [])
        return [f"skipped {self.n_bad_lines:,} bad lines", *first]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> ReadReport:
        return cls(
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
        )
