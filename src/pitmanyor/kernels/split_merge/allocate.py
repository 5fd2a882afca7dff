"""Tokens of two topics, or of one, taken out of a document and allocated again (maths 4, split and merge).

A document's tokens cling together, so they are allocated in blocks: the labels of a block are drawn with a look ahead
at what the choice is worth to the tokens that follow. The look ahead may be rough. It is a factor of the proposal,
and the acceptance divides it out again.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.documents.general.document import set_word_cells, word_leaf, word_part
from pitmanyor.kernels.documents.general.scratch import N_CUSTOMERS
from pitmanyor.kernels.restaurant.arrays import (
    DISCOUNT,
    EXPLICIT,
    KIND,
    LEAF,
    LOCAL_INDEX,
    N_PARENTS,
    PYP,
    REST_WIDE,
    WORD_LIST,
    Floats,
    Ints,
    Ints32,
)
from pitmanyor.kernels.restaurant.packed_rows import unpack_cells
from pitmanyor.kernels.restaurant.seating import cell_at, first_parent, node_of
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import uniform
from pitmanyor.kernels.split_merge.franchise import counts_at, predict, product_of, sit_down, stand_up
from pitmanyor.kernels.split_merge.visits import (
    NOWHERE,
    encode,
    lay_out,
    lay_out_word,
    list_of_topics,
    recode_topics,
    recode_word,
)

BLOCK_TOKENS = 64  # tokens of a block at most
N_ANCHORS = 2  # the first two tokens of a path open the two topics
LEAST_LOOK_AHEAD = 1e-290  # of a look ahead, so that no allocation is impossible
LAUNCH_TOKENS = 20.0  # tokens: how soon the words seated so far count as much as those of the launch
TOPIC_SIDE, WORD_SIDE = 0, 2  # rows of Room.values, the second topic's after the first's


class Path(NamedTuple):
    """The tokens of a move in the order in which they are seated, document by document, and their walks."""

    token: Ints
    bounds: Ints  # (visit + 1) tokens of one document, in order
    topic: Ints32  # before the move
    code: NDArray[np.uint32]
    left: NDArray[np.int8]  # (token, position of the topic list, then of the word list): what its leaving undid
    seated: NDArray[np.int8]  # the same of the proposal
    n_in: Ints  # tokens seated in either topic so far


class Launch(NamedTuple):
    """A first guess at the split: the words that tokens not yet seated will bring to either topic, if there is one."""

    share: Floats  # (token of the path): of the second topic
    counts: Floats  # (word, topic): of all streams, one after the other
    frequency: Floats  # (word): in all tokens of the move
    seen: Floats  # (word): in those that are seated
    spread: Floats  # [sums of the square roots of both: tables grow about like that]
    totals: Floats  # (stream, topic)
    offset: Ints  # (stream): its first word
    weight: Floats  # [of a token that is yet to come, beside one that is seated]


class Room(NamedTuple):
    """Scratch of one block."""

    values: Floats  # (topic side, word side of either topic; position): A
    weights: Floats  # (token, topic): a of (2.1), summed over walks
    worth: Floats  # (token, topic): of its word
    lean: Floats  # (token, topic): the launch's factor of the proposal
    opens: Floats  # (topic side, word side of either topic; position): the proposal's factors of opening a table
    done: Floats  # the same: the share of a dish's customers that have come
    ahead: Floats  # (token, how many before it are in the second topic)
    leaves: Floats  # (stream; weight of either topic, what a token adds, discount)
    found: Ints  # [stream and word that are loaded]


@inlined
def stream_of(text, d, token):
    n_streams, s = text.leaf.shape[1], 0
    while token >= text.first[d * n_streams + s + 1]:
        s += 1
    return s


@inner
def lay_out_token(world, room, d, s, token, pair):
    """Point the word list at a token; its word's counts at local nodes are laid out unless they are there."""
    text, words = world.text, world.words
    if text.partner[s, s] and (room.found[0] != s or room.found[1] != text.word[token]):
        lay_out_word(world.net, world.terms, world.doc, text, words, d, s, text.word[token], pair)
        room.found[0], room.found[1] = s, text.word[token]
    set_word_cells(words, text, text.leaf[text.context[d], s, WORD_LIST], token)
    unpack_cells(world.net, world.tables, world.terms, words, text.leaf[text.context[d], s, WORD_LIST])


@inlined
def places_of(world, d, s):
    """Lists and leaves of both sides for a stream of a document."""
    text = world.text
    which = text.leaf[text.context[d], s, WORD_LIST]
    part, word_side = list_of_topics(world.topics, text, d), word_part(world.words, which, False)
    return part, text.leaf[text.context[d], s, LEAF], word_side, word_leaf(world.words, which)


