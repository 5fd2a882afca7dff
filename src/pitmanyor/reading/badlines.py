"""Lines that cannot be read: an error for the first, or a count of all and a list of some."""

from __future__ import annotations

from pitmanyor.corpus.read_report import BadLine
from pitmanyor.errors import CorpusError

LISTED = 20


class BadLines:
    """What went wrong in one source, line by line."""

    def __init__(self, source: str, skip: bool) -> None:
        self.source = source
        self.skip = skip
        self.count = 0
        self.first: list[BadLine] = []

    def add(self, line: int, why: str) -> None:
        if not self.skip:
            raise CorpusError(
                f"{self.source}, line {line}: {why}. Mend the line, or skip such lines with skip_bad_lines=True "
                "(--skip-bad-lines)"
            )
        self.count += 1
        if len(self.first) < LISTED:
            self.first.append(BadLine(line, why))
