"""A column of times. Whether 3/4/2020 is in April or in March is decided by the whole column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus.read_report import Column
from pitmanyor.reading.badlines import BadLines
from pitmanyor.reading.chunks import Chunk
from pitmanyor.reading.plain_values import calendar_times, times, two_ways


@dataclass
class _Reading:
    """The times so far if the day comes first, or if the month does."""

    day_first: bool
    parts: list[NDArray[np.int64]] = field(default_factory=list)
    n_wrong: int = 0
    first_wrong: tuple[int, str] = (0, "")  # its line, and what is wrong

    def add(self, chunk: Chunk, name: str, found: tuple[NDArray[np.int64], list[int]]) -> None:
        read, wrong = found
        if wrong and not self.n_wrong:
            value = chunk.columns[name][wrong[0]]
            self.first_wrong = (
                int(chunk.lines[wrong[0]]),
                f"column {name!r}: {value!r} cannot be read as a time",
            )
        self.n_wrong += len(wrong)
        self.parts.append(read)


class TimeColumn:
    """The times of a column, chunk by chunk.

    Dates with slashes or dashes are read with the day first and with the month first, until all are known; what reads
    more of them is right.
    """

    def __init__(self, column: Column, bad: BadLines, day_first: bool | None) -> None:
        self.column = column
        self.bad = bad
        self.strict = not (column.guessed or bad.skip)
        self.asked = day_first is not None
        self.readings = [_Reading(first) for first in (True, False) if day_first in (None, first)]
        self.example = ""  # a date that would be another if the month came first

    def add(self, chunk: Chunk) -> None:
        values = chunk.columns[self.column.name]
        slashed = any(map(two_ways, values))
        found = times(values, day_first=self.readings[0].day_first)
        self.readings[0].add(chunk, self.column.name, found)
        for other in self.readings[1:]:
            second = times(values, day_first=other.day_first) if slashed else found
            other.add(chunk, self.column.name, second)
            if not self.example:
                self.example = _first_different(values, found[0], second[0])
        best = self._best()
        if self.strict and best.n_wrong:
            self.bad.add(*best.first_wrong)

    def _best(self) -> _Reading:
        return min(self.readings, key=lambda reading: reading.n_wrong)  # the first of equals: the day first

    def joined(self) -> NDArray[np.int64]:
        return calendar_times(np.concatenate(self._best().parts))

    def surprises(self) -> list[str]:
        """Sentences about times that cannot be read, and about dates that can be read in two ways."""
        best, said = self._best(), []
        if best.n_wrong:
            line, why = best.first_wrong
            at = self.bad.place(line).removeprefix(f"{self.bad.source}, ")
            many = f"{best.n_wrong:,} times cannot be read and are missing, the first:"
            many = "1 time cannot be read and is missing:" if best.n_wrong == 1 else many
            said.append(f"{self.bad.source}: {many} {at}, {why}")
        if self.example and len({reading.n_wrong for reading in self.readings}) == 1:
            said.append(
                f"{self.bad.source}: dates such as {self.example!r} in column {self.column.name!r} are read with the "
                "day first, but all could have the month first; pass day_first=True or day_first=False"
            )
        return said


def _first_different(values: Sequence[Any], one: NDArray[np.int64], other: NDArray[np.int64]) -> str:
    places = np.flatnonzero(one != other)
    return str(values[places[0]]) if len(places) else ""
