"""Planted bugs in the explicit sweep: each must show in the means of a long run, or test_mixed proves nothing."""

from contextlib import AbstractContextManager
from unittest.mock import patch

import numpy as np
import pytest

from oracle.runs import exact_means, finite_mix, five_documents, layers, run_sweeps, two_authors, z_scores
from pitmanyor.infer import vectors
from pitmanyor.kernels.arrays import CONCENTRATION, LEARNED

N_SWEEPS = 10_000


def all_live_topics() -> AbstractContextManager[object]:
    """Explicit documents move among all live topics, so a topic can lose its last token while it may not die."""
    return patch("pitmanyor.infer.sweeps.held_topics", lambda state, is_anchor: np.ones(state.capacity, bool))


def crp_tables() -> AbstractContextManager[object]:
    """Words seated as if the concentration alone ruled new tables: x = b instead of a g q^a."""

    def scalars(net, drawn, node, start, stop, log_x, seed):
        log_x[start:stop] = np.log(net.rests[CONCENTRATION, start:stop])

    return patch.object(vectors, "up_scalars", scalars)


def no_rest_slot() -> AbstractContextManager[object]:
    """Topics that do not exist yet get no mass below the root."""
    right = vectors.draw_topic_node

    def draw(net, drawn, *arguments):
        right(net, drawn, *arguments)
        drawn.rest[:] = 0.0

    return patch.object(vectors, "draw_topic_node", draw)


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


MUTANTS = {
    all_live_topics: (five_documents, "mixed"),
    crp_tables: (layers, "mixed"),
    no_rest_slot: (two_authors, "mixed"),
    rho_at_its_mean: (finite_mix, "explicit"),
}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_planted_bug_is_caught(mutant):
    make, sweep = MUTANTS[mutant]
    toy = make()
    with mutant():
        rows = run_sweeps(toy, sweep, N_SWEEPS, seed=1)
    assert np.abs(z_scores(rows, exact_means(toy))).max() > 4.5
