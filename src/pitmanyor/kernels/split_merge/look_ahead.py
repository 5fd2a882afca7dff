"""What the labels of a block's tokens are worth to the tokens after them: a backward recursion (maths 4)."""

from __future__ import annotations

from pitmanyor.kernels.documents.general.scratch import N_CUSTOMERS
from pitmanyor.kernels.restaurant.arrays import (
    DISCOUNT,
    LOCAL_INDEX,
)
from pitmanyor.kernels.restaurant.seating import cell_at, node_of
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.split_merge.foresight import (
    WORD_SIDE,
    foresee_words,
    progress_of,
    weigh_topic,
)
from pitmanyor.kernels.split_merge.franchise import Branch, predict
from pitmanyor.kernels.split_merge.visits import (
    lay_out_token,
    places_of,
    stream_of,
)

LEAST_LOOK_AHEAD = 1e-290  # of a look ahead, so that no allocation is impossible
LAUNCH_TOKENS = 20.0  # tokens: how soon the words seated so far count as much as those of the launch


@inner
def look_ahead(move, lo, hi, visit, d, pair):
    """Before the tokens lo..hi-1 of a path are seated: what the choices of each are worth to those after it.

    A backward recursion over the number of tokens that took the second topic. A token of topic k is worth
    A(leaf, k) (b + C) plus one for each earlier one of its topic, as in a document that is one restaurant.
    """
    world, room, path, launch = move
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
                _weigh_word(move, i, lo, place, pair, which, s, progress)
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
def _weigh_word(move, i, lo, place, pair, which, s, progress):
    """A token's word: as the counts have it, and leaning towards the launch as long as few tokens are seated."""
    world, room, path, launch = move
    values, opens = room.values[WORD_SIDE + which], room.opens[WORD_SIDE + which]
    foresee_words(world, room, place, pair, which, progress)
    branch, at = Branch(world.words, place[2], place[3]), (which, pair[which])
    own = predict(world.net, world.doc, branch, at, values, opens, room.done[WORD_SIDE + which])
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
