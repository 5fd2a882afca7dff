"""Untrusted text as one line with control characters escaped."""

from __future__ import annotations

import re

from pitmanyor.escape import visible

BLANKS = re.compile("[\t\n\r\x0b\x0c\u2028\u2029]+")


def clean(text: str) -> str:
    """One line of text, with invisible characters escaped.

    >>> clean("abc\\u202ecba\\n<b>")
    'abc[U+202E]cba <b>'
    """
    return visible(BLANKS.sub(" ", text))
