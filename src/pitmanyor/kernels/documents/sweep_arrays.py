"""What a sweep over documents reads and writes, bundled, and the blocks of documents that threads take."""

from __future__ import annotations

from typing import Any, NamedTuple

from pitmanyor.kernels.restaurant.arrays import Side, Text
from pitmanyor.kernels.restaurant.shared import Franchise
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined
from pitmanyor.kernels.runtime.per_thread import of_thread

DOCUMENTS = 16  # visited together by one thread


@inlined
def n_blocks(documents):
    return (len(documents) + DOCUMENTS - 1) // DOCUMENTS


@inlined
def end_of_block(documents, block):
    return min((block + 1) * DOCUMENTS, len(documents))


@bundle
class SweepArrays(NamedTuple):
    """All arrays of a sweep.

    Parts that a sweep does not have are empty tuples; Numba removes the branches that test their `len`.
    """

    franchise: Franchise
    text: Text
    topics: Side
    words: Side
    scratch: Any  # DocumentScratch, ActiveTopics or NodeRows, by the engine; Labels if topics are redrawn
    own: Any = ()  # OwnWords, where words may be the document's own
    sums: Any = ()  # Sums, where shared nodes are vectors
    visit: Any = ()  # Visit, where they are counts
    redrawn: Any = ((), (), ())  # what packed words need (switching/redrawn_rows.py): what is drawn, kept rows, lanes


@inlined
def in_thread(arrays, thread):
    """The same with the scratch of one thread."""
    scratch, own = of_thread(arrays.scratch, thread), of_thread(arrays.own, thread)
    redrawn = (arrays.redrawn[0], of_thread(arrays.redrawn[1], thread), of_thread(arrays.redrawn[2], thread))
    return SweepArrays(
        arrays.franchise, arrays.text, arrays.topics, arrays.words, scratch, own, arrays.sums, arrays.visit, redrawn
    )
