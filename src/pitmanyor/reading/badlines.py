"""Lines that cannot be read: an error for the first, or a count of all and a list of some."""

from __future__ import annotations

from pitmanyor.corpus.read_report import BadLine
from pitmanyor.errors import CorpusError

LISTED = 20


class BadLines:
    """What went wrong in one source, line by line; for a file that is one of several, `whole` keeps the record."""

    def __init__(self, source: str, skip: bool, whole: BadLines | None = None) -> None:
        self.source = source
        self.skip = skip
        self.whole = whole
        self.count = 0
        self.first: list[BadLine] = []

    def place(self, line: int) -> str:
        """A line of the source, for sentences."""
        return f"{self.source}, line {line}"

    def add(self, line: int, why: str) -> None:
        if not self.skip:
            raise CorpusError(f"{self.place(line)}: {why}. Fix the line, or skip such lines with skip_bad_lines=True")
        if self.whole is not None:
            self.whole.record(line, f"of {self.source}: {why}")
        else:
            self.record(line, why)

    def record(self, line: int, why: str) -> None:
        self.count += 1
        if len(self.first) < LISTED:
            self.first.append(BadLine(line, why))
