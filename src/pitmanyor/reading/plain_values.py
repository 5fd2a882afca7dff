"""Values of columns made plain: texts, times, lists of tokens. Missing is None, NaN or an empty string."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.escape import whole_text

MISSING = -1
NAT = np.iinfo(np.int64).min
PERIODS = {"year": "Y", "month": "M", "week": "W", "day": "D", "hour": "h"}
HOURS = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")


def _with_hours(*dates: str) -> tuple[str, ...]:
    return tuple(date + hours for date in dates for hours in HOURS)


TWITTER_TIME, GIT_TIME, UNIX_TIME = "%a %b %d %H:%M:%S %z %Y", "%a %b %d %H:%M:%S %Y %z", "%a %b %d %H:%M:%S %Y"
PLAIN_TIMES = (
    TWITTER_TIME, GIT_TIME, UNIX_TIME, "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%d.%m.%Y",
    *_with_hours("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y"),
)  # fmt: skip
MAIL_TIME = re.compile(r"(?:[A-Za-z]{3}, +)?\d{1,2} [A-Za-z]{3} \d{4} \d{1,2}:\d\d")  # RFC 5322
DAY_FIRST = _with_hours("%d/%m/%Y", "%d/%m/%y", "%Y/%m/%d")
MONTH_FIRST = _with_hours("%m/%d/%Y", "%m/%d/%y", "%Y/%m/%d")
DASHED_DATE = re.compile(r"(\d{1,2})-(\d{1,2})-(\d{4})\b")
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
    wrong: list[int] = []
    recent: list[str] = []
    for i, value in enumerate(values):
        if missing(value) or (isinstance(value, str) and not value):
            continue
        try:
            out[i] = _milliseconds(value, day_first, recent)
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


def two_ways(value: Any) -> bool:
    """Whether a date is written with slashes or dashes in such a way that day and month may come in either order."""
    return isinstance(value, str) and ("/" in value or DASHED_DATE.match(value.strip()) is not None)


def calendar_times(milliseconds: NDArray[np.int64]) -> NDArray[np.int64]:
    """The times of a column of numbers, if all of them are years or all are days such as 20181231, and not seconds.

    >>> calendar_times(np.array([20181231, 20190101]) * 1000).view("datetime64[ms]").astype("datetime64[D]").tolist()
    [datetime.date(2018, 12, 31), datetime.date(2019, 1, 1)]
    """
    known = milliseconds != NAT
    numbers, rests = np.divmod(milliseconds[known], 1000)
    if not len(numbers) or rests.any() or numbers.min() < 1000 or numbers.max() > 2999_12_31:
        return milliseconds
    if numbers.max() <= 2999:
        numbers = numbers * 10_000 + 101
    years, months, days = numbers // 10_000, numbers // 100 % 100 - 1, numbers % 100 - 1
    first = ((years - 1970) * 12 + months).astype("datetime64[M]")
    dates = first.astype("datetime64[D]") + days
    if years.min() < 1000 or months.min() < 0 or months.max() > 11 or (dates.astype("datetime64[M]") != first).any():
        return milliseconds  # no calendar has such days
    out = milliseconds.copy()
    out[known] = dates.astype("datetime64[ms]").view(np.int64)
    return out


def _milliseconds(value: Any, day_first: bool, recent: list[str]) -> int:
    if isinstance(value, str):
        value = _parsed(value.strip(), day_first, recent)
    if isinstance(value, datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=UTC)
        return round(moment.timestamp() * 1000)
    if isinstance(value, date):
        return _milliseconds(datetime(value.year, value.month, value.day), day_first, recent)
    if isinstance(value, np.datetime64):
        return int(value.astype("datetime64[ms]").astype(np.int64))
    number = float(value)
    return round(number) if abs(number) > MILLISECONDS else round(number * 1000)


def _parsed(text: str, day_first: bool, recent: list[str]) -> datetime | float:
    """A time as text. `recent` has the format of an earlier value, which is tried first."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    if MAIL_TIME.match(text):
        return parsedate_to_datetime(text)
    text = DASHED_DATE.sub(r"\1/\2/\3", text, count=1)
    slashed = DAY_FIRST if day_first else MONTH_FIRST
    for form in (*recent, *(slashed if "/" in text else PLAIN_TIMES)):
        try:
            found = datetime.strptime(text, form)
        except ValueError:
            continue
        recent[:] = [form]
        return found
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
