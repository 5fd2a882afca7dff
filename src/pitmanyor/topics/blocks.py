"""The topics of documents, some documents at a time: all of them at once may not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.results.fitting import Fit
from pitmanyor.state.mean_blocks import mean_blocks
from pitmanyor.topics.topic_view import View

Floats = NDArray[np.float64]
CELLS = 1 << 22  # documents x topics that are handled at a time


class Block(NamedTuple):
    """The shares of the documents from `start` on, a row each."""

    start: int
    shares: Floats

    @property
    def documents(self) -> slice:
        return slice(self.start, self.start + len(self.shares))


def document_blocks(fit: Fit, shown: View | None = None, stream: str | None = None) -> Iterator[Block]:
    """What `Fit.document_shares` says, block by block.

    shown: merged topics are one; without it there is a column for every fitted topic.
    """
    size = max(1, CELLS // fit.n_topics)
    for documents, shares in mean_blocks(fit.state, fit.stream(stream).topic, size):
        yield Block(documents.start, shares if shown is None else shown.fold(shares))
