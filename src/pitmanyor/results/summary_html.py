"""A fit and a corpus as a notebook shows them: small tables of HTML, in which all text is escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pitmanyor.escape import html_table, html_text

if TYPE_CHECKING:
    from pitmanyor.results.fitted import Fitted

MOST_TOPICS, N_WORDS = 30, 8


def fit_html(fit: Fitted) -> str:
    """What a fit is, its largest topics, and whether to trust it."""
    said = f"<p>{html_text(fit)}</p>"
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
        + f"<p>{html_text(fit.diagnose().summary)}</p>"
    )
