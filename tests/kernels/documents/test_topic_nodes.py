"""What documents leave behind in a thread's rows, where the next one would read it."""

from unittest.mock import patch

import numpy as np

from pitmanyor import models
from pitmanyor.kernels.documents.topic_nodes.scratch import N_SLOTS
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.chain import Chain
from pitmanyor.simulation import simulate
from pitmanyor.state import new_state

N_BASES, N_LOCAL = 2, 3  # of the TNTM: nu and mu1; eta, theta_tag and theta


def test_slots_that_nobody_uses_weigh_nothing():
    """Slots are read eight at a time: what a document left there would draw the tokens of the next."""
    graph = models.tntm().without("follows").set("*", concentration=2.0)
    corpus = simulate(graph, documents=30, tokens=60, groups={"author": 3}, vocabulary=50, seed=2).corpus
    with patch("pitmanyor.sampling.chain.SMALL_CORPUS", 0):
        chain = Chain(new_state(compile_plan(graph, corpus)), seed=1, anchors=0.3, passes=2)
    chain.initialise(12)
    for _ in range(3):
        chain.step()
    node_rows = chain.sweeper.explicit.scratch[0]
    width, n_rows = node_rows.known[0, N_SLOTS], N_BASES + 3 * N_LOCAL
    rows = node_rows.reals[0, : n_rows * width].reshape(n_rows, width)
    of_nodes = rows[N_BASES:].reshape(N_LOCAL, 3, -1)  # A, stay and open
    assert of_nodes[:, 0, :N_BASES].any(), "the engine of topic nodes has not been at work"
    assert not rows[:N_BASES, N_BASES:].any()
    assert not of_nodes[:, :2, N_BASES:].any()
    assert np.all(of_nodes[:, 2] > 0.0)
