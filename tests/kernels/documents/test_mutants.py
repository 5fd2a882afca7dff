"""Planted bugs: each must show in the exact transition probabilities, or those tests prove nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from kernels.documents.exact import Chain, replaced
from oracle.toys import TOYS
from pitmanyor.kernels.documents.general import collapsed, local_nodes, node_values
from pitmanyor.kernels.documents.general import scratch as general_scratch
from pitmanyor.kernels.documents.general.scratch import OF_TOPIC, TO, WEIGHT
from pitmanyor.kernels.numbers.stirling import open_ratio, stay_ratio
from pitmanyor.kernels.restaurant import count_terms, seating
from pitmanyor.kernels.restaurant.arrays import (
    AT,
    BLOCK,
    CUSTOMERS,
    DOOR,
    GEM,
    KIND,
    LOCAL_INDEX,
    N_PARENTS,
    NODE,
    PARENTS,
    PRIOR_FIRST,
    TABLES,
)
from pitmanyor.kernels.restaurant.small_terms import LEAVE

pytestmark = pytest.mark.nojit


@contextmanager
def several(*pairs: tuple[Callable, Callable]) -> Iterator[None]:
    if not pairs:
        yield
        return
    with replaced(*pairs[0]), several(*pairs[1:]):
        yield


def binomial_ratios_dropped():
    """The paper's likelihood ratio as displayed: no (c + 1 - t)/(c + 1), no (t + 1)/(c + 1)."""

    def stay(tables, index, discount, rule, c, t):
        return stay_ratio(tables, index, c, t)

    def opens(tables, index, discount, rule, c, t):
        return open_ratio(tables, index, c, t)

    return several((count_terms.stay_term, stay), (count_terms.open_term, opens))


def counts_after_the_decrement():
    """Decrement first, then draw whether the table goes."""
    right, plan, fill = count_terms.leave_probability, seating.plan_removal, general_scratch.fill_terms

    def late(tables, index, discount, rule, c, t):
        return 1.0 if c - 1 <= t else right(tables, index, discount, rule, c - 1, t)

    def plan_late(*arguments):
        with replaced(right, late):
            return plan(*arguments)

    def fill_late(small, tables, discounts, rule):
        fill(small, tables, discounts, rule)
        for i, discount in enumerate(discounts):
            for c in range(1, 10):
                for t in range(1, c + 1):
                    small[i, t, c, LEAVE] = late(tables, i, discount, rule, c, t)

    return several((plan, plan_late), (fill, fill_late))


def clamp_with_plain_binomial_weights():
    """The last table never goes, but the weights say that it might."""

    def stay(tables, index, discount, rule, c, t):
        return stay_ratio(tables, index, c, t) * (1 - t / (c + 1))

    return several((count_terms.stay_term, stay))


def a_second_table_at_the_gem():
    """The root weighs topics as if t/c could take its table along, so as if it could have more than one."""
    right = count_terms.refresh_count

    def refresh(net, tables, node, i):
        right(net, tables, node, i)
        if net.nodes[node, KIND] == GEM:
            net.stay[i] *= 1 - 1 / (net.counts[i, CUSTOMERS] + 1)

    return several((right, refresh))


def tables_per_parent_in_open():
    """(t_i + 1)/(c + 1) for parent i instead of (t + 1)/(c + 1)."""

    def shares(net, doc, side, part, pos, h):
        node = net.cells[side.scratch[AT, pos], NODE]
        j, (at, rest) = net.nodes[node, LOCAL_INDEX], node_values.places(net, doc, node, h)
        first, k = side.entries[part[0] + pos, PARENTS], doc.slots[h, OF_TOPIC]
        return [
            doc.reals[rest, j, WEIGHT + i]
            * node_values.value_at(net, doc, side, part, side.par[first + i], h, k)
            * (doc.ints[at, j, TO + 2 * i] + 1)
            / (doc.ints[at, j, TABLES] + 1)
            for i in range(net.nodes[node, N_PARENTS])
        ]

    right_base, right_choice = node_values.base_value, local_nodes._by_weight

    def base(net, doc, side, part, pos, h, k):
        if net.nodes[net.cells[side.scratch[AT, pos], NODE], N_PARENTS] < 2:
            return right_base(net, doc, side, part, pos, h, k)
        return sum(shares(net, doc, side, part, pos, h))

    def choice(net, doc, side, part, pos, h, x):
        return int(x >= shares(net, doc, side, part, pos, h)[0])

    return several((right_base, base), (right_choice, choice))


def mixing_urn_ignored():
    """Parents weighed by the prior mean, whatever tables they have."""
    right = general_scratch.refresh_local

    def refresh(net, doc, h, node, j):
        right(net, doc, h, node, j)
        first, n = net.nodes[node, PRIOR_FIRST], net.nodes[node, N_PARENTS]
        if n > 1:
            prior = net.prior[first : first + n]
            doc.reals[h, j, WEIGHT : WEIGHT + n] = prior / prior.sum()

    return several((right, refresh))


def new_topic_without_its_word():
    """A new topic weighed by the topic side alone."""
    right = collapsed.score_token

    def score(net, doc, topics, words, visit, place):
        total = right(net, doc, topics, words, visit, place)
        door = net.status[DOOR]
        change = visit.score[door] / visit.form[door] - visit.score[door]
        visit.score[door] += change
        visit.blocks[door // BLOCK] += change
        return total + change

    return several((right, score))


MUTANTS = {
    binomial_ratios_dropped: ("three_layers", 0),
    counts_after_the_decrement: ("single_parent", 0),
    clamp_with_plain_binomial_weights: ("single_parent", 0),
    a_second_table_at_the_gem: ("single_parent", 0),
    tables_per_parent_in_open: ("two_parents", 0),
    mixing_urn_ignored: ("two_parents", 0),
    new_topic_without_its_word: ("single_parent", 0),
}


def error(toy: str, token: int) -> float:
    chain = Chain(TOYS[toy](), "clamp")
    return chain.error(chain.token_update(token))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_planted_bug_is_caught(mutant):
    with mutant():
        assert error(*MUTANTS[mutant]) > 1e-6


def test_planted_bugs_leave_with_their_test():
    for mutant in MUTANTS:
        with mutant():
            pass
    assert error("single_parent", 0) < 1e-12
