"""Carry out one split or merge: take tokens out along a path, seat them again, and take it all back if refused."""

from __future__ import annotations

import math

import numpy as np

from pitmanyor import purposes
from pitmanyor.kernels.documents.general.document import (
    load_document,
    load_run,
    save_document,
    save_run,
    set_word_cells,
)
from pitmanyor.kernels.restaurant.arrays import (
    AT,
    CELL,
    CUSTOMERS,
    DISH,
    GEM_CELL,
    LIVE,
    LOCAL,
    N_COLUMNS,
    N_LIVE,
    N_PARENTS,
    NODE,
    REST,
    REST_WIDE,
    ROW,
    TO_REST,
    WIDE,
    WORD_LIST,
)
from pitmanyor.kernels.restaurant.births import furnish
from pitmanyor.kernels.restaurant.count_terms import refresh_count, refresh_restaurant
from pitmanyor.kernels.restaurant.packed_rows import entries_of, is_packed, pack_all, unpack_cells
from pitmanyor.kernels.restaurant.seating import open_door
from pitmanyor.kernels.restaurant.shared import Franchise
from pitmanyor.kernels.runtime.jit import inner, kernel
from pitmanyor.kernels.runtime.random import stream_key
from pitmanyor.kernels.split_merge.allocate import Move, empty_document, seat_document
from pitmanyor.kernels.split_merge.franchise import replay
from pitmanyor.kernels.split_merge.visits import NOWHERE, places_of, stream_of


@kernel
def count_words(text, path, documents, launch):
    """How often the tokens of a move have each word; all of them are seated."""
    launch.frequency[:] = 0.0
    for visit in range(len(documents)):
        for i in range(path.bounds[visit], path.bounds[visit + 1]):
            s = stream_of(text, documents[visit], path.token[i])
            launch.frequency[launch.offset[s] + text.word[path.token[i]]] += 1.0
    launch.spread[1] = 0.0
    for word in range(len(launch.seen)):
        launch.seen[word] = launch.frequency[word]
        launch.spread[1] += math.sqrt(launch.frequency[word])
    launch.spread[0] = launch.spread[1]


@kernel
def empty_path(world, room, path, launch, documents, pair, how, seed):
    """Take all tokens of a path out, last first; returns the sum of log a/q of the way they were seated.

    `how` is that of `empty_document`; `seed` is (seed, chain, sweep, number of the move).
    """
    key, total, n = stream_key(seed[0], seed[1], seed[2], seed[3], purposes.MOVE_LEAVING), 0.0, np.int64(0)
    move = Move(world, room, path, launch)
    for visit in range(len(documents) - 1, -1, -1):
        part, n = empty_document(move, visit, documents[visit], pair, how, key, n)
        total += part
    return total


@kernel
def seat_path(world, room, path, launch, documents, pair, seed):
    """Seat them again in one topic, or in two; returns the sum of log a/q. A new topic draws its concentrations."""
    key, total, n = stream_key(seed[0], seed[1], seed[2], seed[3], purposes.MOVE_SEATING), 0.0, np.int64(0)
    move = Move(world, room, path, launch)
    if pair[1] >= 0:
        n = furnish(world.net, pair[1], key, n)
    for visit in range(len(documents)):
        part, n = seat_document(move, visit, documents[visit], pair, key, n)
        total += part
    return total


@kernel
def unseat(world, path, documents):
    """Undo the walks of a proposal; its tokens are removed again."""
    text = world.text
    for visit in range(len(documents)):
        for i in range(path.bounds[visit], path.bounds[visit + 1]):
            token = path.token[i]
            _replay(world, path.seated[i], token, documents[visit], np.int64(text.topic[token]), -1)
            text.topic[token] = NOWHERE


@kernel
def restore(world, path, documents):
    """Give removed tokens their old topics and walks back."""
    text = world.text
    for visit in range(len(documents)):
        for i in range(path.bounds[visit], path.bounds[visit + 1]):
            token = path.token[i]
            _replay(world, path.left[i], token, documents[visit], np.int64(path.topic[i]), 1)
            text.topic[token], text.code[token] = path.topic[i], path.code[i]
    pack_all(world.net)  # terms of unpacked cells are those of an intermediate step of the move


