"""The texts of posts, read once more from where they came from: a corpus holds tokens, not texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus.read_report import ReadReport
from pitmanyor.reading.options import FileOptions
from pitmanyor.reading.plain_values import texts as plain_texts
from pitmanyor.reading.plain_values import token_list
from pitmanyor.reading.sources import open_source

OF_FILES = ("encoding", "delimiter", "header", "quoting")  # options of `read` that say how a file is written


def text_column(report: ReadReport | None) -> str | None:
    """The column that texts were read from; None if the corpus was made of tokens."""
    return next((c.name for c in report.columns if c.role == "text"), None) if report else None


def original_texts(places: list[Path], report: ReadReport, rows: NDArray[np.int64]) -> list[str] | None:
    """The texts of files at these lines, which are read with the options of the report; None if a line is not there."""
    column, wanted = text_column(report), set(rows.tolist())
    options = {name: report.options[name] for name in OF_FILES if name in report.options}
    table, _ = open_source(places, FileOptions(**options, skip_bad_lines=True))
    if column is None or column not in table.columns:
        return None
    found: dict[int, str] = {}
    for chunk in table.chunks([column]):
        values = chunk.columns[column]
        listed = any(isinstance(value, list | tuple | np.ndarray) for value in values)
        texts = [" ".join(token_list(value)) for value in values] if listed else plain_texts(values)
        found |= {line: text for line, text in zip(chunk.lines.tolist(), texts, strict=True) if line in wanted}
    return [found[line] for line in rows.tolist()] if len(found) == len(wanted) else None
