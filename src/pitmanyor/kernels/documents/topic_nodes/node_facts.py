"""What the topic nodes of a document are: kinds, concentrations, parents and their rows."""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.one_node.scratch import CONSTANT
from pitmanyor.kernels.documents.topic_nodes.scratch import (
    CONC,
    CONTEXT,
    DIGIT,
    DIGITS,
    FACTS,
    FIRST_ROW,
    ID,
    MIXED,
    N_UP,
    NEXT,
    NODE_CUSTOMERS,
    NODE_TABLES,
    ONE,
    PLACE,
    PRIOR,
    PRIORS,
    SCALARS,
    SENT,
    SHARE,
    SORT,
    STEP,
    TERMS,
    UP,
)
from pitmanyor.kernels.restaurant.arrays import (
    BASE,
    CELL,
    CONCENTRATION,
    DISCOUNT,
    FIRST,
    KIND,
    LEARNED,
    LOCAL_INDEX,
    MASK,
    N_PARENTS,
    NODE,
    OWN,
    PARENTS,
    PRIOR_FIRST,
    REST,
    ROW,
    SHARED,
    SHIFT,
    TABLE,
    WORD_LIST,
)
from pitmanyor.kernels.restaurant.small_terms import place_of
from pitmanyor.kernels.runtime.jit import inlined


@inlined
def set_nodes(arrays, frame, d):
    """Local nodes of document d, without customers. Documents of one context, which follow each other, share them."""
    net, text, rows = arrays.franchise.net, arrays.text, arrays.scratch
    context = np.int64(text.context[d])
    if rows.known[CONTEXT] != context:
        rows.known[CONTEXT] = context
        set_parents(arrays, frame, context)
    for j in range(frame.n_local):
        fact = np.uint64(j) * FACTS
        rows.facts[fact + NODE_CUSTOMERS], rows.facts[fact + NODE_TABLES] = 0, 0
        rows.facts[fact + SENT], rows.facts[fact + SENT + ONE] = 0, 0
        own = net.nodes[rows.facts[fact + ID], OWN]
        if own >= 0:
            rows.scalars[np.uint64(j) * SCALARS + CONC] = text.concentration[own, d]


@inlined
def set_parents(arrays, frame, context):
    """What the local nodes of a context are: their parents' rows, concentrations and mixing weights."""
    net, text, topics, words, rows = arrays.franchise.net, arrays.text, arrays.topics, arrays.words, arrays.scratch
    entry, n_shared, used = topics.lists[context, FIRST], topics.lists[context, SHARED], 0
    n_bases, width = frame.n_bases, np.int64(frame.width)
    for j in range(frame.n_local):
        node = net.cells[topics.entries[entry + n_shared + j, CELL], NODE]
        set_node(net, arrays.franchise.terms, rows, j, node, (n_bases + 3 * j) * width)
        fact, n_parents = np.uint64(j) * FACTS, net.nodes[node, N_PARENTS]
        for i in range(max(n_parents, 1)):
            pos = np.int64(CONSTANT)
            if n_parents > 0:
                pos = topics.par[topics.entries[entry + n_shared + j, PARENTS] + i]
            if pos >= n_shared:
                rows.facts[fact + UP + np.uint64(i)] = (n_bases + 3 * (pos - n_shared)) * width
                rows.facts[fact + NEXT + np.uint64(i)] = pos - n_shared
                continue
            row = 0
            while row < used and rows.bases[2 * row] != pos:
                row += 1
            if row == used:
                rows.bases[2 * row] = pos
                rows.bases[2 * row + 1] = CONSTANT if pos < 0 else net.cells[topics.entries[entry + pos, CELL], ROW]
                used += 1
            rows.facts[fact + UP + np.uint64(i)] = row * width
            rows.facts[fact + NEXT + np.uint64(i)] = -1
        if n_parents < 2:  # the second parent is read with a share of 0
            rows.facts[fact + UP + ONE] = rows.facts[fact + UP]
            rows.facts[fact + NEXT + ONE] = rows.facts[fact + NEXT]
    for s in range(text.leaf.shape[1]):
        which = text.leaf[context, s, WORD_LIST]
        for r in range(n_bases):
            rows.pairs[s * n_bases + r] = arrays.sums.pair[rows.bases[2 * r] + 1, s, words.lists[which, SHARED]]


@inlined
def set_node(net, terms, rows, j, node, at):
    """The properties of local node j, whose first row is `at`, except for its parents."""
    fact, scalar, n_parents = np.uint64(j) * FACTS, np.uint64(j) * SCALARS, net.nodes[node, N_PARENTS]
    rows.facts[fact + ID], rows.facts[fact + SORT] = node, net.nodes[node, KIND]
    rows.facts[fact + TERMS] = np.int64(place_of(net.nodes[node, TABLE], 0, 0))
    rows.facts[fact + DIGIT], rows.facts[fact + DIGITS] = net.nodes[node, SHIFT], net.nodes[node, MASK]
    rows.facts[fact + MIXED] = n_parents > 1 and net.nodes[node, LEARNED] != 0
    rows.facts[fact + N_UP], rows.facts[fact + FIRST_ROW], rows.facts[fact + PLACE] = (
        n_parents,
        at,
        net.nodes[node, LOCAL_INDEX],
    )
    rows.scalars[scalar + CONC] = net.rests[CONCENTRATION, terms.cells[net.nodes[node, LOCAL_INDEX], REST]]
    rows.scalars[scalar + STEP], rows.scalars[scalar + PRIORS] = net.reals[node, DISCOUNT], 0.0
    rows.scalars[scalar + SHARE] = net.reals[node, BASE] if n_parents == 0 else 1.0
    rows.scalars[scalar + SHARE + ONE] = 0.0
    for p in range(n_parents if n_parents > 1 else 0):
        i, prior = np.uint64(p), net.prior[net.nodes[node, PRIOR_FIRST] + p]
        rows.scalars[scalar + PRIOR + i], rows.scalars[scalar + SHARE + i] = prior, prior
        rows.scalars[scalar + PRIORS] += prior
