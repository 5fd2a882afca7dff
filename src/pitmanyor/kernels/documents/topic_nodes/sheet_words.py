"""Words of the document's own, for topics on a sheet: a node per document and topic over a shared one (maths 4).

With f = E / (b + C) of a topic's restaurant (own_words/scratch.py), a topic of the document weighs f A phi_kw, and more
where it has the word at hand. So slots weigh max(f A - form, 0) phi_kw, the topics that have the word their bracket,
and all topics form phi_kw, as in sheet_draw.py. But f A can be below the form: a topic drawn by the form is then taken
with the chance of their ratio, or all is drawn again.
"""

from __future__ import annotations

import numpy as np

from pitmanyor.kernels.documents.general.explicit import product
from pitmanyor.kernels.documents.own_words.scratch import close_stream, count_restaurant, crossing_of, open_stream
from pitmanyor.kernels.documents.own_words.word_repeats import (
    close_run,
    end_of_run,
    leave_dish,
    leaves_dish,
    listed_at,
    move_restaurant,
    open_run,
    opens_dish,
    repeat_weight,
    seat_dish,
)
from pitmanyor.kernels.documents.topic_nodes.scratch import NONE, ONE, TWO
from pitmanyor.kernels.documents.topic_nodes.sheet_draw import draw_fresh, slot_below, weigh_form, weigh_slots
from pitmanyor.kernels.documents.topic_nodes.sheet_seating import base_parts, stay_of
from pitmanyor.kernels.restaurant.arrays import WORD_LIST
from pitmanyor.kernels.runtime.jit import inlined, inner
from pitmanyor.kernels.runtime.random import uniform, uniform_in

TRIES = 16  # draws that may be refused before all topics are weighed one by one


@inlined
def find_seats(text, sheet, tokens, first):
    """Slots of some tokens of a document whose first is `first`: they change as slots are given up."""
    for i in range(tokens[0], tokens[1]):
        sheet.seat[np.uint64(i - first)] = sheet.slot_of[np.uint64(text.topic[np.uint64(i)])]


@inlined
def open_words(net, terms, text, words, sheet, crossed, d, s, tokens, n_slots):
    """The crossed node of stream s, and its restaurants from the walks of its tokens."""
    if len(crossed) == 0:
        return ()
    crossing = crossing_of(net, terms, words, text.leaf[text.context[d], s, WORD_LIST])
    if crossing.node >= 0:
        first = text.first[d * text.leaf.shape[1]]
        find_seats(text, sheet, tokens, first)
        open_stream(text, sheet.seat, crossed, crossing, tokens, first, n_slots)
    return crossing


@inlined
def close_words(net, text, crossed, crossing, d, n_slots, joint):
    """Measure the restaurants of a stream and empty them."""
    if len(crossed) == 0:
        return
    if crossing.node >= 0:
        close_stream(net, text, crossed, crossing, d, n_slots, joint)


@inlined
def turn_to(tables, terms, text, sheet, crossed, crossing, d, i, stop, run, n_listed):
    """Put the run of equal words away that ends before token i, and begin the next.

    Returns the run at hand, how many topics have its word, and the part in the log joint of the run that ended. Nobody
    is listed for a word that comes once: its token brings a table and takes it along.
    """
    if len(crossed) == 0:
        return run, n_listed, 0.0
    if i < run[1] or crossing.node < 0:
        return run, n_listed, 0.0
    joint, first = 0.0, text.first[d * text.leaf.shape[1]]
    if n_listed > 0:
        find_seats(text, sheet, run, first)
        joint = close_run(tables, terms, text, sheet.seat, crossed, crossing, run, first, n_listed)
    run, n_listed = (i, end_of_run(text, i, stop)), np.int64(0)
    if run[1] - run[0] > 1:
        find_seats(text, sheet, run, first)
        n_listed = open_run(text, sheet.seat, crossed, crossing, run, first)
    return run, n_listed, joint


@inlined
def leaves_word(tables, terms, crossed, crossing, h, n_listed, key, n):
    """Does a token that leaves slot h take its word's table along? -1: rule `paper` keeps it. And the counter."""
    if len(crossed) == 0:
        return np.int64(1), n
    if n_listed == 0:
        return np.int64(1), n
    return leaves_dish(tables, terms, crossed, crossing, np.uint64(h), key, n)


@inlined
def leave_word(crossed, crossing, h, took, n_listed):
    """Take a token out of the restaurant of slot h, with a table if it took one."""
    if len(crossed) == 0:
        return
    if n_listed > 0:
        leave_dish(crossed, np.uint64(h), took)
    if crossing.node >= 0:
        count_restaurant(crossed, crossing, np.uint64(h), -1, -took)


@inlined
def seat_word(net, tables, terms, sheet, crossed, crossing, row, h, n_listed, key, n):
    """Seat a token in the restaurant of slot h; returns how many topics have its word, and the counter."""
    if len(crossed) == 0:
        return n_listed, n
    slot, opened = np.uint64(h), np.int64(1)
    if n_listed > 0:
        phi = float(net.stay[row + np.uint64(sheet.topic[slot])])
        opened, n = opens_dish(tables, terms, crossed, crossing, slot, phi, key, n)
        n_listed = seat_dish(crossed, slot, opened, n_listed)
    if crossing.node >= 0:
        count_restaurant(crossed, crossing, slot, 1, opened)
    return n_listed, n


