"""Topics of kept samples in the numbers of the last state.

Topics are born, retired and renumbered between samples, so a number says nothing. The tokens are the same: a topic of a
sample is the topic of the last state that has most of its tokens. Several may be the same one, if it had been split.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pitmanyor.results.fitting import Fit

Ints = NDArray[np.int64]


def aligned_topics(fit: Fit) -> Iterator[Ints]:
    """For every sample the topics of all tokens, in the order of the plan, as numbers of the last state's topics."""
    last = fit.state.text.topic.astype(np.int64)
    for sample in fit.samples:
        topics = sample.state.text.topic.astype(np.int64)
        shape = sample.n_topics, fit.n_topics
        together = np.bincount(topics * shape[1] + last, minlength=shape[0] * shape[1]).reshape(shape)
        yield together.argmax(axis=1)[topics]
