"""Values of columns made plain: texts, times, lists of tokens. Missing is None, NaN or an empty string."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.escape import whole_text

MISSING = -1
NAT = np.iinfo(np.int64).min
PERIODS = {"year": "Y", "month": "M", "week": "W", "day": "D", "hour": "h"}
TWITTER_TIME = "%a %b %d %H:%M:%S %z %Y"
PLAIN_TIMES = (TWITTER_TIME, "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%d.%m.%Y")
HOURS = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
DAY_FIRST, MONTH_FIRST = (
    tuple(f"{date}{hours}" for date in (first, "%Y/%m/%d") for hours in HOURS) for first in ("%d/%m/%Y", "%m/%d/%Y")
)
MILLISECONDS = 10**11  # a number above it counts milliseconds since 1970: as seconds it would be the year 5138
LIST_CUT = re.compile(r"[,;|]")
ZONE = re.compile("[-+Zz]")
TAG_CUT = re.compile(r"[^\s,;|\[\]\"'()]+")


def missing(value: Any) -> bool:
    """None, NaN, NaT and the like. pandas' NA will not say whether it equals itself."""
    if value is None or isinstance(value, str | list | tuple | dict | np.ndarray):
        return value is None
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return True


def label_text(value: Any) -> str | None:
    if missing(value):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # a column of numbers with gaps comes as floats
    return whole_text(str(value)).strip() or None


def texts(values: Sequence[Any]) -> list[str]:
    """Texts, with an empty one for each that is missing."""
    if set(map(type, values)) == {str}:
        return values if isinstance(values, list) else list(values)
    return [value if isinstance(value, str) else label_text(value) or "" for value in values]


def times(values: Sequence[Any], *, day_first: bool = True) -> tuple[NDArray[np.int64], list[int]]:
    """Milliseconds since 1970 (UTC), and the places of values that say no time.

    day_first: whether 3/4/2020 is in April.
    """
    quick = _alike(values)
    if quick is not None:
        return quick, []
    out = np.full(len(values), NAT, np.int64)
    wrong = []
    for i, value in enumerate(values):
        if missing(value) or (isinstance(value, str) and not value):
            continue
        try:
            out[i] = _milliseconds(value, day_first)
        except (ValueError, OverflowError, TypeError, OSError):
            wrong.append(i)
    return out, wrong


def _alike(values: Sequence[Any]) -> NDArray[np.int64] | None:
    """Times that are all written alike, at once: ISO 8601 in UTC, or without a zone. None if they are not."""
    kinds = set(map(type, values))
    if kinds == {str} and all(value[4:5] == "-" for value in values):
        endings = {value[10:][-6:] if "+" in value[10:] else value[-1:] for value in values}
        cut = 6 if endings == {"+00:00"} else 1 if endings == {"Z"} else 0
        if not cut and any(ZONE.search(value, 10) for value in values):
            return None
        values = [value[:-cut] for value in values] if cut else values
    elif kinds != {datetime} or any(value.tzinfo is not None for value in values):
        return None
    try:
        return np.array(values, "datetime64[ms]").view(np.int64)
    except ValueError:
        return None


def _milliseconds(value: Any, day_first: bool) -> int:
    if isinstance(value, str):
        value = _parsed(value.strip(), day_first)
    if isinstance(value, datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=UTC)
        return round(moment.timestamp() * 1000)
    if isinstance(value, date):
        return _milliseconds(datetime(value.year, value.month, value.day), day_first)
    if isinstance(value, np.datetime64):
        return int(value.astype("datetime64[ms]").astype(np.int64))
    number = float(value)
    return round(number) if abs(number) > MILLISECONDS else round(number * 1000)


def _parsed(text: str, day_first: bool) -> datetime | float:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    slashed = DAY_FIRST if day_first else MONTH_FIRST
    for form in slashed if "/" in text else PLAIN_TIMES:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    return float(text)


def token_list(value: Any) -> list[str]:
    """The tokens of a stream's column: a list as it is, a string cut at commas, semicolons or bars."""
    if missing(value):
        return []
    if isinstance(value, str):
        parts: Sequence[Any] = value.split() if value[:1] in ("#", "@") else LIST_CUT.split(value)
    elif isinstance(value, list | tuple | np.ndarray | set):
        parts = list(value)
    else:
        parts = [value]
    return [text for part in parts if (text := label_text(part)) is not None]


def tag_list(value: Any) -> list[str]:
    """Hashtags of a column: a list, or a string such as `#a #b`, `a;b`, `['a', 'b']`."""
    if isinstance(value, str):
        return [text.lower() for text in TAG_CUT.findall(whole_text(value))]
    return [text.lower() for text in token_list(value)]
