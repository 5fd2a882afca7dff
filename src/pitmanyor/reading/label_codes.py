"""Labels of documents (authors, groups) as codes: one label per document, as text; placeholders count as missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import CorpusError
from pitmanyor.reading.plain_values import MISSING, label_text

# What programs write for "no value" (the list of pandas), and Reddit for what its author or a moderator took back.
PLACEHOLDERS = (
    "#N/A", "#NA", "<NA>", "N/A", "NA", "NULL", "NaN", "NaT", "None", "n/a", "nan", "null", "-NaN", "-nan",
    "[deleted]", "[removed]",
)  # fmt: skip
SPELLED_LIST = re.compile(r"""\s*\[\s*(?:'[^']*'|"[^"]*")(?:\s*,\s*(?:'[^']*'|"[^"]*"))+\s*\]\s*""")


class SeveralLabelsError(CorpusError):
    """A value with several labels, or with none that can be recognised; `place` is its index in the column."""

    def __init__(self, place: int, value: Any) -> None:
        super().__init__(
            f"{str(value):.60} where one label is expected, because a document has one per group. "
            "Keep one of them, or give each combination a name"
        )
        self.place = place


class Labels(dict[Any, int]):
    """Codes for labels in the order in which they first occur, -1 for a missing one.

    missing_values: texts that stand for a missing label; `placeholders` counts how often each occurred.

    >>> labels = Labels(["NaN"])
    >>> labels.encode(["ann", "NaN", None, 7.0, "ann"]).tolist(), labels.placeholders
    ([0, -1, -1, 1, 0], Counter({'NaN': 1}))
    """

    def __init__(self, missing_values: Iterable[str] = ()) -> None:
        super().__init__()
        self.codes: dict[str, int] = {}
        self.missing_values = frozenset(missing_values)
        self.placeholders: Counter[str] = Counter()
        self._met: dict[Any, str] = {}

    def __missing__(self, value: Any) -> int:
        if isinstance(value, tuple) or (isinstance(value, str) and SPELLED_LIST.fullmatch(value)):
            raise TypeError("several labels")
        label = label_text(value)
        if label in self.missing_values:
            assert label is not None
            self._met[value], label = label, None
        code = MISSING if label is None else self.codes.setdefault(label, len(self.codes))
        self[value] = code
        return code

    def encode(self, values: Sequence[Any]) -> NDArray[np.int32]:
        try:
            codes = np.array(list(map(self.__getitem__, values)), np.int32)
        except TypeError:
            codes = np.array([self._one(i, value) for i, value in enumerate(values)], np.int32)
        if self._met:
            none = [values[i] for i in np.flatnonzero(codes < 0).tolist()]
            self.placeholders.update(self._met[value] for value in none if value in self._met)
        return codes

    def _one(self, place: int, value: Any) -> int:
        try:
            if isinstance(value, list | tuple | set | np.ndarray) and len(value) < 2:
                return self[next(iter(value))] if len(value) else MISSING
            return self[value]
        except TypeError:
            raise SeveralLabelsError(place, value) from None
