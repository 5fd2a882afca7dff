"""Links as events between topics: pieces of a mixed-membership block model with Poisson rates (maths 6).

Events from i to j come at the rate s_i r_j v_i' L v_j and each has a topic at either end, drawn like the topic of a
token. Given the events, a vector has customers of its own from them, and what is left of the likelihood is
exp(-exposure), a sum over all pairs that needs two vectors of totals and the few pairs that are hidden.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.kernels.numbers.draws import binomial
from pitmanyor.kernels.restaurant.arrays import Floats, Ints
from pitmanyor.kernels.runtime.jit import inner, kernel
from pitmanyor.kernels.runtime.random import stream_key, uniform

UNKNOWN = 2
HALF_GONE, GONE = 1, 2  # of a hidden pair: the other direction is seen, or it is hidden as well


class Dyads(NamedTuple):
    """Pairs of instances with at least one observed link; `forward` and `back` are 0, 1 or UNKNOWN."""

    first: Ints
    second: Ints
    forward: NDArray[np.uint8]
    back: NDArray[np.uint8]


class Hidden(NamedTuple):
    """For every instance those with whom a pair is hidden, and what is left of the pair to them and from them."""

    start: Ints  # (instance + 1)
    other: Ints
    out: NDArray[np.uint8]  # 0, HALF_GONE or GONE
    back: NDArray[np.uint8]


class Blocks(NamedTuple):
    """The unknowns of one link set. Those of an undirected set are symmetric, and `received` is `sent`."""

    vectors: Floats  # (instance, topic)
    rates: Floats  # (topic, topic): L
    sent: Floats  # (instance): s
    received: Floats  # (instance): r
    answer: Floats  # (1): the chance that an event is answered
    totals: Floats  # (2, topic): sum r v and sum s v
    directed: int


class Events(NamedTuple):
    """How many events there were, by what they tell of."""

    customers: Ints  # (instance, topic)
    between: Ints  # (topic, topic)
    sent: Ints  # (instance)
    received: Ints  # (instance)
    answered: Ints  # (2): not answered, answered


@inner
def _poisson(mean, key, n):
    """Arrivals until `mean`, one by one: rates of links are small."""
    k, at = 0, -math.log(uniform(key, n))
    n += 1
    while at < mean:
        k += 1
        at -= math.log(uniform(key, n))
        n += 1
    return k, n


@inner
def _positive_poisson(mean, key, n):
    """Poisson(mean) given that it is not 0: the first arrival comes in time, then the others."""
    first = -math.log1p(uniform(key, n) * math.expm1(-mean))
    k, n = _poisson(mean - first, key, n + 1)
    return k + 1, n


@inner
def dot_all(x, y):
    total = 0.0
    for k in range(len(x)):
        total += x[k] * y[k]
    return total


@inner
def _place(x, y, total, key, n):
    """A topic k with probability x_k y_k / total."""
    left, found = uniform(key, n) * total, 0
    for k in range(len(x)):
        weight = x[k] * y[k]
        if weight > 0.0:
            found = k
            left -= weight
            if left < 0.0:
                break
    return found, n + 1


@inner
def _note(blocks, seen_from, events, i, j, counts, key, n):
    """Topics for unanswered and answered events from i to j. `seen_from` is L v of every instance."""
    events.answered[0] += counts[0]
    events.answered[1] += counts[1]
    more = counts[0] + counts[1]
    events.sent[i] += more
    events.received[j] += more
    for _ in range(more):
        k, n = _place(blocks.vectors[i], seen_from[j], dot_all(blocks.vectors[i], seen_from[j]), key, n)
        m, n = _place(blocks.rates[k], blocks.vectors[j], dot_all(blocks.rates[k], blocks.vectors[j]), key, n)
        events.customers[i, k] += 1
        events.customers[j, m] += 1
        events.between[k, m] += 1
    return n


@inner
def _own_and_answered(mean, q, key, n):
    """Events given that there is at least one: how many of them are not answered, and how many are."""
    both, n = _positive_poisson(mean, key, n)
    answered, n = (0, n) if q == 0.0 else binomial(both, q, key, n)
    return (both - answered, answered), n


@inner
def _mutual(a, b, q, key, n):
    """Events of a pair that is linked both ways: by an answer in either direction, or by events of both."""
    own, other, answers = (1.0 - q) * a, (1.0 - q) * b, q * (a + b)
    by_answer = -math.expm1(-answers)
    by_both = math.exp(-answers) * math.expm1(-own) * math.expm1(-other)
    if uniform(key, n) * (by_answer + by_both) < by_answer:
        both, n = _positive_poisson(answers, key, n + 1)
        mine, n = binomial(both, a / (a + b), key, n)
        x, n = _poisson(own, key, n)
        y, n = _poisson(other, key, n)
        return (x, mine), (y, both - mine), n
    x, n = _positive_poisson(own, key, n + 1)
    y, n = _positive_poisson(other, key, n)
    return (x, 0), (y, 0), n


@inner
def _one_way(a, b, q, key, n):
    """Events of a pair of which one direction is linked and the other unseen: own ones, or answers of the other."""
    both, n = _positive_poisson(a + q * b, key, n)
    mine, n = (both, n) if q * b == 0.0 else binomial(both, a / (a + q * b), key, n)
    answered, n = (0, n) if q == 0.0 or mine == 0 else binomial(mine, q, key, n)
    return (mine - answered, answered), (0, both - mine), n


@kernel
def draw_events(blocks, seen_from, dyads, first, seed, events):
    """The events behind the links, given all unknowns. `first` is the place of the set's first random stream."""
    q, nothing = blocks.answer[0], (0, 0)
    for d in range(len(dyads.first)):
        i, j = dyads.first[d], dyads.second[d]
        key, n = stream_key(seed[0], seed[1], seed[2], first + d, purposes.LINK_EVENTS), np.int64(0)
        a = blocks.sent[i] * blocks.received[j] * dot_all(blocks.vectors[i], seen_from[j])
        b = blocks.sent[j] * blocks.received[i] * dot_all(blocks.vectors[j], seen_from[i])
        there, back = dyads.forward[d], dyads.back[d]
        if there == 1 and back == 1:
            out, home, n = _mutual(a, b, q, key, n)
        elif there == 1 and back == UNKNOWN:
            out, home, n = _one_way(a, b, q, key, n)
        elif back == 1 and there == UNKNOWN:
            home, out, n = _one_way(b, a, q, key, n)
        elif there == 1:
            (x, n), home = _positive_poisson((1.0 - q) * a, key, n), nothing
            out = (x, 0)
        else:
            (x, n), out = _positive_poisson((1.0 - q) * b, key, n), nothing
            home = (x, 0)
        n = _note(blocks, seen_from, events, i, j, out, key, n)
        n = _note(blocks, seen_from, events, j, i, home, key, n)


