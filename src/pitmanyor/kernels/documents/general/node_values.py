"""A of the local nodes of one document over its shared parents, slot by slot (maths 2 and 4).

`part` is (entry of the list, number of its shared positions, dense): a shared position's A is read from `side.values`
where it was scored for all topics (dense, the collapsed sweep), else from its explicit vector. The restaurants of a
node that is not per topic, and the counts of one that has no column per topic, stand in the common slot."""

from __future__ import annotations

from pitmanyor.kernels.documents.general.scratch import (
    LOCAL_GAIN,
    LOCAL_SCALE,
    NODES,
    OF_TOPIC,
    TOKENS,
    VALUE,
    WEIGHT,
    open_slot,
)
from pitmanyor.kernels.restaurant.arrays import (
    AT,
    BASE,
    LOCAL_INDEX,
    N_PARENTS,
    NODE,
    PARENTS,
    PRIOR_FIRST,
    REST_WIDE,
    ROW,
    WIDE,
)
from pitmanyor.kernels.restaurant.small_terms import OPEN, STAY
from pitmanyor.kernels.runtime.jit import inlined, inner


@inlined
def places(net, doc, node, h):
    """Slots of a node's counts and of its restaurant for slot h."""
    common = len(doc.slots) - 1
    return (h if net.nodes[node, WIDE] else common), (h if net.nodes[node, REST_WIDE] else common)


@inlined
def shared_value(net, side, dense, pos, k):
    """A of a shared position: as scored, or the explicit p."""
    cell = side.scratch[AT, pos]
    column = k * net.nodes[net.cells[cell, NODE], WIDE]
    if dense:
        return float(side.values[pos, column])
    return float(net.stay[net.cells[cell, ROW] + column])


@inlined
def value_at(net, doc, side, part, pos, h, k):
    """A of any position for the topic k of slot h."""
    if pos < part[1]:
        return shared_value(net, side, part[2], pos, k)
    return doc.reals[h, net.nodes[net.cells[side.scratch[AT, pos], NODE], LOCAL_INDEX], VALUE]


@inlined
def base_value(net, doc, side, part, pos, h, k):
    """sum_i r_i A(P_i, k) of a local position."""
    node = net.cells[side.scratch[AT, pos], NODE]
    n_parents = net.nodes[node, N_PARENTS]
    if n_parents == 0:
        return net.reals[node, BASE]
    first = side.entries[part[0] + pos, PARENTS]
    if n_parents == 1:
        return value_at(net, doc, side, part, side.par[first], h, k)
    _, rest = places(net, doc, node, h)
    total = 0.0
    for i in range(n_parents):
        total += doc.reals[rest, net.nodes[node, LOCAL_INDEX], WEIGHT + i] * value_at(
            net, doc, side, part, side.par[first + i], h, k
        )
    return total


@inlined
def join_slot(net, terms, doc, topics, words, place, k):
    """The slot of topic k with one token more; the values of a new slot are computed first."""
    part, leaf, word_side, bottom = place
    fresh = doc.slot_of[k] < 0
    h = open_slot(net, terms, doc, k)
    doc.slots[h, TOKENS] += 1
    if fresh:
        evaluate(net, doc, topics, part, leaf, h)
        evaluate(net, doc, words, word_side, bottom, h)
    return h


@inlined
def evaluate(net, doc, side, part, leaf, h):
    """A(leaf, k) for the topic of slot h; every local position up to the leaf keeps its value in the scratch."""
    k = doc.slots[h, OF_TOPIC]
    for pos in range(part[1], leaf + 1):
        node = net.cells[side.scratch[AT, pos], NODE]
        j = net.nodes[node, LOCAL_INDEX]
        at, rest = places(net, doc, node, h)
        base = base_value(net, doc, side, part, pos, h, k)
        doc.reals[h, j, VALUE] = (
            doc.reals[at, j, STAY] + doc.reals[rest, j, LOCAL_GAIN] * doc.reals[at, j, OPEN] * base
        ) * doc.reals[rest, j, LOCAL_SCALE]
    return value_at(net, doc, side, part, leaf, h, k)


@inner
def linearise(net, doc, side, part, leaf, which):
    """A(leaf, k) of a topic that no slot holds: offset + sum of slope * A over the shared positions (maths 4).

    Left in row `which` (TOPIC or WORD) of `doc.forms`.
    """
    common = len(doc.slots) - 1
    for pos in range(part[1], leaf + 1):
        node = net.cells[side.scratch[AT, pos], NODE]
        j = net.nodes[node, LOCAL_INDEX]
        stay, factor = 0.0, 1.0  # an empty restaurant of its own
        if net.nodes[node, REST_WIDE] == 0:
            factor = doc.reals[common, j, LOCAL_GAIN] * doc.reals[common, j, LOCAL_SCALE]
            if net.nodes[node, WIDE] == 0:
                stay, factor = (
                    doc.reals[common, j, STAY] * doc.reals[common, j, LOCAL_SCALE],
                    factor * doc.reals[common, j, OPEN],
                )
        n_parents = net.nodes[node, N_PARENTS]
        doc.forms[NODES + j, 0] = stay + (factor * net.reals[node, BASE] if n_parents == 0 else 0.0)
        for s in range(part[1]):
            doc.forms[NODES + j, 1 + s] = 0.0
        first = side.entries[part[0] + pos, PARENTS]
        for i in range(n_parents):
            _add_form(net, doc, side, part, side.par[first + i], j, factor * _urn(net, doc, node, j, common, i))
    doc.forms[which, 0] = 0.0
    for s in range(part[1]):
        doc.forms[which, 1 + s] = 0.0
    if leaf >= part[1]:
        j = net.nodes[net.cells[side.scratch[AT, leaf], NODE], LOCAL_INDEX]
        doc.forms[which, 0] = doc.forms[NODES + j, 0]
        for s in range(part[1]):
            doc.forms[which, 1 + s] = doc.forms[NODES + j, 1 + s]
    elif net.nodes[net.cells[side.scratch[AT, leaf], NODE], WIDE]:
        doc.forms[which, 1 + leaf] = 1.0
    else:
        doc.forms[which, 0] = shared_value(net, side, part[2], leaf, 0)


@inlined
def _add_form(net, doc, side, part, parent, j, share):
    """Add `share` times the form of a parent position to that of local node j."""
    if parent >= part[1]:
        up = net.nodes[net.cells[side.scratch[AT, parent], NODE], LOCAL_INDEX]
        doc.forms[NODES + j, 0] += share * doc.forms[NODES + up, 0]
        for s in range(part[1]):
            doc.forms[NODES + j, 1 + s] += share * doc.forms[NODES + up, 1 + s]
    elif net.nodes[net.cells[side.scratch[AT, parent], NODE], WIDE]:
        doc.forms[NODES + j, 1 + parent] += share
    else:
        doc.forms[NODES + j, 0] += share * shared_value(net, side, part[2], parent, 0)


@inlined
def _urn(net, doc, node, j, common, i):
    """r_i of the restaurant that a topic without slot would see."""
    if net.nodes[node, N_PARENTS] == 1:
        return 1.0
    if net.nodes[node, REST_WIDE] == 0:
        return doc.reals[common, j, WEIGHT + i]
    p, total = net.nodes[node, PRIOR_FIRST], 0.0
    for q in range(net.nodes[node, N_PARENTS]):
        total += net.prior[p + q]
    return net.prior[p + i] / total
