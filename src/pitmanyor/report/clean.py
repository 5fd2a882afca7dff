"""Text of strangers, made safe to show: control characters and those that turn lines around become visible."""

from __future__ import annotations

import re

# Controls, embeddings, overrides and isolates of direction, separators of lines, and half characters.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff\ufff9-\ufffb]")
BLANKS = re.compile("[\t\n\r\x0b\x0c\u2028\u2029]+")


def clean(text: str) -> str:
    """One line of text in which nothing is hidden.

    >>> clean("abc\\u202ecba\\n<b>")
    'abc[U+202E]cba <b>'
    """
    return UNSEEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", BLANKS.sub(" ", text))
