"""What a sweep over documents reads and writes, bundled.

Kernels with parallel loops have the parts as parameters, and bundle them for every block of documents.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pitmanyor.kernels.restaurant.arrays import Side, Text
from pitmanyor.kernels.restaurant.shared import Franchise
from pitmanyor.kernels.runtime.bundles import bundle, of_thread
from pitmanyor.kernels.runtime.jit import inlined


@bundle
class SweepArrays(NamedTuple):
    """All arrays of a sweep.

    Parts that a sweep does not have are empty tuples; Numba removes the branches that test their `len`.
    """

    franchise: Franchise
    text: Text
    topics: Side
    words: Side
    scratch: Any  # of the engine: DocumentScratch, ActiveTopics or NodeRows
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
