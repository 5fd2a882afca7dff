"""Topics of kept states, of all chains, expressed in the topics that are shown."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pitmanyor.evaluate.matching import aligned
from pitmanyor.results.fitted import Fitted

Ints = NDArray[np.int64]


def aligned_topics(fit: Fitted) -> Iterator[Ints]:
    """For every kept state, the topics of all tokens (in the order of the plan), as numbers of topics shown."""
    for sample in fit.samples:
        yield aligned(fit, sample)[sample.state.text.topic]
