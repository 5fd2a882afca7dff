"""Every measure of a fit is one of its methods, and says what the function says."""

import inspect

import pytest

from pitmanyor import Fit, PlanError, Start, evaluate, fit, models, simulate

OF_NO_FIT = {"auc", "average_precision"}  # of any scores


@pytest.fixture(scope="module")
def chains():
    """Two chains, and documents that neither was fitted to."""
    corpus = simulate(models.author_topic(), documents=70, tokens=8, groups={"author": 4}, vocabulary=20, seed=3).corpus
    train, test = corpus.split(0.1)
    one, other = (fit(models.author_topic(), train, sweeps=24, seed=1, keep=2, start=Start(chain=c)) for c in (0, 1))
    return one, other, test


def test_every_measure_is_a_method():
    measures = {name for name in evaluate.__all__ if inspect.isfunction(getattr(evaluate, name))} - OF_NO_FIT
    measures -= {"top_words"}  # Fit.topics
    assert {name for name in measures if not hasattr(Fit, name)} == set()


def test_measures_of_text(chains):
    one, _, test = chains
    few = test.subset([0, 1])
    assert one.perplexity(test, seed=3) == evaluate.perplexity(one, test, seed=3)
    assert one.perplexity(test, observed=0.25, completion="paper", sweeps=2) == evaluate.perplexity(
        one, test, observed=0.25, completion="paper", sweeps=2
    )
    assert one.left_to_right(few, sweeps=5, seed=2) == evaluate.left_to_right(one, few, sweeps=5, seed=2)
    assert one.left_to_right(few, sweeps=5, seed=2) != one.left_to_right(few, sweeps=5, seed=4)
    chances = evaluate.token_probabilities(one, few, few, sweeps=4, seed=5)
    assert one.token_probabilities(few, few, sweeps=4, seed=5).tolist() == chances.tolist()


def test_measures_of_topics(chains):
    one, _, _ = chains
    assert one.diversity(5) == evaluate.diversity(evaluate.top_words(one, 5))
    assert one.diversity(5, large=True) == evaluate.diversity(evaluate.top_words(one, 5, large=True))
    assert one.effective_topics() == evaluate.effective_topics(one) > 1
    assert one.topic_shares().sum() == pytest.approx(1.0)
    assert one.coherence("c_v", n_words=4).tolist() == evaluate.coherence(
        evaluate.top_words(one, 4), one.corpus, "c_v"
    ).tolist()  # fmt: skip


def test_clusters_against_a_grouping_or_labels_of_ones_own(chains):
    one, _, _ = chains
    codes = one.corpus.groups["author"].codes
    for name in ("purity", "nmi", "adjusted_rand"):
        measure, method = getattr(evaluate, name), getattr(one, name)
        assert method("author") == method(codes) == measure(one.dominant_topics(), codes)
        assert method(codes, n_topics=1) == measure(one.dominant_topics(n_topics=1), codes)
    with pytest.raises(PlanError, match="no grouping 'event'.* this corpus has 'author'"):
        one.nmi("event")


def test_chains_beside_each_other(chains):
    one, other, _ = chains
    assert one.convergence(other, discard=0.25) == evaluate.convergence([one, other], discard=0.25)
    assert one.topic_count(other) == evaluate.topic_count([one, other])
    assert one.topic_count() == evaluate.topic_count([one])
    assert one.match_topics(other) == evaluate.match_topics(one, other)
    assert one.stability(other) == evaluate.stability(one, [other])
    assert one.diagnose(other) == evaluate.diagnose([one, other])
    assert one.diagnose().n_chains == 1
