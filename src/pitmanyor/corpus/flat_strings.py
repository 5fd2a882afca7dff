"""Many strings in two arrays, UTF-8 bytes and end offsets, which take little more memory than the text itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Strings(Sequence[str]):
    """A compact sequence of strings that is stored without conversion.

    >>> ids = Strings.of(["a1", "", "ü"])
    >>> ids[2], ids[:2], list(ids.take([2, 0]))
    ('ü', ['a1', ''], ['ü', 'a1'])
    """

    data: NDArray[np.uint8]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Strings:
        spelled = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([len(text) for text in spelled], dtype=np.int64)
        return cls(np.frombuffer(b"".join(spelled), np.uint8), ends)

    @classmethod
    def joined(cls, parts: Sequence[Strings]) -> Strings:
        before = np.cumsum([0, *(len(part.data) for part in parts[:-1])])
        ends = [part.ends + start for part, start in zip(parts, before, strict=True)]
        return cls(np.concatenate([part.data for part in parts]), np.concatenate(ends))

    def check(self, name: str) -> Strings:
        """Return the strings if the two arrays are consistent; arrays from a file may not be."""
        first = int(self.ends[0]) if len(self.ends) else 0
        last = int(self.ends[-1]) if len(self.ends) else 0
        if first < 0 or np.any(np.diff(self.ends) < 0) or last != len(self.data):
            raise ValueError(f"ends of the strings of {name!r}")
        return self

    def __len__(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator[str]:
        data, ends = self.data.tobytes(), self.ends.tolist()
        return (data[a:b].decode("utf-8", "surrogatepass") for a, b in zip([0, *ends], ends, strict=False))

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return list(self.take(np.arange(len(self))[at]))
        return next(iter(self.take([range(len(self))[at]])))

    def take(self, places: Sequence[int] | NDArray[Any]) -> Strings:
        """The strings at these places, in this order."""
        at = np.asarray(places, np.int64)
        starts = np.concatenate([[0], self.ends[:-1]])[at]
        lengths = self.ends[at] - starts
        ends = np.cumsum(lengths, dtype=np.int64)
        bytes_ = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - lengths), lengths)
        return Strings(self.data[bytes_], ends)