@inner
def _replay(world, walk, token, d, k, sign):
    text, topics, words = world.text, world.topics, world.words
    s = stream_of(text, d, token)
    part, leaf, word_side, bottom = places_of(world, d, s)
    for pos in range(leaf + 1):
        topics.scratch[AT, pos] = topics.entries[part[0] + pos, CELL]
    set_word_cells(words, text, text.leaf[text.context[d], s, WORD_LIST], token)
    unpack_cells(world.net, world.tables, world.terms, words, text.leaf[text.context[d], s, WORD_LIST])
    n_positions = topics.scratch.shape[1]
    replay(world.net, topics, part, leaf, k, walk[:n_positions], sign)
    replay(world.net, words, word_side, bottom, k, walk[n_positions:], sign)


@kernel
def settle(world, pair):
    """After an accepted move: the terms of both topics follow their counts, and so does the set of live topics."""
    net, tables = world.net, world.tables
    pack_all(net)
    for cell in range(len(net.cells)):
        node = net.cells[cell, NODE]
        if net.nodes[node, LOCAL]:
            continue
        again = cell > 0 and net.cells[cell, REST] == net.cells[cell - 1, REST]
        for which in range(2):
            k = pair[which]
            if not is_packed(net, cell):
                refresh_count(net, tables, node, net.cells[cell, ROW] + k * net.nodes[node, WIDE])
            if not again:
                own = k * net.nodes[node, REST_WIDE]
                n_parents = net.nodes[node, N_PARENTS]
                refresh_restaurant(net, node, net.cells[cell, REST] + own, net.cells[cell, TO_REST] + own * n_parents)
    gem = net.status[GEM_CELL]
    if gem < 0:
        return
    for which in range(2):
        k = pair[which]
        alive = 1 if net.counts[net.cells[gem, ROW] + k, CUSTOMERS] > 0 else 0
        net.status[N_LIVE] += alive - net.status[LIVE + k]
        net.status[LIVE + k] = alive
        if alive:
            net.status[N_COLUMNS] = max(net.status[N_COLUMNS], k + 1)
    open_door(net)


@kernel
def measure_documents(world, documents, seed):
    """What concentrations and the log joint need of documents whose tokens have moved."""
    text, franchise = world.text, Franchise(world.net, world.tables, world.terms)
    for at in range(len(documents)):
        d = documents[at]
        key = stream_key(seed[0], seed[1], seed[2], text.number[d], purposes.MOVE_MEASURE)
        load_document(franchise, world.doc, text, world.topics, world.words, d)
        for s in range(text.leaf.shape[1]):
            if text.partner[s, s]:
                _measure_words(world, d, s)
        save_document(franchise, world.doc, text, world.topics, d, key, np.int64(0))


@inner
def _measure_words(world, d, s):
    text, n_streams = world.text, world.text.leaf.shape[1]
    start, stop = text.first[d * n_streams + s], text.first[d * n_streams + s + 1]
    franchise = Franchise(world.net, world.tables, world.terms)
    while start < stop:
        word = text.word[start]
        load_run(franchise, world.doc, text, world.words, d, s, word)
        save_run(franchise, world.doc, text, world.words, d, s, word)
        while start < stop and text.word[start] == word:
            start += 1


@kernel
def overlaps(net, cells, sizes, one, out):
    """out[k] = sum over words of min(p(w | one), p(w | k)), over the words of all streams; 1 minus total variation.

    `cells` are those of the words, with counts over topics; `sizes` the words that topics have there.
    """
    n_columns = net.status[N_COLUMNS]
    out[:] = 0.0
    for j in range(len(cells)):
        cell = cells[j]
        if is_packed(net, cell):
            _overlap_entries(net, cell, sizes, one, out)
            continue
        row = net.cells[cell, ROW]
        mine = net.counts[row + one, CUSTOMERS]
        if mine > 0:
            p = mine / sizes[one]
            for k in range(n_columns):
                out[k] += min(p, net.counts[row + k, CUSTOMERS] / sizes[k])


@inner
def _overlap_entries(net, cell, sizes, one, out):
    """The part of a word whose counts are packed."""
    first, last = entries_of(net, cell)
    for mine in range(first, last):
        if net.packed[mine, DISH] == one:
            p = net.packed[mine, CUSTOMERS] / sizes[one]
            for e in range(first, last):
                k = net.packed[e, DISH]
                out[k] += min(p, net.packed[e, CUSTOMERS] / sizes[k])
