"""Sizes of the restaurants of local nodes: all that a concentration which they share needs (maths 5)."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.monitor.log_joint import OPENED, SEATED
from pitmanyor.kernels.runtime.jit import inner, kernel


@kernel
def sum_documents(measures, local, total, sizes, grain):
    """Sums of a local node's measures, and histograms over documents of their tables (row 0) and customers (row 1).

    Measures are rounded to multiples of `grain`, a power of two, if it is not 0: then no order changes a sum.
    """
    most = sizes.shape[1] - 1  # single precision may round the tokens of a very long document up
    for d in range(len(measures)):
        for column in range(measures.shape[2]):
            value = np.float64(measures[d, local, column])
            total[column] += np.rint(value / grain) * grain if grain > 0.0 else value
        sizes[0, min(int(measures[d, local, OPENED]), most)] += 1
        sizes[1, min(int(measures[d, local, SEATED]), most)] += 1


@kernel
def count_sizes(text, streams, bit, work, sizes):
    """Histograms over the restaurants of a node per document and topic of their tables (row 0) and customers (row 1).

    Empty ones are left out. `streams` are those that emit from it, `work` is zero.
    """
    n_streams = text.leaf.shape[1]
    for place in range(len(text.first) - 1):
        for token in range(text.first[place], text.first[place + 1] if streams[place % n_streams] else 0):
            k = text.topic[token]
            work[0, k] += (text.code[token] & bit) != 0
            work[1, k] += 1
        if place % n_streams == n_streams - 1:
            _add_sizes(text, place // n_streams, work, sizes)


@inner
def _add_sizes(text, d, work, sizes):
    """Put the restaurants of document d into their sizes, and empty them."""
    n_streams = text.leaf.shape[1]
    for token in range(text.first[d * n_streams], text.first[(d + 1) * n_streams]):
        k = text.topic[token]
        if work[1, k] > 0:
            for row in range(2):
                sizes[row, work[row, k]] += 1
                work[row, k] = 0
