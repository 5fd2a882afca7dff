"""Stacking weights against their definition; chains that are stuck in a worse mode get none."""

import numpy as np
import pytest
from scipy.optimize import minimize

from pitmanyor import Corpus, Network, Start, fit, models
from pitmanyor.evaluate.stacking import held_out_densities, stacking_weights

THEMES = [[f"{theme}{w}" for w in range(8)] for theme in "abcd"]


def corpus_of(seed=0):
    rng = np.random.default_rng(seed)
    return Corpus.from_tokens([rng.choice(THEMES[d % 4], 10).tolist() for d in range(120)])


@pytest.mark.parametrize("seed", range(5))
def test_no_other_weights_are_better(seed):
    rng = np.random.default_rng(seed)
    logs = rng.normal(scale=2.0, size=(3, 40)) - 50.0
    weights = stacking_weights(logs)

    def loss(w):
        return -np.logaddexp.reduce(logs + np.log(np.maximum(w, 1e-300))[:, None], axis=0).sum()

    best = minimize(
        loss, np.full(3, 1 / 3), bounds=[(0, 1)] * 3, constraints={"type": "eq", "fun": lambda w: w.sum() - 1}
    )
    assert weights.sum() == pytest.approx(1.0) and loss(weights) <= best.fun + 1e-3


def test_equal_chains_have_equal_weights_and_log_densities_may_be_tiny():
    assert stacking_weights(np.full((4, 10), -5000.0)) == pytest.approx([0.25] * 4)


def test_a_chain_that_predicts_worse_gets_no_weight():
    """With one topic for all themes; the same model otherwise."""
    graph, corpus = models.hdp_lda(), corpus_of()
    good = fit(graph, corpus, sweeps=60, seed=1, start=Start(topics=8))
    bad = fit(graph, corpus, sweeps=3, seed=1, start=Start(topics=1), max_topics=1)
    logs = held_out_densities([bad, good], graph, good.run.settings)
    assert logs.shape == (2, 12) and (logs[1] > logs[0]).mean() > 0.9
    assert stacking_weights(logs).tolist() == [0.0, 1.0]


def test_documents_that_are_held_out_have_no_say():
    """A topic that only they have is forgotten: its words are as unlikely as new ones."""
    corpus = corpus_of()
    graph = models.hdp_lda()
    fitted = fit(graph, corpus, sweeps=30, seed=1)
    logs = held_out_densities([fitted], graph, fitted.run.settings)
    again = held_out_densities([fitted], graph, fitted.run.settings)
    assert logs.tolist() == again.tolist()  # the same documents, and the same draws
    per_token = logs[0] / 5
    assert np.log(1 / 32) < per_token.mean() < np.log(1 / 6)  # at best one of the 8 words of a theme


def test_links_and_several_streams_are_no_obstacle(blog_chains):
    logs = held_out_densities(blog_chains, blog_chains[0].graph, blog_chains[0].run.settings)
    assert logs.shape == (2, 4) and np.isfinite(logs).all()


@pytest.fixture(scope="module")
def blog_chains():
    from pitmanyor import read, simulate_microblog

    blog = simulate_microblog(posts=40, authors=4, seed=1)
    corpus = read(blog.records, links=blog.links)
    return [
        fit(models.tntm(), corpus, sweeps=8, network=Network(text_sweeps=4), seed=1, start=Start(chain=chain))
        for chain in range(2)
    ]