@inner
def _log_some(rate):
    """log(1 - exp(-rate))."""
    return math.log(max(-math.expm1(-rate), 1e-300))


@kernel
def log_linked(blocks, seen_from, dyads):
    """Sum over dyads with links of log p(dyad) + the exposure that a total over all pairs has counted."""
    q, total = blocks.answer[0], 0.0
    for d in range(len(dyads.first)):
        i, j = dyads.first[d], dyads.second[d]
        a = blocks.sent[i] * blocks.received[j] * dot_all(blocks.vectors[i], seen_from[j])
        b = blocks.sent[j] * blocks.received[i] * dot_all(blocks.vectors[j], seen_from[i])
        there, back = dyads.forward[d], dyads.back[d]
        if there == UNKNOWN or back == UNKNOWN:
            rate = a + q * b if back == UNKNOWN else b + q * a
            total += _log_some(rate) + rate
        elif there == 1 and back == 1:
            answers = q * (a + b)
            both = math.expm1(-(1.0 - q) * a) * math.expm1(-(1.0 - q) * b)
            total += math.log(max(-math.expm1(-answers) + math.exp(-answers) * both, 1e-300)) + a + b
        else:
            own = (1.0 - q) * (a if there == 1 else b)
            total += _log_some(own) + own
    return total