@inner
def weigh(world, room, place, pair, which, progress):
    """The weight of one of the two topics for a token that has been taken out, over all walks, as proposed."""
    word = WORD_SIDE + which
    foresee_words(world, room, place, pair, which, progress)
    weight = weigh_topic(world, room, place, pair, which, progress)
    args = (world.net, world.doc, world.words, place[2], place[3], which, pair[which])
    return weight * predict(*args, room.values[word], room.opens[word], room.done[word])


@inner
def weigh_topic(world, room, place, pair, which, progress):
    """The topic side of it."""
    topic = TOPIC_SIDE + which
    foresee_topics(world, room, place, pair, which, progress)
    args = (world.net, world.doc, world.topics, place[0], place[1], which, pair[which])
    return predict(*args, room.values[topic], room.opens[topic], room.done[topic])


@inlined
def foreseen(a, b, n_tables, growing, grown):
    """The factor for opening a table where each makes all others likelier: (b + a T')/(b + a T) if T' are to come."""
    return (b + a * (n_tables + growing * (1.0 / grown - 1.0))) / (b + a * n_tables)


@inner
def foresee_topics(world, room, place, pair, which, progress):
    """Factors of the topic side: both topics grow in a restaurant that has others too."""
    part, leaf, _, _ = place
    net, doc, topics, opens = world.net, world.doc, world.topics, room.opens[TOPIC_SIDE + which]
    _, in_document, _, whole, _ = progress
    for pos in range(leaf + 1):
        node = node_of(net, cell_at(topics, pos))
        a, done = net.reals[node, DISCOUNT], in_document if pos >= part[1] else whole
        opens[pos], room.done[TOPIC_SIDE + which, pos] = 1.0, done
        if a > 0.0 and net.nodes[node, KIND] == PYP:
            _, tables, (_, n_tables, b) = both_at(net, doc, topics, part, pos, pair)
            opens[pos] = foreseen(a, b, n_tables, tables, math.sqrt(done))
        if pos >= part[1] and net.nodes[node, N_PARENTS] > 0:
            parent = side_parent(topics, part, pos)
            if parent < part[1] and not net.nodes[node_of(net, cell_at(topics, parent)), EXPLICIT]:
                customers, _, (n_customers, _, b) = both_at(net, doc, topics, part, parent, pair)
                opens[pos] *= (b + n_customers) / ((b + n_customers) * whole + customers * (1.0 - whole))


@inlined
def side_parent(side, part, pos):
    """The first parent of a position."""
    return side.par[first_parent(side, part[0], pos)]


@inner
def both_at(net, doc, side, part, pos, pair):
    """Customers and tables of both topics at a restaurant, and its own totals."""
    (c, t), rest = counts_at(net, doc, side, part, pos, 0, pair[0])
    if pair[1] >= 0:
        (other_c, other_t), _ = counts_at(net, doc, side, part, pos, 1, pair[1])
        c, t = c + other_c, t + other_t
    return c, t, rest


@inner
def foresee_words(world, room, place, pair, which, progress):
    """Factors of the word side: a topic's restaurants are all its own."""
    _, _, part, bottom = place
    net, doc, words, opens = world.net, world.doc, world.words, room.opens[WORD_SIDE + which]
    in_run, in_document, of_word, _, tables_done = progress
    for pos in range(bottom + 1):
        node = node_of(net, cell_at(words, pos))
        a = net.reals[node, DISCOUNT]
        opens[pos], room.done[WORD_SIDE + which, pos] = 1.0, 1.0
        if a > 0.0 and net.nodes[node, REST_WIDE]:
            _, (_, n_tables, b) = counts_at(net, doc, words, part, pos, which, pair[which])
            done, grown = (in_run, math.sqrt(in_document)) if pos >= part[1] else (of_word, tables_done)
            opens[pos], room.done[WORD_SIDE + which, pos] = foreseen(a, b, n_tables, n_tables, grown), done


@inner
def look_ahead(world, room, path, launch, lo, hi, visit, d, pair):
    """Before the tokens lo..hi-1 of a path are seated: what the choices of each are worth to those after it.

    A backward recursion over the number of tokens that took the second topic. A token of topic k is worth
    A(leaf, k) (b + C) plus one for each earlier one of its topic, as in a document that is one restaurant.
    """
    text, previous = world.text, -1
    for s in range(text.leaf.shape[1]):
        room.leaves[s, 3] = -1.0
    for i in range(lo, hi):
        token = path.token[i]
        s = stream_of(text, d, token)
        place = places_of(world, d, s)
        if room.leaves[s, 3] < 0.0:
            _weigh_leaf(world, room, place, pair, s, progress_of(world, path, launch, i, visit, s, token))
        progress = progress_of(world, path, launch, i, visit, s, token)
        again = previous >= 0 and text.partner[s, s] and text.word[previous] == text.word[token]
        previous = token
        lay_out_token(world, room, d, s, token, pair)
        for which in range(2):
            room.worth[i - lo, which], room.lean[i - lo, which] = 1.0, 1.0
            if not again:  # where words are bursty its first token decides
                _weigh_word(world, room, path, launch, i, lo, place, pair, which, s, progress)
        top = max(room.worth[i - lo, 0], room.worth[i - lo, 1])
        room.worth[i - lo, 0] /= top
        room.worth[i - lo, 1] /= top
    for m in range(hi - lo + 1):
        room.ahead[hi - lo, m] = 1.0
    for i in range(hi - 1, lo - 1, -1):
        _recur(room, i - lo, stream_of(text, d, path.token[i]))


