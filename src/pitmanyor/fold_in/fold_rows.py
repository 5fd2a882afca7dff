"""What the kernels that fold documents in read: fixed vectors and tokens as rows (fold_in/fold_one_node.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.fold_in.fixed_vectors import Vectors
from pitmanyor.graph import Node
from pitmanyor.kernels.documents.fold_in.fold_one_node import SMALL
from pitmanyor.kernels.documents.general.scratch import fill_terms
from pitmanyor.kernels.numbers.stirling import StirlingTables, build_tables
from pitmanyor.kernels.restaurant.arrays import BLOCK, CLAMP
from pitmanyor.kernels.runtime.simd import WIDTH
from pitmanyor.plan import Plan
from pitmanyor.state.scratch_arrays import LINES
from pitmanyor.state.state import padded

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Reals = NDArray[np.float32]
MOST_BYTES = 64 << 20  # of Stirling ratios; those beyond are computed
LINE_BYTES = 64
UNIFORM = ""  # in place of a shared node's name: all topics alike


def token_rows(plan: Plan, vectors: Vectors, n_topics: int) -> tuple[Reals, Ints]:
    """The vectors phi_w of all streams' words, one under the other, and every token's row."""
    parts, row, start = [], np.empty(plan.n_tokens, np.int64), 0
    stream_of, document = plan.order.stream, plan.order.document
    for s, stream in enumerate(plan.graph.streams):
        own, instance = word_base(plan, vectors, stream.emit, n_topics)
        at = np.flatnonzero(stream_of == s)
        row[at] = start + instance[document[at]] * own.shape[2] + plan.order.word[at]
        parts.append(own.transpose(0, 2, 1).reshape(-1, n_topics))
        start += len(parts[-1])
    return stacked(parts), row


def word_base(plan: Plan, vectors: Vectors, emit: str, n_topics: int) -> tuple[Floats, Ints]:
    """Fixed words, (instance, topic, word), and every document's instance; below a document's own words, their base."""
    node = plan.graph[emit]
    if node.local and not node.parents:
        n_words = len(plan.words[emit])
        return np.full((1, n_topics, n_words), 1.0 / n_words), np.zeros(plan.n_documents, np.int64)
    name = node.parents[0] if node.local else emit
    values = vectors[name]
    return np.broadcast_to(values, (len(values), n_topics, values.shape[2])), plan.instances[name].of_document


def base_rows(plan: Plan, vectors: Vectors, names: Sequence[str], n_topics: int) -> tuple[Reals, Ints]:
    """The vectors of shared topic-side nodes, one under the other, and every document's row of each."""
    parts, of_document, start = [], np.zeros((plan.n_documents, len(names)), np.int64), 0
    for b, name in enumerate(names):
        own = vectors[name][:, 0] if name != UNIFORM else np.full((1, n_topics), 1.0 / n_topics)
        of_document[:, b] = start + (plan.instances[name].of_document if name != UNIFORM else 0)
        parts.append(own)
        start += len(own)
    return stacked(parts), of_document


def bases_of(node: Node) -> tuple[str, ...]:
    return node.parents or (UNIFORM,)


def stacked(parts: Sequence[Floats]) -> Reals:
    """Rows of several tables, one under the other, in float32 and with zeros up to whole blocks."""
    n_topics = parts[0].shape[1]
    out = aligned((sum(map(len, parts)), padded(n_topics)), np.float32)
    np.concatenate(parts, out=out[:, :n_topics], casting="same_kind")
    return out


def aligned(shape: tuple[int, ...], kind: type[np.float32 | np.int32]) -> NDArray[Any]:
    """Zeros that begin where memory hands a line over: a vector across two lines takes twice as long."""
    n_bytes = math.prod(shape) * np.dtype(kind).itemsize
    raw = np.empty(n_bytes + LINE_BYTES, np.uint8)
    start = -raw.ctypes.data % LINE_BYTES
    out = raw[start : start + n_bytes].view(kind).reshape(shape)
    out[:] = 0
    return out


def terms_of(discounts: Sequence[float], longest: int) -> tuple[StirlingTables, Floats]:
    """Stirling ratios of some discounts, and the terms of small counts under the rule `clamp`."""
    tables = build_tables(list(discounts), max(longest, SMALL) + 2, SMALL + 2, MOST_BYTES)
    small = np.zeros((len(discounts), SMALL, SMALL, 4))
    fill_terms(small, tables, np.array(discounts), CLAMP)
    return tables, small


def new_starts(n_threads: int, size: int, n_topics: int) -> Reals:
    """Whole vectors of the starts of blocks, and nothing starts beyond the last."""
    n_blocks = padded(n_topics) // BLOCK
    starts = aligned((n_threads, size * (-(-n_blocks // WIDTH) * WIDTH) + LINES // 4), np.float32)  # threads apart
    starts[:] = np.inf
    return starts


def ints(*shape: int) -> NDArray[np.int32]:
    """Scratch in which every entry says `NONE`."""
    return np.full(shape, -1, np.int32)
