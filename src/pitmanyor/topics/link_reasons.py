"""Why somebody is near: because of words, because of links, because they answer, or because they are popular."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from pitmanyor.call_checks import checked_call
from pitmanyor.results.fitted import Fitted

SMALL = 0.1  # of log-odds: less is no reason
SAID = {"words": "words", "links": "links", "popularity": "popular", "answer": "links back"}


@dataclass(frozen=True)
class LinkReason:
    """The probability of a link, and what makes it higher or lower than for an average pair.

    Parts are differences of log-odds: `words` of similar topics in the text, `links` of similar positions in the
    network beyond that, `popularity` of the target, `activity` of the source, `answer` if a link back is known. They
    add up, with `base`, to the score of the model (maths 6). A part that a model does not have is zero: the TNTM has
    words only, because one vector serves text and links.

    >>> print(LinkReason("ann", "bob", 0.6, base=-1.5, words=1.2, links=0.4, popularity=-0.3))
    because of words (+1.2), then links (+0.4)
    """

    source: Hashable
    target: Hashable
    probability: float
    base: float
    words: float = 0.0
    links: float = 0.0
    popularity: float = 0.0
    activity: float = 0.0
    answer: float = 0.0

    @property
    def main(self) -> str | None:
        """The strongest of "words", "links", "popularity" and "answer"; None if none of them speaks for the target."""
        best = max(SAID, key=lambda name: float(getattr(self, name)))
        return best if getattr(self, best) >= SMALL else None

    def __str__(self) -> str:
        found = {name: float(getattr(self, name)) for name in SAID if getattr(self, name) >= SMALL}
        if not found:
            return "for no reason in particular"
        order = sorted(found, key=lambda name: -found[name])
        said = [f"{SAID[name]} ({found[name]:+.1f})" for name in order]
        first = {"popularity": "simply ", "answer": ""}.get(order[0], "because of ")
        return first + ", then ".join(said[:2])


@checked_call()
def link_reasons(
    fit: Fitted, source: Hashable, targets: Sequence[Hashable] | Hashable, links: str | None = None
) -> list[LinkReason]:
    """Explain for each target why a link from the source is likely or unlikely, as means over the kept states.

    Parameters
    ----------
    fit
        A fit whose network has joined.
    source
        An author.
    targets
        Other authors, or one.
    links
        Link set, if there are several.
    """
    to = [targets] if isinstance(targets, str) or not isinstance(targets, Sequence) else list(targets)
    likely = fit.link_probability([source] * len(to), to, links)
    parts = fit.link_parts([source] * len(to), to, links)
    rows = np.stack(parts, axis=1).tolist()
    found = zip(to, likely.tolist(), rows, strict=True)
    return [LinkReason(source, target, chance, *row) for target, chance, row in found]