@inner
def _weigh_leaf(world, room, place, pair, s, progress):
    """The topic side of a stream: the weight of either topic, and what an earlier token adds if the leaf is local."""
    part, leaf, _, _ = place
    net, doc, node = world.net, world.doc, node_of(world.net, cell_at(world.topics, leaf))
    b, slope = 1.0, 0.0
    if leaf >= part[1]:
        j = net.nodes[node, LOCAL_INDEX]
        b, slope = doc.concentration[j] + doc.ints[len(doc.slots) - 1, j, N_CUSTOMERS], 1.0
    for which in range(2):
        room.leaves[s, which] = b * weigh_topic(world, room, place, pair, which, progress)
    room.leaves[s, 2], room.leaves[s, 3] = slope, net.reals[node, DISCOUNT]


@inner
def _weigh_word(world, room, path, launch, i, lo, place, pair, which, s, progress):
    """A token's word: as the counts have it, and leaning towards the launch as long as few tokens are seated."""
    values, opens = room.values[WORD_SIDE + which], room.opens[WORD_SIDE + which]
    foresee_words(world, room, place, pair, which, progress)
    args = (world.net, world.doc, world.words, place[2], place[3], which, pair[which])
    own = predict(*args, values, opens, room.done[WORD_SIDE + which])
    weight = launch.weight[0]
    n_own = path.n_in[which] + LAUNCH_TOKENS
    guess = launch.counts[launch.offset[s] + world.text.word[path.token[i]], which]
    worth = (n_own * own + weight * max(guess, 0.0)) / (n_own + weight * max(launch.totals[s, which], 0.0))
    room.worth[i - lo, which], room.lean[i - lo, which] = worth, worth / own


@inner
def _recur(room, row, s):
    """ahead[row, m] = sum over the topics of row's token; a row's scale does not matter, for it has both."""
    slope, a, top = room.leaves[s, 2], room.leaves[s, 3], 0.0
    for m in range(row + 1):
        first, second = row - m, m
        one = room.leaves[s, 0] + (slope * (first - a) if first > 0 else 0.0)
        two = room.leaves[s, 1] + (slope * (second - a) if second > 0 else 0.0)
        x = one * room.worth[row, 0] * room.ahead[row + 1, m]
        x += two * room.worth[row, 1] * room.ahead[row + 1, m + 1]
        room.ahead[row, m] = x
        top = max(top, x)
    for m in range(row + 1):
        room.ahead[row, m] = max(room.ahead[row, m] / top, LEAST_LOOK_AHEAD)


@inlined
def twist(room, row, m, which):
    """The factor by which the proposal of a topic departs from the weights."""
    return room.lean[row, which] * room.ahead[row + 1, m + which]


@inner
def seat_token(world, room, path, i, place, pair, which, key, n):
    """Seat token i of a path in one of the two topics, whose values `weigh` has left; returns log a/q of its walk."""
    part, leaf, word_side, bottom = place
    net, doc, text, walk = world.net, world.doc, world.text, path.seated[i]
    n_positions, k, token = world.topics.scratch.shape[1], pair[which], path.token[i]
    topic, word, above, below = TOPIC_SIDE + which, WORD_SIDE + which, walk[:n_positions], walk[n_positions:]
    topics, words, values, opens = world.topics, world.words, room.values, room.opens
    one, n = sit_down(net, doc, topics, part, leaf, which, k, values[topic], opens[topic], above, key, n)
    two, n = sit_down(net, doc, words, word_side, bottom, which, k, values[word], opens[word], below, key, n)
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
    k = pair[which]
    n = stand_up(net, tables, doc, world.topics, part, leaf, which, k, walk[:n_positions], key, n)
    n = stand_up(net, tables, doc, world.words, word_side, bottom, which, k, walk[n_positions:], key, n)
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


@inlined
def see(launch, word, sign):
    """One token of a word more, or less, is seated."""
    before = launch.seen[word]
    launch.seen[word] += sign
    launch.spread[0] += math.sqrt(launch.seen[word]) - math.sqrt(before)


