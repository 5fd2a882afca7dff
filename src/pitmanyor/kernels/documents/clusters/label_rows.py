"""Rows over topics: what a cluster's topic may be, up to a factor. Sums may be in any order, so that they vectorise."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.runtime.jit import loose


@loose
def mass_with(labels, at, values, row, n_topics):
    """The sum of a row of labels times the row of a word."""
    total = labels.dtype.type(0.0)
    for i in range(n_topics):
        k = np.uint64(i)
        total += labels[at + k] * values[row + k]
    return np.float64(total)


@loose
def mass_without(labels, at, values, row, n_topics):
    """The sum of a row of labels divided by the row of a word."""
    total = labels.dtype.type(0.0)
    for i in range(n_topics):
        k = np.uint64(i)
        total += labels[at + k] / values[row + k]
    return np.float64(total)


@loose
def multiply(labels, at, values, row, by, n_topics):
    """Labels times the row of a word times a number."""
    real = labels.dtype.type(by)
    for i in range(n_topics):
        k = np.uint64(i)
        labels[at + k] = labels[at + k] * real * values[row + k]


@loose
def divide(labels, at, values, row, by, n_topics):
    """Labels divided by the row of a word, times a number."""
    real = labels.dtype.type(by)
    for i in range(n_topics):
        k = np.uint64(i)
        labels[at + k] = labels[at + k] * real / values[row + k]


@loose
def set_labels(labels, at, values, base, n_topics):
    """Labels of a cluster without tokens: the row of its base, one for every topic if that is below 0."""
    for i in range(n_topics):
        k = np.uint64(i)
        labels[at + k] = values[np.uint64(base) + k] if base >= 0 else labels.dtype.type(1.0)


@loose
def add_labels(out, labels, at, by, n_topics):
    """Add a multiple of the labels."""
    real = labels.dtype.type(by)
    for i in range(n_topics):
        k = np.uint64(i)
        out[k] += real * labels[at + k]


@loose
def add_labels_with(out, labels, at, values, row, by, n_topics):
    """Add a multiple of the labels times the row of a word."""
    real = labels.dtype.type(by)
    for i in range(n_topics):
        k = np.uint64(i)
        out[k] += real * labels[at + k] * values[row + k]
