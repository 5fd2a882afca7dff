"""Weights of a move's two topics for one token, with factors that anticipate tokens not yet seated (maths 4).

Any factor is valid, because it is part of the proposal and cancels in the acceptance ratio."""

from __future__ import annotations

import math

from pitmanyor.kernels.restaurant.arrays import (
    DISCOUNT,
    EXPLICIT,
    KIND,
    N_PARENTS,
    PYP,
    REST_WIDE,
)
from pitmanyor.kernels.restaurant.seating import cell_at, first_parent, node_of
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.split_merge.franchise import Branch, counts_at, predict

TOPIC_SIDE, WORD_SIDE = 0, 2  # rows of Room.values, the second topic's after the first's


@inner
def weigh(world, room, place, pair, which, progress):
    """The weight of one of the two topics for a token that has been taken out, over all walks, as proposed."""
    word = WORD_SIDE + which
    foresee_words(world, room, place, pair, which, progress)
    weight = weigh_topic(world, room, place, pair, which, progress)
    branch, at = Branch(world.words, place[2], place[3]), (which, pair[which])
    return weight * predict(world.net, world.doc, branch, at, room.values[word], room.opens[word], room.done[word])


@inner
def weigh_topic(world, room, place, pair, which, progress):
    """The topic side of it."""
    topic = TOPIC_SIDE + which
    foresee_topics(world, room, place, pair, which, progress)
    branch, at = Branch(world.topics, place[0], place[1]), (which, pair[which])
    return predict(world.net, world.doc, branch, at, room.values[topic], room.opens[topic], room.done[topic])


@inlined
def foreseen(a, b, n_tables, growing, grown):
    """The factor for opening a table, which makes others more likely: (b + a T')/(b + a T) for T' expected tables."""
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
    branch = Branch(side, part, pos)
    (c, t), rest = counts_at(net, doc, branch, pos, (0, pair[0]))
    if pair[1] >= 0:
        (other_c, other_t), _ = counts_at(net, doc, branch, pos, (1, pair[1]))
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
            _, (_, n_tables, b) = counts_at(net, doc, Branch(words, part, bottom), pos, (which, pair[which]))
            done, grown = (in_run, math.sqrt(in_document)) if pos >= part[1] else (of_word, tables_done)
            opens[pos], room.done[WORD_SIDE + which, pos] = foreseen(a, b, n_tables, n_tables, grown), done


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
