"""The flat arrays every kernel works on, bundled in named tuples.

One layout serves both sides of a model. A *cell* is a row of counts: on the topic side a restaurant's row over topics
(column = dish), on the word side one word's row over topics (column = restaurant), or a single count for a node that
is not per topic. With `wide` and `rest_wide` the count of (cell, topic k) and its restaurant are

    row[cell] + k * wide[node]          and          rest[cell] + k * rest_wide[node]

so scoring, seating and removal are written once. A local node owns one cell that stands for it in lists; its counts
are on the desk of the thread that visits the document (kernels/desk.py). The terms that scoring reads are kept beside the counts, so that for every kind of node

    A(N, k) = (stay + gain * open * base) * scale                                              (maths 2)

gem: stay = c - a, gain = 0; dirichlet: stay = c, gain = b; explicit vector: stay = p, gain = 0, scale = 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Ints32 = NDArray[np.int32]
Floats = NDArray[np.float64]
Reals = NDArray[np.floating]

GEM, PYP, DIRICHLET = 0, 1, 2
CLAMP, PAPER, SINGLETON = 0, 1, 2
# where the cell of a word-side node is found: at its word, in a list per token, or (local) as it stands
AT_WORD, AT_TOKEN, AS_IS = 0, 1, 2
# the fields of `Net.status`
N_COLUMNS, N_LIVE, DOOR, MAX_TOPICS, GEM_CELL, RULE = 0, 1, 2, 3, 4, 5
BLOCK = 16


class Net(NamedTuple):
    """All restaurants: what the nodes are, where their cells lie, the counts, and what scoring reads."""

    # nodes
    kind: Ints
    wide: Ints
    rest_wide: Ints
    local: Ints
    desk: Ints  # a local node's column on the desk (kernels/desk.py), -1 for a shared one
    n_parents: Ints
    base: Floats  # probability of one dish under a root's base: 1/V, 1/K; 0 for a gem
    n_words: Ints  # dishes of a word-side node
    learned: Ints  # are the mixing weights learned?
    prior_first: Ints
    prior: Floats  # lambda of a learned mix, or its fixed weights
    discount: Floats
    table: Ints  # index of the discount among the Stirling tables
    shift: Ints  # a local node's digit in a token's walk code
    mask: Ints
    explicit: Ints  # 1 while the node is a probability vector
    # cells
    node: Ints32
    row: Ints
    rest: Ints
    to_row: Ints
    to_rest: Ints
    # counts per (cell, column) and per restaurant
    customers: Ints32
    tables: Ints32
    to: Ints32
    n_customers: Ints
    n_tables: Ints
    n_to: Ints
    # what scoring reads
    stay: Reals
    open: Reals
    gain: Floats
    scale: Floats
    weight: Floats
    concentration: Floats
    # topics
    live: Ints
    status: Ints


class Side(NamedTuple):
    """How a token walks through one side: lists of positions, parents before children, leaf as told.

    List l holds the entries first[l]:first[l + 1]; entry e has its parents' positions (within the list) at
    par[par_first[e]:par_first[e + 1]]. A document's topic list holds its shared ancestors, then its local nodes.
    """

    first: Ints
    cell: Ints  # topic side: the cell; word side: first cell, slot of `Text.cells`, or local cell, by `mode`
    mode: Ints
    par_first: Ints
    par: Ints
    n_shared: Ints  # how many positions of a list are shared cells
    # scratch of one visit
    cells: Ints
    path: Ints
    choice: Ints
    values: Reals  # (position, column): A(N, k)


class Text(NamedTuple):
    """Tokens, document by document, stream by stream, sorted by word; topics and walks are the state."""

    first: Ints  # (document * n_streams + stream)
    word: Ints32
    topic: Ints32
    code: NDArray[np.uint32]
    cells: Ints32  # (slot, token): cells of word nodes on grouping plates
    context: Ints32  # topic list of a document
    leaf: Ints  # (context, stream) -> position of the topic leaf
    word_list: Ints  # (context, stream) -> word list
    has_local: Ints  # per stream: is any of its word nodes local?
    partner: Ints  # (stream, stream): do they share a local word node?
    local_concentration: Floats  # (local node, document), for a concentration per document
    own_concentration: Ints  # per node: row of `local_concentration`, or -1


class Visit(NamedTuple):
    """Scratch of the collapsed sweep."""

    score: Floats
    form: Floats
    blocks: Floats
    marks: Ints  # [first stale position of the topic list]
