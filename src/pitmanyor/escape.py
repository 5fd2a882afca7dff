"""Text of strangers, made safe to show: what nobody sees, or what turns lines around, is spelled out."""

from __future__ import annotations

import re

# Controls but tab and newline, soft hyphens, marks, embeddings, overrides and isolates of direction, separators of
# lines, joiners of words, a letter that is blank, half characters, what is no character, and tags. Joiners within words
# and emoji stay.
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200e\u200f\u2028-\u202e\u2060-\u2069\u3164\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """The text with such characters as their numbers.

    >>> visible("ann\\x1b[2J")
    'ann[U+001B][2J'
    """
    return UNSEEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)
