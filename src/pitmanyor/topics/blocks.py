"""Topic proportions of documents in blocks, because those of all documents may not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.results.fitted import Fitted
from pitmanyor.topics.topic_view import View

Floats = NDArray[np.float64]
CELLS = 1 << 22  # documents x topics per block


class Block(NamedTuple):
    """Topic proportions of consecutive documents, starting at `start`, one row per document."""

    start: int
    shares: Floats

    @property
    def documents(self) -> slice:
        return slice(self.start, self.start + len(self.shares))


def document_blocks(fit: Fitted, shown: View | None = None, stream: str | None = None) -> Iterator[Block]:
    """`Fit.document_shares` in blocks.

    With `shown`, merged topics are one column; without it every fitted topic has a column.
    """
    size = max(1, CELLS // fit.n_topics)
    for start, shares in fit.averages.document_blocks(fit.stream(stream).topic, size):
        yield Block(start, shares if shown is None else shown.fold(shares))
