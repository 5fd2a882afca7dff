"""A fit and a corpus as a notebook shows them: small tables of HTML, in which all text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from pitmanyor.escape import visible

if TYPE_CHECKING:
    from pitmanyor.results.fitted import Fitted

MOST_TOPICS, N_WORDS = 30, 8


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of cells.

    >>> html_table(["a"], [["<b>"]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    top = "".join(f"<th>{_text(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def fit_html(fit: Fitted) -> str:
    """What a fit is, its largest topics, and whether to trust it."""
    said = f"<p>{_text(fit)}</p>"
    if not fit.has_topic_words or not fit.n_sweeps:
        return said
    shares = fit.topic_shares()
    order = [k for k in np.argsort(-shares, kind="stable").tolist() if shares[k] > 0][:MOST_TOPICS]
    words = fit.topics(N_WORDS)
    rows = [(k, f"{shares[k]:.1%}", ", ".join(word for word, _ in words[k])) for k in order]
    more = int((shares > 0).sum()) - len(order)
    rest = f"<p>and {more} smaller topics</p>" if more else ""
    return (
        said
        + html_table(("topic", "share", "likeliest words"), rows)
        + rest
        + f"<p>{_text(fit.diagnose().summary)}</p>"
    )


def _text(value: object) -> str:
    return escape(visible(str(value)))
