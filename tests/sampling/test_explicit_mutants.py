"""Planted bugs in the explicit sweep: each must show in the means of a long run, or test_mixed proves nothing."""

from contextlib import AbstractContextManager
from unittest.mock import patch

import numpy as np
import pytest

from oracle.runs import (
    even_mix,
    exact_means,
    few_words,
    finite_mix,
    five_documents,
    layers,
    run_sweeps,
    two_authors,
    z_scores,
)
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION, DISCOUNT, LEARNED, NODE, REST, ROW
from pitmanyor.sampling import switching as vectors


def all_live_topics() -> AbstractContextManager[object]:
    """Explicit documents move among all live topics, so a topic can lose its last token while it may not die."""
    return patch("pitmanyor.sampling.sweeps.held_topics", lambda state, is_anchor: np.ones(state.capacity, bool))


def crp_tables() -> AbstractContextManager[object]:
    """Words seated as if the concentration alone ruled new tables: x = b instead of a g q^a."""

    def scalars(net, drawn, node, start, stop, found, seed):
        b = net.rests[CONCENTRATION, start:stop]
        found[start:stop] = np.stack([np.log(b), b], axis=1)

    return patch.object(vectors, "up_scalars", scalars)


def crp_tables_of_topics() -> AbstractContextManager[object]:
    """The same on the topic side, for every restaurant with a discount."""
    right = vectors.up_topics

    def up(net, tables, drawn, family, start, stop, seed):
        q, a = net.cells[start:stop, REST], net.reals[net.cells[start, NODE], DISCOUNT]
        if a > 0.0:
            # x = a g q^a with q = v + Gamma(C)/total
            drawn.log_v[q], drawn.log_total[q] = 0.0, np.inf
            drawn.log_g[q] = np.log(net.rests[CONCENTRATION, q] / a)
        right(net, tables, drawn, family, start, stop, seed)

    return patch.object(vectors, "up_topics", up)


def no_rest_slot() -> AbstractContextManager[object]:
    """Topics that do not exist yet get no mass below the root."""
    right = vectors.draw_topic_node

    def draw(net, drawn, *arguments):
        right(net, drawn, *arguments)
        drawn.rest[:] = 0.0

    return patch.object(vectors, "draw_topic_node", draw)


def no_rest_of_words() -> AbstractContextManager[object]:
    """Words without a cell get no mass."""
    right = vectors.draw_word_node

    def draw(net, drawn, family, bounds, instances, scratch, *arguments):
        right(net, drawn, family, bounds, instances, scratch, *arguments)
        for first, last in instances:
            rows, rest = net.cells[bounds[first] : bounds[last], ROW], net.cells[bounds[first], REST]
            for k in range(scratch[0].shape[1]):
                share = net.stay[rows + k].sum()
                net.stay[rows + k] /= share
                drawn.log_total[rest + k] += np.log(share)

    return patch.object(vectors, "draw_word_node", draw)


def rho_at_its_mean() -> AbstractContextManager[object]:
    """Mixing weights stay at (lambda_i + T_to[i])/(sum lambda + T) instead of being drawn."""

    def fixed(right):
        def draw(net, *arguments):
            learned = net.nodes[:, LEARNED].copy()
            net.nodes[:, LEARNED] = 0
            right(net, *arguments)
            net.nodes[:, LEARNED] = learned

        return draw

    names = ("draw_topic_node", "draw_word_scalars")
    return patch.multiple(vectors, **{name: fixed(getattr(vectors, name)) for name in names})


MUTANTS = [
    (all_live_topics, five_documents, "mixed", 2_000),
    (crp_tables, layers, "mixed", 4_000),
    (crp_tables_of_topics, layers, "mixed", 4_000),
    (crp_tables_of_topics, two_authors, "mixed", 6_000),
    (no_rest_slot, two_authors, "mixed", 10_000),
    (no_rest_of_words, few_words, "mixed", 10_000),
    (rho_at_its_mean, even_mix, "mixed", 6_000),
    (rho_at_its_mean, finite_mix, "explicit", 6_000),
]


@pytest.mark.parametrize(
    ("mutant", "make", "sweep", "n_sweeps"), MUTANTS, ids=lambda value: getattr(value, "__name__", None)
)
def test_planted_bug_is_caught(mutant, make, sweep, n_sweeps):
    toy = make()
    with mutant():
        rows = run_sweeps(toy, sweep, n_sweeps, seed=1)
    assert np.abs(z_scores(rows, exact_means(toy))).max() > 6
