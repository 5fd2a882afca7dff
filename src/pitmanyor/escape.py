"""Untrusted text made safe to show: invisible and bidirectional control characters are escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

# Controls but tab and newline, soft hyphens, marks, embeddings, overrides and isolates of direction, separators of
# lines, joiners of words, a letter that is blank, half characters, what is no character, and tags. Joiners within words
# and emoji stay.
SURROGATES = re.compile("[\ud800-\udfff]")
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200e\u200f\u2028-\u202e\u2060-\u2069\u3164\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)


def whole_text(text: str) -> str:
    """The text with U+FFFD in place of lone surrogates, which are half a character and cannot be written to a file.

    >>> whole_text("jos\\ud800")
    'jos\ufffd'
    """
    return text if text.isascii() else SURROGATES.sub("\ufffd", text)


def visible(text: str) -> str:
    """The text with such characters as their numbers.

    >>> visible("ann\\x1b[2J")
    'ann[U+001B][2J'
    """
    return UNSEEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def html_text(value: object) -> str:
    """A value as text in a page.

    >>> html_text("<b>")
    '&lt;b&gt;'
    """
    return escape(visible(str(value)))


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of cells, as notebooks show it.

    >>> html_table(["a"], [["<b>"]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    top = "".join(f"<th>{html_text(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{html_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
