"""Where the tokens of a post are in its text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pitmanyor.reading.tokenise import GONE, character_table

STEM = 3  # letters that a stemmed word shares with its token, at least
BLANK = ord(" ")


class Span(NamedTuple):
    start: int
    end: int


def align(text: str, tokens: Sequence[str]) -> list[Span | None]:
    """The place of every token, one after the other from left to right; None for one that is not there.

    >>> align("The #Jazz band played", ["jazz", "band", "tuba", "play"])
    [Span(start=4, end=9), Span(start=10, end=14), None, Span(start=15, end=21)]
    """
    pieces = _pieces(text)
    out: list[Span | None] = []
    first = 0
    for token in tokens:
        at = _find(pieces, first, token)
        out.append(None if at is None else pieces[at][1])
        first = first if at is None else at + 1
    return out


def _find(pieces: list[tuple[str, Span]], first: int, token: str) -> int | None:
    """The next piece that is the token, or else the next one that a stemmer may have cut to it."""
    for at in range(first, len(pieces)):
        if pieces[at][0] == token:
            return at
    stem = token[: max(STEM, len(token) - 2)]
    if len(token) <= STEM:
        return None
    return next((at for at in range(first, len(pieces)) if pieces[at][0].startswith(stem)), None)


def _pieces(text: str) -> list[tuple[str, Span]]:
    """Pieces of a text as the tokeniser cuts it, in its plain spelling, with their places."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters have no small form of one character
        lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    points = character_table(True)[np.frombuffer(lowered.encode("utf-32-le", "surrogatepass"), np.uint32)]
    spelled = points.tolist()
    out: list[tuple[str, Span]] = []
    start = 0
    for end in range(len(spelled) + 1):
        if end < len(spelled) and spelled[end] != BLANK and not (spelled[end] == ord("#") and end > start):
            continue
        if end > start:
            word = "".join(chr(c) for c in spelled[start:end] if c != GONE)
            out.append((word.lstrip("#").strip("'_").removesuffix("'s"), Span(start, end)))
        start = end if end < len(spelled) and spelled[end] != BLANK else end + 1
    return out


def units(text: str, spans: Sequence[Span]) -> list[Span]:
    """The same places in units of UTF-16, in which browsers count."""
    if text.isascii() or max(text, default="") <= "\uffff":
        return list(spans)
    before = np.concatenate([[0], np.cumsum([1 + (c > "\uffff") for c in text])])
    return [Span(int(before[span.start]), int(before[span.end])) for span in spans]
