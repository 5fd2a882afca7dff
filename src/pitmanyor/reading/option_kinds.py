"""Values of options of the wrong kind are refused by name, before anything is read."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from pitmanyor.errors import CorpusError

LARGEST_COUNT = 1 << 31  # posts, tokens and letters are counted in 32 bits
ROLES = ("text", "author", "tags", "time", "label", "id")


def _number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _perhaps(value: Any) -> bool:
    return value is None or _flag(value)


def _count(value: Any) -> bool:
    return _number(value) and isinstance(value, Integral) and 0 <= int(value) < LARGEST_COUNT


def _frequency(value: Any) -> bool:
    return _count(value) or (_number(value) and not isinstance(value, Integral) and 0 <= value <= 1)


def _text(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _texts(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str) and all(isinstance(one, str) for one in value)


def _words(value: Any) -> bool:
    return _text(value) or _texts(value)


def _encoding(value: Any) -> bool:
    """Whether Python knows an encoding of texts by this name; `hex` and `rot13` are others."""
    if not isinstance(value, str):
        return value is None
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=value)
    except (LookupError, ValueError):
        return False
    return True


def _delimiter(value: Any) -> bool:
    return value is None or (isinstance(value, str) and len(value) == 1 and value not in '\r\n"')


def _query(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(key, str) for key in value) and all(
            isinstance(terms, str) or _texts(terms) for terms in value.values()
        )
    return value is None or _texts(value)


def _tokeniser(value: Any) -> bool:
    return _text(value) or callable(value)


Check = Callable[[Any], bool]
FLAG = (_flag, "give True or False")
COUNT = (_count, f"give a whole number from 0 to {LARGEST_COUNT - 1:,}")
FREQUENCY = (_frequency, "give a number of documents, or a share of all between 0.0 and 1.0")
KINDS: dict[str, tuple[Check, str]] = {
    "encoding": (_encoding, "there is no such encoding of texts; try 'utf-8', 'utf-16', 'cp1252' or 'latin-1'"),
    "delimiter": (_delimiter, "the delimiter must be one character, and no quotation mark or line break"),
    "header": FLAG,
    "quoting": FLAG,
    "day_first": (_perhaps, "give True or False, or None to decide by the whole column"),
    "skip_bad_lines": FLAG,
    "missing_values": (_texts, "give a list of texts"),
    "tokeniser": (_tokeniser, "give a function from a text to tokens, or the name of one"),
    "stop_words": (_words, "give a language such as 'english', a list of words, or None"),
    "min_length": COUNT,
    "numbers": FLAG,
    "stem": (_text, "give a language such as 'english', or None"),
    "language": (_text, "give a code such as 'en', or None"),
    "query": (_query, "give a list of terms, or a dict from labels to terms"),
    "min_posts": COUNT,
    "in_network": FLAG,
    "min_df": FREQUENCY,
    "max_df": FREQUENCY,
    "min_tokens": COUNT,
}


def check_kind(name: str, value: Any) -> None:
    """Refuse a value of the wrong kind: a text such as "False" would otherwise count as true."""
    fits, expected = KINDS.get(name, (None, ""))
    if fits is not None and not fits(value):
        raise CorpusError(f"{name}={value!r:.200}: {expected}")


def check_columns(asked: Mapping[str, Any], groups: Any, streams: Any) -> None:
    """Refuse columns that are neither names nor values, one for each post."""
    for role in ROLES:
        value = asked.get(role)
        if value is None or isinstance(value, str | bool):
            continue
        if not (hasattr(value, "__len__") and hasattr(value, "__iter__")) or isinstance(value, Mapping | bytes):
            raise CorpusError(f"{role}={value!r:.200}: give the name of a column, or False if there is none")
    for what, named in (("groups", groups), ("streams", streams)):
        if not _named(named):
            raise CorpusError(f"{what}={named!r:.200}: give a list of columns, or a dict from names to columns")


def _named(value: Any) -> bool:
    """Names of columns, or a dict from names to columns; with a matrix also to values, one for each row."""
    if isinstance(value, Mapping):
        return all(isinstance(name, str) for name in value)
    return isinstance(value, Sequence) and _texts(value)
