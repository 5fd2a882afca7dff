"""Which topics are large, and how many chains found each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pitmanyor.results.fitted import Fitted
from pitmanyor.state.topic_sizes import is_large
from pitmanyor.topics.topic_view import View


def shown_sizes(fit: Fitted, shown: View) -> NDArray[np.int64]:
    """Number of tokens of every topic that is shown, over all streams."""
    return np.bincount(shown.place[fit.state.text.topic], minlength=len(shown.members))


def large_topics(fit: Fitted, shown: View) -> NDArray[np.bool_]:
    """Which of the topics that are shown are large; all of them if there are no tokens."""
    sizes = shown_sizes(fit, shown)
    return is_large(sizes) if sizes.sum() else np.ones(len(sizes), bool)


def chains_that_found(fit: Fitted, shown: View) -> list[int] | None:
    """For every topic that is shown, the number of chains that found all its members; None for a single chain."""
    shared = fit.shared_topics
    return None if shared is None else [shared.least(members) for members in shown.members]