@inlined
def progress_of(world, path, launch, i, visit, s, token):
    """How much is seated before token i: of its word in its document, of its document, of its word, of the documents,
    and of the tables of words.

    Shares of what there will be, counted so that none is 0.
    """
    at, start, stop = launch.offset[s] + world.text.word[token], path.bounds[visit], path.bounds[visit + 1]
    in_document = (i - start + 1.0) / (stop - start + 1.0)
    of_word = (launch.seen[at] + 1.0) / (launch.frequency[at] + 1.0)
    grown = (launch.spread[0] + 1.0) / (launch.spread[1] + 1.0)
    in_run = run_done(world.text, path, i, start, stop, token) if world.text.partner[s, s] else 1.0
    return in_run, in_document, of_word, (visit + 1.0) / len(path.bounds), grown


@inner
def run_done(text, path, i, start, stop, token):
    """How much of the tokens of a word in its document comes before token i."""
    word, before, after = text.word[token], 0, 0
    while i - before > start and text.word[path.token[i - before - 1]] == word:
        before += 1
    while i + after + 1 < stop and text.word[path.token[i + after + 1]] == word:
        after += 1
    return (before + 1.0) / (before + after + 2.0)


@inner
def expect(world, path, launch, visit, d, sign):
    """Count the tokens of a visit among those that are yet to come (sign 1), or no longer (-1)."""
    for i in range(path.bounds[visit], path.bounds[visit + 1]):
        s = stream_of(world.text, d, path.token[i])
        at = launch.offset[s] + world.text.word[path.token[i]]
        for which in range(2):
            x = sign * (launch.share[i] if which else 1.0 - launch.share[i])
            launch.counts[at, which] += x
            launch.totals[s, which] += x


@inner
def seat_document(world, room, path, launch, visit, d, pair, key, n):
    """Allocate the tokens of one visit; returns the sum of log a/q and the counter.

    With pair[1] < 0 all tokens go to the one topic there is. The first two tokens of a path to two topics are anchors.
    """
    start, stop, total = path.bounds[visit], path.bounds[visit + 1], 0.0
    lay_out(world.net, world.terms, world.doc, world.text, world.topics, world.words, d, pair)
    expect(world, path, launch, visit, d, -1.0)
    room.found[0] = -1
    for lo in range(start, stop, BLOCK_TOKENS):
        hi, m = min(lo + BLOCK_TOKENS, stop), 0
        free = pair[1] >= 0 and lo >= N_ANCHORS
        if free:
            look_ahead(world, room, path, launch, lo, hi, visit, d, pair)
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
            part, n = seat_token(world, room, path, i, place, pair, which, key, n)
            see(launch, launch.offset[s] + world.text.word[path.token[i]], 1.0)
            total += part
    return total, n


@inner
def empty_document(world, room, path, launch, visit, d, pair, mixed, key, n):
    """Take the tokens of one visit out again, last first; returns the same sum for the way they were seated.

    `mixed`: local word nodes count several topics together, so that the walks of others change too.
    """
    start, stop, total = path.bounds[visit], path.bounds[visit + 1], 0.0
    net, text = world.net, world.text
    found = lay_out(net, world.terms, world.doc, text, world.topics, world.words, d, pair)
    some_left = mixed or found > stop - start
    room.found[0] = -1
    n_blocks = (stop - start + BLOCK_TOKENS - 1) // BLOCK_TOKENS
    for block in range(n_blocks - 1, -1, -1):
        lo = start + block * BLOCK_TOKENS
        hi, m = min(lo + BLOCK_TOKENS, stop), 0
        free = pair[1] >= 0 and lo >= N_ANCHORS
        for i in range(hi - 1, lo - 1, -1):
            s = stream_of(text, d, path.token[i])
            place = places_of(world, d, s)
            lay_out_token(world, room, d, s, path.token[i], pair)
            which, n = take_token(world, room, path, i, place, pair, key, n)
            see(launch, launch.offset[s] + text.word[path.token[i]], -1.0)
            progress = progress_of(world, path, launch, i, visit, s, path.token[i])
            for other in range(2):
                if free or other == which:
                    room.weights[i - lo, other] = weigh(world, room, place, pair, other, progress)
            total += log_walk(world, room, path, i, place, which)
            if (some_left or lo > start) and (i == lo or _is_other_word(text, d, path.token[i], path.token[i - 1])):
                recode_word(net, world.doc, text, world.words, d, s, text.word[path.token[i]], pair)
                room.found[0] = -1
            if not free:
                total += math.log(room.weights[i - lo, which])
        if free:
            look_ahead(world, room, path, launch, lo, hi, visit, d, pair)
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
