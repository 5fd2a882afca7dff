"""The flat arrays every kernel works on, bundled in named tuples.

One layout serves both sides of a model. A *cell* is a row of counts: on the topic side a restaurant's row over topics
(column = dish), on the word side one word's row over topics (column = restaurant), or a single count for a node that
is not per topic. With `wide` and `rest_wide` the count of (cell, topic k) and its restaurant are

    cells[cell, ROW] + k * nodes[node, WIDE]     and     cells[cell, REST] + k * nodes[node, REST_WIDE]

so scoring, seating and removal are written once. A local node owns one cell that stands for it in lists; its counts
are in the scratch of the thread that visits the document (general/scratch.py). The terms that scoring reads are kept
beside the counts, so that for every kind of node

    A(N, k) = (stay + gain * open * base) * scale                                              (maths 2)

gem: stay = c - a, gain = 0; dirichlet: stay = c, gain = b; explicit vector: stay = p, gain = 0, scale = 1.

Related arrays are columns of one: a function with many array arguments takes long to compile and to call.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.runtime.bundles import bundle

Ints = NDArray[np.int64]
Ints32 = NDArray[np.int32]
Floats = NDArray[np.float64]
Reals = NDArray[Any]  # float32, or float64 in tests of exactness

BLOCK = 16  # topic columns summed together

# kinds of nodes, and removal rules
GEM, PYP, DIRICHLET = 0, 1, 2
CLAMP, PAPER, SINGLETON = 0, 1, 2
# where the cell of a word-side node is found: at its word, in a list per token or per word, or (local) as it stands
AT_WORD, AT_TOKEN, AT_LISTED_WORD, AS_IS = 0, 1, 2, 3

# columns of Net.nodes and Net.reals
KIND, WIDE, REST_WIDE, LOCAL, LOCAL_INDEX, N_PARENTS, LEARNED = 0, 1, 2, 3, 4, 5, 6
PRIOR_FIRST, TABLE, SHIFT, MASK, EXPLICIT, N_WORDS, OWN, LAYER = 7, 8, 9, 10, 11, 12, 13, 14
SPARE_ROW, UNPACKED = 15, 16
DISCOUNT, BASE, SHAPE, RATE = 0, 1, 2, 3
# columns of Net.cells; of Net.counts and Net.totals; rows of Net.rests
NODE, ROW, REST, TO_ROW, TO_REST = 0, 1, 2, 3, 4
CUSTOMERS, TABLES = 0, 1
DISH = 2  # the third column of Net.packed
PACKED = -1  # in place of ROW
GAIN, SCALE, CONCENTRATION = 0, 1, 2
# entries of Net.status; from LIVE on, one for each topic column
N_COLUMNS, N_LIVE, DOOR, MAX_TOPICS, GEM_CELL, RULE, LIVE = 0, 1, 2, 3, 4, 5, 6
# columns of Side.lists and Side.entries; rows of Side.scratch
FIRST, SHARED = 0, 1
CELL, MODE, PARENTS = 0, 1, 2
AT, PATH, CHOICE = 0, 1, 2
# columns of Text.leaf
LEAF, WORD_LIST = 0, 1


@bundle
class Net(NamedTuple):
    """All restaurants: what the nodes are, where their cells lie, the counts, and what scoring reads."""

    nodes: Ints  # (node, KIND...): shape, index among local nodes, parents, mixing prior, Stirling table, walk digit
    reals: Floats  # (node, DISCOUNT...); base: probability of a dish under a root: 1/V, 1/K, 0 for a gem;
    #   shape and rate: the prior of a shared node's concentrations where every topic has its own, else 0
    prior: Floats  # lambda of learned mixes, fixed weights of others
    cells: Ints  # (cell, NODE...): node, first count, first restaurant, and the same for tables per parent
    counts: Ints32  # (count, CUSTOMERS or TABLES)
    to: Ints32  # tables per parent, of nodes with several
    totals: Ints  # (restaurant, CUSTOMERS or TABLES)
    n_to: Ints
    stay: Reals  # by count
    open: Reals
    rests: Floats  # (GAIN, SCALE or CONCENTRATION, restaurant)
    weight: Floats  # mixing weight per restaurant and parent
    packed: Ints32  # (entry, CUSTOMERS, TABLES or DISH): counts of cells without a row (packed_rows.py)
    packed_first: Ints  # (cell + 1): the first entry of each; empty where every cell has a row
    status: Ints  # number of columns and of live topics, the door, ...; then for each column whether it is live

    @property
    def live(self) -> Ints:
        return self.status[LIVE:]

    @property
    def capacity(self) -> int:
        return len(self.status) - LIVE


@bundle
class Side(NamedTuple):
    """How a token walks through one side: lists of positions, parents before children, leaf as told.

    List l holds the entries lists[l, FIRST]:lists[l + 1, FIRST], the first lists[l, SHARED] of them shared cells. Entry
    e names its cell (topic side) or how to find it (word side, by its mode: first cell, slot of `Text.cells`, or local
    cell), and where its parents' positions start in `par`. `scratch` holds the cells of the current list and the walk
    planned through it, `values` A(N, k) of its shared positions.
    """

    lists: Ints
    entries: Ints
    par: Ints
    scratch: Ints
    values: Reals


@bundle
class Text(NamedTuple):
    """Tokens, document by document, stream by stream, sorted by word; topics and walks are the state."""

    first: Ints  # (document * n_streams + stream)
    word: Ints32
    topic: Ints32
    code: NDArray[np.uint32]
    cells: Ints32  # (slot, token or word): cells of word nodes that do not have one for every word
    context: Ints32  # topic list of a document
    number: Ints32  # of a document in its corpus, which keys its draws: these may be some of its documents
    leaf: Ints  # (context, stream, LEAF or WORD_LIST): position of the topic leaf, and the word list
    partner: Ints  # (stream, stream): do they share a local word node? On the diagonal: is there one?
    concentration: Floats  # (own, document): for a concentration per document
    measures: Reals  # (document, local node, JOINT...), see monitor/log_joint.py


@bundle
class Visit(NamedTuple):
    """Scratch of the collapsed sweep."""

    score: Floats
    form: Floats
    blocks: Floats
    marks: Ints  # [first stale position of the topic list]
