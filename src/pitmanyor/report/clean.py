"""Text of strangers, made safe to show: control characters and those that turn lines around become visible."""

from __future__ import annotations

import re

# Controls, soft hyphens, marks, embeddings, overrides and isolates of direction, separators of lines, joiners of words,
# a letter that is blank, half characters, what is no character, and tags. Joiners within words and emoji stay.
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200e\u200f\u2028-\u202e\u2060-\u2069\u3164\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
BLANKS = re.compile("[\t\n\r\x0b\x0c\u2028\u2029]+")


def clean(text: str) -> str:
    """One line of text in which nothing is hidden.

    >>> clean("abc\\u202ecba\\n<b>")
    'abc[U+202E]cba <b>'
    """
    return UNSEEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", BLANKS.sub(" ", text))