@inlined
def move_words(crossed, h, last, n_listed):
    """Slot `last` takes the place of h; returns how many topics have the word at hand."""
    if len(crossed) == 0:
        return n_listed
    return move_restaurant(crossed, np.uint64(h), np.uint64(last), n_listed)


@inlined
def value_at(sheet, frame, leaf, gain, slot):
    """A of the leaf at a slot, up to the leaf's scale."""
    at, parts = stay_of(sheet, frame, leaf) + slot, base_parts(sheet, leaf, slot)
    return float(sheet.reals[at]) + gain * float(sheet.reals[at + frame.width]) * (parts[0] + parts[1])


@inner
def weigh_repeats(net, tables, terms, sheet, crossed, crossing, frame, leaf, gain, row, n_listed):
    """Weights of the topics that have the word, beyond what their slots give them; returns their total."""
    total = 0.0
    for p in range(n_listed):
        slot = np.uint64(crossed.slot[p])
        crossed.weights[p] = 0.0
        if crossed.seated[p] > 0:
            phi = float(net.stay[row + np.uint64(sheet.topic[slot])])
            weight = value_at(sheet, frame, leaf, gain, slot)
            weight *= repeat_weight(tables, terms, crossed, crossing, slot, phi)
            crossed.weights[p] = weight
            total += weight
    return total


@inlined
def chance(sheet, crossed, frame, leaf, gain, k):
    """With which a topic drawn by the form is taken."""
    if sheet.slot_of[np.uint64(k)] == NONE:
        return 1.0
    slot, form = np.uint64(sheet.slot_of[np.uint64(k)]), 0.0
    for i in range(frame.n_bases):
        r = np.uint64(i)
        form += float(sheet.form[r]) * float(sheet.reals[r * frame.width + slot])
    value = value_at(sheet, frame, leaf, gain, slot) * crossed.factor[slot]
    return value / (gain * form) if value < gain * form else 1.0


@inner
def form_by_scan(net, sheet, crossed, frame, leaf, gain, row, x):
    """What topics weigh by the form as far as they are taken; or, for x >= 0, the topic into which x of it falls."""
    total, chosen = 0.0, np.int64(-1)
    for k in range(frame.n_held):
        weight = 0.0
        for i in range(frame.n_bases):
            r = np.uint64(i)
            weight += float(sheet.form[r]) * product(net.stay, sheet.bases[r * TWO + ONE], np.int64(row), k)
        weight *= gain * chance(sheet, crossed, frame, leaf, gain, k)
        if weight > 0.0:
            total, chosen = total + weight, np.int64(k)
            if x >= 0.0 and x < total:
                break
    return total, chosen


@inlined
def topic_at(sheet, crossed, frame, n_slots, n_listed, held, x):
    """The topic into which x falls, uniform on (0, weights of slots and of the topics that have the word)."""
    if x < held or n_listed == 0:
        return np.int64(sheet.topic[np.uint64(slot_below(sheet, frame, x, n_slots))])
    return np.int64(sheet.topic[listed_at(crossed, n_listed, x - held)])


@inner
def draw_by_scan(net, sheet, crossed, frame, leaf, gain, row, n_slots, n_listed, held, again, key, n):
    """As `draw_own`, without refusals."""
    real = sheet.reals.dtype.type
    fresh = real(form_by_scan(net, sheet, crossed, frame, leaf, gain, row, -1.0)[0])
    x = uniform_in(real, key, n) * (held + again + fresh)
    if x >= held + again and fresh > real(0.0):
        return form_by_scan(net, sheet, crossed, frame, leaf, gain, row, x - (held + again))[1]
    return topic_at(sheet, crossed, frame, n_slots, n_listed, held, x)


@inlined
def draw_own(
    net, tables, terms, sums, sheet, crossed, crossing, frame, leaf, gain, token, n_slots, n_listed, key, n
):  # fmt: skip
    """A topic in proportion to its weight, among the document's slots or afresh; and the counter."""
    real = sheet.reals.dtype.type
    held, again = weigh_slots(net, sheet, crossed.factor, frame, leaf, gain, token.row, n_slots), real(0.0)
    if n_listed > 0:
        again = real(
            weigh_repeats(net, tables, terms, sheet, crossed, crossing, frame, leaf, gain, token.row, n_listed)
        )
    fresh = real(weigh_form(net, sums, sheet, frame, gain, token))
    for _ in range(TRIES):
        x = uniform_in(real, key, n) * (held + again + fresh)
        n += 1
        if x < held + again or fresh <= real(0.0):
            return topic_at(sheet, crossed, frame, n_slots, n_listed, held, x), n
        k = np.int64(draw_fresh(net, sums, sheet, frame, gain, token, x - (held + again)))
        taken = chance(sheet, crossed, frame, leaf, gain, k)
        if taken >= 1.0:
            return k, n
        n += 1
        if uniform(key, n - 1) < taken:
            return k, n
    k = draw_by_scan(net, sheet, crossed, frame, leaf, gain, token.row, n_slots, n_listed, held, again, key, n)
    return k, n + 1
