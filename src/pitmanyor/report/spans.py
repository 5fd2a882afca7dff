"""The positions of tokens in the text of a post."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pitmanyor.reading.tokenise import GONE, character_table

STEM = 3  # fewest letters that a stemmed word shares with its token
NEAR = 8  # pieces after a stemmed match within which an exact match takes precedence
SPELLED = re.compile(r"\[u\+([0-9a-f]{4,6})\]")  # a character that `clean` escaped
PIECE = re.compile("#?[^ #]+")


class Span(NamedTuple):
    start: int
    end: int


class Piece(NamedTuple):
    """A piece of a text, normalised as tokens are, and whether it had a hash sign."""

    word: str
    tagged: bool
    span: Span


def cut(text: str) -> list[Piece]:
    """Split a text into pieces as the tokeniser does, with their positions."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters have no lower case of one character
        lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    points = character_table(True)[np.frombuffer(lowered.encode("utf-32-le", "surrogatepass"), np.uint32)]
    for found in SPELLED.finditer(lowered):  # as the tokeniser saw it: nothing, or a blank
        points[slice(*found.span())] = character_table(True)[min(int(found[1], 16), 0x10FFFF)]
    spelled = points.tobytes().decode("utf-32-le", "surrogatepass")
    out = []
    for found in PIECE.finditer(spelled):
        word = found[0].replace(chr(GONE), "")
        out.append(Piece(word.lstrip("#").strip("'_").removesuffix("'s"), word.startswith("#"), Span(*found.span())))
    return out


def align(pieces: Sequence[Piece], tokens: Sequence[str], tagged: bool | None = None) -> list[Span | None]:
    """The position of every token, from left to right; None for a token that is not found.

    `tagged` restricts the search to pieces with a hash sign, or to those without.

    >>> align(cut("The #Jazz band played"), ["jazz", "band", "tuba", "play"])
    [Span(start=4, end=9), Span(start=10, end=14), None, Span(start=15, end=21)]
    """
    among = [piece for piece in pieces if tagged is None or tagged == piece.tagged]
    out: list[Span | None] = []
    first = 0
    for token, following in zip(tokens, [*tokens[1:], ""], strict=False):
        at = _find(among, first, token, following)
        out.append(None if at is None else among[at].span)
        first = first if at is None else at + 1
    return out


def _find(pieces: Sequence[Piece], first: int, token: str, following: str) -> int | None:
    """The next piece that equals the token, or that a stemmer may have reduced to it.

    An equal piece that follows soon takes precedence over a stemmed one, unless the next token is in between, because
    pieces that are passed over are lost.
    """
    at = next((at for at in range(first, len(pieces)) if _may_be(pieces[at].word, token)), None)
    if at is None or pieces[at].word == token:
        return at
    for later in range(at + 1, min(at + NEAR, len(pieces))):
        if following and _may_be(pieces[later].word, following):
            return at
        if pieces[later].word == token:
            return later
    return at


def _may_be(word: str, token: str) -> bool:
    return word == token or (len(token) >= STEM and word.startswith(token[: max(STEM, len(token) - 2)]))


def units(text: str, spans: Sequence[Span]) -> list[Span]:
    """The same positions in UTF-16 units, as browsers count."""
    if text.isascii() or max(text, default="") <= "\uffff":
        return list(spans)
    before = np.concatenate([[0], np.cumsum([1 + (c > "\uffff") for c in text])])
    return [Span(int(before[span.start]), int(before[span.end])) for span in spans]
