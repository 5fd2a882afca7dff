"""Tokens of two topics, or of one, taken out of a document and allocated again (maths 4, split and merge).

The labels of a document's tokens are strongly correlated, so they are drawn in blocks, with a look-ahead factor for the
effect of each choice on the following tokens. This factor may be approximate, because it is part of the proposal and
cancels in the acceptance ratio.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.restaurant.arrays import (
    Floats,
    Ints,
    Ints32,
)
from pitmanyor.kernels.runtime.bundles import bundle
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import uniform
from pitmanyor.kernels.split_merge.foresight import (
    TOPIC_SIDE,
    WORD_SIDE,
    progress_of,
    see,
    weigh,
)
from pitmanyor.kernels.split_merge.franchise import Branch, product_of, sit_down, stand_up
from pitmanyor.kernels.split_merge.look_ahead import look_ahead, twist
from pitmanyor.kernels.split_merge.visits import (
    NOWHERE,
    Arrays,
    encode,
    lay_out,
    lay_out_token,
    places_of,
    recode_topics,
    recode_word,
    stream_of,
)

BLOCK_TOKENS = 64  # tokens of a block at most
N_ANCHORS = 2  # the first two tokens of a path open the two topics


@bundle
class Path(NamedTuple):
    """The tokens of a move in the order in which they are seated, document by document, and their walks."""

    token: Ints
    bounds: Ints  # (visit + 1) tokens of one document, in order
    topic: Ints32  # before the move
    code: NDArray[np.uint32]
    left: NDArray[np.int8]  # (token, position of the topic list, then of the word list): what its leaving undid
    seated: NDArray[np.int8]  # the same of the proposal
    n_in: Ints  # tokens seated in either topic so far


@bundle
class Launch(NamedTuple):
    """A first guess at the split, if there is one: the words of tokens not yet seated, by topic."""

    share: Floats  # (token of the path): of the second topic
    counts: Floats  # (word, topic): of all streams, one after the other
    frequency: Floats  # (word): in all tokens of the move
    seen: Floats  # (word): in those that are seated
    spread: Floats  # [sums of the square roots of both: tables grow about like that]
    totals: Floats  # (stream, topic)
    offset: Ints  # (stream): its first word
    weight: Floats  # [of a token not yet seated, relative to a seated one]


@bundle
class Room(NamedTuple):
    """Scratch of one block."""

    values: Floats  # (topic side, word side of either topic; position): A
    weights: Floats  # (token, topic): a of (2.1), summed over walks
    worth: Floats  # (token, topic): of its word
    lean: Floats  # (token, topic): the launch's factor of the proposal
    opens: Floats  # (topic side, word side of either topic; position): the proposal's factors of opening a table
    done: Floats  # the same: the share of a dish's customers that are seated already
    ahead: Floats  # (token, how many before it are in the second topic)
    leaves: Floats  # (stream; weight of either topic, what a token adds, discount)
    found: Ints  # [stream and word that are loaded]


@bundle
class Move(NamedTuple):
    """All that a move needs."""

    world: Arrays
    room: Room
    path: Path
    launch: Launch


@inner
def seat_token(world, room, path, i, place, at, key, n):
    """Seat token i of a path in one of the two topics, whose values `weigh` has left; returns log a/q of its walk."""
    part, leaf, word_side, bottom = place
    net, doc, text, walk = world.net, world.doc, world.text, path.seated[i]
    n_positions, (which, k), token = world.topics.scratch.shape[1], at, path.token[i]
    topic, word, above, below = TOPIC_SIDE + which, WORD_SIDE + which, walk[:n_positions], walk[n_positions:]
    topics, words, values, opens = world.topics, world.words, room.values, room.opens
    branch, word_branch = Branch(topics, part, leaf), Branch(words, word_side, bottom)
    one, n = sit_down(net, doc, branch, at, (values[topic], opens[topic]), above, key, n)
    two, n = sit_down(net, doc, word_branch, at, (values[word], opens[word]), below, key, n)
    code = encode(net, topics, part, leaf, above, 0)
    text.topic[token], text.code[token] = k, encode(net, words, word_side, bottom, below, code)
    path.n_in[which] += 1
    return -math.log(one * two), n


@inner
def take_token(world, room, path, i, place, pair, key, n):
    """Take token i of a path out of its topic; returns which of the two it was, and the counter."""
    part, leaf, word_side, bottom = place
    net, tables, doc, text, walk = world.net, world.tables, world.doc, world.text, path.left[i]
    n_positions, token = world.topics.scratch.shape[1], path.token[i]
    which = 0 if text.topic[token] == pair[0] else 1
    at = (which, pair[which])
    n = stand_up(net, tables, doc, Branch(world.topics, part, leaf), at, walk[:n_positions], key, n)
    n = stand_up(net, tables, doc, Branch(world.words, word_side, bottom), at, walk[n_positions:], key, n)
    text.topic[token] = NOWHERE
    path.n_in[which] -= 1
    return which, n


@inner
def log_walk(world, room, path, i, place, which):
    """log a/q of the walk that a token undid, after `weigh`."""
    part, leaf, word_side, bottom = place
    n_positions, walk, net = world.topics.scratch.shape[1], path.left[i], world.net
    one = product_of(net, world.topics, part, leaf, walk[:n_positions], room.opens[TOPIC_SIDE + which])
    two = product_of(net, world.words, word_side, bottom, walk[n_positions:], room.opens[WORD_SIDE + which])
    return -math.log(one * two)


@inner
def expect(world, path, launch, visit, d, sign):
    """Add the tokens of a visit to those not yet seated (sign 1), or remove them (-1)."""
    for i in range(path.bounds[visit], path.bounds[visit + 1]):
        s = stream_of(world.text, d, path.token[i])
        at = launch.offset[s] + world.text.word[path.token[i]]
        for which in range(2):
            x = sign * (launch.share[i] if which else 1.0 - launch.share[i])
            launch.counts[at, which] += x
            launch.totals[s, which] += x


@inner
def seat_document(move, visit, d, pair, key, n):
    """Allocate the tokens of one visit; returns the sum of log a/q and the counter.

    With pair[1] < 0 all tokens go to the one topic there is. The first two tokens of a path to two topics are anchors.
    """
    world, room, path, launch = move
    start, stop, total = path.bounds[visit], path.bounds[visit + 1], 0.0
    lay_out(world.net, world.terms, world.doc, world.text, world.topics, world.words, d, pair)
    expect(world, path, launch, visit, d, -1.0)
    room.found[0] = -1
    for lo in range(start, stop, BLOCK_TOKENS):
        hi, m = min(lo + BLOCK_TOKENS, stop), 0
        free = pair[1] >= 0 and lo >= N_ANCHORS
        if free:
            look_ahead(move, lo, hi, visit, d, pair)
        for i in range(lo, hi):
            s = stream_of(world.text, d, path.token[i])
            place = places_of(world, d, s)
            lay_out_token(world, room, d, s, path.token[i], pair)
            progress = progress_of(world, path, launch, i, visit, s, path.token[i])
            which = i if pair[1] >= 0 and i < N_ANCHORS else 0
            if free:
                one = weigh(world, room, place, pair, 0, progress) * twist(room, i - lo, m, 0)
                two = weigh(world, room, place, pair, 1, progress) * twist(room, i - lo, m, 1)
                which = 0 if uniform(key, n) * (one + two) < one else 1
                n += 1
                total += math.log((one + two) / twist(room, i - lo, m, which))
                m += which
            else:
                total += math.log(weigh(world, room, place, pair, which, progress))
            part, n = seat_token(world, room, path, i, place, (which, pair[which]), key, n)
            see(launch, launch.offset[s] + world.text.word[path.token[i]], 1.0)
            total += part
    return total, n


@inner
def empty_document(move, visit, d, pair, how, key, n):
    """Take the tokens of one visit out again, last first; returns the same sum for the way they were seated.

    `how` is (mixed, weighed). Mixed: local word nodes count several topics together, so that the walks of others change
    too. Not weighed: the sum is not needed, and is 0.
    """
    (world, room, path, launch), (mixed, weighed) = move, how
    start, stop, total = path.bounds[visit], path.bounds[visit + 1], 0.0
    net, text = world.net, world.text
    found = lay_out(net, world.terms, world.doc, text, world.topics, world.words, d, pair)
    some_left = mixed or found > stop - start
    room.found[0] = -1
    n_blocks = (stop - start + BLOCK_TOKENS - 1) // BLOCK_TOKENS
    for block in range(n_blocks - 1, -1, -1):
        lo = start + block * BLOCK_TOKENS
        hi, m = min(lo + BLOCK_TOKENS, stop), 0
        free = weighed and pair[1] >= 0 and lo >= N_ANCHORS
        for i in range(hi - 1, lo - 1, -1):
            s = stream_of(text, d, path.token[i])
            place = places_of(world, d, s)
            lay_out_token(world, room, d, s, path.token[i], pair)
            which, n = take_token(world, room, path, i, place, pair, key, n)
            see(launch, launch.offset[s] + text.word[path.token[i]], -1.0)
            if weighed:
                progress = progress_of(world, path, launch, i, visit, s, path.token[i])
                for other in range(2):
                    if free or other == which:
                        room.weights[i - lo, other] = weigh(world, room, place, pair, other, progress)
                total += log_walk(world, room, path, i, place, which)
            if (some_left or lo > start) and (i == lo or _is_other_word(text, d, path.token[i], path.token[i - 1])):
                recode_word(net, world.doc, text, world.words, d, s, text.word[path.token[i]], pair)
                room.found[0] = -1
            if weighed and not free:
                total += math.log(room.weights[i - lo, which])
        if free:
            look_ahead(move, lo, hi, visit, d, pair)
            for i in range(lo, hi):
                which = 0 if path.topic[i] == pair[0] else 1
                one = room.weights[i - lo, 0] * twist(room, i - lo, m, 0)
                two = room.weights[i - lo, 1] * twist(room, i - lo, m, 1)
                total += math.log((one + two) / twist(room, i - lo, m, which))
                m += which
    if some_left:
        recode_topics(net, world.doc, text, world.topics, d, pair)
    expect(world, path, launch, visit, d, 1.0)
    return total, n


@inlined
def _is_other_word(text, d, token, other):
    return text.word[token] != text.word[other] or stream_of(text, d, token) != stream_of(text, d, other)
