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


def align(text: str, tokens: Sequence[str], tagged: bool | None = None) -> list[Span | None]:
    """The place of every token, one after the other from left to right; None for one that is not there.

    `tagged`: look among words with a hash sign only, or only among those without.

    >>> align("The #Jazz band played", ["jazz", "band", "tuba", "play"])
    [Span(start=4, end=9), Span(start=10, end=14), None, Span(start=15, end=21)]
    """
    pieces = [piece for piece in _pieces(text) if tagged is None or tagged == piece.tagged]
    out: list[Span | None] = []
    first = 0
    for token in tokens:
        at = _find(pieces, first, token)
        out.append(None if at is None else pieces[at].span)
        first = first if at is None else at + 1
    return out


class _Piece(NamedTuple):
    word: str
    tagged: bool
    span: Span


def _find(pieces: list[_Piece], first: int, token: str) -> int | None:
    """The next piece that is the token, or else the next one that a stemmer may have cut to it."""
    rest = range(first, len(pieces))
    exact = next((at for at in rest if pieces[at].word == token), None)
    if exact is not None or len(token) <= STEM:
        return exact
    stem = token[: max(STEM, len(token) - 2)]
    return next((at for at in rest if pieces[at].word.startswith(stem)), None)


def _pieces(text: str) -> list[_Piece]:
    """Pieces of a text as the tokeniser cuts it, in its plain spelling, with their places."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters have no small form of one character
        lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    points = character_table(True)[np.frombuffer(lowered.encode("utf-32-le", "surrogatepass"), np.uint32)]
    spelled = points.tolist()
    out: list[_Piece] = []
    start = 0
    for end in range(len(spelled) + 1):
        if end < len(spelled) and spelled[end] != BLANK and not (spelled[end] == ord("#") and end > start):
            continue
        if end > start:
            word = "".join(chr(c) for c in spelled[start:end] if c != GONE)
            plain = word.lstrip("#").strip("'_").removesuffix("'s")
            out.append(_Piece(plain, word.startswith("#"), Span(start, end)))
        start = end if end < len(spelled) and spelled[end] != BLANK else end + 1
    return out


def units(text: str, spans: Sequence[Span]) -> list[Span]:
    """The same places in units of UTF-16, in which browsers count."""
    if text.isascii() or max(text, default="") <= "\uffff":
        return list(spans)
    before = np.concatenate([[0], np.cumsum([1 + (c > "\uffff") for c in text])])
    return [Span(int(before[span.start]), int(before[span.end])) for span in spans]
